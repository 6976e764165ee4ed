"""Evaluate `$((…))` if its value depends only on the text."""

from __future__ import annotations

import ast
import operator
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

_VALUE = r"(\d+#[0-9a-zA-Z]+|0[xX][0-9a-fA-F]+|\d+)|\$?\{?([A-Za-z_]\w*)\}?"
_MAX_LENGTH = 200
_MAX_BITS = 63


def _divided(first: int, second: int) -> int:
    whole = abs(first) // abs(second)
    return whole if (first < 0) == (second < 0) else -whole


def _power(first: int, second: int) -> int:
    return int(first ** min(max(second, 0), _MAX_BITS))


_OPERATORS: dict[type[ast.AST], Callable[..., int]] = {
    ast.BitOr: operator.or_,
    ast.BitXor: operator.xor,
    ast.BitAnd: operator.and_,
    ast.LShift: lambda first, second: first << min(second, _MAX_BITS),
    ast.RShift: lambda first, second: first >> min(second, _MAX_BITS),
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: _divided,
    ast.Mod: lambda first, second: first - second * _divided(first, second),
    ast.Pow: _power,
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Invert: operator.inv,
}


def integer(text: str) -> int:
    """Read a number as the shell does: `10`, `010`, `0x1f`, `2#101`."""
    base, mark, digits = text.strip().partition("#")
    if mark:
        return int(digits, int(base))
    plain = text.strip().lstrip("+-")
    octal = plain.startswith("0") and plain.isdigit()
    return int(text, 8 if octal else 0)


def _worked_out(node: ast.AST) -> int:
    match node:
        case ast.Constant(value=int(value)):
            return value
        case ast.UnaryOp(op=op, operand=operand):
            value = _OPERATORS[type(op)](_worked_out(operand))
        case ast.BinOp(left=left, op=op, right=right):
            value = _OPERATORS[type(op)](_worked_out(left), _worked_out(right))
        case _:
            raise ValueError
    if value.bit_length() > _MAX_BITS:
        raise ValueError
    return value


def evaluated(source: str, value_of: Callable[[str], str]) -> str | None:
    """Return the value of `$((…))`, or None if it depends on more than the text."""
    if len(source) > _MAX_LENGTH:
        return None

    def number(match: re.Match[str]) -> str:
        return f"({integer(match[1] or value_of(match[2]))})"

    try:
        text = re.sub(_VALUE, number, source.removeprefix("$((").removesuffix("))"))
        return str(_worked_out(ast.parse(text.strip(), mode="eval").body))
    except (ValueError, SyntaxError, LookupError, ZeroDivisionError, RecursionError, MemoryError):
        return None
