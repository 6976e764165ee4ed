"""The code that `dmm ui` shows on its terminal, for those who have no passkey."""

from __future__ import annotations

import hmac
import secrets
import threading
import time
from typing import TYPE_CHECKING

from dmm.errors import ProofRefused

if TYPE_CHECKING:
    from collections.abc import Callable

SECONDS = 15 * 60.0
DIGITS = 6
MOST_TRIES = 5
HINT = "get a new one in a terminal: dmm ui --code"


class TerminalCodes:
    """One code at a time, good for 15 minutes in the browsers where it is typed."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._code = ""
        self._ends = 0.0
        self._tries = 0
        self._confirmed: dict[str, float] = {}
        self._lock = threading.Lock()

    def make(self) -> str:
        """Make a new code; the one before it ends, but not where it was typed already."""
        code = "".join(secrets.choice("0123456789") for _ in range(DIGITS))
        with self._lock:
            self._code, self._tries = code, 0
            self._ends = self._clock() + SECONDS
        return code

    def take(self, code: str, session: str) -> None:
        """Count a browser as a person's until the code ends; wrong tries are few."""
        with self._lock:
            if self._clock() >= self._ends:
                self._code = ""
                raise ProofRefused("the code has expired", hint=HINT)
            if not self._code:
                raise ProofRefused("too many wrong codes", hint=HINT)
            given = "".join(code.split()).replace("-", "").encode("utf-8", "replace")
            if not hmac.compare_digest(given, self._code.encode()):
                raise self._count_try()
            self._confirmed[session] = self._ends

    def _count_try(self) -> ProofRefused:
        """Count a wrong code, whichever browser it came from; after the last one it is gone."""
        self._tries += 1
        left = MOST_TRIES - self._tries
        if not left:
            self._code = ""
            return ProofRefused("the code is wrong, and it was the last try", hint=HINT)
        tries = "1 try is" if left == 1 else f"{left} tries are"
        return ProofRefused(f"the code is wrong; {tries} left", hint=HINT)

    def counts(self, session: str) -> bool:
        """Return whether a browser is counted as a person's."""
        with self._lock:
            now = self._clock()
            self._confirmed = {one: end for one, end in self._confirmed.items() if end > now}
            return session in self._confirmed

    def end_all(self) -> None:
        """End the code, and ask every browser anew."""
        with self._lock:
            self._code, self._ends = "", 0.0
            self._confirmed.clear()
