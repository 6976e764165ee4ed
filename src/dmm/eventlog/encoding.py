"""Canonical JSON, with an encoder created once."""

from __future__ import annotations

import json.encoder
from typing import TYPE_CHECKING, Any

from dmm.domain.event import canonical

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


def _make_encoder() -> Callable[[Any, int], Iterable[str]] | None:
    """Make what json makes anew for each call; it has no documented name and may not be there."""
    make = getattr(json.encoder, "c_make_encoder", None)
    plain = json.JSONEncoder(sort_keys=True, separators=(",", ":"), allow_nan=False)
    spell = json.encoder.encode_basestring_ascii
    try:
        # In order: circles looked for, default, strings, indent, two separators, three switches.
        return make and make(None, plain.default, spell, None, ":", ",", True, False, False)
    except TypeError:
        return None


_ENCODE = _make_encoder()


def encode(value: Any) -> str:
    """Write plain data in its one form."""
    if _ENCODE is None:
        return canonical(value)
    try:
        return "".join(_ENCODE(value, 0))
    except (TypeError, ValueError, RecursionError):
        # It says best what is wrong, and it knows a circle from a depth.
        return canonical(value)
