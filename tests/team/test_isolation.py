"""Teams apart: what another team has answers as if it did not exist, on every route."""

from __future__ import annotations

import asyncio
import contextlib
import http.client
import json
import random
import re
import secrets
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING

import psycopg
import pytest
from starlette.routing import Route
from tests.team.conftest import Hall, Laptop, fill_index, open_engine, served

from dmm.errors import StorageError
from dmm.server.app import TeamApi
from dmm.server.fairness import Bell
from dmm.team.client import VERSION_HEADER
from dmm.team.keys import SigningKey
from dmm.team.port import PROTOCOL, Page, Taken
from dmm.team.postgres import ISOLATED, PostgresDatabase
from dmm.team.registry import Registry

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.team.postgres import Postgres

    from dmm.embed.model import Embedder
    from dmm.team.database import Rows

SEED = 18
METRICS = "/metrics"
CANARY = "canary"
THREADS, TURNS = 8, 40


@dataclass(frozen=True, slots=True)
class World:
    """A server of two teams; the first has said something that the second must not know."""

    registry: Registry
    url: str
    ada: Laptop
    zoe: Laptop

    def ask(self, method: str, path: str, token: str, body: object) -> tuple[int, bytes]:
        link = http.client.HTTPConnection(self.url.removeprefix("http://"), timeout=30)
        headers = {VERSION_HEADER: str(PROTOCOL), "Authorization": f"Bearer {token}"}
        try:
            link.request(method, path, json.dumps(body).encode(), headers)
            answer = link.getresponse()
            return answer.status, answer.read()
        finally:
            link.close()


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.slow)])
def world(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[World]:
    with open_engine(request.param, request, tmp_path) as database:
        registry = Registry(database, SigningKey.make())
        teams = [f"{name}-{secrets.token_hex(4)}" for name in ("one", "two")]
        for team in teams:
            registry.add(team, "shop")
        with served(registry) as url:
            ada, zoe = (Hall(registry, team, url).join() for team in teams)
            ada.say(f"never call {CANARY}")
            assert ada.log.push(ada.batch()) == Taken(2)
            yield World(registry, url, ada, zoe)


def find_routes() -> list[tuple[str, str]]:
    """List every route of the server, also those that are added later."""
    app = TeamApi(Registry.__new__(Registry)).app()
    return sorted(
        (method, one.path)
        for one in app.routes
        if isinstance(one, Route)
        for method in (one.methods or set()) - {"HEAD"}
    )


@pytest.mark.parametrize(("method", "path"), find_routes())
def test_a_token_for_what_is_anothers_is_answered_as_one_for_nothing(
    world: World, method: str, path: str
) -> None:
    theirs, writer, secret = world.ada.joined.token.split(".")
    own, mine, key = world.zoe.joined.token.split(".")
    nothing, nobody, wrong = "nothing-at-all", "0" * 16, "0" * 64
    entry = {"previous": "0" * 64, "entries": []}
    # In each pair the first names something that another team has, and the second nothing at all.
    pairs = [
        (f"{theirs}.{mine}.{key}", f"{nothing}.{mine}.{key}"),
        (f"{own}.{writer}.{secret}", f"{own}.{nobody}.{secret}"),
        (f"{theirs}.{writer}.{wrong}", f"{theirs}.{nobody}.{wrong}"),
        (f"{theirs}.{writer}.{key}", f"{nothing}.{nobody}.{key}"),
        (f"{theirs}.server.{wrong}", f"{nothing}.server.{wrong}"),
        (f"{theirs}.server.", f"{nothing}.server."),
    ]
    world.ask(method, path, "", {})  # what counts requests has counted one of this route
    for theirs_too, none in pairs:
        for body in (entry, {}, {"writer": writer}, {"id": world.ada.said[0].id}):
            answer = world.ask(method, path, theirs_too, body)
            assert _steady(path, answer) == _steady(path, world.ask(method, path, none, body))
            assert CANARY not in answer[1].decode()


def _steady(path: str, answer: tuple[int, bytes]) -> tuple[int, bytes]:
    """Leave out the figures that count the requests themselves, whoever made them."""
    status, body = answer
    return (status, re.sub(rb"[0-9.e-]+$", b"", body, flags=re.M)) if path == METRICS else answer


def test_the_figures_of_the_server_name_no_team_and_no_laptop(world: World) -> None:
    world.ask("GET", "/v1/team/pull", world.zoe.joined.token, {})
    status, body = world.ask("GET", METRICS, "", {})
    assert (status, b'path="/v1/team/pull"' in body) == (200, True)
    for one in (world.ada.joined, world.zoe.joined):
        assert not [name for name in (one.team, one.writer, CANARY) if name in body.decode()]


def test_an_invitation_of_another_team_is_answered_as_none(world: World) -> None:
    theirs, own = world.ada.joined.team, world.zoe.joined.team
    team, secret, server = world.registry.invite(theirs, "shop", "reader").split(".")
    told = {"key": SigningKey.make().public, "name": "eve"}

    def join(invitation: str) -> tuple[int, bytes]:
        return world.ask("POST", "/v1/team/join", "", told | {"invitation": invitation})

    wrong = join(f"{own}.{'0' * 64}.{server}")
    assert wrong[0] == 400
    assert join(f"{own}.{secret}.{server}") == wrong
    assert join(f"{team}.{'0' * 64}.{server}") == wrong
    assert join(f"nothing-at-all.{secret}.{server}") == wrong
    assert join(f"{team}.{secret}.{server}")[0] == 200


def test_ids_and_chains_of_another_team_are_free_to_use_and_tell_nothing(world: World) -> None:
    ada, zoe = world.ada, world.zoe
    zoe.say("never push to main", id=ada.said[0].id)
    assert zoe.log.push(zoe.batch()) == Taken(2)
    page = zoe.log.pull(0)
    assert isinstance(page, Page)
    assert CANARY not in str(page)
    assert [one.entry.writer for one in page.placed] == ["server", zoe.joined.writer]


def test_another_project_of_the_same_team_is_apart_as_well(world: World) -> None:
    team = world.ada.joined.team
    world.registry.add(team, "api")
    joined = world.registry.join(
        world.registry.invite(team, "api", "maintainer"), SigningKey.make().public, "eve"
    )
    log = world.registry.open(joined.token)
    assert log is not None
    page = log.pull(0)
    assert isinstance(page, Page)
    assert [one.entry.type for one in page.placed] == ["WriterJoined"]
    assert world.ada.joined.writer not in str(page)
    _, body = world.ask("GET", "/v1/team/pull", joined.token, {})
    assert CANARY not in body.decode()


def test_what_is_pushed_wakes_nobody_of_another_project() -> None:
    async def wait() -> None:
        bell = Bell()
        waiting = asyncio.create_task(bell.wait(("two", "shop"), "zoe", 0, 3_600.0))
        await asyncio.sleep(0)
        for place in (("one", "shop"), ("two", "api")):
            bell.ring(place)
            await asyncio.sleep(0)
            assert not waiting.done()
        bell.ring(("two", "shop"))
        assert await waiting

    asyncio.run(wait())


def test_what_a_team_says_is_in_no_foreign_row_or_log(
    world: World, capfd: pytest.CaptureFixture[str], request: pytest.FixtureRequest
) -> None:
    own = world.zoe.joined.team
    with world.registry.database.transaction(own) as rows:
        for table in ISOLATED:
            statement = f"SELECT * FROM {table} WHERE team_id = ?"
            assert CANARY not in str(rows(statement, own))
    # Requests that fail say nothing of what they held either.
    for method, path in find_routes():
        world.ask(method, path, world.ada.joined.token, {"previous": CANARY, "entries": [CANARY]})
    said = capfd.readouterr()
    assert CANARY not in said.out + said.err
    if "postgres" in request.node.callspec.id:
        log = request.getfixturevalue("postgres").folder / "log"
        assert CANARY not in log.read_text(errors="replace")


@pytest.fixture
def crowd(postgres: Postgres, model: Embedder) -> Iterator[tuple[str, PostgresDatabase, list[str]]]:
    """A database of six teams with something in every table."""
    address = postgres.make(f"t{secrets.token_hex(8)}")
    database = PostgresDatabase(address)
    database.migrate()
    registry = Registry(database, SigningKey.make())
    teams = [f"team-{number}" for number in range(6)]
    for team in teams:
        registry.add(team, "shop")
        laptop = Hall(registry, team).join()
        laptop.say(f"never call {team}")
        laptop.log.push(laptop.batch())
        fill_index(database, model, team)
        registry.invite(team, "shop", "reader")
    yield address, database, teams
    database.close()


def _look(rows: Rows, team: str) -> set[str]:
    found: set[str] = set()
    for table in ISOLATED:
        seen = {str(row[0]) for row in rows(f"SELECT team_id FROM {table}")}
        assert seen, f"{team} does not see its own {table}"
        found |= seen
    return found


def _break(rows: Rows) -> None:
    rows("SELECT 1 / 0")


def _leave(_: Rows) -> None:
    raise StorageError("something else failed")


def _kill(rows: Rows) -> None:
    rows("SELECT pg_terminate_backend(pg_backend_pid())")


def test_no_connection_of_the_pool_shows_a_team_another_ones_rows(
    crowd: tuple[str, PostgresDatabase, list[str]],
) -> None:
    _, database, teams = crowd
    ends: list[Callable[[Rows], None] | None] = [None, None, None, _break, _leave, _kill]
    faults: list[object] = []

    def use(number: int) -> None:
        dice = random.Random(SEED * 1_000 + number)
        for _ in range(TURNS):
            team, end = dice.choice(teams), dice.choice(ends)
            try:
                with contextlib.suppress(StorageError), database.transaction(team) as rows:
                    if _look(rows, team) != {team}:
                        faults.append((team, "sees others"))
                    if end is not None:
                        end(rows)
            except BaseException as error:
                faults.append(error)
                raise

    threads = [threading.Thread(target=use, args=(number,)) for number in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert faults == []
    # A transaction of no team sees nothing, on whichever connection.
    for team in ("", "nobody", "team-0' OR true --", "team-%", "*"):
        with database.transaction(team) as rows:
            for table in ISOLATED:
                assert rows(f"SELECT * FROM {table}") == []


@pytest.mark.parametrize("table", ISOLATED)
def test_without_a_team_nothing_can_be_changed_either(
    crowd: tuple[str, PostgresDatabase, list[str]], table: str
) -> None:
    address, _, _ = crowd
    with psycopg.connect(address) as connection:
        connection.execute("SET ROLE dmm_server")
        for act in (
            f"UPDATE {table} SET team_id = 'eve'",
            f"DELETE FROM {table}",
            f"INSERT INTO {table} SELECT * FROM {table}",
        ):
            refused = contextlib.suppress(psycopg.errors.InsufficientPrivilege)
            with refused, connection.transaction():
                assert connection.execute(act).rowcount == 0
        # The role can't take the wall down, whoever speaks for it.
        for act in (
            f"ALTER TABLE {table} DISABLE ROW LEVEL SECURITY",
            f"DROP POLICY of_team ON {table}",
            f"TRUNCATE {table}",
        ):
            with pytest.raises(psycopg.errors.InsufficientPrivilege), connection.transaction():
                connection.execute(act)
