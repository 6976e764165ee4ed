"""The high-water mark of a ledger: its newest event, noted outside the store.

A tail that was cut off, an older copy put back and a chain written anew are all valid by
themselves. They are found by the mark alone, whenever the ledger is opened.
"""

from __future__ import annotations

import contextlib
import os
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dmm.endpoint import make_private
from dmm.ledger.chain import Head

if TYPE_CHECKING:
    from pathlib import Path

_LINE = re.compile(rb"(\d{20}) ([0-9a-f]{64}) ([0-9a-f]{64})\n")


@dataclass(frozen=True, slots=True)
class HighWaterMark:
    """A small file with the newest event of one ledger; it is written over in its place.

    It is not flushed: after a power cut it may name an older event, which does no harm.
    """

    path: Path
    first: str

    def read(self) -> Head | None:
        """Read the mark; None where there is none, or none that is whole."""
        try:
            descriptor = os.open(self.path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
        except OSError:
            return None
        try:
            found = _LINE.fullmatch(os.pread(descriptor, 256, 0))
        except OSError:
            return None
        finally:
            os.close(descriptor)
        if found is None or found[3].decode() != self.first:
            return None
        return Head(int(found[1]), found[2].decode())

    def move(self, head: Head) -> None:
        """Note an event as the newest; where that fails the older mark stands."""
        line = f"{head.seq:020d} {head.hash} {self.first}\n".encode()
        with contextlib.suppress(OSError):
            descriptor = self._open()
            try:
                os.pwrite(descriptor, line, 0)
            finally:
                os.close(descriptor)

    def forget(self) -> None:
        """Forget the mark: a person has said that another newest event counts."""
        with contextlib.suppress(FileNotFoundError):
            self.path.unlink()

    def _open(self) -> int:
        flags = os.O_WRONLY | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
        try:
            return os.open(self.path, flags, 0o600)
        except FileNotFoundError:
            make_private(str(self.path.parent.parent))
            make_private(str(self.path.parent))
            return os.open(self.path, flags, 0o600)
