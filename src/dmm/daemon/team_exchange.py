"""Exchange rules with the teams of open projects, in threads of their own; no hook waits for it."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

from dmm.errors import DmmError, TeamError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from dmm.daemon.logs import Log
    from dmm.projects import Project
    from dmm.team.service import Team

# How often the ledger is looked at for something to send.
LOOK_EVERY = 1.0
# How long the server may let a request for news wait.
WAIT = 20.0
FIRST_RETRY, LAST_RETRY = 1.0, 60.0
SHORTEST_REST = 1.0


class Courier:
    """Sends and receives for one project; each way has a thread and connections of its own."""

    def __init__(self, project: Project, log: Log) -> None:
        self.project = project
        self._log = log
        self._leaving = threading.Event()
        # The newest event of the ledger that the server knows of; none before the first look.
        self._sent = -1
        for way in (self._send, self._receive):
            name = f"dmm-team{way.__name__}"
            threading.Thread(target=self._run, args=(way,), name=name, daemon=True).start()

    def end(self) -> None:
        """Stop soon; what is not sent by then is sent by the next process."""
        self._leaving.set()

    def _run(self, way: Callable[[Team], float]) -> None:
        dmm = self.project.dmm.reopened()
        try:
            repeat(lambda: way(dmm.team), self._leaving, self._log)
        finally:
            dmm.close()

    def _send(self, team: Team) -> float:
        from dmm.team.client import HttpLog

        head = team.ledger.reading.head().seq
        if head != self._sent:
            held = team.credentials()
            team.push(held, HttpLog.of(held))
            self._sent = head
        return LOOK_EVERY

    def _receive(self, team: Team) -> float:
        from dmm.team.client import HttpLog

        held = team.credentials()
        begun = time.monotonic()
        received = team.pull(held, HttpLog.of(held, wait=WAIT))
        if received:
            self.project.publish_rules()
        return rest_after(received, time.monotonic() - begun)


def repeat(
    duty: Callable[[], float],
    leaving: threading.Event,
    log: Log,
    first: float = FIRST_RETRY,
) -> None:
    """Repeat something that says how long to rest; after a failure it rests longer each time."""
    rest, told = first, ""
    while not leaving.is_set():
        try:
            pause = duty()
            rest, told = first, ""
        except Exception as error:  # noqa: BLE001 - no fault of background work ends it
            if str(error) != told:
                told = str(error)
                log.write_fault(f"the exchange with the team failed ({_name(error)})", error)
            pause, rest = rest, min(rest * 2, LAST_RETRY)
        leaving.wait(pause)


def rest_after(received: int, took: float) -> float:
    """Return how long to rest after a pull: a server that does not wait is not asked at once."""
    return 0.0 if received or took >= WAIT else SHORTEST_REST


def _name(error: Exception) -> str:
    match error:
        case TeamError():
            return error.fault
        case DmmError():
            return error.code
    return type(error).__name__


class TeamExchange:
    """One courier for each open project that has joined a team."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self._held: dict[Path, Courier] = {}

    def follow(self, projects: list[Project]) -> None:
        """Begin for projects that joined, and end for those that were closed."""
        known = {one.root: one for one in projects}
        for root, courier in list(self._held.items()):
            if known.get(root) is not courier.project:
                self._held.pop(root).end()
        for root, project in known.items():
            begun = root in self._held
            if not begun and project.dmm.base.team_rules.path.exists() and project.trusted:
                self._held[root] = Courier(project, self._log)

    def end(self) -> None:
        """End all of them."""
        for courier in self._held.values():
            courier.end()
