"""Build the commands that `xargs`, `parallel` and `find -exec` make of their input."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from dmm.rules.commands.expansion import UNKNOWN, UNKNOWN_INPUT
from dmm.rules.commands.outputs import DECODERS
from dmm.rules.commands.values import Output, Word

if TYPE_CHECKING:
    from collections.abc import Sequence

_ITEM = r"""(?s)(?:[^\s'"\\]|\\.|'[^'\n]*'|"[^"\n]*")+"""
_QUOTED = r"""(?s)\\(.)|'([^']*)'|"([^"]*)\""""
_MARKS = {"\\n": "\n", "\\t": "\t", "\\0": "\0"}
_MAX_ITEMS = 200
_MAX_COMMANDS = 20
_ANYTHING = Word(
    f"${UNKNOWN_INPUT}", 0, 0, expands=True, source=Output(made=UNKNOWN[UNKNOWN_INPUT])
)


class _Options(NamedTuple):
    """How items are split (`delimiter`), put into the command (`mark`) and grouped (`most`).

    `by_line` groups whole lines.
    """

    mark: str = ""
    most: int = 0
    delimiter: str = ""
    by_line: bool = False


def _options(words: Sequence[Word]) -> _Options:
    mark = delimiter = ""
    most = 0
    by_line = False
    texts = [word.text for word in words]
    for text, following in zip(texts, [*texts[1:], ""], strict=False):
        form = re.fullmatch(r"(-[IJidnNL]|--[a-z-]+)=?(.*)", text, re.S)
        name, value = (form[1], form[2]) if form else (text, "")
        if name in ("-I", "-J", "--replace", "-i"):
            mark = value or (following if name in ("-I", "-J") else "{}")
        elif name in ("-n", "-N", "-L", "--max-args", "--max-lines"):
            count = value or following
            most = int(count) if count.isdigit() else 0
            by_line = name in ("-L", "--max-lines")
        elif name in ("-d", "--delimiter"):
            delimiter = _MARKS.get(value or following, (value or following)[:1])
        elif name == "--null" or re.fullmatch(r"-[a-zA-Z]*0", text):
            delimiter = "\0"
    return _Options(mark, most, delimiter, by_line)


def _items(text: str, options: _Options, *, lines: bool) -> list[str]:
    if options.delimiter:
        found = text.removesuffix("\n").split(options.delimiter)
    elif options.mark or lines:
        found = [line.strip() for line in text.split("\n")]
    else:
        found = [re.sub(_QUOTED, _unquoted, item) for item in re.findall(_ITEM, text)]
    return [one for one in found if one][:_MAX_ITEMS]


def _unquoted(match: re.Match[str]) -> str:
    return match[1] or match[2] or match[3] or ""


def _handed_over(output: Output, options: _Options, *, lines: bool = False) -> list[Word]:
    """Return the input words, or one placeholder if they are unknown."""
    source = output if output.made else None
    items = _items(output.text or "", options, lines=lines)
    found = [Word(item, 0, 0, source=source if output.exact else None) for item in items]
    if found and (output.whole or output.exact):
        return found
    anything = _ANYTHING if output.made not in DECODERS else _ANYTHING._replace(source=source)
    return [*found, anything]


def placed(template: Sequence[Word], fed: Sequence[Word], mark: str = "{}") -> tuple[Word, ...]:
    """Replace a mark by words, or append them to the command without a mark."""
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
    words: Sequence[Word], template: tuple[Word, ...], output: Output
) -> list[tuple[Word, ...]]:
    """Make the commands that `xargs` would run."""
    options = _options(words[1 : len(words) - len(template)])
    fed = _handed_over(output, options)
    if not template:
        return []
    if options.by_line and output.text:
        lines = [_handed_over(Output(line), options) for line in output.text.split("\n") if line]
        return [(*template, *line) for line in lines][:_MAX_COMMANDS]
    if options.mark:
        return [placed(template, [one], options.mark) for one in fed[:_MAX_COMMANDS]]
    size = options.most or len(fed)
    starts = range(0, len(fed), size)
    return [(*template, *fed[at : at + size]) for at in starts][:_MAX_COMMANDS]


def parallel_texts(words: Sequence[Word], template: tuple[Word, ...], output: Output) -> list[str]:
    """Make the shell texts that `parallel` would run: one for each item."""
    options = _options(words[1 : len(words) - len(template)])
    texts = [word.text for word in template]
    marks = [at for at, text in enumerate(texts) if text in (":::", ":::+")]
    if marks:
        fed = [word for word in template[marks[0] + 1 :] if not word.text.startswith(":::")]
        template = template[: marks[0]]
    else:
        fed = _handed_over(output, options, lines=True)
    command = " ".join(word.text for word in template)
    mark = options.mark or "{}"
    if not command:
        return [one.text for one in fed[:_MAX_COMMANDS]]
    return [
        command.replace(mark, one.text) if mark in command else f"{command} {one.text}"
        for one in fed[:_MAX_COMMANDS]
    ]
