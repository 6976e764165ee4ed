"""Read JSON objects of other programs as plain data that can be recorded."""

from __future__ import annotations

import json
import math
import re
from typing import Any

from dmm.errors import UsageError

DEEPEST = 32
# Half a character, which a text in JSON may hold and UTF-8 may not.
_HALF = re.compile(rb"\\u[dD][89a-fA-F]")
_OBJECT = re.compile(r'[\s\ufeff]*\{\s*"')


def _read_finite(text: str) -> float | None:
    number = float(text)
    return number if math.isfinite(number) else None


_JSON = json.JSONDecoder(parse_constant=lambda _: None, parse_float=_read_finite)


def read_object(data: bytes) -> dict[str, object]:
    """Read a whole object; an error describes the data but quotes none of it."""
    values = parse_object(data)
    for value in values.values():
        refuse_deep(value)
    return values


def parse_object(data: bytes) -> dict[str, object]:
    """Parse an object of any depth, with valid UTF-8 texts and finite numbers only."""
    try:
        values = _JSON.decode(data.decode("utf-8"))
        if _HALF.search(data):
            whole = json.dumps(values, ensure_ascii=False).encode("utf-8", "replace")
            values = _JSON.decode(whole.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise UsageError("not UTF-8") from error
    except (ValueError, RecursionError) as error:
        raise UsageError("not JSON") from error
    if not isinstance(values, dict):
        raise UsageError("not a JSON object")
    return values


def refuse_deep(value: Any, depth: int = 1) -> Any:
    """Return plain data that is not nested too deep to be recorded."""
    if depth > DEEPEST:
        raise UsageError(f"nested deeper than {DEEPEST} levels")
    if isinstance(value, (dict, list)):
        for one in value.values() if isinstance(value, dict) else value:
            if isinstance(one, (dict, list)):
                refuse_deep(one, depth + 1)
    return value


def find_object(text: str) -> dict[str, object] | None:
    """Read an object that was written as text; None for any other text."""
    try:
        return read_object(text.encode("utf-8", "replace"))
    except UsageError:
        return None


def read_arguments(text: str) -> dict[str, object]:
    """Read the arguments of a call that were written as text; any other text is one input.

    An object that can't be read is refused: nobody knows what it asks for.
    """
    try:
        return read_object(text.encode("utf-8", "replace"))
    except UsageError:
        if _OBJECT.match(text):
            raise
        return {"input": text}
