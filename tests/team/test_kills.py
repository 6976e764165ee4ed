"""Laptops, a server process and a PostgreSQL that are killed in the middle of their work."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.conftest import Opener, Project
from tests.team.conftest import need_programs, start_postgres

from dmm.errors import DmmError
from dmm.server.setup import read_setup, set_up
from dmm.team.replica import Replica

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.team.conftest import Postgres

    from dmm.bootstrap import Dmm
    from dmm.embed.model import Embedder
    from dmm.team.chain import Placed

pytestmark = pytest.mark.slow

TEAMS, LAPTOPS, RULES, KILLS = ("red", "blue"), 4, 25, 12
WITHIN = 300.0


@dataclass(slots=True)
class Host:
    """The machine of the server: its process and its database, which can be killed."""

    folder: Path
    postgres: Postgres
    port: int = 0
    process: subprocess.Popen[str] | None = None

    def start(self) -> None:
        line = [str(Path(sys.executable).with_name("dmm")), "server", "run"]
        line += ["--port", str(self.port), "--folder", str(self.folder)]
        self.process = subprocess.Popen(line, stdout=subprocess.PIPE, encoding="utf-8")
        assert self.process.stdout is not None
        told = re.search(r":(\d+)\n", self.process.stdout.readline())
        assert told is not None
        self.port = int(told[1])

    def kill(self) -> None:
        assert self.process is not None
        assert self.process.stdout is not None
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()

    def kill_database(self) -> None:
        """Kill the first process of PostgreSQL; the others see that and end by themselves."""
        noted = self.postgres.data / "postmaster.pid"
        first = int(noted.read_text().split()[0])
        others = [one for one in _processes() if _parent(one) == first]
        os.kill(first, signal.SIGKILL)
        _until(lambda: not any(map(_lives, (first, *others))), "PostgreSQL is gone")
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


def _until(check: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + WITHIN
    while not check():
        assert time.monotonic() < deadline, f"it did not happen: {what}"
        time.sleep(0.02)


@pytest.fixture
def host(tmp_path: Path) -> Iterator[Host]:
    server = start_postgres(need_programs())
    try:
        set_up(tmp_path / "server", server.make("team"))
        found = Host(tmp_path / "server", server)
        found.start()
        try:
            yield found
        finally:
            found.kill()
    finally:
        server.stop("immediate")
        shutil.rmtree(server.folder, ignore_errors=True)


def work(dmm: Dmm, name: str, done: list[str]) -> None:
    """Record rules and exchange them, whatever happens to the other side."""
    for number in range(RULES):
        dmm.ledger.add_constraint(f"never call {name} number {number}")
        with contextlib.suppress(DmmError):
            dmm.team.sync()
    deadline = time.monotonic() + WITHIN
    while time.monotonic() < deadline:
        with contextlib.suppress(DmmError):
            dmm.team.sync()
            if dmm.team.status().unsent == 0:
                done.append(name)
                return


def copy_of(dmm: Dmm) -> list[Placed]:
    with Replica.opened(dmm.team.path) as replica:
        replica.trail(dmm.team.credentials())
        return replica.events()


def test_nothing_is_lost_doubled_or_mixed_up_whoever_is_killed(
    host: Host, tmp_path: Path, model: Embedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DMM_ROOT", raising=False)
    laptops: dict[tuple[str, str], Dmm] = {}
    with read_setup(host.folder).registry() as registry:
        for team in TEAMS:
            registry.add(team, "shop")
            for number in range(LAPTOPS):
                home = tmp_path / f"{team}-{number}"
                project = Project(home / "work")
                project.memory.mkdir(parents=True)
                dmm = Opener(home, model)(project)
                invitation = registry.invite(team, "shop", "reviewer")
                dmm.team.join(f"http://127.0.0.1:{host.port}", invitation)
                laptops[team, f"{team}-{number}"] = dmm
    done: list[str] = []
    threads = [
        threading.Thread(target=work, args=(dmm, name, done), daemon=True)
        for (_, name), dmm in laptops.items()
    ]
    for thread in threads:
        thread.start()
    for number in range(KILLS):
        host.kill()
        if number % 2:
            host.kill_database()
        host.start()
        # Laptops get something done before the next one.
        threading.Event().wait(0.5)
    for thread in threads:
        thread.join()
    assert len(done) == len(laptops)
    for team in TEAMS:
        copies = []
        for (of, _), dmm in laptops.items():
            if of == team:
                dmm.team.sync()
                copies.append(copy_of(dmm))
        assert all(one == copies[0] for one in copies)
        events = copies[0]
        assert [one.seq for one in events] == list(range(1, LAPTOPS + LAPTOPS * RULES + 1))
        told = sorted(one.entry.payload for one in events if one.entry.writer != "server")
        expected = [
            f'{{"priority":"required","text":"never call {name} number {number}"}}'
            for of, name in laptops
            for number in range(RULES)
            if of == team
        ]
        assert told == sorted(expected)
