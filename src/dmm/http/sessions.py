"""Browser sessions: short-lived one-time codes exchanged for cookies."""

from __future__ import annotations

import hmac
import secrets
import threading
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

COOKIE = "dmm_session"
CODE_SECONDS = 60.0
SESSION_SECONDS = 12 * 3600.0
MOST_CODES = 8
MOST_SESSIONS = 16


class _Tickets:
    """Secrets that end by themselves; a new one beyond the limit ends the oldest."""

    def __init__(self, seconds: float, most: int, clock: Callable[[], float]) -> None:
        self._seconds = seconds
        self._most = most
        self._clock = clock
        self._ends: dict[str, float] = {}
        self._lock = threading.Lock()

    def make(self) -> str:
        """Make one, 256 bits that nobody can guess."""
        ticket = secrets.token_urlsafe(32)
        with self._lock:
            self._sweep()
            while len(self._ends) >= self._most:
                del self._ends[next(iter(self._ends))]
            self._ends[ticket] = self._clock() + self._seconds
        return ticket

    def _find(self, ticket: str) -> str | None:
        """Compare with every one, so that the time taken tells nothing."""
        self._sweep()
        given = ticket.encode("utf-8", "replace")
        found = [one for one in self._ends if hmac.compare_digest(one.encode("ascii"), given)]
        return found[0] if found else None

    def _sweep(self) -> None:
        now = self._clock()
        for ticket in [one for one, end in self._ends.items() if end <= now]:
            del self._ends[ticket]


class Codes(_Tickets):
    """One-time codes, made by the daemon for the person who asked it."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__(CODE_SECONDS, MOST_CODES, clock)

    def take(self, code: str) -> bool:
        """Use a code up; False if it was never made, was used, or has ended."""
        with self._lock:
            found = self._find(code)
            if found is not None:
                del self._ends[found]
        return found is not None


class Sessions(_Tickets):
    """Browsers that showed a code."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__(SESSION_SECONDS, MOST_SESSIONS, clock)

    def holds(self, session: str) -> bool:
        """Say whether a session is open."""
        with self._lock:
            return self._find(session) is not None


def write_cookie(session: str) -> str:
    """Write the header that gives a browser its session; no script can read it."""
    return (
        f"{COOKIE}={session}; HttpOnly; SameSite=Strict; Path=/; Max-Age={round(SESSION_SECONDS)}"
    )


def read_cookie(header: str) -> str | None:
    """Read the session out of a Cookie header; one that is listed twice is none."""
    pairs = (part.strip().partition("=") for part in header.split(";"))
    found = [value for name, _, value in pairs if name == COOKIE]
    return found[0] if len(found) == 1 else None
