"""Exchange rules with the teams of open projects, in threads of their own; no hook waits for it."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from dmm.errors import DmmError

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
        """Repeat one way of the exchange; after a failure it rests, longer each time."""
        dmm = self.project.dmm.reopened()
        rest, told = FIRST_RETRY, ""
        try:
            while not self._leaving.is_set():
                try:
                    pause = way(dmm.team)
                    rest, told = FIRST_RETRY, ""
                except DmmError as error:
                    if str(error) != told:
                        told = str(error)
                        self._log.write_fault("the team could not be reached", error)
                    pause, rest = rest, min(rest * 2, LAST_RETRY)
                self._leaving.wait(pause)
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
        if team.pull(held, HttpLog.of(held, wait=WAIT)):
            self.project.publish_rules()
        return 0.0


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
