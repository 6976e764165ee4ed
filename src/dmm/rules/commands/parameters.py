"""Parameter expansion: the value of `$x`, `${x:-y}`, `${x#y}`, `${x:0:3}` and their like."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Protocol

from dmm.rules.commands.values import Output, Word

if TYPE_CHECKING:
    from collections.abc import Sequence

_FORM = (
    r"(?as)\$\{([!#]?)([A-Za-z_]\w*|[0-9]+|[@*?$-])(?:\[([^\]]*)\])?(.*)\}|\$([A-Za-z_]\w*|[0-9@*])"
)
_MAX_EDITED = 300
# The text says that a variable is set, and not to what.
REWRITTEN = Output(made="an expansion")


class Lookup(Protocol):
    """Where the values of parameters are kept."""

    def value(self, name: str) -> tuple[Word, ...] | None:
        """Return the value of a parameter; none when the text does not set it."""

    def assign(self, name: str, value: Word) -> None:
        """Set a parameter."""

    def argument(self, text: str) -> Word:
        """Expand the word that stands inside an expansion."""


def name_of(source: str) -> str:
    """Name the parameter that an expansion is about."""
    form = re.fullmatch(_FORM, source)
    return (form[2] or form[5]) if form else ""


def expand_parameter(source: str, names: Lookup) -> tuple[list[Word] | None, bool]:
    """Return the value of an expansion, and whether it is a list; none when it is not known."""
    if source.startswith("$(("):
        return _number(source, names), False
    form = re.fullmatch(_FORM, source)
    if not form:
        return None, False
    if form[5]:
        return _plain(names.value(form[5])), form[5] == "@"
    mark, name, index, rest = form[1], form[2], form[3], form[4]
    listed = index == "@" or (name == "@" and not index)
    value = names.value(name)
    if mark == "!" and value:
        value = names.value(value[0].text)
    if index and value:
        value = _at_index(value, index)
    elif value and name not in "@*":
        value = value[:1]
    if mark == "#":
        return ([Word(str(len(value[0].text)), 0, 0)] if value and not listed else None), False
    if not rest:
        return _plain(value), listed
    return _operated(name, value, rest, names), listed


def _number(source: str, names: Lookup) -> list[Word] | None:
    from dmm.rules.commands.arithmetic import evaluated

    def value_of(name: str) -> str:
        value = names.value(name)
        return value[0].text if value else ""

    text = evaluated(source, value_of)
    return None if text is None else [Word(text, 0, 0)]


def _plain(value: Sequence[Word] | None) -> list[Word] | None:
    return None if value is None else list(value)


def _at_index(value: tuple[Word, ...], index: str) -> tuple[Word, ...] | None:
    if index in ("@", "*"):
        return value
    if not re.fullmatch(r"-?\d{1,3}", index):
        return (Word("", 0, 0, expands=True, source=REWRITTEN),)
    return value[int(index) :][:1]


def _operated(
    name: str, value: tuple[Word, ...] | None, rest: str, names: Lookup
) -> list[Word] | None:
    filled = bool(value) and value is not None and bool(value[0].text)
    default = re.match(r":?([-=+?])", rest)
    if default:
        return _default(name, value if filled else None, default[1], rest[default.end() :], names)
    if value is None:
        return None
    return [_edited(one, rest, names) for one in value]


def _default(
    name: str, value: tuple[Word, ...] | None, operator: str, text: str, names: Lookup
) -> list[Word] | None:
    if operator == "+":
        return [] if value is None else [names.argument(text)]
    if value is not None or operator == "?":
        return _plain(value)
    word = names.argument(text)
    if operator == "=":
        names.assign(name, word)
    return [word]


def _edited(word: Word, rest: str, names: Lookup) -> Word:
    """Cut, replace or recase a known value; what can't be followed is marked."""
    text = word.text
    if word.expands or len(text) > _MAX_EDITED:
        return word._replace(expands=True, source=word.source or REWRITTEN)
    cut = re.fullmatch(r"\s*:\s*(-?\s*\d+)\s*(?::\s*(-?\d+)\s*)?", rest)
    if cut:
        start = int(cut[1].replace(" ", ""))
        stop = len(text) if cut[2] is None else int(cut[2])
        tail = text[start:] if start >= 0 else text[max(0, len(text) + start) :]
        return word._replace(text=tail[: stop if cut[2] else None])
    if rest in ("^^", ",,", "^", ","):
        changed = text.upper() if rest[0] == "^" else text.lower()
        return word._replace(text=changed if len(rest) > 1 else changed[:1] + text[1:])
    operator = re.match(r"##?|%%?|//?[#%]?", rest)
    if operator:
        return word._replace(text=_without(text, operator[0], rest[operator.end() :], names))
    quoted = rest in ("@Q", "@E")
    return word if quoted else word._replace(expands=True, source=REWRITTEN)


def _without(text: str, operator: str, rest: str, names: Lookup) -> str:
    if operator[0] == "/":
        pattern, _, new = rest.partition("/")
        return _replaced(text, operator, names.argument(pattern).text, names.argument(new).text)
    matcher = _glob(names.argument(rest).text)
    lengths = range(len(text) + 1)
    order = lengths if len(operator) == 1 else reversed(lengths)
    for length in order:
        part = text[:length] if operator[0] == "#" else text[len(text) - length :]
        if matcher.fullmatch(part):
            return text[length:] if operator[0] == "#" else text[: len(text) - length]
    return text


def _replaced(text: str, operator: str, pattern: str, new: str) -> str:
    if not pattern:
        return text
    anchor = operator[1:] if operator[1:] in ("#", "%") else ""
    body = _glob(pattern).pattern.removeprefix("(?s:").removesuffix(")\\Z")
    body = {"#": f"^(?:{body})", "%": f"(?:{body})$"}.get(anchor, body)
    count = 0 if operator.startswith("//") else 1
    return re.sub(f"(?s){body}", lambda _: new, text, count=count)


def _glob(pattern: str) -> re.Pattern[str]:
    from fnmatch import translate

    return re.compile(translate(pattern[:_MAX_EDITED]))
