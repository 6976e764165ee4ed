"""Strict parsing of JSON bodies."""

from __future__ import annotations

import json
import math
from typing import Any, NoReturn, TypeVar

from dmm.http.errors import Refusal

T = TypeVar("T")

DEEPEST = 64
LONGEST_NUMBER = 64
LARGEST = 2**63 - 1


class _Malformed(ValueError):
    """Says what is wrong with the text, in words for the client."""


def refuse_json(data: bytes) -> Refusal | None:
    """Return why a body is not strict JSON; None if it is."""
    try:
        text = data.decode("utf-8")
        value = json.loads(
            text,
            object_pairs_hook=_unique,
            parse_int=_whole,
            parse_float=_fraction,
            parse_constant=_constant,
        )
        _walk(value)
    except _Malformed as error:
        return _refusal(str(error))
    except UnicodeDecodeError:
        return _refusal("it is not UTF-8")
    except json.JSONDecodeError as error:
        return _refusal(f"{error.msg} at line {error.lineno} column {error.colno}")
    except RecursionError:
        return _refusal("it is nested too deeply")
    return None


def _refusal(why: str) -> Refusal:
    return Refusal(400, "bad_json", f"the body can't be read as JSON: {why}")


def _unique(pairs: list[tuple[str, T]]) -> dict[str, T]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise _Malformed("a key is listed twice")
    return found


def _whole(text: str) -> int:
    if len(text) > LONGEST_NUMBER or not -LARGEST <= (number := int(text)) <= LARGEST:
        raise _Malformed("a number is too large")
    return number


def _fraction(text: str) -> float:
    if len(text) > LONGEST_NUMBER or not math.isfinite(number := float(text)):
        raise _Malformed("a number is too large")
    return number


def _constant(name: str) -> NoReturn:
    raise _Malformed(f"{name} is not a number")


def _walk(value: Any) -> None:
    """Check the depth and text of every value, without recursion."""
    layer, depth = [value], 0
    while layer:
        if depth > DEEPEST:
            raise _Malformed("it is nested too deeply")
        below: list[Any] = []
        for part in layer:
            if isinstance(part, dict):
                below += part.keys()
                below += part.values()
            elif isinstance(part, list):
                below += part
            elif isinstance(part, str) and not part.isascii():
                _need_unicode(part)
        layer, depth = below, depth + 1


def _need_unicode(text: str) -> None:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise _Malformed("a text contains an unpaired surrogate") from None
