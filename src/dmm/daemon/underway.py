"""Requests in progress, and how many of them keep the process alive."""

from __future__ import annotations

import itertools
import threading
import time

# A request that takes longer hangs, most likely: it keeps this process no more than an idle one.
LONGEST = 600.0


class UnderWay:
    """Knows since when each request is being answered."""

    def __init__(self) -> None:
        self._numbers = itertools.count()
        self._since: dict[int, float] = {}
        self._changed = threading.Condition()

    def begin(self) -> int:
        """Count one more; gives the number to end it by."""
        with self._changed:
            number = next(self._numbers)
            self._since[number] = time.monotonic()
            return number

    def end(self, number: int) -> None:
        """Count one less."""
        with self._changed:
            del self._since[number]
            self._changed.notify_all()

    @property
    def count(self) -> int:
        """How many are being answered, without those that take too long."""
        earliest = time.monotonic() - LONGEST
        with self._changed:
            return sum(since > earliest for since in self._since.values())

    def wait(self, seconds: float) -> bool:
        """Wait until none is left, for so long at most."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._since, seconds)
