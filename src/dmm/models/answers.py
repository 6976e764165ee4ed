"""Strict parsing of a model's answer."""

from __future__ import annotations

import json
import re
from typing import Any, TypeVar

from dmm.domain.text import neutralise
from dmm.errors import UsageError

T = TypeVar("T")

_FENCED = re.compile(r"```(?:json)?[ \t]*\n(.*)\n```", re.DOTALL)
# Half a character, which JSON can name and no file can hold.
_HALF = re.compile("[\ud800-\udfff]")


def malformed(what: str) -> UsageError:
    """An answer that is not in the form that was asked for."""
    return UsageError(f"malformed answer: {what}")


def read_object(text: str, longest: int) -> dict[str, Any]:
    """Read an answer that is one JSON object, in a fence or without one."""
    if len(text) > longest:
        raise malformed(f"it is longer than {longest} characters")
    bare = text.strip()
    fenced = _FENCED.fullmatch(bare)
    try:
        found = json.loads(
            fenced[1] if fenced else bare, object_pairs_hook=_pairs, parse_constant=_no_constant
        )
    except (ValueError, RecursionError) as error:
        raise malformed("it is not one JSON object") from error
    if not isinstance(found, dict):
        raise malformed("it is not one JSON object")
    return found


def _pairs(pairs: list[tuple[str, T]]) -> dict[str, T]:
    """Refuse a duplicate name."""
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a name is listed twice")
    return found


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is not JSON")


def read_text(value: object, name: str, longest: int) -> str:
    """Read a text that says something."""
    if not isinstance(value, str) or not value.strip() or _HALF.search(value):
        raise malformed(f"the {name} is not text")
    if len(value) > longest:
        raise malformed(f"the {name} is longer than {longest} characters")
    return value


def read_line(value: object, name: str, longest: int) -> str:
    """Read a text as one harmless line."""
    return neutralise(" ".join(read_text(value, name, longest).split()))
