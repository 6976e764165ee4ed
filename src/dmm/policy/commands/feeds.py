"""Feeds: the commands that `xargs`, `parallel` and `find -exec` make out of what comes in."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from dmm.policy.commands.expansion import UNKNOWN, UNKNOWN_INPUT
from dmm.policy.commands.runs import program_of
from dmm.policy.commands.searches import found_by
from dmm.policy.commands.values import Output, Word

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dmm.policy.commands.flow import Stage

_ITEM = r"""(?s)(?:[^\s'"\\]|\\.|'[^'\n]*'|"[^"\n]*")+"""
_MAX_ITEMS = 200
_MAX_COMMANDS = 20
_ANYTHING = Word(
    f"${UNKNOWN_INPUT}", 0, 0, expands=True, source=Output(made=UNKNOWN[UNKNOWN_INPUT])
)


class _Options(NamedTuple):
    """How the items are split and put into the command."""

    replaced: str = ""
    most: int = 0
    delimiter: str | None = None
    lines: bool = False


def _options(words: Sequence[Word], *, lines: bool) -> _Options:
    found = _Options(lines=lines)
    texts = [word.text for word in words]
    for at, text in enumerate(texts):
        following = texts[at + 1] if at + 1 < len(texts) else ""
        name, _, value = text.partition("=")
        if text in ("-I", "-J"):
            found = found._replace(replaced=following)
        elif text.startswith("-I") or name in ("--replace", "-i"):
            found = found._replace(
                replaced=(value or text[2:] if text[:2] == "-I" else value) or "{}"
            )
        elif re.fullmatch(r"-[nNL]\d*|--max-args|--max-lines", name):
            count = text[2:] if text[1:2] != "-" else value
            found = found._replace(
                most=int((count or following) if (count or following).isdigit() else 0)
            )
        elif text in ("-0", "--null") or re.fullmatch(r"-\w*0", text):
            found = found._replace(delimiter="\0")
        elif name in ("-d", "--delimiter"):
            found = found._replace(delimiter=_mark(value or following))
        elif text.startswith("-d"):
            found = found._replace(delimiter=_mark(text[2:]))
    return found


def _mark(text: str) -> str:
    return {"\\n": "\n", "\\t": "\t", "\\0": "\0"}.get(text, text[:1])


def _items(text: str, options: _Options) -> list[str]:
    if options.delimiter:
        found = text.removesuffix("\n").split(options.delimiter)
    elif options.replaced or options.lines:
        found = [line.strip() for line in text.split("\n")]
    else:
        found = [_unquoted(item) for item in re.findall(_ITEM, text)]
    return [one for one in found if one][:_MAX_ITEMS]


def _unquoted(item: str) -> str:
    return re.sub(r"""(?s)\\(.)|'([^']*)'|"([^"]*)\"""", lambda m: m[1] or m[2] or m[3] or "", item)


def handed_over(output: Output, feeders: Sequence[Stage], options: _Options) -> list[Word]:
    """Give the words that come in; one that stands for anything where they are not known."""
    found = [Word(item, 0, 0) for item in _items(output.text or "", options)]
    for stage in feeders:
        if stage.words and program_of(stage.words[0]) in ("find", "gfind", "fd"):
            found += found_by(stage.words)
    return found or [_ANYTHING]


def placed(template: Sequence[Word], fed: Sequence[Word], mark: str = "{}") -> tuple[Word, ...]:
    """Put words in the place of a mark; behind the command where there is no mark."""
    found: list[Word] = []
    used = False
    for word in template:
        if mark not in word.text:
            found.append(word)
            continue
        used = True
        for one in fed:
            text = word.text.replace(mark, one.text)
            expands = word.expands or one.expands
            found.append(word._replace(text=text, expands=expands, source=one.source))
    return tuple(found) if used else (*found, *fed)


def xargs_commands(
    words: Sequence[Word], template: tuple[Word, ...], output: Output, feeders: Sequence[Stage]
) -> list[tuple[Word, ...]]:
    """Make the commands that `xargs` would run."""
    options = _options(words[1 : len(words) - len(template)], lines=False)
    fed = handed_over(output, feeders, options)
    if not template:
        return []
    if options.replaced:
        groups = [[one] for one in fed]
        return [placed(template, group, options.replaced) for group in groups[:_MAX_COMMANDS]]
    size = options.most or len(fed)
    starts = range(0, len(fed), size)
    return [(*template, *fed[at : at + size]) for at in starts][:_MAX_COMMANDS]


def parallel_texts(
    words: Sequence[Word], template: tuple[Word, ...], output: Output, feeders: Sequence[Stage]
) -> list[str]:
    """Make the shell texts that `parallel` would run: one for each item."""
    options = _options(words[1 : len(words) - len(template)], lines=True)
    texts = [word.text for word in template]
    marks = [at for at, text in enumerate(texts) if text in (":::", ":::+")]
    if marks:
        fed = [word for word in template[marks[0] + 1 :] if not word.text.startswith(":::")]
        template = template[: marks[0]]
    else:
        fed = handed_over(output, feeders, options)
    command = " ".join(word.text for word in template)
    mark = options.replaced or "{}"
    if not command:
        return [one.text for one in fed[:_MAX_COMMANDS]]
    return [
        command.replace(mark, one.text) if mark in command else f"{command} {one.text}"
        for one in fed[:_MAX_COMMANDS]
    ]
