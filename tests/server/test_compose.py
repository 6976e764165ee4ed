"""The compose file's services, run as it says: on this machine instead of in containers."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psycopg
import pytest
from tests.daemon.conftest import eventually
from tests.team.conftest import need_programs
from tests.team.postgres import Postgres

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

pytestmark = pytest.mark.slow

SETTINGS = {"DMM_DATABASE_PASSWORD": "a-secret-of-the-trial", "DMM_HOST": "dmm.example.com"}
_VARIABLE = re.compile(r"\$\{(\w+)(?::([-?])([^}]*))?\}")


def expand(text: str) -> str:
    """Fill in a value as compose does: a default after `:-`, none after `:?`."""
    return _VARIABLE.sub(lambda one: SETTINGS.get(one[1]) or (one[3], "")[one[2] == "?"], text)


@dataclass(frozen=True, slots=True)
class Machine:
    """Stands for the containers: their volumes are folders, and the database has a socket."""

    folder: Path
    database: Postgres

    def run(self, words: Sequence[str], told: Any) -> subprocess.CompletedProcess[str]:
        line, env = self.place(words), self.environment(told)
        return subprocess.run(line, env=env, capture_output=True, text=True, check=False)

    def place(self, words: Sequence[str]) -> list[str]:
        """Return words with what is in a container at its place on this machine."""
        at = {"/var/lib/dmm": str(self.folder), "0.0.0.0": "127.0.0.1"}
        at |= {"@database/dmm": f"@/dmm?host={self.database.folder}"}
        placed = list(words)
        for inside, here in at.items():
            placed = [one.replace(inside, here) for one in placed]
        return placed

    def environment(self, told: Any) -> dict[str, str]:
        programs = f"{Path(sys.executable).parent}:{self.database.programs}"
        own = {"PATH": f"{programs}:{os.environ['PATH']}", "HOME": str(self.folder)}
        return own | {name: expand(value) for name, value in told.items()}


@pytest.fixture
def machine(compose: dict[str, Any], tmp_path: Path) -> Iterator[Machine]:
    """A database as its image makes it, started by the words of the compose file."""
    service = compose["services"]["database"]
    told = {name: expand(value) for name, value in service["environment"].items()}
    folder = Path(tempfile.mkdtemp(prefix="dmm-pg-", dir="/tmp"))
    folder.chmod(0o755)
    database = Postgres(folder, need_programs())
    (folder / "password").write_text(told["POSTGRES_PASSWORD"])
    before: list[str] = []
    if os.geteuid() == 0:
        before = ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"]
        shutil.chown(folder, "nobody", "nogroup")
    ways = ("--auth=scram-sha-256", f"--pwfile={folder / 'password'}", "--no-sync")
    database.run("initdb", "-D", str(database.data), "-U", told["POSTGRES_USER"], *ways)
    name, *words = map(expand, service["command"])
    place = ("-D", str(database.data), "-k", str(folder), "-c", "listen_addresses=")
    found = Machine(tmp_path / "volume", database)
    with contextlib.ExitStack() as stack:
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
        line = [*before, str(database.programs / name), *words, *place]
        process = stack.enter_context(subprocess.Popen(line, cwd=folder, stderr=subprocess.DEVNULL))
        # Fast: a server that still holds a connection does not keep it.
        stack.callback(process.send_signal, signal.SIGINT)
        check = [*service["healthcheck"]["test"][1:], f"--host={folder}"]
        healthy = ["sh", "-c", " ".join(check)]
        eventually(lambda: found.run(healthy, {}).returncode == 0, "the database is healthy")
        address = f"host={folder} user={told['POSTGRES_USER']} dbname=postgres"
        with psycopg.connect(
            address, password=told["POSTGRES_PASSWORD"], autocommit=True
        ) as connection:
            connection.execute(f"CREATE DATABASE {told['POSTGRES_DB']}")
            assert connection.execute("SHOW shared_buffers").fetchone() == ("1GB",)
        yield found


def test_the_services_start_answer_and_stop_as_the_file_says(
    compose: dict[str, Any], machine: Machine
) -> None:
    prepare, server = (compose["services"][name] for name in ("prepare", "server"))
    # The first start sets the server up; later ones find it there and bring its tables up to date.
    first, later = (machine.run(prepare["command"], prepare["environment"]) for _ in range(2))
    assert (first.returncode, later.returncode) == (0, 0), (first.stderr, later.stderr)
    assert "init" not in later.stdout
    folder = ("--folder", str(machine.folder))
    added = machine.run(["dmm", "server", "add", "acme/shop", *folder], server["environment"])
    assert added.returncode == 0, added.stderr
    line = [*machine.place(server["command"]), "--port", "0"]
    with subprocess.Popen(
        line, env=machine.environment(server["environment"]), stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        told = re.search(r"http://127\.0\.0\.1:(\d+)", process.stdout.readline())
        assert told is not None
        _, *healthy = server["healthcheck"]["test"]
        check = [one.replace("8321", told[1]) for one in healthy]
        done = machine.run(check, {})
        assert done.returncode == 0, done.stderr
        doctor = machine.run(["dmm", "server", "doctor", *folder], server["environment"])
        assert doctor.returncode == 0, (doctor.stdout, doctor.stderr)
        process.terminate()
        grace = int(server["stop_grace_period"].removesuffix("s"))
        assert process.wait(grace) == 0


def test_a_server_without_the_password_says_so_and_changes_nothing(
    compose: dict[str, Any], machine: Machine
) -> None:
    prepare = compose["services"]["prepare"]
    done = machine.run(prepare["command"], {"PGPASSWORD": "another"})
    assert done.returncode != 0
    assert "password authentication failed" in done.stderr
    assert not (machine.folder / "server.json").exists()
    again = machine.run(prepare["command"], prepare["environment"])
    assert again.returncode == 0, again.stderr
