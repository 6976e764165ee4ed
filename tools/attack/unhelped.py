"""Attacks in which every forbidden call has to be denied: the daemon is only of little help."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING

from tools.attack.stage import Stage, Tally

import dmm

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

BUSY = 48


@contextlib.contextmanager
def _opened(base: Path) -> Iterator[Stage]:
    stage = Stage(base)
    try:
        stage.prepare()
        yield stage
    finally:
        stage.end()


def kill_often(base: Path, calls: int) -> tuple[Tally, str]:
    """Kill the daemon again and again."""
    with _opened(base) as stage:
        killed = 0

        def kill() -> None:
            nonlocal killed
            killed += stage.kill()
            (base / "run" / "attempts").unlink(missing_ok=True)

        return _repeat(stage, calls, kill), f"{killed} kills"


def begin_cold(base: Path, calls: int) -> tuple[Tally, str]:
    """Have every few calls find no daemon at all."""
    with _opened(base) as stage:
        tally = Tally()
        for _ in range(0, calls, 2):
            stage.dmm("daemon", "stop")
            tally += stage.call(2)
        return tally, "stopped before every four calls"


def upgrade_often(base: Path, calls: int) -> tuple[Tally, str]:
    """Have the program look newer again and again: each time the daemon gives way to another."""
    path = Path(str(dmm.__file__))
    before = path.stat()
    with _opened(base) as stage:
        built = int(before.st_mtime)
        moved = 0

        def upgrade() -> None:
            nonlocal moved
            moved += 1
            os.utime(path, (built + moved, built + moved))

        try:
            return _repeat(stage, calls, upgrade), f"{moved} versions"
        finally:
            os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def crowd_out(base: Path, calls: int) -> tuple[Tally, str]:
    """Run many processes beside that never rest."""
    with _opened(base) as stage:
        line = [sys.executable, "-c", "while True: pass"]
        crowd = [subprocess.Popen(line) for _ in range(BUSY)]
        try:
            return stage.call(calls), f"{BUSY} busy processes"
        finally:
            for one in crowd:
                one.kill()
                one.wait()


def _repeat(stage: Stage, calls: int, act: Callable[[], None]) -> Tally:
    """Do something again and again while calls are made."""
    done = threading.Event()

    def keep_on() -> None:
        while not done.is_set():
            act()
            done.wait(0.3)

    actor = threading.Thread(target=keep_on)
    actor.start()
    try:
        return stage.call(calls)
    finally:
        done.set()
        actor.join()
