"""Exchange rules with the teams of open projects, in threads of their own; no hook waits for it."""

from __future__ import annotations

import contextlib
import threading
import time
from typing import TYPE_CHECKING

from dmm.errors import DmmError, TeamError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
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
    """Sends and receives for one team.db; each way has a thread and connections of its own.

    Worktrees share it: `users` are all open projects that get the rules.
    """

    def __init__(self, project: Project, log: Log) -> None:
        self.project = project
        self.users: tuple[Project, ...] = (project,)
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
        with contextlib.closing(self.project.dmm.reopened()) as dmm:
            repeat(lambda: way(dmm.team), self._leaving, self._log)

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
        done = team.exchange(held, HttpLog.of(held, wait=WAIT))
        received = done.received
        if done.lost:
            self._sent = -1
        for user in self.users if received else ():
            user.publish_rules()
        return rest_after(received, time.monotonic() - begun)


def find_joined(projects: Iterable[Project]) -> dict[Path, tuple[Project, ...]]:
    """Return the trusted projects that have joined a team, by their team.db."""
    found: dict[Path, tuple[Project, ...]] = {}
    for one in projects:
        path = one.dmm.base.team_rules.path
        if path.exists() and one.trusted and one.dmm.team.joined:
            found[path] = (*found.get(path, ()), one)
    return found


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
    """One courier for each team.db of the open projects."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self._held: dict[Path, Courier] = {}

    def follow(self, projects: list[Project]) -> None:
        """Begin for projects that joined, and end for those that were closed."""
        known = find_joined(projects)
        for path, courier in list(self._held.items()):
            if courier.project not in known.get(path, ()):
                self._held.pop(path).end()
        for path, users in known.items():
            if path not in self._held:
                self._held[path] = Courier(users[0], self._log)
            self._held[path].users = users

    def end(self) -> None:
        """End all of them."""
        for courier in self._held.values():
            courier.end()
