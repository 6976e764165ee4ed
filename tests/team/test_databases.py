"""What each database promises by itself, besides the contract of the log."""

from __future__ import annotations

import contextlib
import secrets
from dataclasses import replace
from typing import TYPE_CHECKING

import apsw
import psycopg
import pytest
from tests.team.conftest import Hall, fill_index

from dmm.errors import StorageError, TeamError
from dmm.team.database import SCHEMA_VERSION
from dmm.team.keys import SigningKey
from dmm.team.port import Page
from dmm.team.postgres import ISOLATED, PostgresDatabase
from dmm.team.registry import Registry
from dmm.team.sqlite import SqliteDatabase
from dmm.team.stored import HEAD, StoredLog

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.team.postgres import Postgres

    from dmm.embed.model import Embedder
    from dmm.team.database import Row, Rows


@pytest.fixture
def address(postgres: Postgres) -> str:
    return postgres.make(f"t{secrets.token_hex(8)}")


@pytest.fixture(scope="module")
def filled(postgres: Postgres, model: Embedder) -> str:
    """A database in which two teams have something each."""
    made = postgres.make(f"t{secrets.token_hex(8)}")
    database = PostgresDatabase(made)
    assert database.migrate() == 0
    registry = Registry(database, SigningKey.make())
    for team in ("one", "two"):
        registry.add(team, "shop")
        laptop = Hall(registry, team).join()
        laptop.say("never push to main")
        laptop.log.push(laptop.batch())
        fill_index(database, model, team)
        registry.invite(team, "shop", "reader")
    database.close()
    return made


@pytest.mark.parametrize("table", ISOLATED)
def test_without_a_team_no_row_is_seen(filled: str, table: str) -> None:
    with psycopg.connect(filled) as connection:
        connection.execute("SET ROLE dmm_server")
        count = f"SELECT count(*) FROM {table}"
        assert connection.execute(count).fetchone() == (0,)
        connection.execute("SELECT set_config('dmm.team', 'nobody', true)")
        assert connection.execute(count).fetchone() == (0,)
        connection.execute("SELECT set_config('dmm.team', 'one', true)")
        found = connection.execute(f"SELECT DISTINCT team_id FROM {table}").fetchall()
        assert found == [("one",)]


def test_a_team_can_write_no_row_of_another(filled: str) -> None:
    with psycopg.connect(filled) as connection:
        connection.execute("SET ROLE dmm_server")
        connection.execute("SELECT set_config('dmm.team', 'one', true)")
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute("INSERT INTO project VALUES ('two', 'api', 0, '')")


def test_the_team_of_a_transaction_is_forgotten_by_its_connection(filled: str) -> None:
    database = PostgresDatabase(filled)
    try:
        for team in ("one", "two", "one", "nobody", "two"):
            with database.transaction(team) as rows:
                found = {row[0] for row in rows("SELECT team_id FROM project")}
            assert found == ({team} if team != "nobody" else set())
    finally:
        database.close()


class Meanwhile(PostgresDatabase):
    """A database in which something is done after the end of a log was read."""

    def __init__(self, address: str, act: Callable[[], object]) -> None:
        super().__init__(address)
        self.act = act

    @contextlib.contextmanager
    def transaction(self, team: str, /) -> Iterator[Rows]:
        with super().transaction(team) as rows:

            def run(statement: str, *values: str | int | bytes | None) -> list[Row]:
                found = rows(statement, *values)
                if statement == HEAD:
                    self.act()
                return found

            yield run


def test_a_page_holds_nothing_that_its_signed_end_does_not_cover(address: str) -> None:
    database = PostgresDatabase(address)
    database.migrate()
    registry = Registry(database, SigningKey.make())
    registry.add("acme", "shop")
    ada, ben = Hall(registry, "acme").join(), Hall(registry, "acme").join()
    ada.say("never push to main")
    assert isinstance(ben.log, StoredLog)
    busy = Meanwhile(address, lambda: ada.log.push(ada.batch()))
    page = replace(ben.log, place=replace(ben.log.place, database=busy)).pull(0)
    assert isinstance(page, Page)
    assert (page.head.seq, [one.seq for one in page.placed]) == (2, [1, 2])
    later = ben.log.pull(2)
    assert isinstance(later, Page)
    assert (later.head.seq, [one.seq for one in later.placed]) == (3, [3])
    busy.close()
    database.close()


@pytest.mark.parametrize("act", ["UPDATE event SET payload = ''", "DELETE FROM event"])
def test_events_in_postgres_are_only_appended(filled: str, act: str) -> None:
    with psycopg.connect(filled) as connection:
        with pytest.raises(psycopg.errors.RaiseException, match="only appended"):
            connection.execute(act)
        connection.rollback()
        connection.execute("SET ROLE dmm_server")
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute(act)


@pytest.mark.parametrize("act", ["UPDATE event SET payload = ''", "DELETE FROM event"])
def test_file_events_are_only_appended(tmp_path: Path, act: str) -> None:
    database = SqliteDatabase(tmp_path / "server.db")
    database.migrate()
    registry = Registry(database, SigningKey.make())
    registry.add("one", "shop")
    registry.join(registry.invite("one", "shop", "reader"), SigningKey.make().public, "a")
    database.close()
    connection = apsw.Connection(str(tmp_path / "server.db"))
    with pytest.raises(apsw.ConstraintError, match="never"):
        connection.execute(act)
    connection.close()


def test_a_second_migration_does_nothing_and_the_set_up_is_sound(filled: str) -> None:
    database = PostgresDatabase(filled)
    assert database.migrate() == SCHEMA_VERSION
    assert database.faults() == []
    database.close()


def test_the_doctor_finds_a_table_that_is_not_isolated(address: str) -> None:
    database = PostgresDatabase(address)
    database.migrate()
    with psycopg.connect(address) as connection:
        connection.execute("ALTER TABLE writer NO FORCE ROW LEVEL SECURITY")
    assert database.faults() == ["row-level security is not forced on writer"]
    database.close()


def test_tables_of_a_later_version_are_refused(address: str, tmp_path: Path) -> None:
    database = PostgresDatabase(address)
    with pytest.raises(TeamError, match=f"schema version 0, not {SCHEMA_VERSION}"):
        database.need_ready()
    database.migrate()
    with psycopg.connect(address) as connection:
        connection.execute("UPDATE dmm_schema SET version = 99")
    with pytest.raises(TeamError, match=f"schema version 99; this dmm knows {SCHEMA_VERSION}"):
        database.need_ready()
    database.close()
    local = SqliteDatabase(tmp_path / "server.db")
    local.migrate()
    local.close()
    opened = apsw.Connection(str(tmp_path / "server.db"))
    opened.pragma("user_version", 99)
    opened.close()
    local = SqliteDatabase(tmp_path / "server.db")
    with pytest.raises(TeamError, match=f"schema version 99; this dmm knows {SCHEMA_VERSION}"):
        local.need_ready()
    local.close()


def test_a_database_that_does_not_answer_is_named_without_its_password(tmp_path: Path) -> None:
    database = PostgresDatabase(
        f"host={tmp_path} dbname=x user=y password=hunter22 connect_timeout=1"
    )
    with pytest.raises(StorageError, match="can't be reached") as told:
        database.version()
    assert "hunter22" not in f"{told.value} {told.value.hint}"
    database.close()


@pytest.mark.parametrize(
    "address", ["postgresql://y:hunter22@[::1/x", "password=hunter22 user", "hunter22"]
)
def test_an_address_that_can_not_be_read_is_told_without_its_password(address: str) -> None:
    with pytest.raises(StorageError, match="the address of the database is malformed") as told:
        PostgresDatabase(address)
    error: BaseException | None = told.value
    assert "hunter22" not in f"{told.value} {told.value.hint} {told.value.where}"
    assert error is not None
    assert error.__suppress_context__
