"""JSON objects of other programs, as plain data that can be recorded."""

from __future__ import annotations

import json
import math
import re
from typing import Any

from dmm.errors import UsageError

DEEPEST = 32
_OBJECT = re.compile(r'[\s\ufeff]*\{\s*"')


def read_object(data: bytes) -> dict[str, object]:
    """Read an object; a refusal says what the data is, and nothing of what it holds."""
    try:
        values = json.loads(data.decode("utf-8"), parse_constant=lambda _: None)
    except UnicodeDecodeError as error:
        raise UsageError("not UTF-8") from error
    except (ValueError, RecursionError) as error:
        raise UsageError("not JSON") from error
    if not isinstance(values, dict):
        raise UsageError("not a JSON object")
    return {_write_text(key): plain(value, 1) for key, value in values.items()}


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


def plain(value: Any, depth: int) -> Any:
    """Copy plain data, without what canonical JSON or UTF-8 can't hold."""
    if depth > DEEPEST:
        raise UsageError(f"nested deeper than {DEEPEST} levels")
    match value:
        case str():
            return _write_text(value)
        case dict():
            return {_write_text(key): plain(one, depth + 1) for key, one in value.items()}
        case list():
            return [plain(one, depth + 1) for one in value]
        case float() if not math.isfinite(value):
            return None
    return value


def _write_text(text: str) -> str:
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")
