"""Arithmetic of the shell: the value of `$((…))` where the text decides it."""

from __future__ import annotations

import operator
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

_PIECE = (
    r"\s*(?:(\d+#[0-9a-zA-Z]+|0[xX][0-9a-fA-F]+|\d+)|\$?\{?([A-Za-z_]\w*)\}?"
    r"|(\*\*|<<|>>|[-+*/%()&|^~]))"
)
_LEVELS = (("|",), ("^",), ("&",), ("<<", ">>"), ("+", "-"), ("*", "/", "%"))
_SIGNS = ("-", "+", "~")
_MAX_LENGTH = 200
_MAX_BITS = 63


def _divided(first: int, second: int) -> int:
    whole = abs(first) // abs(second)
    return whole if (first < 0) == (second < 0) else -whole


def _power(first: int, second: int) -> int:
    return first**second if 0 <= second <= _MAX_BITS else _fail()


def _shifted(first: int, second: int) -> int:
    return first << second if 0 <= second <= _MAX_BITS else _fail()


def _fail() -> int:
    raise ValueError


_OPERATORS: dict[str, Callable[[int, int], int]] = {
    "|": operator.or_,
    "^": operator.xor,
    "&": operator.and_,
    "<<": _shifted,
    ">>": lambda first, second: first >> min(second, _MAX_BITS),
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": _divided,
    "%": lambda first, second: first - second * _divided(first, second),
    "**": _power,
}


def integer(text: str) -> int:
    """Read a number as the shell does: `10`, `010`, `0x1f`, `2#101`."""
    base, mark, digits = text.strip().partition("#")
    if mark:
        return int(digits, int(base))
    plain = text.strip().lstrip("+-")
    octal = plain.startswith("0") and plain.isdigit()
    return int(text, 8 if octal else 0)


class _Expression:
    """An expression while it is worked out; anything odd raises a ValueError."""

    def __init__(self, text: str, value_of: Callable[[str], str]) -> None:
        self._value_of = value_of
        self._tokens: list[tuple[str, str, str]] = []
        at = 0
        text = text.rstrip()
        for match in re.finditer(_PIECE, text):
            if match.start() != at:
                break
            self._tokens.append((match[1] or "", match[2] or "", match[3] or ""))
            at = match.end()
        if at != len(text) or not text:
            raise ValueError

    def result(self) -> int:
        value = self._level(0)
        return value if not self._tokens else _fail()

    def _next_is(self, *operators: str) -> bool:
        return bool(self._tokens) and self._tokens[0][2] in operators

    def _level(self, number: int) -> int:
        if number == len(_LEVELS):
            return self._unary()
        value = self._level(number + 1)
        while self._next_is(*_LEVELS[number]):
            mark = self._tokens.pop(0)[2]
            value = _OPERATORS[mark](value, self._level(number + 1))
            if value.bit_length() > _MAX_BITS:
                raise ValueError
        return value

    def _unary(self) -> int:
        if self._next_is(*_SIGNS):
            sign, value = self._tokens.pop(0)[2], self._unary()
            return {"-": -value, "~": ~value}.get(sign, value)
        value = self._atom()
        if self._next_is("**"):
            self._tokens.pop(0)
            return _power(value, self._unary())
        return value

    def _atom(self) -> int:
        number, name, mark = self._tokens.pop(0) if self._tokens else ("", "", "")
        if mark == "(":
            value = self._level(0)
            return value if self._tokens and self._tokens.pop(0)[2] == ")" else _fail()
        return integer(number or (self._value_of(name) if name else ""))


def evaluated(source: str, value_of: Callable[[str], str]) -> str | None:
    """Work out `$((…))`; none where that takes more than numbers the text gives."""
    if len(source) > _MAX_LENGTH:
        return None
    try:
        return str(_Expression(source.removeprefix("$((").removesuffix("))"), value_of).result())
    except (ValueError, ZeroDivisionError, RecursionError):
        return None
