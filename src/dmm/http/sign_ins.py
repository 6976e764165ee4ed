"""Browser sessions: short-lived one-time codes exchanged for cookies."""

from __future__ import annotations

import hashlib
import json
import secrets
import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from dmm.files.durable import write_atomic
from dmm.private import make_private_folder

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Fate = Literal["used", "expired"]

COOKIE = "dmm_session"
FILE = "sessions.json"
CODE_SECONDS = 60.0
SESSION_SECONDS = 12 * 3600.0
MOST_CODES = 8
MOST_SESSIONS = 16
# Ended codes that are remembered, to explain to whoever shows one why it is refused.
MOST_SPENT = 32
# A clock that is set back by more than this ends the sessions begun after the new time.
SLACK = 60.0


def _hash(secret: str) -> str:
    """Return what is kept of a secret; 256 random bits need no salt."""
    return hashlib.sha256(secret.encode("utf-8", "replace")).hexdigest()


class Codes:
    """One-time codes, made by the daemon for the person who asked it."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._ends: dict[str, float] = {}
        self._spent: dict[str, Fate] = {}
        self._lock = threading.Lock()

    def make(self) -> str:
        """Make one, 256 bits that nobody can guess; one beyond the limit ends the oldest."""
        code = secrets.token_urlsafe(32)
        with self._lock:
            self._sweep()
            while len(self._ends) >= MOST_CODES:
                self._spend(next(iter(self._ends)), "expired")
            self._ends[_hash(code)] = self._clock() + CODE_SECONDS
        return code

    def take(self, code: str) -> bool:
        """Use a code up; False if it was never made, was used, or has expired."""
        with self._lock:
            self._sweep()
            found = _hash(code)
            if found not in self._ends:
                return False
            self._spend(found, "used")
        return True

    def fate(self, code: str) -> Fate | None:
        """Return what became of a code; None if it is unknown or still good."""
        with self._lock:
            self._sweep()
            return self._spent.get(_hash(code))

    def end_all(self) -> None:
        """End every code that was not used."""
        with self._lock:
            for code in list(self._ends):
                self._spend(code, "expired")

    def _spend(self, code: str, fate: Fate) -> None:
        del self._ends[code]
        while len(self._spent) >= MOST_SPENT:
            del self._spent[next(iter(self._spent))]
        self._spent[code] = fate

    def _sweep(self) -> None:
        now = self._clock()
        for code in [one for one, end in self._ends.items() if end <= now]:
            self._spend(code, "expired")


@dataclass(frozen=True, slots=True)
class Session:
    """A browser that showed a code: the hash of its secret, when it began and when it ends."""

    id: str
    since: float
    ends: float


class Sessions:
    """Browsers that showed a code; with a folder, they outlive the process, as hashes."""

    def __init__(self, clock: Callable[[], float] = time.time, folder: Path | None = None) -> None:
        self._clock = clock
        self._path = None if folder is None else folder / FILE
        self._open: dict[str, Session] = {}
        self._lock = threading.Lock()
        self._read()

    def make(self, instead_of: str | None = None) -> str:
        """Open one and return its secret; one beyond the limit ends the oldest.

        A browser that signs in again has one session, not two.
        """
        secret = secrets.token_urlsafe(32)
        now = self._clock()
        with self._lock:
            self._sweep()
            self._open.pop(_hash(instead_of or ""), None)
            while len(self._open) >= MOST_SESSIONS:
                del self._open[next(iter(self._open))]
            name = _hash(secret)
            self._open[name] = Session(name, now, now + SESSION_SECONDS)
            self._write()
        return secret

    def find(self, secret: str) -> Session | None:
        """Return the session of a secret while it is open."""
        with self._lock:
            self._sweep()
            return self._open.get(_hash(secret))

    def holds(self, secret: str) -> bool:
        """Return whether a session is open."""
        return self.find(secret) is not None

    @property
    def count(self) -> int:
        """How many are open."""
        with self._lock:
            self._sweep()
            return len(self._open)

    def end_all(self) -> int:
        """End all of them, and tell how many there were."""
        with self._lock:
            self._sweep()
            ended = len(self._open)
            self._open.clear()
            self._write()
        return ended

    def _sweep(self) -> None:
        now = self._clock()
        lasting = {k: one for k, one in self._open.items() if one.since - SLACK <= now < one.ends}
        self._open = lasting

    def _read(self) -> None:
        """Take up the sessions of an earlier process; a file that can't be read holds none."""
        try:
            rows = [] if self._path is None else json.loads(self._path.read_bytes()[: 1 << 16])
            found = [Session(str(name), float(since), float(end)) for name, since, end in rows]
        except (OSError, ValueError, TypeError):
            return
        self._open = {one.id: one for one in found[:MOST_SESSIONS]}

    def _write(self) -> None:
        if self._path is None:
            return
        make_private_folder(self._path.parent)
        rows = [[one.id, one.since, one.ends] for one in self._open.values()]
        write_atomic(self._path, json.dumps(rows).encode(), private=True)


def name_cookie(port: int) -> str:
    """Return the cookie's name; browsers send cookies of one host to all its ports."""
    return f"{COOKIE}_{port}"


def write_cookie(session: str, port: int, seconds: float = SESSION_SECONDS) -> str:
    """Write the header that gives a browser its session; no script can read it."""
    about = f"HttpOnly; SameSite=Strict; Path=/; Max-Age={round(seconds)}"
    return f"{name_cookie(port)}={session}; {about}"


def read_cookie(header: str, port: int) -> str | None:
    """Read the session out of a Cookie header; one that is listed twice is none."""
    pairs = (part.strip().partition("=") for part in header.split(";"))
    found = [value for name, _, value in pairs if name == name_cookie(port)]
    return found[0] if len(found) == 1 else None
