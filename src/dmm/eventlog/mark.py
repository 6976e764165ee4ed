"""Notes about a ledger outside its store: newest event and rules digest.

A tail that was cut off, an older copy put back and a chain written anew are all valid by
themselves. They are found by the mark alone, whenever the ledger is opened. An event that no
longer looks like a rule is found by the note of the rules.
"""

from __future__ import annotations

import contextlib
import os
import re
from typing import TYPE_CHECKING

from dmm.domain.frozen import frozen
from dmm.endpoint import make_private
from dmm.errors import StorageError
from dmm.eventlog.chain import Head
from dmm.files.durable import write_atomic

if TYPE_CHECKING:
    from pathlib import Path

_LINE = re.compile(rb"(\d{20}) ([0-9a-f]{64}) ([0-9a-f]{64})\n")
_RULES = re.compile(rb"(\d{20}) ([0-9a-f]{64}) ([0-9a-f]{64}) ([0-9a-f]{64})\n")


@frozen
class RulesMark:
    """A small file with an event of one ledger and a digest of all rule events up to it."""

    path: Path
    first: str

    def read(self) -> tuple[Head, str] | None:
        """Read the event and the digest; None where there is no whole note of this ledger."""
        found = _RULES.fullmatch(_read(self.path))
        if found is None or found[4].decode() != self.first:
            return None
        return Head(int(found[1]), found[2].decode()), found[3].decode()

    def note(self, head: Head, rules: str) -> bool:
        """Record the rules up to an event; return whether that worked.

        Half a note would accuse a ledger that is whole, so the file is replaced.
        """
        line = f"{head.seq:020d} {head.hash} {rules} {self.first}\n".encode()
        try:
            write_atomic(self.path, line, durable=False, private=True)
        except StorageError:
            return False
        return True


@frozen
class HighWaterMark:
    """A small file with the newest event of one ledger; it is written over in its place.

    It is not flushed: after a power cut it may name an older event, which does no harm.
    """

    path: Path
    first: str

    @property
    def rules(self) -> RulesMark:
        """Where the rules are noted."""
        return RulesMark(self.path.with_name(f"{self.path.name}.rules"), self.first)

    def read(self) -> Head | None:
        """Read the mark; None where there is none, or none that is whole."""
        found = _LINE.fullmatch(_read(self.path))
        if found is None or found[3].decode() != self.first:
            return None
        return Head(int(found[1]), found[2].decode())

    def move(self, head: Head) -> None:
        """Record an event as the newest; on failure the older mark stays."""
        line = f"{head.seq:020d} {head.hash} {self.first}\n".encode()
        with contextlib.suppress(OSError):
            descriptor = self._open()
            try:
                os.write(descriptor, line)
            finally:
                os.close(descriptor)

    def forget(self) -> None:
        """Drop the mark and the rules: a person accepted another newest event."""
        for path in (self.path, self.rules.path):
            path.unlink(missing_ok=True)

    def _open(self) -> int:
        flags = os.O_WRONLY | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
        try:
            return os.open(self.path, flags, 0o600)
        except FileNotFoundError:
            make_private(str(self.path.parent.parent))
            make_private(str(self.path.parent))
            return os.open(self.path, flags, 0o600)


def _read(path: Path) -> bytes:
    """Read the beginning of a file; nothing where that is not possible."""
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
    except OSError:
        return b""
    try:
        return os.read(descriptor, 512)
    except OSError:
        return b""
    finally:
        os.close(descriptor)
