"""What the tests of the ledger share: drafts, a log in a file, and programs that write to it."""

from __future__ import annotations

import itertools
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import apsw
import pytest

from dmm.domain.event import Draft, EventType
from dmm.eventlog.log import EventLog
from dmm.eventlog.seal import Seal

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@dataclass
class Drafts:
    """Makes drafts, each with an id of its own until a test names one."""

    numbers: Iterator[int] = field(default_factory=lambda: itertools.count(1))

    def __call__(
        self,
        kind: str = EventType.USER_MESSAGE_RECEIVED,
        /,
        known: str | None = None,
        **payload: Any,
    ) -> Draft:
        identity = f"id-{next(self.numbers)}" if known is None else known
        return Draft(kind, payload, identity, "2026-01-31T12:00:00Z", session="s")

    def fact(self, key: str, value: str) -> Draft:
        return self(EventType.FACT_ADDED, key=key, value=value)

    def redaction(self, seq: int, known: str | None = None) -> Draft:
        return self(EventType.PAYLOAD_REDACTED, known=known, seq=seq, reason="leaked")


@pytest.fixture
def draft() -> Drafts:
    return Drafts()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "store" / "ledger.db"


@pytest.fixture
def log(path: Path) -> Iterator[EventLog]:
    opened = EventLog.open(path)
    opened.seal = Seal(bytes(range(32)))
    yield opened
    opened.close()


@dataclass(frozen=True)
class Forger:
    """Writes to a ledger past DMM, with the triggers out of the way."""

    path: Path

    def __call__(self, *statements: str) -> None:
        connection = apsw.Connection(str(self.path))
        triggers = connection.execute(
            "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'"
        ).fetchall()
        for name, _ in triggers:
            connection.execute(f"DROP TRIGGER {name}")
        for statement in statements:
            connection.execute(statement)
        for _, sql in triggers:
            connection.execute(str(sql))
        connection.close()


@pytest.fixture
def forge(path: Path) -> Forger:
    return Forger(path)


@pytest.fixture(scope="session")
def traced() -> None:
    """Skip what needs faults in the system's calls where they can't be put there."""
    if shutil.which("strace") is None:
        pytest.skip("strace is not installed")
    probe = subprocess.run(
        ["strace", "-f", "-o", "/dev/null", "-e", "inject=fdatasync:error=EIO:when=1", "true"],
        capture_output=True,
        text=True,
        check=False,
    )
    if probe.returncode:
        pytest.skip(f"strace is not allowed: {probe.stderr.strip()[:80]}")


class Waiting(subprocess.Popen[str]):
    """A program in a process of its own that has come to where it waits for a line."""

    def __init__(self, program: str, folder: Path, *arguments: str) -> None:
        # A measuring tool would write files of its own at the moment of a kill.
        own = {name: value for name, value in os.environ.items() if name[:8] != "COVERAGE"}
        super().__init__(
            [sys.executable, "-c", program, str(folder), *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=own,
        )
        assert self.stdout is not None
        assert self.stdout.readline() == "ready\n"

    def tell(self) -> None:
        """Have it go on."""
        assert self.stdin is not None
        self.stdin.write("go\n")
        self.stdin.flush()


@pytest.fixture(scope="session")
def launch() -> type[Waiting]:
    return Waiting
