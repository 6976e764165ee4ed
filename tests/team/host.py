"""The machine of a team's server: its process and its PostgreSQL, which can be killed."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.team.postgres import Postgres

WITHIN = 300.0


@dataclass(slots=True)
class Host:
    """A server process and its database; what the process says goes to a file."""

    folder: Path
    postgres: Postgres
    port: int = 0
    process: subprocess.Popen[str] | None = None

    @property
    def said(self) -> Path:
        return self.folder.with_name("server.log")

    def start(self) -> None:
        line = [str(Path(sys.executable).with_name("dmm")), "server", "run"]
        line += ["--port", str(self.port), "--folder", str(self.folder)]
        with self.said.open("a") as said:
            self.process = subprocess.Popen(
                line, stdout=subprocess.PIPE, stderr=said, encoding="utf-8"
            )
        told = re.search(r":(\d+)\n", self._pipe().readline())
        assert told is not None
        self.port = int(told[1])

    def kill(self) -> None:
        assert self.process is not None
        self.process.kill()
        self.process.wait()
        self._pipe().close()

    def _pipe(self) -> IO[str]:
        assert self.process is not None
        assert self.process.stdout is not None
        return self.process.stdout

    def kill_database(self) -> None:
        """Kill the first process of PostgreSQL; the others see that and end by themselves."""
        noted = self.postgres.data / "postmaster.pid"
        first = int(noted.read_text().split()[0])
        others = [one for one in _processes() if _parent(one) == first]
        os.kill(first, signal.SIGKILL)
        until(lambda: not any(map(_lives, (first, *others))), "PostgreSQL is gone")
        # Where nobody collects the dead, their numbers stay taken, and PostgreSQL believes them.
        for left in (noted, *self.postgres.folder.glob(".s.PGSQL.*")):
            left.unlink()
        self.postgres.start()


def _processes() -> list[int]:
    return [int(one.name) for one in Path("/proc").iterdir() if one.name.isdigit()]


def _parent(pid: int) -> int:
    with contextlib.suppress(OSError):
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    return 0


def _lives(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def until(check: Callable[[], bool], what: str) -> None:
    """Wait for something; it fails after minutes."""
    deadline = time.monotonic() + WITHIN
    pause = threading.Event()
    while not check():
        assert time.monotonic() < deadline, f"it did not happen: {what}"
        pause.wait(0.05)
