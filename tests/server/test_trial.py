"""A trial: one command runs the server with a PostgreSQL of its own."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.team.postgres import find_programs

from dmm.errors import UsageError
from dmm.server.trial import Cluster
from dmm.team.client import HttpLog, join
from dmm.team.credentials import Credentials
from dmm.team.keys import SigningKey
from dmm.team.port import Page

if TYPE_CHECKING:
    from collections.abc import Iterator


class Desk:
    """A user who is not root, with a home and a server's folder."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.folder = home / "server"
        self.before: list[str] = []
        if os.geteuid() == 0:
            shutil.chown(home, "nobody", "nogroup")
            self.before = ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"]

    def line(self, *words: str) -> list[str]:
        program = str(Path(sys.executable).with_name("dmm"))
        return [*self.before, program, *words, "--folder", str(self.folder)]

    @property
    def environment(self) -> dict[str, str]:
        home = str(self.home)
        kept = {name: os.environ[name] for name in ("PATH", "PYTHONPATH") if name in os.environ}
        return kept | {"HOME": home, "XDG_STATE_HOME": home, "DMM_RUN_DIR": home, "TMPDIR": home}

    @property
    def left(self) -> list[Path]:
        """What a trial that has ended must not leave."""
        return [*self.home.glob("dmm-pg-*"), *self.folder.glob("postgres/postmaster.pid")]

    def __call__(self, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            self.line(*words),
            env=self.environment,
            cwd=self.home,
            capture_output=True,
            encoding="utf-8",
            check=False,
        )

    @contextlib.contextmanager
    def running(self) -> Iterator[tuple[subprocess.Popen[str], str]]:
        """Run a trial; it must end well unless it was killed."""
        line = self.line("server", "run", "--trial", "--port", "0")
        with subprocess.Popen(
            line, env=self.environment, cwd=self.home, stdout=subprocess.PIPE, encoding="utf-8"
        ) as process:
            assert process.stdout is not None
            told = re.search(r"http://\S+", process.stdout.readline())
            try:
                assert told is not None
                yield process, told[0]
            finally:
                process.send_signal(signal.SIGTERM)
                ended = process.wait(timeout=60)
        assert ended in (0, -signal.SIGKILL)


@pytest.fixture
def desk() -> Iterator[Desk]:
    if find_programs() is None or (os.geteuid() == 0 and shutil.which("setpriv") is None):
        pytest.skip("no PostgreSQL that can be run here")
    # A short path that everybody may pass.
    home = Path(tempfile.mkdtemp(prefix="dmm-trial-", dir="/tmp"))
    try:
        made = Desk(home)
        probe = [*made.before, sys.executable, "-c", ""]
        if subprocess.run(probe, cwd=home, check=False, capture_output=True).returncode != 0:
            pytest.skip("PostgreSQL does not run as root, and nobody else may run this Python")
        yield made
    finally:
        shutil.rmtree(home)


@pytest.mark.slow
def test_one_command_runs_the_server_and_its_database_and_keeps_what_was_said(desk: Desk) -> None:
    with desk.running() as (_, url):
        assert desk("server", "add", "acme/shop").stdout == "acme/shop added\n"
        invited = desk("server", "invite", "acme/shop", "--role", "reviewer").stdout.strip()
        key = SigningKey.make()
        joined = join(url, invited, key, "laptop")
        told = desk("server", "doctor").stdout
        # A pgvector that does not run on this processor is told, too.
        assert told.startswith("✓ PostgreSQL database, schema and isolation\n")
        second = desk("server", "run", "--trial", "--port", "0")
        assert second.returncode != 0
        assert "this trial" in second.stderr
    assert not desk.left
    stopped = desk("server", "list", "acme/shop")
    assert (stopped.returncode, "dmm server run --trial" in stopped.stderr) == (2, True)
    with desk.running() as (process, url):
        page = HttpLog.of(Credentials.of(url, joined, key)).pull(0)
        assert isinstance(page, Page)
        assert [one.entry.type for one in page.placed] == ["WriterJoined"]
        process.kill()
    # A database that was left by a server that was killed is taken over.
    with desk.running() as (_, url):
        assert isinstance(HttpLog.of(Credentials.of(url, joined, key)).pull(0), Page)
    assert not (desk.folder / "postgres" / "postmaster.pid").exists()


def test_without_the_extra_a_trial_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    with (
        pytest.raises(UsageError, match="no PostgreSQL is installed") as told,
        Cluster(tmp_path).running(),
    ):
        pass
    assert "[server,trial]" in str(told.value.hint)


def test_a_folder_with_another_database_is_not_taken_for_a_trial(desk: Desk) -> None:
    assert desk("server", "init").returncode == 0
    told = desk("server", "run", "--trial")
    assert (told.returncode, "has another database" in told.stderr) == (2, True)
