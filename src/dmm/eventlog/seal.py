"""Seal stored states with the user's key.

A snapshot spares a replay the events before it, so nobody looks at those again. Whoever can write
to the ledger file could change a rule in it; the key is kept elsewhere.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dmm.endpoint import make_private

if TYPE_CHECKING:
    from pathlib import Path

NAME = "seal.key"
SIZE = 32
NAME_SIZE = 6


@dataclass(frozen=True, slots=True)
class Seal:
    """Seals the snapshots of ledgers with one key."""

    key: bytes

    @property
    def name(self) -> str:
        """A short name of the key, which tells nothing else of it."""
        return hmac.digest(self.key, b"name", hashlib.sha256)[:NAME_SIZE].hex()

    def close(self, seq: int, event: str, state: bytes) -> bytes:
        """Seal the state at an event, which is named by its number and hash."""
        return self._tag(seq, event, state) + state

    def open(self, seq: int, event: str, sealed: bytes) -> bytes | None:
        """Return the state, or None where it is not the one that was sealed for that event."""
        tag, state = sealed[:SIZE], sealed[SIZE:]
        return state if hmac.compare_digest(tag, self._tag(seq, event, state)) else None

    def name_text(self, text: str) -> str:
        """Name a text, so that it is known again; without the key the name tells nothing of it."""
        return hmac.digest(self.key, b"text\n" + text.encode(), hashlib.sha256).hex()

    def _tag(self, seq: int, event: str, state: bytes) -> bytes:
        return hmac.digest(self.key, f"{seq} {event}\n".encode() + state, hashlib.sha256)


def load_seal(folder: Path) -> Seal | None:
    """Load the user's key from the state folder, or make it; None where neither is possible."""
    path = folder / NAME
    try:
        return Seal(_read(path) or _make(path))
    except OSError:
        return None


def _read(path: Path) -> bytes | None:
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
    except FileNotFoundError:
        return None
    try:
        key = os.read(descriptor, SIZE + 1)
    finally:
        os.close(descriptor)
    return key if len(key) == SIZE else None


def _make(path: Path) -> bytes:
    """Make the key whole before it has its name: two processes may make one at the same time."""
    make_private(str(path.parent))
    key = secrets.token_bytes(SIZE)
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(6)}.tmp")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        os.write(descriptor, key)
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    try:
        path.hardlink_to(temporary)
    except FileExistsError:
        known = _read(path)
        if known is None:
            raise
        return known
    finally:
        temporary.unlink()
    return key
