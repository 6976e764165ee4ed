"""Search on the server: one contract for every database, in process and over HTTP."""

from __future__ import annotations

import itertools
import random
import secrets
import threading
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.team.conftest import Hall, Laptop, open_engine, served

from dmm.domain.event import EventType, canonical
from dmm.errors import ModelUnavailable, TeamError, UsageError
from dmm.models.transport import read_address
from dmm.server.members import MembersApi
from dmm.server.search import SearchApi
from dmm.team import indexed
from dmm.team.chain import Entry, Placed
from dmm.team.client import HttpMembers, HttpSearch
from dmm.team.indexed import TeamIndex
from dmm.team.keys import SigningKey
from dmm.team.migrations import DERIVED
from dmm.team.passages import SEARCHED, fold_passages
from dmm.team.port import Taken
from dmm.team.registry import Registry
from dmm.team.search import find
from dmm.team.sharing import SHARING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from dmm.embed.model import Embedder
    from dmm.team.answers import Answer
    from dmm.team.database import Database, Row, Spot, Vectors
    from dmm.team.stored import StoredLog

RULE = "never deploy the payment service on a Friday"
CANARY = "the quokka ledger rotates its signing keys at midnight"


@dataclass(frozen=True, slots=True)
class Desk:
    """A place to search at: in process, or over HTTP where the hall has an address."""

    hall: Hall
    index: TeamIndex

    def search(self, laptop: Laptop, words: str, *also: Laptop, most: int = 10) -> Answer:
        others = tuple(one.joined.token for one in also)
        if self.hall.url:
            address = read_address(self.hall.url, where="the team's server")
            return HttpSearch(address, laptop.joined.token, others).search(words, most)
        log = self.open(laptop)
        return find(self.index, self.hall.registry.find_readable(log, others), words, most)

    def open(self, laptop: Laptop) -> StoredLog:
        log = self.hall.registry.open(laptop.joined.token)
        assert log is not None
        return log

    def join(self, project: str, role: str = "reviewer", team: str = "") -> Laptop:
        """Let a laptop join another project, in process."""
        registry, team, key = self.hall.registry, team or self.hall.team, SigningKey.make()
        registry.add(team, project)
        joined = registry.join(registry.invite(team, project, role), key.public, "laptop")
        log = registry.open(joined.token)
        assert log is not None
        return Laptop(joined, key, log)


@pytest.fixture
def desk(hall: Hall, model: Embedder) -> Desk:
    return Desk(hall, TeamIndex(hall.registry.database, lambda: model))


def share(laptop: Laptop) -> None:
    assert isinstance(laptop.log.push(laptop.batch()), Taken)


def tell_all(laptop: Laptop) -> None:
    """Share one passage of every kind."""
    laptop.say(RULE)
    laptop.tell("FactAdded", {"key": "database.port", "value": "5433"})
    laptop.tell("DecisionMade", {"text": "use PostgreSQL for the billing tables"})
    laptop.tell("DecisionBlocked", {"text": "delete the audit trail"})
    told = {"of": "x" * 26, "verdict": "approved", "paths": "project/queues.md\nproject/cache.md"}
    laptop.tell("ProposalReviewed", told)
    laptop.tell("ObservationMade", {"title": "Flaky uploads", "text": "a retry with jitter helped"})
    share(laptop)


def texts(answer: Answer) -> list[str]:
    return [one.text for one in answer.results]


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("deploy on Friday", RULE),
        ("releasing payments at the weekend", RULE),
        ("which port does the database have", "database.port: 5433"),
        ("billing tables", "use PostgreSQL for the billing tables"),
        ("audit trail", "delete the audit trail"),
        ("unreliable upload", "Flaky uploads\na retry with jitter helped"),
        ("queues.md", "approved: project/queues.md, project/cache.md"),
    ],
)
def test_every_kind_that_is_shared_is_found_by_words_or_meaning(
    desk: Desk, words: str, found: str
) -> None:
    ada = desk.hall.join()
    tell_all(ada)
    assert texts(desk.search(ada, words))[0] == found


def test_a_result_says_who_said_it_where_and_why_it_was_found(desk: Desk) -> None:
    ada, ben = desk.hall.join(), desk.hall.join("reader")
    tell_all(ada)
    answer = desk.search(ben, "deploy on Friday")
    best = answer.results[0]
    assert (best.rank, best.team, best.project, best.seq) == (1, desk.hall.team, "shop", 3)
    assert (best.type, best.writer, best.name) == ("ConstraintAdded", ada.joined.writer, "laptop")
    assert best.at == "2026-01-31T12:00:00.000+00:00"
    assert best.words == ("deploy", "friday")
    assert best.lanes == ("similarity", "keywords")
    assert 0.5 < best.similarity <= 1
    assert 0 < best.coverage <= 1
    assert best.score == pytest.approx(
        best.similarity + 0.25 * (best.bm25 + best.coverage), abs=2e-4
    )
    assert answer.projects == (f"{desk.hall.team}/shop",)
    assert answer.behind == 0
    assert [one.rank for one in answer.results] == list(range(1, len(answer.results) + 1))


def test_words_that_nothing_speaks_to_find_nothing(desk: Desk) -> None:
    ada = desk.hall.join()
    assert texts(desk.search(ada, "anything")) == []
    tell_all(ada)
    assert texts(desk.search(ada, "zebra crossing umbrella violin")) == []


def test_at_most_as_many_are_given_as_were_asked_for(desk: Desk) -> None:
    ada = desk.hall.join()
    for number in range(8):
        ada.say(f"never restart worker {number} by hand")
    share(ada)
    assert len(desk.search(ada, "restart worker", most=3).results) == 3


def test_a_rule_that_was_lifted_is_found_no_more(desk: Desk) -> None:
    ada = desk.hall.join()
    entry = ada.say(RULE)
    share(ada)
    assert texts(desk.search(ada, RULE)) == [RULE]
    ada.tell("ConstraintDeactivated", {"of": entry.id})
    share(ada)
    assert texts(desk.search(ada, RULE)) == []
    ada.say(RULE)
    share(ada)
    assert texts(desk.search(ada, RULE)) == [RULE]
    desk.hall.registry.lift(desk.hall.team, "shop", 4)
    assert texts(desk.search(ada, RULE)) == []


def test_a_fact_that_was_recorded_anew_is_found_as_it_is_now(desk: Desk) -> None:
    ada = desk.hall.join()
    for port in ("5433", "5434"):
        ada.tell("FactAdded", {"key": "database.port", "value": port})
        share(ada)
        assert texts(desk.search(ada, "database port")) == [f"database.port: {port}"]


def test_a_laptop_that_was_removed_finds_nothing_and_what_it_said_stays(desk: Desk) -> None:
    ada, ben = desk.hall.join(), desk.hall.join()
    tell_all(ada)
    desk.hall.registry.revoke(desk.hall.team, "shop", ada.joined.writer)
    with pytest.raises(TeamError) as caught:
        desk.search(ada, "deploy")
    assert caught.value.fault == "revoked"
    assert RULE in texts(desk.search(ben, "deploy on Friday"))


def test_all_projects_of_a_laptop_are_searched_together(desk: Desk) -> None:
    ada, api, tools = desk.hall.join(), desk.join("api"), desk.join("tools", "reader")
    ada.say("never deploy on a Friday")
    api.say("never deploy before the tests have run")
    share(ada)
    share(api)
    alone = desk.search(ada, "never deploy")
    both = desk.search(ada, "never deploy", api, tools)
    assert {one.project for one in alone.results} == {"shop"}
    assert {one.project for one in both.results} == {"shop", "api"}
    assert both.projects == tuple(f"{desk.hall.team}/{one}" for one in ("api", "shop", "tools"))
    other = desk.join("web", team=f"other-{secrets.token_hex(4)}")
    other.say("never deploy by hand")
    share(other)
    found = desk.search(ada, "never deploy", api, other)
    assert {one.project for one in found.results} == {"shop", "api", "web"}


def test_what_a_foreign_project_says_is_never_found_not_even_by_its_own_words(desk: Desk) -> None:
    ada, eve = desk.hall.join(), desk.join("api")
    stranger = desk.join("shop", team=f"other-{secrets.token_hex(4)}")
    for one in (eve, stranger):
        one.say(CANARY)
        share(one)
        assert texts(desk.search(one, CANARY)) == [CANARY]
    before = desk.search(ada, CANARY)
    team, writer, _ = eve.joined.token.split(".")
    forged = replace(eve, joined=replace(eve.joined, token=f"{team}.{writer}.{'0' * 64}"))
    nothing = replace(eve, joined=replace(eve.joined, token=f"nothing.{writer}.{'0' * 64}"))
    desk.hall.registry.revoke(team, "api", writer)
    for others in ((), (forged,), (nothing,), (eve,)):
        assert desk.search(ada, CANARY, *others) == before
    assert before.results == ()


def test_a_search_is_recorded_without_its_words(desk: Desk) -> None:
    ada = desk.hall.join()
    for _ in range(3):
        desk.search(ada, "quokka")
    found = desk.hall.registry.accesses(desk.hall.team, "shop", 50)
    assert [(one.writer, one.count) for one in found if one.act == "search"] == [
        (ada.joined.writer, 1)
    ]
    assert "quokka" not in str(found)


def test_a_token_that_is_named_often_is_looked_at_once(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada, api = desk.hall.join(), desk.join("api")
    opened: list[str] = []
    open_log = Registry.open

    def watch(self: Registry, token: str) -> StoredLog | None:
        opened.append(token)
        return open_log(self, token)

    monkeypatch.setattr(Registry, "open", watch)
    answer = desk.search(ada, "quokka", *[api] * 100)
    assert opened.count(api.joined.token) == 1
    assert answer.projects == tuple(f"{desk.hall.team}/{one}" for one in ("api", "shop"))


def test_a_long_text_is_found_by_its_end(desk: Desk) -> None:
    ada = desk.hall.join()
    filler = "the build copies generated files into a folder beside the sources. " * 40
    ada.tell("DecisionMade", {"text": f"{filler}Kangaroos guard the vault."})
    share(ada)
    assert desk.search(ada, "which animals guard the vault").results[0].seq == 2


def test_an_index_can_be_deleted_and_is_made_anew(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada = desk.hall.join()
    tell_all(ada)
    before = desk.search(ada, "deploy on Friday")
    log = (desk.hall.team, "shop")
    desk.index.delete(log)
    assert desk.search(ada, "deploy on Friday") == before
    kept = dump(desk.index.database, log)
    # One that depends on something else is not used, and made anew as well.
    monkeypatch.setattr(indexed, "VERSION", "passages-0")
    older = TeamIndex(desk.index.database, desk.index.model)
    older.fill(log)
    assert dump(desk.index.database, log)["indexing"] != kept["indexing"]
    monkeypatch.undo()
    assert desk.search(ada, "deploy on Friday") == before
    assert dump(desk.index.database, log) == kept


def test_what_is_not_indexed_yet_is_told(desk: Desk) -> None:
    if desk.hall.url:
        pytest.skip("a server indexes by itself")
    ada = desk.hall.join()
    for number in range(2 * indexed.AT_ONCE):
        ada.say(f"never restart worker {number} by hand")
    share(ada)
    answer = desk.search(ada, "restart worker")
    assert (answer.results, answer.behind) == ((), 2 * indexed.AT_ONCE + 1)
    assert desk.index.update((desk.hall.team, "shop")) == indexed.AT_ONCE + 1
    assert desk.search(ada, "restart worker").behind == indexed.AT_ONCE + 1
    desk.index.fill((desk.hall.team, "shop"))
    assert desk.search(ada, "restart worker").behind == 0


def dump(database: Database, log: tuple[str, str]) -> dict[str, list[Row]]:
    """Read all that is indexed of a project."""
    columns = database.columns()
    found: dict[str, list[Row]] = {}
    with database.transaction(log[0]) as rows:
        for table in sorted(columns.keys() & set(DERIVED)):
            names = ", ".join(one for one in columns[table] if one != "vector")
            where = "team_id = ? AND project_id = ?"
            found[table] = rows(f"SELECT {names} FROM {table} WHERE {where} ORDER BY {names}", *log)
    return found


@pytest.fixture(params=["sqlite", "postgres"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Registry]:
    with open_engine(request.param, request, tmp_path) as database:
        yield Registry(database, SigningKey.make())


ACTS = st.lists(
    st.tuples(st.sampled_from(["rule", "lift", "fact", "decision"]), st.integers(0, 3)),
    min_size=1,
    max_size=12,
)


@settings(
    deadline=None,
    max_examples=15,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(acts=ACTS, pieces=st.lists(st.integers(1, 5), min_size=1, max_size=12))
def test_an_index_filled_bit_by_bit_is_the_one_made_at_once(
    store: Registry, model: Embedder, acts: list[tuple[str, int]], pieces: list[int]
) -> None:
    team = f"acme-{secrets.token_hex(4)}"
    store.add(team, "shop")
    ada = Hall(store, team).join()
    index, log = TeamIndex(store.database, lambda: model), (team, "shop")
    rules: dict[str, str] = {}
    facts: dict[str, str] = {}
    decided: list[str] = []
    for place, (act, number) in enumerate(acts):
        if act == "rule":
            rules[ada.say(f"never touch file {number}").id] = f"never touch file {number}"
        elif act == "lift":
            of = list(rules)[number % len(rules)] if rules else "nothing"
            rules.pop(of, None)
            ada.tell("ConstraintDeactivated", {"of": of})
        elif act == "fact":
            facts[f"key {number}"] = f"key {number}: value {place}"
            ada.tell("FactAdded", {"key": f"key {number}", "value": f"value {place}"})
        else:
            decided.append(f"keep choice {number}")
            ada.tell("DecisionMade", {"text": decided[-1]})
    for start, most in zip(range(1, len(acts) + 1), itertools.cycle(pieces)):
        ada.log.push(ada.batch(start, start))
        index.update(log, most)
    index.fill(log)
    kept = dump(store.database, log)
    with store.database.transaction(team) as rows:
        found = rows("SELECT text FROM passage WHERE team_id = ?", team)
    expected = [*rules.values(), *facts.values(), *decided]
    assert sorted(str(row[0]) for row in found) == sorted(expected)
    index.delete(log)
    assert not any(dump(store.database, log).values())
    index.fill(log)
    assert dump(store.database, log) == kept


def test_two_that_index_at_once_index_everything_once(store: Registry, model: Embedder) -> None:
    team = f"acme-{secrets.token_hex(4)}"
    store.add(team, "shop")
    ada = Hall(store, team).join()
    for number in range(60):
        ada.say(f"never touch file {number}")
    share(ada)
    log, faults = (team, "shop"), []

    def work() -> None:
        try:
            while TeamIndex(store.database, lambda: model).update(log, 7):
                continue
        except BaseException as error:
            faults.append(error)
            raise

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert faults == []
    kept = dump(store.database, log)
    assert len(kept["passage"]) == 60
    index = TeamIndex(store.database, lambda: model)
    index.delete(log)
    index.fill(log)
    assert dump(store.database, log) == kept


def test_a_laptop_can_send_while_another_searches(
    store: Registry, model: Embedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    team = f"acme-{secrets.token_hex(4)}"
    store.add(team, "shop")
    ada = Hall(store, team).join()
    ada.say(RULE)
    share(ada)
    index, sent = TeamIndex(store.database, lambda: model), threading.Event()
    kind = type(store.database.vectors)
    nearest = kind.nearest

    def send() -> None:
        ada.log.push(ada.batch(2))
        sent.set()

    def compare(self: Vectors, *given: Any) -> dict[Spot, float]:
        ada.say("never restart the queue by hand")
        threading.Thread(target=send, daemon=True).start()
        assert sent.wait(60)
        return nearest(self, *given)

    monkeypatch.setattr(kind, "nearest", compare)
    assert texts(find(index, [(team, "shop")], RULE, 10)) == [RULE]


def test_two_that_begin_an_index_of_another_version_leave_right_counts(
    store: Registry, model: Embedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    team = f"acme-{secrets.token_hex(4)}"
    store.add(team, "shop")
    ada = Hall(store, team).join()
    for number in range(12):
        ada.say(f"never touch file {number}")
    share(ada)
    index, log, faults = TeamIndex(store.database, lambda: model), (team, "shop"), []

    def work(number: int) -> None:
        try:
            for _ in range(4):
                if number == 0:
                    index.delete(log)
                index.update(log, 5)
        except BaseException as error:
            faults.append(error)
            raise

    for version in ("passages-8", "passages-9"):
        monkeypatch.setattr(indexed, "VERSION", version)
        threads = [threading.Thread(target=work, args=(number,)) for number in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert faults == []
        extent, kept = index.fill(log), dump(store.database, log)
        assert (extent.passages, extent.windows) == (12, 12)
        assert len(kept["passage"]) == 12
        index.delete(log)
        assert index.fill(log) == extent
        assert dump(store.database, log) == kept


@pytest.mark.slow
def test_searches_of_many_teams_at_once_find_only_their_own(
    store: Registry, model: Embedder
) -> None:
    teams = [f"team-{number}-{secrets.token_hex(4)}" for number in range(6)]
    index = TeamIndex(store.database, lambda: model)
    laptops = {}
    for team in teams:
        store.add(team, "shop")
        laptops[team] = Hall(store, team).join()
        laptops[team].say(f"{CANARY} in {team}")
        share(laptops[team])
    faults: list[object] = []

    def use(number: int) -> None:
        dice = random.Random(number)
        try:
            for _ in range(20):
                team = dice.choice(teams)
                log = store.open(laptops[team].joined.token)
                assert log is not None
                found = find(index, store.find_readable(log, ()), CANARY, 10)
                if [one.team for one in found.results] != [team]:
                    faults.append((team, found))
        except BaseException as error:
            faults.append(error)
            raise

    threads = [threading.Thread(target=use, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert faults == []


@pytest.mark.parametrize("kind", EventType)
def test_only_what_the_list_of_shared_types_allows_is_searched(kind: EventType) -> None:
    verdict = SHARING[kind]
    told = {name: "secret" for one in SHARING.values() for name in one.fields}

    def fold(fields: dict[str, str]) -> list[object]:
        entry = Entry("w", 1, "id", str(kind), "2026-01-31", "", canonical(fields), "", "")
        changed = fold_passages([Placed(1, "", entry)])
        return [one for one in changed.values() if one is not None]

    assert fold(told) == []
    listed = {name: told[name] for name in verdict.fields}
    if "priority" in listed:
        listed["priority"] = "required"
    assert bool(fold(listed)) == (kind in SEARCHED)


def test_a_server_whose_model_is_broken_says_so(store: Registry) -> None:
    def fail() -> Embedder:
        raise ModelUnavailable("the model is damaged")

    with pytest.raises(TeamError) as caught:
        find(TeamIndex(store.database, fail), [("acme", "shop")], "words", 10)
    assert caught.value.fault == "model"
    assert "reinstall" in str(caught.value.hint)


def test_a_server_indexes_what_is_sent_to_it_by_itself(
    store: Registry, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dmm.server.search.GATHER", 0.0)
    filled = threading.Event()
    update = TeamIndex.update

    def watch(self: TeamIndex, log: tuple[str, str], most: int = indexed.AT_ONCE) -> int:
        left = update(self, log, most)
        filled.set()
        return left

    monkeypatch.setattr(TeamIndex, "update", watch)
    team = f"acme-{secrets.token_hex(4)}"
    store.add(team, "shop")
    with served(store) as url:
        ada = Hall(store, team, url).join()
        ada.say(RULE)
        share(ada)
        assert filled.wait(60)
    assert len(dump(store.database, (team, "shop"))["passage"]) == 1


def test_a_server_without_a_route_is_told_to_be_older(
    registry: Registry, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(SearchApi, "routes", lambda _: [])
    monkeypatch.setattr(MembersApi, "routes", lambda _: [])
    with served(registry) as url:
        address = read_address(url, where="the team's server")
        for ask in (
            lambda: HttpSearch(address, "token").search("words"),
            lambda: HttpMembers(address, "token").enrol([]),
        ):
            with pytest.raises(TeamError, match="older than this dmm") as caught:
                ask()
            assert "upgrade dmm on the server" in str(caught.value.hint)


@pytest.mark.parametrize("words", ["", "   "])
def test_a_search_without_words_is_refused_here(words: str) -> None:
    address = read_address("http://127.0.0.1:1", where="the team's server")
    with pytest.raises(UsageError):
        HttpSearch(address, "token").search(words)
