"""Laptops as processes that can be killed: `python -m tests.team.fleet`.

Each laptop has a ledger, a team.db and a clock of its own and runs the daemon's exchange. It is a
fork of one process in which everything is loaded. What a daemon does besides is left out: hooks,
HTTP, watching files, the index and the model.
"""

from __future__ import annotations

import datetime as dt
import json
import os
import signal
import subprocess
import sys
import threading
import traceback
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO

from dmm.bootstrap import now, open_dmm
from dmm.daemon import team_exchange
from dmm.daemon.logs import Log
from dmm.domain.event import EventType
from dmm.eventlog.open_ledger import Actor
from dmm.ledger.service import Ledger
from dmm.projects import Project
from dmm.team.client import HttpLog
from dmm.team.rules import read_rules

__all__ = ["Actor", "HttpLog", "Ledger", "read_rules"]

PLAN, PACE = "plan.json", "pace"
LOOK_EVERY = 0.1


@dataclass(frozen=True, slots=True)
class Plan:
    """What a laptop is told: its name, whom to join, how wrong its clock is, its lead in rules."""

    name: str
    url: str
    invitation: str
    ahead: float
    lead: int


def live(folder: Path) -> None:
    """Be a laptop until the process is killed, or whoever started it is gone."""
    parent = os.getppid()
    plan = Plan(**json.loads((folder / PLAN).read_text()))
    ahead = dt.timedelta(seconds=plan.ahead)
    opened = open_dmm(start=folder / "work", home=folder)
    dmm = replace(opened, base=replace(opened.base, clock=lambda: now() + ahead))
    if not dmm.team.joined:
        dmm.team.join(plan.url, plan.invitation)
    # Kills follow each other faster than any outage: a laptop does not rest for a minute.
    team_exchange.LAST_RETRY = 1.0
    team_exchange.Courier(Project.of(dmm, ()), Log(folder / "log"))
    reading = dmm.project_ledger.reading
    done = sum(1 for _ in reading.events_of((EventType.CONSTRAINT_ADDED,), 0, reading.head().seq))
    pause = threading.Event()
    while os.getppid() == parent:
        if done < _pace(folder) + plan.lead:
            dmm.ledger.add_constraint(word(plan.name, done))
            done += 1
        pause.wait(LOOK_EVERY)


def word(name: str, number: int) -> str:
    """Return the words of a laptop's rule."""
    return f"never call {name} number {number}"


def _pace(folder: Path) -> int:
    """Return how many rules every laptop records by now, besides its lead."""
    return int((folder.parent / PACE).read_text() or "0")


def main() -> None:
    """Start and kill laptops as told, a line each; the answer is a line, too."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    running: dict[str, int] = {}
    for line in sys.stdin:
        order, _, folder = line.strip().partition(" ")
        if order == "start":
            running[folder] = _fork(Path(folder))
        else:
            os.kill(running[folder], signal.SIGKILL)
            os.waitpid(running.pop(folder), 0)
        sys.stdout.write(f"{order}\n")
        sys.stdout.flush()
    for pid in running.values():
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)


def _fork(folder: Path) -> int:
    pid = os.fork()
    if pid == 0:
        try:
            os.dup2(os.open(folder / "out", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), 1)
            os.dup2(1, 2)
            os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
            live(folder)
        except Exception:  # noqa: BLE001 - the test reads what a process failed with
            traceback.print_exc()
        finally:
            sys.stderr.flush()
            os._exit(1)
    return pid


@dataclass(slots=True)
class Fleet:
    """All laptops, as the test starts and kills them."""

    process: subprocess.Popen[str]
    running: set[Path] = field(default_factory=set)

    @classmethod
    def launch(cls) -> Fleet:
        root = Path(__file__).resolve().parents[2]
        line = [sys.executable, "-m", "tests.team.fleet"]
        pipe = subprocess.PIPE
        return cls(subprocess.Popen(line, cwd=root, stdin=pipe, stdout=pipe, encoding="utf-8"))

    def start(self, folder: Path) -> None:
        self._order(f"start {folder}")
        self.running.add(folder)

    def kill(self, folder: Path) -> None:
        self._order(f"kill {folder}")
        self.running.remove(folder)

    def _order(self, text: str) -> None:
        out, back = _need(self.process.stdin), _need(self.process.stdout)
        out.write(f"{text}\n")
        out.flush()
        assert back.readline(), "the process of the laptops has ended"

    def end(self) -> None:
        """End the process; it kills what still runs."""
        _need(self.process.stdin).close()
        self.process.wait()
        _need(self.process.stdout).close()


def _need(pipe: IO[str] | None) -> IO[str]:
    assert pipe is not None
    return pipe


if __name__ == "__main__":
    main()
