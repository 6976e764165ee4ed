"""Follow what shell builtins do to variables, aliases and parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dmm.rules.commands.options import read_options
from dmm.rules.commands.outputs import printf_output
from dmm.rules.commands.runs import clustered, program_of
from dmm.rules.commands.values import Word

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dmm.rules.commands.drafts import Draft
    from dmm.rules.commands.expansion import Names
    from dmm.rules.commands.values import Output

_DECLARERS = frozenset({"export", "local", "readonly", "declare", "typeset"})


def learn(names: Names, draft: Draft, words: tuple[Word, ...], given: Callable[[], Output]) -> None:
    """Update the names by what a command does; `given` is its input."""
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
    flags = [word.text for word in draft.words[1:] if word.text.startswith("-")]
    reference = any("n" in flag for flag in flags)
    for word in draft.words[1:]:
        name, equals, text = word.text.partition("=")
        if name.startswith("-"):
            continue
        if equals:
            parts = word.parts
            if parts:
                parts = (parts[0]._replace(text=parts[0].text.partition("=")[2]), *parts[1:])
            word = word._replace(text=text, parts=parts)
        if reference and program_of(draft.words[0]) != "export":
            names.refer(name, names.text_of(word) if equals else "")
        elif equals:
            names.assign(name, word)


def _read(
    names: Names, words: Sequence[Word], given: Callable[[], Output], marks: str | None
) -> None:
    """Set the variables of `read` to its input: one line, or in a loop every line."""
    program, options = program_of(words[0]), read_options(words)
    named = [word.text for word in options.values_of("-a") or options.operands]
    array = program != "read" or options.has_exactly("-a")
    into = (named[:1] if array else named) or ["REPLY" if program == "read" else "MAPFILE"]
    # An empty delimiter is the null character, which no text holds.
    delimiter = next((word.text[:1] or "\0" for word in options.values_of("-d")), "\n")
    output = given()
    lines = [one for one in (output.text or "").split(delimiter) if one.strip()]
    cut = options.has_exactly("-n|-N")
    if not output.whole or (program == "read" and (cut or (array and len(lines) > 1))):
        for name in into:
            names.forget(name, made=program)
        return
    if array:
        items = lines if program != "read" else [one for row in lines for one in row.split(marks)]
        names.forget(into[0])
        names.values[into[0]] = tuple(Word(item, 0, 0) for item in items)
        return
    rows = [line.split(marks or None, len(into) - 1) for line in lines]
    for number, name in enumerate(into):
        column = [Word(row[number], 0, 0) for row in rows if number < len(row)]
        names.go_through(name, column)


def _getopts(names: Names, words: Sequence[Word]) -> None:
    for name in (*(word.text for word in words[2:3]), "OPTARG"):
        names.forget(name, made="getopts")


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
    held = clustered(words[1].text, ("-v",)) if len(words) > 2 else None
    if held is None:
        return
    rest = words[2:] if held[1] else words[3:]
    output = printf_output((words[0], *rest))
    name = held[1] or words[2].text
    if output.made:
        names.forget(name, made=output.made)
    else:
        names.assign(name, Word(output.text or "", 0, 0, expands=output.partial))


_OTHERS: dict[str, Callable[[Names, Sequence[Word]], None]] = {
    "unset": _unset,
    "set": _set,
    "shift": _shift,
    "alias": _alias,
    "unalias": _unalias,
    "hash": _hash,
    "printf": _printf,
    "getopts": _getopts,
}
