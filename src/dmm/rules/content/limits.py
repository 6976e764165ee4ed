"""Limits: how long the search of one call may take, and how large what it searches may be."""

from __future__ import annotations

from time import thread_time

CALL_SECONDS = 0.15
RULE_SECONDS = 0.06
MAX_PATTERN = 2_000
MAX_TEXT = 4 << 20
MAX_SEARCHED = 1 << 20
MAX_PARSED = 200 << 10
MAX_NESTING = 400


class Stopped(Exception):
    """A search that was given up; `what` says why. It ends where the finding is made."""

    def __init__(self, what: str) -> None:
        super().__init__(what)
        self.what = what


class Unfit(Stopped):
    """A pattern that is no code of a language; files in that language are not meant."""


class Budget:
    """Processor time that all searches of one call share; waiting for others costs nothing."""

    def __init__(self, seconds: float = CALL_SECONDS) -> None:
        self._end = thread_time() + seconds

    def left(self) -> float:
        """Give the seconds that one search may still take; none left stops it."""
        left = self._end - thread_time()
        if left <= 0:
            raise Stopped("the time for checking this call was used up by other rules")
        return min(left, RULE_SECONDS)

    def affords(self, seconds: float) -> bool:
        """Whether there is time for work of a foreseen length."""
        return seconds < self._end - thread_time()

    def demand(self, seconds: float, what: str) -> None:
        """Stop before work that there is no time for."""
        if not self.affords(seconds):
            self.left()
            raise Stopped(what)
