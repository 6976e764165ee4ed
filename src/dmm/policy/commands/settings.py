"""Settings: what the shell's own commands do to variables, aliases and parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dmm.policy.commands.outputs import printf_output
from dmm.policy.commands.runs import program_of
from dmm.policy.commands.values import Word

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dmm.policy.commands.drafts import Draft
    from dmm.policy.commands.expansion import Names
    from dmm.policy.commands.values import Output

_DECLARERS = frozenset({"export", "local", "readonly", "declare", "typeset"})
_VALUED = {"read": "-p -d -n -N -t -u -i", "mapfile": "-d -n -O -s -u -C -c"}


def learn(names: Names, draft: Draft, words: tuple[Word, ...], given: Callable[[], Output]) -> None:
    """Take in what a command does to names; `given` tells what it reads."""
    if draft.loop:
        names.go_through(draft.loop, words)
        return
    if not words:
        for name, value in draft.assignments:
            names.assign(name, value)
        return
    program = program_of(words[0])
    if program in _DECLARERS:
        _declare(names, draft)
    elif program in ("read", "mapfile", "readarray"):
        marks = dict(draft.assignments).get("IFS")
        _read(names, words, given, marks.text if marks else None)
    elif program in _OTHERS:
        _OTHERS[program](names, words)


def _declare(names: Names, draft: Draft) -> None:
    for word in draft.words[1:]:
        name, equals, text = word.text.partition("=")
        if equals and not name.startswith("-"):
            parts = word.parts
            if parts:
                parts = (parts[0]._replace(text=parts[0].text.partition("=")[2]), *parts[1:])
            names.assign(name, word._replace(text=text, parts=parts))


def _read(
    names: Names, words: Sequence[Word], given: Callable[[], Output], marks: str | None
) -> None:
    """Set the variables of `read` to what comes in: one line, or in a loop every line."""
    program = program_of(words[0])
    valued = _VALUED["read" if program == "read" else "mapfile"].split()
    into = []
    at = 1
    while at < len(words):
        text = words[at].text
        if text.startswith("-"):
            at += text in valued
        else:
            into.append(text)
        at += 1
    output = given()
    if not into or output.text is None or not output.whole:
        for name in into or ["REPLY"]:
            names.forget(name, made=program)
        return
    lines = [line for line in output.text.split("\n") if line.strip()]
    rows = [line.split(marks or None, len(into) - 1) for line in lines]
    for number, name in enumerate(into):
        column = [Word(row[number], 0, 0) for row in rows if number < len(row)]
        names.go_through(name, column)
        if program != "read":
            names.values[name] = tuple(column)


def _unset(names: Names, words: Sequence[Word]) -> None:
    for word in words[1:]:
        names.forget(word.text)


def _set(names: Names, words: Sequence[Word]) -> None:
    texts = [word.text for word in words]
    if "--" in texts:
        names.set_positional(words[texts.index("--") + 1 :])
    elif len(words) > 1 and not texts[1].startswith(("-", "+")):
        names.set_positional(words[1:])


def _shift(names: Names, words: Sequence[Word]) -> None:
    count = int(words[1].text) if len(words) > 1 and words[1].text.isdigit() else 1
    if "@" in names.values:
        names.values["@"] = names.values["@"][count:]


def _alias(names: Names, words: Sequence[Word]) -> None:
    for word in words[1:]:
        name, equals, text = word.text.partition("=")
        if equals:
            names.aliases[name] = text


def _unalias(names: Names, words: Sequence[Word]) -> None:
    for word in words[1:]:
        names.aliases.pop(word.text, None)


def _hash(names: Names, words: Sequence[Word]) -> None:
    """Read `hash -p PATH NAME`, which gives a program another name."""
    if len(words) > 3 and words[1].text == "-p":
        names.aliases[words[3].text] = words[2].text


def _printf(names: Names, words: Sequence[Word]) -> None:
    if len(words) > 3 and words[1].text == "-v":
        output = printf_output((words[0], *words[3:]))
        names.assign(words[2].text, Word(output.text or "", 0, 0, expands=output.partial))


_OTHERS: dict[str, Callable[[Names, Sequence[Word]], None]] = {
    "unset": _unset,
    "set": _set,
    "shift": _shift,
    "alias": _alias,
    "unalias": _unalias,
    "hash": _hash,
    "printf": _printf,
}
