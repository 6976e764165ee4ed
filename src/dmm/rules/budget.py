"""Limit the processor time that all searches of one call share."""

from __future__ import annotations

from time import thread_time

CALL_SECONDS = 0.15
RULE_SECONDS = 0.05
USED_UP = "the time for checking this call was used up by other rules"
# A hook knows the libraries by the rules on file; where they moved, nobody is let through.
NO_LIBRARY = "the library that searches it can't be loaded"
BUSY = "other work took the time for checking this call"


class Stopped(Exception):
    """A search was given up; `what` says why."""

    def __init__(self, what: str) -> None:
        super().__init__(what)
        self.what = what


class Budget:
    """The processor time that all searches of one call share, and the part for each rule.

    It runs from the first search. Waiting for others costs nothing, and what serves all rules,
    such as parsing a file, counts for the call alone.
    """

    def __init__(self, seconds: float = CALL_SECONDS) -> None:
        self._seconds = seconds
        self._end: float | None = None
        self._of_rule = RULE_SECONDS

    def start(self) -> None:
        """Start the clock, unless it is running."""
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
        """Subtract the time of a search from the share of its rule."""
        self._of_rule -= seconds

    def blame(self, allowed: float, spent: float, what: str) -> Stopped:
        """Return why a search ran out of time: its own rule or other work."""
        if spent < allowed / 2:
            return Stopped(BUSY)
        return Stopped(what if allowed >= min(self._of_rule, RULE_SECONDS / 2) else USED_UP)

    def affords(self, seconds: float) -> bool:
        """Return whether there is time for work of this length."""
        return seconds < self._left()

    def _left(self) -> float:
        self.start()
        return (self._end or 0.0) - thread_time()


def is_own_fault(stopped: str) -> bool:
    """Return whether a search failed because of its own rule or file, not for lack of time."""
    return bool(stopped) and stopped not in (USED_UP, BUSY)
