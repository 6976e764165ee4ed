"""The hash chain: every event names the hash of the one before, so nothing can be edited unseen."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

GENESIS = "0" * 64


@dataclass(frozen=True, slots=True)
class Head:
    """The newest event: its number and its hash."""

    seq: int = 0
    hash: str = GENESIS


def hash_payload(text: str) -> str:
    """Hash a payload as it is stored; the chain holds this hash, so a payload can be blanked."""
    return hashlib.sha256(text.encode()).hexdigest()


def link(previous: str, columns: Sequence[str | int | None]) -> str:
    """Hash the stored columns of an event, its payload's hash last, after the hash before it.

    Each is written with its length in bytes, so that no two lists of columns look the same; what is
    absent is a dash.
    """
    parts = [previous]
    for value in columns:
        if value is None:
            parts.append("-")
        else:
            text = value if type(value) is str else str(value)
            length = len(text) if text.isascii() else len(text.encode())
            parts.append(f"{length}:{text}")
    return hashlib.sha256("".join(parts).encode()).hexdigest()
