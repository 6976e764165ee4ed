"""Find other meanings of a command's words that the shell alone does not decide.

A word may come from a file or a decoder, and a word behind an option that nothing is known of may
be its value or the subcommand.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dmm.rules.commands.inlineruns import COMPUTED
from dmm.rules.commands.options import read_options, subcommand_readings
from dmm.rules.commands.outputs import DECODERS
from dmm.rules.commands.scripts import is_readable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dmm.rules.commands.facts import CommandUse
    from dmm.rules.commands.scripts import TextOf
    from dmm.rules.commands.values import Invocation, Word

_EXPANSION = r"(?s)\$\(.*\)|`.*`|\$\{[^}]*\}|\$\w+"
_ANYTHING = "*"
# A file that holds an argument or a few; a longer one is a text.
_MAX_ARGUMENTS = 500
# So many ways to read a command are followed.
MOST = 8


def with_known_words(invocation: Invocation, files: TextOf | None) -> Invocation:
    """Replace decoders of known data and reads of small files by their output."""
    if not any(word.source for word in invocation.words[1:]):
        return invocation
    words = [known for word in invocation.words[1:] for known in _known(word, files) or (word,)]
    return invocation._replace(words=(*invocation.words[:1], *words))


def _known(word: Word, files: TextOf | None) -> list[Word]:
    source = word.source
    text = None
    if source is not None and source.exact:
        text = source.text
    elif source is not None and not source.made and len(source.paths) == 1 and files is not None:
        path = source.paths[0]
        text = files(path) if is_readable(path) else None
    if text is None or len(text) > _MAX_ARGUMENTS or "\0" in text:
        return []
    place = re.search(_EXPANSION, word.text)
    if place is None:
        return []
    before, after = word.text[: place.start()], word.text[place.end() :]
    pieces = text.split() if not before and not after else [text.rstrip("\n")]
    return [word._replace(text=f"{before}{one}{after}") for one in pieces]


def _is_hidden(word: Word, *, from_file: bool) -> bool:
    """Whether an argument is made while it runs, by a decoder or by code that is given here."""
    if word.source is None or word.source.exact:
        return False
    return word.made in DECODERS or (word.made == COMPUTED and not from_file)


def other_readings(use: CommandUse) -> Iterator[tuple[CommandUse, str]]:
    """Return other readings of an invocation, each with its condition in words."""
    words = use.invocation.words
    hidden = [word for word in words[1:] if _is_hidden(word, from_file=use.script.from_file)]
    if hidden:
        opened = tuple(
            word._replace(text=re.sub(_EXPANSION, _ANYTHING, word.text)) if word in hidden else word
            for word in words
        )
        invocation = use.invocation._replace(words=opened)
        options = read_options(invocation.words)._replace(open=True)
        made = "code" if hidden[0].made == COMPUTED else f"`{hidden[0].made}`"
        doubt = f"{made} makes an argument of it"
        yield use._replace(invocation=invocation, options=options), doubt
    for without, option, value in subcommand_readings(words, MOST):
        invocation = use.invocation._replace(words=without)
        other = use._replace(invocation=invocation, options=read_options(invocation.words))
        yield other, f"`{value}` may be the value of `{option}`"
