"""pgvector: used where it is there and works, and what is said where it is not."""

from __future__ import annotations

import itertools
import math
import random
import secrets
import struct
from typing import TYPE_CHECKING

import psycopg
import pytest
from tests.team.conftest import Hall, Laptop

from dmm.team import pgvector
from dmm.team.indexed import TeamIndex
from dmm.team.keys import SigningKey
from dmm.team.migrations import NEAR
from dmm.team.nearness import StoredVectors
from dmm.team.pgvector import PgVectors
from dmm.team.postgres import PostgresDatabase
from dmm.team.registry import Registry
from dmm.team.search import find

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.team.postgres import Postgres

    from dmm.embed.model import Embedder

LOG = ("acme", "shop")


@pytest.fixture
def address(postgres: Postgres) -> str:
    return postgres.make(f"t{secrets.token_hex(8)}")


@pytest.fixture
def fresh(address: str) -> Iterator[PostgresDatabase]:
    """A database of its own, with its tables."""
    made = PostgresDatabase(address)
    made.migrate()
    yield made
    made.close()


@pytest.fixture
def quantised(fresh: PostgresDatabase, monkeypatch: pytest.MonkeyPatch) -> PostgresDatabase:
    """A database whose pgvector works, and in which a project of 40 windows is large."""
    if not isinstance(fresh.vectors, PgVectors):
        # A library that ends PostgreSQL is hidden from it before the first test.
        pytest.skip(f"pgvector is missing or ends PostgreSQL here; {fresh.advice()[0]}")
    monkeypatch.setattr(pgvector, "LARGE", 40)
    return fresh


def open_laptop(database: PostgresDatabase, team: str) -> Laptop:
    registry = Registry(database, SigningKey.make())
    registry.add(team, "shop")
    return Hall(registry, team).join()


def fill(database: PostgresDatabase, model: Embedder, team: str, count: int) -> TeamIndex:
    laptop = open_laptop(database, team)
    for number in range(count):
        laptop.say(f"never let {team} write file {number} of module {number % 7} by hand")
    laptop.log.push(laptop.batch())
    index = TeamIndex(database, lambda: model)
    index.fill((team, "shop"))
    return index


def explain(database: PostgresDatabase, team: str) -> str:
    """Tell how the database would look for the nearest of a large project."""
    names = {"team": team, "project": "shop", "size": 384, "most": 5}
    vector = str([0.05] * 384)
    with database.transaction(team) as rows:
        rows("SET LOCAL enable_seqscan = off")
        rows("SET LOCAL enable_sort = off")
        statement = pgvector.QUANTISED.format(**names)
        return "\n".join(str(row[0]) for row in rows(f"EXPLAIN {statement}", vector, vector))


def test_a_large_project_has_an_index_of_its_own_which_finds_the_same(
    quantised: PostgresDatabase, model: Embedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = fill(quantised, model, "acme", 60)
    fill(quantised, model, "other", 60)
    words = "module 3 by hand"
    found = find(index, [LOG], words, 10)
    assert "near_" in explain(quantised, "acme")
    monkeypatch.setattr(pgvector, "LARGE", 1_000)
    assert find(index, [LOG], words, 10) == found
    assert {one.team for one in found.results} == {"acme"}


def test_an_index_that_was_left_half_made_is_made_anew(
    quantised: PostgresDatabase, address: str, model: Embedder
) -> None:
    fill(quantised, model, "acme", 60)
    state = "SELECT relname, indisvalid FROM pg_index JOIN pg_class ON oid = indexrelid"
    named = f"{state} WHERE relname LIKE 'near_%'"
    with psycopg.connect(address, autocommit=True) as owner:
        made = owner.execute(named).fetchall()
        assert [valid for _, valid in made] == [True]
        spoil = "UPDATE pg_index SET indisvalid = false WHERE indexrelid = %s::regclass"
        owner.execute(spoil, (made[0][0],))
        quantised.vectors.settle(LOG, 60, model.dimensions)
        assert owner.execute(named).fetchall() == made


def test_its_table_is_under_row_level_security_like_all_others(
    quantised: PostgresDatabase, address: str, model: Embedder
) -> None:
    fill(quantised, model, "acme", 3)
    fill(quantised, model, "other", 3)
    assert quantised.faults() == []
    with psycopg.connect(address) as link:
        link.execute("SET ROLE dmm_server")
        count = f"SELECT count(*) FROM {NEAR}"
        assert link.execute(count).fetchone() == (0,)
        link.execute("SELECT set_config('dmm.team', 'acme', true)")
        assert link.execute(f"SELECT DISTINCT team_id FROM {NEAR}").fetchall() == [("acme",)]
        assert link.execute(f"UPDATE {NEAR} SET seq = 0 WHERE team_id = 'other'").rowcount == 0
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            link.execute(f"ALTER TABLE {NEAR} NO FORCE ROW LEVEL SECURITY")
    with psycopg.connect(address, autocommit=True) as owner:
        owner.execute(f"ALTER TABLE {NEAR} NO FORCE ROW LEVEL SECURITY")
    assert quantised.faults() == [f"row-level security is not forced on {NEAR}"]


def test_the_tables_go_back_and_come_again(quantised: PostgresDatabase, model: Embedder) -> None:
    fill(quantised, model, "acme", 3)
    quantised.migrate(6)
    assert NEAR not in quantised.columns()
    quantised.migrate()
    assert NEAR in quantised.columns()
    assert TeamIndex(quantised, lambda: model).fill(LOG).passages == 3


@pytest.mark.parametrize(
    ("available", "made", "failed", "said", "way"),
    [
        (False, False, False, "is not installed", "install pgvector 0.8 or later"),
        (True, False, False, "is not set up", "CREATE EXTENSION vector"),
        (True, True, False, "is not used yet", "dmm server migrate"),
        (True, True, True, "does not run on this processor", "OPTFLAGS=''"),
    ],
)
def test_why_it_is_not_used_is_told_with_the_way_out(
    available: bool, made: bool, failed: bool, said: str, way: str
) -> None:
    told = pgvector.tell_missing(available=available, made=made, failed=failed)
    assert said in told
    assert way in told
    assert told.endswith("dmm server migrate" + " --retry-pgvector" * failed)


def test_vectors_that_do_not_fit_in_memory_are_told(
    quantised: PostgresDatabase, model: Embedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(quantised, model, "acme", 3)
    assert quantised.advice() == []
    monkeypatch.setattr(pgvector, "ROOM", pgvector.ROOM.replace(">> 20", "+ 300"))
    assert "shared_buffers to 1" in quantised.advice()[0]
    assert "PostgreSQL keeps 128 MB" in quantised.advice()[0]
    told = pgvector.tell_cramped(300, 128)
    assert told[0].endswith(
        "set shared_buffers to 600 MB or more in postgresql.conf, and restart it"
    )


# What goes wrong is done to the connection alone: the server is that of all tests.
@pytest.mark.parametrize("fault", ["SELECT 1 / 0", "SELECT pg_terminate_backend(pg_backend_pid())"])
def test_a_version_that_failed_is_not_tried_again_until_somebody_says_so(
    quantised: PostgresDatabase, address: str, fault: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    quantised.migrate(6)
    quantised.close()
    probe, tried = pgvector.survives, []

    def watch(connect: pgvector.Connect) -> bool:
        tried.append(1)
        return probe(connect)

    monkeypatch.setattr(pgvector, "survives", watch)
    monkeypatch.setattr(pgvector, "PROBE", fault)
    database = PostgresDatabase(address)
    try:
        for _ in range(3):
            database.migrate()
        assert len(tried) == 1
        assert database.vectors.name == "bytes"
        assert database.advice()[0].endswith("dmm server migrate --retry-pgvector")
        monkeypatch.setattr(pgvector, "RELEASE", "SELECT 'another'")
        database.migrate()
        assert len(tried) == 2
        monkeypatch.undo()
        database.forget_failures()
        database.migrate()
        assert database.advice() == []
        assert NEAR in database.columns()
        with psycopg.connect(address) as link:
            assert link.execute(pgvector.NOTED).fetchone() == (None,)
    finally:
        database.close()


def test_a_search_makes_no_index_and_two_do_not_make_the_same(
    quantised: PostgresDatabase, address: str, model: Embedder
) -> None:
    index, laptop = TeamIndex(quantised, lambda: model), open_laptop(quantised, "acme")
    for start in (1, 26):
        for number in range(start, start + 25):
            laptop.say(f"never write file {number} by hand")
        laptop.log.push(laptop.batch(start))
        assert find(index, [LOG], "write file", 10).behind == 0
    made = "SELECT count(*) FROM pg_class WHERE relname LIKE 'near_%'"
    with psycopg.connect(address, autocommit=True) as other:
        assert other.execute(made).fetchone() == (0,)
        assert other.execute(pgvector.TAKE, (pgvector._name_index(*LOG),)).fetchone() == (1,)
        index.settle(LOG)
        assert other.execute(made).fetchone() == (0,)
    index.settle(LOG)
    with psycopg.connect(address) as other:
        assert other.execute(made).fetchone() == (1,)


def test_vectors_as_bytes_are_forgotten_when_it_comes_later(
    quantised: PostgresDatabase, model: Embedder
) -> None:
    quantised._vectors = StoredVectors()
    index = fill(quantised, model, "acme", 3)
    count = "SELECT count(*) FROM passage_vector WHERE team_id = ?"
    with quantised.transaction("acme") as rows:
        assert rows(count, "acme") == [(3,)]
    quantised._vectors = None
    index.fill(LOG)
    with quantised.transaction("acme") as rows:
        assert rows(count, "acme") == [(0,)]


def test_a_search_without_it_finds_the_same(
    fresh: PostgresDatabase, address: str, model: Embedder
) -> None:
    index = fill(fresh, model, "acme", 12)
    words = "module 3 by hand"
    found = [(one.seq, one.score) for one in find(index, [LOG], words, 10).results]
    with psycopg.connect(address, autocommit=True) as owner:
        owner.execute(f"DROP TABLE IF EXISTS {NEAR}")
    other = PostgresDatabase(address)
    try:
        assert other.vectors.name == "bytes"
        assert len(other.advice()) == 1
        index = TeamIndex(other, lambda: model)
        index.fill(LOG)
        again = [(one.seq, one.score) for one in find(index, [LOG], words, 10).results]
    finally:
        other.close()
    assert [seq for seq, _ in again] == [seq for seq, _ in found]
    assert [score for _, score in again] == pytest.approx([score for _, score in found], abs=1e-3)


def test_the_nearest_are_those_that_a_comparison_of_all_finds(
    quantised: PostgresDatabase,
) -> None:
    dice, plain = random.Random(7), StoredVectors()
    projects = dict.fromkeys(("api", "shop", "tools"), 0)

    def draw() -> bytes:
        values = [dice.gauss(0, 1) for _ in range(384)]
        return struct.pack("<384e", *(one / math.hypot(*values) for one in values))

    twice = draw()
    with quantised.transaction("acme") as rows:
        for project, seq in itertools.product(projects, [*range(1, 41), 2**33 - 1]):
            windows = [draw() for _ in range(dice.randint(1, 3))]
            for vectors in (plain, quantised.vectors):
                # The same text twice: the earlier one comes first.
                vectors.add(rows, ("acme", project), seq, [twice] if seq % 20 == 0 else windows)
        for query in (twice, *(draw() for _ in range(5))):
            for some in (projects, {"shop": 0}):
                found = quantised.vectors.nearest(rows, "acme", some, query, 10)
                wanted = plain.nearest(rows, "acme", some, query, 10)
                assert list(found) == list(wanted)
                assert list(found.values()) == pytest.approx(list(wanted.values()), abs=1e-6)


def test_a_role_that_may_not_make_extensions_gets_a_database_without_it(
    postgres: Postgres, address: str
) -> None:
    name = f"u{secrets.token_hex(4)}"
    with psycopg.connect(address, autocommit=True) as owner:
        owner.execute(f"CREATE ROLE {name} LOGIN CREATEROLE")
        owner.execute(f"GRANT dmm_server TO {name} WITH ADMIN OPTION")
        owner.execute(f"GRANT CREATE ON SCHEMA public TO {name}")
    made = PostgresDatabase(address.replace("user=postgres", f"user={name}"))
    try:
        made.migrate()
        assert made.vectors.name == "bytes"
        assert made.faults() == []
        assert "dmm server migrate" in made.advice()[0]
    finally:
        made.close()
