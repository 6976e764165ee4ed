"""A server's backup is tried by restoring it; what it lacks, the laptops give back."""

from __future__ import annotations

import contextlib
import hashlib
import json
import secrets
from collections.abc import Callable  # noqa: TC003 - a table is typed by it
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import pytest
from tests.team.conftest import Hall, Laptop, Office, served

from dmm.errors import TeamError, UsageError
from dmm.rules.commands.calls import ToolCall
from dmm.server.backups import Lines, make_backup, restore_backup
from dmm.server.setup import read_setup, set_up
from dmm.team.backup import Backup, write_lines
from dmm.team.chain import Trail
from dmm.team.credentials import keep_credentials
from dmm.team.database import SCHEMA_VERSION
from dmm.team.indexed import TeamIndex
from dmm.team.keys import SigningKey
from dmm.team.migrations import DERIVED
from dmm.team.port import Lost, Page, Taken
from dmm.team.receiving import page_lost
from dmm.team.stored import StoredLog

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.team.postgres import Postgres

    from dmm.bootstrap import Dmm
    from dmm.embed.model import Embedder
    from dmm.server.setup import Setup
    from dmm.team.database import Database
    from dmm.team.registry import Registry

ENGINES = ["sqlite", "postgres"]
RULE = "never run terraform destroy"
DESTROY = ToolCall("Bash", {"command": "terraform destroy"})


@dataclass(frozen=True, slots=True)
class Machines:
    """Where servers are set up and restored, on any database."""

    folder: Path
    request: pytest.FixtureRequest

    def address(self, engine: str) -> str:
        if engine == "sqlite":
            return ""
        postgres: Postgres = self.request.getfixturevalue("postgres")
        return postgres.make(f"t{secrets.token_hex(8)}")

    def make(self, engine: str) -> Setup:
        return set_up(self.folder / "first", self.address(engine))

    def restore(self, backup: Path, engine: str, cuts: dict[tuple[str, str], int]) -> Setup:
        folder = self.folder / secrets.token_hex(4)
        return restore_backup(backup, folder, self.address(engine), cuts)[0]


@pytest.fixture
def machines(tmp_path: Path, request: pytest.FixtureRequest) -> Machines:
    return Machines(tmp_path, request)


def read_tables(database: Database) -> dict[str, list[Any]]:
    """Read what a restore brings back: every row but unused invitations and what is derived."""
    found: dict[str, list[Any]] = {}
    tables = {name: one for name, one in database.columns().items() if name not in DERIVED}
    for team in database.teams():
        with database.transaction(team) as rows:
            for table, columns in tables.items():
                kept = [one for one in columns if one != "awaited"]
                names = ", ".join(kept)
                kind = " AND writer IS NOT NULL" if table == "invitation" else ""
                where = f"team_id = ?{kind}"
                found.setdefault(table, []).extend(
                    rows(f"SELECT {names} FROM {table} WHERE {where} ORDER BY {names}", team)
                )
    return found


def pull(log: object, after: int = 0) -> Page:
    assert isinstance(log, StoredLog)
    page = log.pull(after)
    assert isinstance(page, Page)
    return page


def fill(setup: Setup) -> tuple[Laptop, Laptop]:
    """Let two teams say something; return the laptops of the first."""
    with setup.registry() as registry:
        for team in ("acme", "umbrella"):
            registry.add(team, "shop")
            hall = Hall(registry, team)
            ada, ben = hall.join(), hall.join()
            for text in ("never push to main", "never use eval", "n\u00f3 \u2603"):
                ada.say(text)
            assert ada.log.push(ada.batch()) == Taken(4)
            registry.lift(team, "shop", 3)
            ben.say(RULE)
            assert ben.log.push(ben.batch()) == Taken(2)
            registry.revoke(team, "shop", ben.joined.writer)
            registry.invite(team, "shop", "reader")
            if team == "acme":
                kept = ada, ben
    return kept


def reopened(token: str, registry: Registry) -> StoredLog:
    log = registry.open(token)
    assert isinstance(log, StoredLog)
    return log


@pytest.mark.parametrize("after", ENGINES)
@pytest.mark.parametrize("before", ENGINES)
def test_a_restored_server_holds_every_row_also_on_another_database(
    machines: Machines, before: str, after: str
) -> None:
    first = machines.make(before)
    ada, _ = fill(first)
    file = machines.folder / "backup"
    kept = make_backup(first, file)
    assert (kept.projects, kept.events) == (2, 16)
    assert file.stat().st_mode & 0o777 == 0o600
    second = machines.restore(file, after, {})
    assert second.key.public == first.key.public == read_setup(second.folder).key.public
    with first.registry() as one, second.registry() as other:
        assert read_tables(one.database) == read_tables(other.database)
        assert other.database.faults() == []
        assert pull(reopened(ada.joined.token, one)) == pull(reopened(ada.joined.token, other))
        assert reopened(ada.joined.token, other).push(ada.batch()) == Taken(4)


@pytest.mark.parametrize("engine", ENGINES)
def test_the_index_is_in_no_backup_and_is_made_anew(
    machines: Machines, engine: str, model: Embedder
) -> None:
    first = machines.make(engine)
    fill(first)
    log, file = ("acme", "shop"), machines.folder / "backup"
    with first.registry() as registry:
        before = TeamIndex(registry.database, lambda: model).fill(log)
    make_backup(first, file)
    assert not [name for name in DERIVED if f'"table":"{name}"' in file.read_text("utf-8")]
    with machines.restore(file, engine, {}).registry() as registry:
        assert TeamIndex(registry.database, lambda: model).fill(log) == before
        assert before.passages == 3


@pytest.mark.parametrize("engine", ENGINES)
def test_a_log_is_restored_to_any_event_and_given_back_from_there(
    machines: Machines, engine: str
) -> None:
    first = machines.make(engine)
    ada, ben = fill(first)
    file = machines.folder / "backup"
    make_backup(first, file)
    with first.registry() as registry:
        whole = pull(reopened(ada.joined.token, registry))
        rows = read_tables(registry.database)
    assert len(whole.placed) == 8
    for seq in range(3, 9):
        second = machines.restore(file, engine, {("acme", "shop"): seq})
        with second.registry() as registry:
            log = reopened(ada.joined.token, registry)
            found = pull(log)
            assert (found.placed, found.head.seq) == (whole.placed[:seq], seq)
            trail = Trail(first.key.public, ("acme", "shop"))
            trail.follow(found.placed)
            with log.place.database.transaction("acme") as rows_of:
                held = log.place.trail(rows_of, log.place.head(rows_of)).writers
            assert {name: replace(one, awaited=False, name="") for name, one in held.items()} == {
                name: replace(one, name="") for name, one in trail.writers.items()
            }
            for lost in page_lost(whole.placed[seq:], whole.head):
                assert log.take_back(lost) == Taken(9)
            assert pull(log) == whole
            # Who has used the log is told anew.
            again = read_tables(registry.database)
            assert again | {"audit": []} == rows | {"audit": []}
    assert ben.joined.writer in trail.writers


def test_a_log_ends_where_it_was_asked_to_or_is_not_restored(machines: Machines) -> None:
    first = machines.make("sqlite")
    fill(first)
    file = machines.folder / "backup"
    make_backup(first, file)
    for cuts in ({("acme", "shop"): 9}, {("acme", "shed"): 1}):
        with pytest.raises(TeamError, match="the backup can't be used"):
            machines.restore(file, "sqlite", cuts)


@pytest.mark.parametrize("engine", ENGINES)
def test_what_comes_while_a_backup_is_written_is_not_in_it(machines: Machines, engine: str) -> None:
    first = machines.make(engine)
    with first.registry() as registry:
        registry.add("acme", "shop")
        ada = Hall(registry, "acme").join()
        for number in range(30):
            ada.say(f"never use word {number}")
        ada.log.push(ada.batch(1, 10))
        lines = write_lines(registry.database, first.key, "2026-01-31T12:00:00+00:00")
        file = machines.folder / "backup"
        with file.open("w") as out:
            out.writelines(next(lines) for _ in range(3))
            ada.log.push(ada.batch(11))
            ben = Hall(registry, "acme").join()
            ben.say(RULE)
            ben.log.push(ben.batch())
            out.writelines(lines)
    second = machines.restore(file, engine, {})
    with second.registry() as registry:
        assert pull(reopened(ada.joined.token, registry)).head.seq == 11
        assert registry.open(ben.joined.token) is None
        assert len(registry.members("acme", "shop")) == 1


def test_nothing_is_overwritten(machines: Machines, tmp_path: Path) -> None:
    first = machines.make("sqlite")
    fill(first)
    file = tmp_path / "backup"
    make_backup(first, file)
    before = file.read_bytes()
    with pytest.raises(UsageError, match="already exists"):
        make_backup(first, file)
    with pytest.raises(UsageError, match="set up here already"):
        restore_backup(file, first.folder, "", {})
    (first.folder / "server.json").unlink()
    with pytest.raises(UsageError, match="already holds projects"):
        restore_backup(file, first.folder, "", {})
    assert not (first.folder / "server.json").exists()
    assert file.read_bytes() == before
    assert sorted(one.name for one in tmp_path.iterdir()) == ["backup", "first"]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("older", [1, 0])
def test_a_refused_restore_leaves_a_database_in_use_as_it_is(
    machines: Machines, engine: str, older: int
) -> None:
    first = machines.make("sqlite")
    database = first.open_database()
    database.migrate(SCHEMA_VERSION - older)
    database.close()
    file = machines.folder / "backup"
    make_older_backup(first, file)
    address = machines.address(engine)
    used = set_up(machines.folder / "used", address)
    with used.registry() as registry:
        registry.add("acme", "shop")
        ada = Hall(registry, "acme").join("reader")
        before = registry.database.version(), read_tables(registry.database)
    (used.folder / "server.json").unlink()
    for made in (restore_backup, lambda _, folder, url, __: set_up(folder, url)):
        with pytest.raises(UsageError, match="already holds projects"):
            made(file, used.folder, address, {})
    used.save()
    with used.registry() as registry:
        assert (registry.database.version(), read_tables(registry.database)) == before
        assert pull(reopened(ada.joined.token, registry)).head.seq == 1


def make_older_backup(setup: Setup, file: Path) -> None:
    database = setup.open_database()
    file.write_text("".join(write_lines(database, setup.key, "2026-01-31T12:00:00+00:00")))
    database.close()


def test_an_empty_database_with_later_tables_is_not_taken_back(machines: Machines) -> None:
    first = machines.make("sqlite")
    database = first.open_database()
    database.migrate(SCHEMA_VERSION - 1)
    database.close()
    file = machines.folder / "backup"
    make_older_backup(first, file)
    empty = set_up(machines.folder / "empty", "")
    (empty.folder / "server.json").unlink()
    with pytest.raises(UsageError, match="has tables of a later version"):
        restore_backup(file, empty.folder, "", {})
    empty.save()
    with empty.registry() as registry:
        assert registry.database.version() == SCHEMA_VERSION


@pytest.mark.parametrize("engine", ENGINES)
def test_an_invitation_that_was_used_after_a_backup_is_not_good_again(
    machines: Machines, engine: str
) -> None:
    first = machines.make(engine)
    with first.registry() as registry:
        registry.add("acme", "shop")
        ada = Hall(registry, "acme").join("owner")
        invitation = registry.invite("acme", "shop", "owner")
        file = machines.folder / "backup"
        make_backup(first, file)
        registry.join(invitation, SigningKey.make().public, "ben")
    with machines.restore(file, engine, {}).registry() as registry:
        pull(reopened(ada.joined.token, registry))
        with pytest.raises(TeamError, match="wrong, used or expired"):
            registry.join(invitation, SigningKey.make().public, "eve")
        assert registry.join(
            registry.invite("acme", "shop", "reader"), SigningKey.make().public, "eve"
        )


def sealed(lines: list[str]) -> str:
    """Give changed lines the digest that belongs to them."""
    digest = hashlib.sha256("".join(lines[:-1]).encode()).hexdigest()
    return "".join(lines[:-1]) + json.dumps({"lines": len(lines) - 1, "sha256": digest}) + "\n"


def is_event(line: str, seq: int) -> bool:
    return f'"seq":{seq},' in line and '"event"' in line


CHANGES: dict[str, tuple[Callable[[list[str]], str], str]] = {
    "cut off": (lambda lines: "".join(lines[:-1]), "cut off"),
    "a line less": (lambda lines: "".join([*lines[:4], *lines[5:]]), "does not match"),
    "edited": (lambda lines: "".join(lines).replace("eval", "exec"), "does not match"),
    "edited, with a digest": (
        lambda lines: sealed([one.replace("eval", "exec") for one in lines]),
        "does not match its hash",
    ),
    "an event less, with a digest": (
        lambda lines: sealed([one for one in lines if not is_event(one, 4)]),
        "event 4 is missing",
    ),
    "the last event less, with a digest": (
        lambda lines: sealed([one for one in lines if not is_event(one, 8)]),
        "8 was asked for",
    ),
    "another key": (
        lambda lines: sealed(
            [json.dumps(json.loads(lines[0]) | {"key": "11" * 32}) + "\n", *lines[1:]]
        ),
        "did not sign",
    ),
    "no backup": (lambda _: "{}\n", "not a backup"),
    "no text": (lambda _: "what\n", "line 1 can't be read"),
    "rows without a number": (
        lambda lines: sealed([one.replace('"wseq"', '"other"') for one in lines]),
        "malformed",
    ),
}


@pytest.mark.parametrize("what", CHANGES)
def test_a_backup_that_is_not_whole_is_refused_before_anything_is_made(
    machines: Machines, what: str
) -> None:
    change, told = CHANGES[what]
    first = machines.make("sqlite")
    fill(first)
    file = machines.folder / "backup"
    make_backup(first, file)
    lines = file.read_text().splitlines(keepends=True)
    bad = machines.folder / "bad"
    bad.write_text(change(lines))
    with pytest.raises(TeamError, match=told):
        restore_backup(bad, machines.folder / "second", "", {})
    assert not (machines.folder / "second").exists(), what


@pytest.mark.parametrize("engine", ENGINES)
def test_a_laptop_gives_back_only_what_the_server_signed(machines: Machines, engine: str) -> None:
    first = machines.make(engine)
    ada, _ = fill(first)
    file = machines.folder / "backup"
    make_backup(first, file)
    with first.registry() as registry:
        whole = pull(reopened(ada.joined.token, registry))
    second = machines.restore(file, engine, {("acme", "shop"): 4})
    rest = whole.placed[4:]
    forged = replace(rest[0], entry=replace(rest[0].entry, payload='{"text":"x"}'))
    bad = [
        Lost((forged, *rest[1:]), (), whole.head),
        Lost(rest[1:], (), whole.head),
        Lost((rest[1], rest[0], *rest[2:]), (), whole.head),
        Lost(rest[:1], (), whole.head),
        Lost(rest[:1], tuple(one.entry.whash for one in rest[2:]), whole.head),
        Lost(rest[:1], (), replace(whole.head, seq=5, hash=rest[0].hash)),
        Lost(rest, (), replace(whole.head, signature="0" * 128)),
    ]
    with second.registry() as registry:
        log = reopened(ada.joined.token, registry)
        for one in bad:
            with pytest.raises(TeamError):
                log.take_back(one)
            assert pull(log).head.seq == 4
        assert log.take_back(Lost(rest, (), whole.head)) == Taken(9)
        assert log.take_back(Lost(rest, (), whole.head)) == Taken(9)
        assert pull(log) == whole


@contextlib.contextmanager
def office_of(setup: Setup, folder: Path, model: Embedder) -> Iterator[Office]:
    with setup.registry() as registry, served(registry) as url:
        yield Office(folder, model, registry, url)


def move(dmm: Dmm, office: Office) -> None:
    """Let a laptop find the server where it is now."""
    keep_credentials(dmm.home, replace(dmm.team.credentials(), url=office.url))


def level(dmm: Dmm) -> str:
    return dmm.rules.guard.judge(DESTROY).level


def go_on_after_a_backup(first: Setup, file: Path, model: Embedder) -> tuple[list[Dmm], Page]:
    """Let laptops share after a backup was made; return them, and the log that was lost."""
    with office_of(first, first.folder.parent, model) as office:
        office.registry.add("acme", "shop")
        ada, ben, eve = (office.laptop(name) for name in ("ada", "ben", "eve"))
        ada.ledger.add_constraint("never use eval")
        ada.team.sync()
        make_backup(first, file)
        ben.ledger.add_constraint(RULE)
        ben.team.sync()
        dan = office.laptop("dan")
        dan.ledger.add_constraint("never use exec")
        dan.team.sync()
        office.registry.lift("acme", "shop", 4)
        ada.team.sync()
        eve.ledger.add_constraint("never push to main")
        held = eve.team.credentials()
        # Acknowledged, and in nobody's copy.
        assert eve.team.push(held, reopened(held.token, office.registry)) == 1
        whole = pull(reopened(ada.team.credentials().token, office.registry))
    return [ada, ben, eve, dan], whole


@pytest.mark.parametrize("engine", ENGINES)
def test_a_server_restored_behind_its_laptops_is_refilled_by_them(
    machines: Machines, model: Embedder, monkeypatch: pytest.MonkeyPatch, engine: str
) -> None:
    monkeypatch.delenv("DMM_ROOT", raising=False)
    file = machines.folder / "backup"
    (ada, ben, eve, dan), whole = go_on_after_a_backup(machines.make(engine), file, model)
    assert whole.head.seq == 9
    second = machines.restore(file, engine, {})
    with office_of(second, machines.folder, model) as office:
        for dmm in (ada, ben, eve, dan):
            move(dmm, office)
        log = reopened(ada.team.credentials().token, office.registry)
        with log.place.database.transaction("acme") as rows:
            assert log.place.head(rows).seq == 4
        assert level(ada) == "deny"
        eve.ledger.add_constraint("never force a push")
        with pytest.raises(TeamError, match="waits for 2 of the laptops"):
            eve.team.sync()
        with pytest.raises(TeamError, match="waits for 2 of the laptops"):
            office.laptop("fay")
        assert ben.team.sync().returned == 1
        done = ada.team.sync()
        assert (done.returned, ada.team.status().fault) == (3, "")
        # Its token was lost, as the backup did not know it.
        with pytest.raises(TeamError, match="does not know this laptop"):
            dan.team.sync()
        assert eve.team.sync().sent == 2
        found = pull(log)
        assert found.placed[:8] == whole.placed[:8]
        assert [one.entry for one in found.placed[8:9]] == [whole.placed[8].entry]
        assert found.head.seq == 10
        dan.team.join(office.url, office.registry.invite("acme", "shop", "maintainer"))
        for dmm in (ada, ben, eve, dan):
            dmm.team.sync()
            told = dmm.team.status()
            assert (told.fault, told.unsent, told.known) == ("", 0, 11)
        assert [level(one) for one in (ada, ben, eve, dan)] == ["deny"] * 4


def resume_all(registry: Registry) -> int:
    return registry.resume("acme", "shop")


def resume_one(registry: Registry) -> int:
    with pytest.raises(TeamError, match="there is no writer"):
        registry.resume("acme", "shop", "nobody")
    names = [one.writer for one in registry.members("acme", "shop")]
    return sum(registry.resume("acme", "shop", one) for one in names)


@pytest.mark.parametrize("resume", [resume_all, resume_one])
def test_the_server_goes_on_without_laptops_that_never_come_back(
    machines: Machines,
    model: Embedder,
    monkeypatch: pytest.MonkeyPatch,
    resume: Callable[[Registry], int],
) -> None:
    monkeypatch.delenv("DMM_ROOT", raising=False)
    first = machines.make("sqlite")
    file = machines.folder / "backup"
    with office_of(first, machines.folder, model) as office:
        office.registry.add("acme", "shop")
        ada = office.laptop("ada")
        office.laptop("gone")
        make_backup(first, file)
    second = machines.restore(file, "sqlite", {})
    with office_of(second, machines.folder, model) as office:
        move(ada, office)
        ada.ledger.add_constraint(RULE)
        with pytest.raises(TeamError, match="waits for 1 of the laptops"):
            ada.team.sync()
        assert "dmm server resume acme/shop" in ada.team.status().fault
        assert resume(office.registry) == 1
        assert ada.team.sync().sent == 1
        assert ada.team.status().fault == ""


def test_what_no_signed_end_covers_is_dropped_and_comes_again(
    machines: Machines, model: Embedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DMM_ROOT", raising=False)
    first = machines.make("sqlite")
    file = machines.folder / "backup"
    with office_of(first, machines.folder, model) as office:
        office.registry.add("acme", "shop")
        ada, ben = office.laptop("ada"), office.laptop("ben")
        make_backup(first, file)
        for text in (RULE, "never use eval"):
            ada.ledger.add_constraint(text)
        held = ada.team.credentials()
        ada.team.push(held, reopened(held.token, office.registry))
        held = ben.team.credentials()
        with pytest.raises(TeamError, match="the line broke"):
            ben.team.exchange(held, Halved(reopened(held.token, office.registry)))
        assert ben.team.status().known == 3
    second = machines.restore(file, "sqlite", {})
    with office_of(second, machines.folder, model) as office:
        for dmm in (ada, ben):
            move(dmm, office)
        assert (ben.team.sync().returned, ben.team.status().known) == (0, 2)
        assert ada.team.sync().sent == 2
        assert ben.team.sync().received == 2
        assert level(ben) == "deny"


@dataclass(slots=True)
class Halved:
    """The log over a line that breaks after the first event that is new."""

    log: Any
    answered: bool = False

    def push(self, batch: Any) -> Any:
        return self.log.push(batch)

    def pull(self, after: int) -> Page:
        if self.answered:
            raise TeamError("unreachable", "the line broke")
        self.answered = True
        page = pull(self.log, after)
        return replace(page, placed=page.placed[:1])


def test_the_lines_of_a_backup_prove_its_logs(machines: Machines) -> None:
    first = machines.make("sqlite")
    fill(first)
    file = machines.folder / "backup"
    make_backup(first, file)
    proved = Backup(Lines(file)).prove({})
    assert {log: one.head.seq for log, one in proved.trails.items()} == {
        ("acme", "shop"): 8,
        ("umbrella", "shop"): 8,
    }
