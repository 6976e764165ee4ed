"""Budget: the processor time that all searches of one call share, and why one is given up."""

from __future__ import annotations

from time import thread_time

CALL_SECONDS = 0.15
RULE_SECONDS = 0.05
USED_UP = "the time for checking this call was used up by other rules"
# A hook knows the libraries by the rules on file; where they moved, nobody is let through.
NO_LIBRARY = "the library that searches it can't be loaded"
BUSY = "other work took the time for checking this call"


class Stopped(Exception):
    """A search that was given up; `what` says why. It ends where the finding is made."""

    def __init__(self, what: str) -> None:
        super().__init__(what)
        self.what = what


class Budget:
    """Processor time that all searches of one call share, and what one rule may take of it.

    It runs from the first search. Waiting for others costs nothing, and what serves all rules,
    such as parsing a file, counts for the call alone.
    """

    def __init__(self, seconds: float = CALL_SECONDS) -> None:
        self._seconds = seconds
        self._end: float | None = None
        self._of_rule = RULE_SECONDS

    def start(self) -> None:
        """Let the time run, where it does not yet."""
        if self._end is None:
            self._end = thread_time() + self._seconds

    def next_rule(self) -> None:
        """Start the time share of the next rule."""
        self._of_rule = RULE_SECONDS

    def left(self) -> float:
        """Return the seconds that one search may still take; none left stops it."""
        left = self._left()
        if left <= 0:
            raise Stopped(USED_UP)
        if self._of_rule <= 0:
            raise Stopped("its searches took too long")
        return min(left, self._of_rule)

    @property
    def has_time(self) -> bool:
        """Whether another search of the same rule may be begun."""
        return self._left() > 0 and self._of_rule > 0

    def charge(self, seconds: float) -> None:
        """Take what a search has used from the share of its rule."""
        self._of_rule -= seconds

    def blame(self, allowed: float, spent: float, what: str) -> Stopped:
        """Return why a search ran out of time: by its own fault, or since others took the time."""
        if spent < allowed / 2:
            return Stopped(BUSY)
        return Stopped(what if allowed >= min(self._of_rule, RULE_SECONDS / 2) else USED_UP)

    def affords(self, seconds: float) -> bool:
        """Whether there is time for work of a foreseen length."""
        return seconds < self._left()

    def _left(self) -> float:
        self.start()
        return (self._end or 0.0) - thread_time()


def is_own_fault(stopped: str) -> bool:
    """Whether a search was given up for what its rule looks for, or where; not for want of time."""
    return bool(stopped) and stopped not in (USED_UP, BUSY)
