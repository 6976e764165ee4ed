"""Roles: what each may do, how one changes, and what becomes of those of the first version."""

from __future__ import annotations

import contextlib
import datetime as dt
import itertools
import secrets
from dataclasses import replace
from typing import TYPE_CHECKING

import psycopg
import pytest
from tests.team.conftest import Deaf
from tests.team.test_chain import ADA, AT, fold_rules, place, say, server_says, tell_joined
from tests.team.test_persons import hold, make_key

from dmm.errors import StorageError, TeamError, UsageError
from dmm.eventlog.chain import Head
from dmm.team import migrations, postgres, sqlite
from dmm.team.chain import JOINED, Trail, WriterHead, seal
from dmm.team.client import HttpLog
from dmm.team.database import FIRST_VERSION, SCHEMA_VERSION
from dmm.team.keys import SigningKey
from dmm.team.persons import describe_passkeys
from dmm.team.port import Page, Refused, Taken
from dmm.team.postgres import ISOLATED, PostgresDatabase
from dmm.team.registry import Registry
from dmm.team.roles import RIGHTS, ROLES, Right, may, may_send
from dmm.team.sharing import SHARED
from dmm.team.sqlite import SqliteDatabase
from dmm.team.stored import now
from dmm.team.told import Told

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.team.conftest import Hall, Office
    from tests.team.postgres import Postgres

    from dmm.team.database import Database

RULE = "never run terraform destroy"
BEFORE_APPROVALS = 7


def test_a_role_may_do_all_that_the_one_before_it_may() -> None:
    assert ROLES == ("reader", "contributor", "reviewer", "owner")
    held = list(RIGHTS.values())
    assert all(less < more for less, more in itertools.pairwise(held))
    assert not any(may_send("reader", kind) for kind in SHARED)
    assert all(may_send("reviewer", kind) for kind in SHARED)
    assert [role for role in ROLES if may(role, Right.MANAGE)] == ["owner"]
    assert not may("king", Right.SHARE)


@pytest.mark.parametrize("role", ROLES)
def test_the_server_takes_a_rule_from_who_may_share_it(hall: Hall, role: str) -> None:
    ada = hall.join(role)
    ada.say(RULE)
    allowed = role in ("reviewer", "owner")
    refused = Refused(f"a {role} can't share or lift rules")
    assert ada.log.push(ada.batch()) == (Taken(2) if allowed else refused)


def test_a_new_role_is_told_to_all_and_holds_at_once(hall: Hall) -> None:
    ada, ben = hall.join(), hall.join("reader")
    registry, team = hall.registry, hall.team
    ada.say(RULE)
    assert ada.log.push(ada.batch()) == Taken(2)
    assert registry.change_role(team, "shop", ada.joined.writer, "reader")
    assert not registry.change_role(team, "shop", ada.joined.writer, "reader")
    ada.say("never use eval")
    assert ada.log.push(ada.batch()) == Refused("a reader can't share or lift rules")
    assert registry.change_role(team, "shop", ben.joined.writer, "maintainer")
    ben.say("never push to main")
    assert ben.log.push(ben.batch()) == Taken(2)
    page = ben.log.pull(0)
    assert isinstance(page, Page)
    trail = Trail(ben.joined.server_key, (team, "shop"))
    trail.follow(page.placed)
    roles = {name: one.role for name, one in trail.writers.items()}
    assert (roles[ada.joined.writer], roles[ben.joined.writer]) == ("reader", "reviewer")
    assert [one.text for one in fold_rules(page.placed)] == [RULE, "never push to main"]
    assert {one.writer: one.role for one in registry.members(team, "shop")} == {
        name: role for name, role in roles.items() if name != "server"
    }


def test_only_a_member_gets_a_role_and_only_one_that_there_is(hall: Hall) -> None:
    ada = hall.join()
    change = hall.registry.change_role
    with pytest.raises(UsageError, match="unknown role 'king'"):
        change(hall.team, "shop", ada.joined.writer, "king")
    for writer in ("server", "0123456789abcdef"):
        with pytest.raises(TeamError, match="there is no writer"):
            change(hall.team, "shop", writer, "reader")
    hall.registry.revoke(hall.team, "shop", ada.joined.writer)
    with pytest.raises(TeamError, match="was removed"):
        change(hall.team, "shop", ada.joined.writer, "owner")


def test_a_maintainer_of_an_old_log_is_a_reviewer() -> None:
    head = WriterHead(ADA.public, "maintainer")
    joined = server_says((), JOINED, tell_joined("ada", head))
    placed = place([joined, say(ADA, "ada", (), RULE)])
    trail = Trail(SigningKey.read("11" * 32).public, ("acme", "shop"))
    trail.follow(placed)
    assert trail.writers["ada"].role == "reviewer"
    assert [one.text for one in fold_rules(placed)] == [RULE]


def test_a_laptop_shares_by_the_role_it_has_heard_of(office: Office) -> None:
    ada, ben = office.laptop("ada", "reader"), office.laptop("ben")
    ada.ledger.add_constraint("never use eval")
    assert ada.team.sync().sent == 0
    office.registry.change_role("acme", "shop", ada.team.credentials().writer, "reviewer")
    ada.team.sync()
    assert ada.team.status().role == "reviewer"
    ada.ledger.add_constraint(RULE)
    assert ada.team.sync().sent == 1
    ben.team.sync()
    assert [one.text for one in ben.team.status().rules] == [RULE]


def test_a_rule_of_a_laptop_that_lost_its_role_waits_and_is_named(office: Office) -> None:
    ada, ben = office.laptop("ada"), office.laptop("ben")
    writer = ada.team.credentials().writer
    office.registry.change_role("acme", "shop", writer, "contributor")
    ada.ledger.add_constraint(RULE)
    with pytest.raises(TeamError, match="a contributor can't share or lift rules"):
        ada.team.sync()
    told = ada.team.status()
    assert told.unsent == 1
    assert "a contributor can't share or lift rules" in told.fault
    office.registry.change_role("acme", "shop", writer, "owner")
    assert ada.team.sync().sent == 1
    ben.team.sync()
    assert [one.text for one in ben.team.status().rules] == [RULE]
    assert (ada.team.status().fault, ada.team.status().role) == ("", "owner")


def test_what_the_log_holds_is_taken_again_after_a_demotion(hall: Hall) -> None:
    ada = hall.join()
    ada.say(RULE)
    assert ada.log.push(ada.batch()) == Taken(2)
    hall.registry.change_role(hall.team, "shop", ada.joined.writer, "reader")
    assert ada.log.push(ada.batch()) == Taken(2)
    ada.say("never use eval")
    assert ada.log.push(ada.batch()) == Refused("a reader can't share or lift rules")


def test_a_laptop_whose_answer_was_lost_before_its_demotion_goes_on(office: Office) -> None:
    ada = office.laptop("ada")
    ada.ledger.add_constraint(RULE)
    held = ada.team.credentials()
    with pytest.raises(TeamError, match="the line broke"):
        ada.team.push(held, Deaf(HttpLog.of(held)))
    office.registry.change_role("acme", "shop", held.writer, "reader")
    assert ada.team.sync().sent == 1
    assert (ada.team.status().unsent, ada.team.status().fault) == (0, "")


def test_a_refused_rule_can_be_withdrawn_and_is_not_published_when_the_role_comes_back(
    office: Office,
) -> None:
    ada, ben = office.laptop("ada"), office.laptop("ben")
    writer = ada.team.credentials().writer
    office.registry.change_role("acme", "shop", writer, "reader")
    leaked = ada.ledger.add_constraint("never print canary-secret").seq
    for _ in range(2):
        with pytest.raises(TeamError, match="a reader can't share or lift rules"):
            ada.team.sync()
    assert ada.redactions.redact([leaked], "it leaked").sent == 0
    office.registry.change_role("acme", "shop", writer, "reviewer")
    ada.team.sync()
    ada.ledger.add_constraint(RULE)
    assert ada.team.sync().sent == 1
    ben.team.sync()
    assert [one.text for one in ben.team.status().rules] == [RULE]


def test_a_rule_whose_answer_was_lost_counts_as_sent_after_a_later_one_was_refused(
    office: Office,
) -> None:
    ada, ben = office.laptop("ada"), office.laptop("ben")
    first = ada.ledger.add_constraint("never print canary-secret").seq
    held = ada.team.credentials()
    with pytest.raises(TeamError, match="the line broke"):
        ada.team.push(held, Deaf(HttpLog.of(held)))
    office.registry.change_role("acme", "shop", held.writer, "reader")
    later = ada.ledger.add_constraint("never show canary-secret").seq
    with pytest.raises(TeamError, match="a reader can't share or lift rules"):
        ada.team.push(held, HttpLog.of(held))
    assert ada.redactions.redact([first, later], "it leaked").sent == 1
    office.registry.change_role("acme", "shop", held.writer, "reviewer")
    ada.ledger.add_constraint(RULE)
    assert ada.team.sync().sent == 2
    assert ada.team.status().fault == ""
    ben.team.sync()
    assert [one.text for one in ben.team.status().rules] == ["never print canary-secret", RULE]


def test_a_laptop_receives_while_what_it_sends_is_refused(office: Office) -> None:
    ada, ben = office.laptop("ada"), office.laptop("ben")
    office.registry.change_role("acme", "shop", ada.team.credentials().writer, "reader")
    ada.ledger.add_constraint("never use eval")
    ben.ledger.add_constraint(RULE)
    ben.team.sync()
    with pytest.raises(TeamError, match="a reader can't share or lift rules"):
        ada.team.sync()
    told = ada.team.status()
    assert [one.text for one in told.rules] == [RULE]
    assert (told.role, told.unsent) == ("reader", 1)
    assert "a reader can't share or lift rules" in told.fault


def fill_first(database: Database, team: str) -> None:
    """Add a project of the first version: its server, a laptop of each role, and its log."""
    own, key, zero = SigningKey.make(), SigningKey.make().public, "0" * 64
    row = "INSERT INTO writer VALUES (?, 'shop', ?, ?, ?, 'laptop', ?, 0, ?, 0)"
    event = f"INSERT INTO event VALUES (?, 'shop', {', '.join('?' * 11)})"
    log = (team, "shop")
    with database.transaction(team) as rows:
        rows("INSERT INTO project VALUES (?, 'shop', 0, ?)", team, zero)
        rows(row, team, "server", own.public, "maintainer", "", zero)
        last = Head()
        for role in ("reader", "maintainer"):
            rows(row, team, role, key, role, role, zero)
            told = Told(role, JOINED, AT, tell_joined(role, WriterHead(key, role)))
            one = seal(own, log, "server", last, told)
            last = Head(one.wseq, one.whash)
            rest = (one.id, one.type, one.at, one.salt, one.payload, one.whash, one.signature)
            rows(event, team, one.wseq, one.writer, one.wseq, *rest, zero)


@pytest.mark.parametrize("how", ["removed", "demoted", "left"])
def test_the_invitations_of_an_owner_end_with_the_right(hall: Hall, how: str) -> None:
    registry, team = hall.registry, hall.team
    ada, zoe = hall.join("owner"), hall.join("owner")
    writer = ada.joined.writer
    invitations = [registry.invite(team, "shop", "owner", by=writer) for _ in range(2)]
    others = registry.invite(team, "shop", "reader", by=zoe.joined.writer)
    key = SigningKey.make().public
    before = registry.join(invitations.pop(), key, "laptop")
    if how == "removed":
        registry.revoke(team, "shop", writer, by=zoe.joined.writer)
    elif how == "demoted":
        registry.change_role(team, "shop", writer, "reviewer")
    else:
        registry.leave(team, "shop", writer)
    with pytest.raises(TeamError, match="wrong, used or expired"):
        registry.join(invitations[0], key, "laptop")
    assert registry.join(others, key, "laptop").role == "reader"
    known = {one.writer: one.revoked for one in registry.members(team, "shop")}
    assert known[before.writer] is False


def test_a_change_between_roles_that_manage_ends_no_invitation(hall: Hall) -> None:
    registry, team = hall.registry, hall.team
    writer = hall.join("owner").joined.writer
    made = registry.invite(team, "shop", "reader", by=writer)
    assert not registry.change_role(team, "shop", writer, "owner")
    assert registry.join(made, SigningKey.make().public, "laptop").role == "reader"


@pytest.fixture(params=["sqlite", "postgres", "postgres without superuser"])
def old(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Database]:
    """Tables of the first version, with one laptop of each role of that time."""
    made: Database
    if request.param == "sqlite":
        made = SqliteDatabase(tmp_path / "server.db")
    else:
        postgres: Postgres = request.getfixturevalue("postgres")
        name = f"t{secrets.token_hex(8)}"
        address = postgres.make(name)
        if request.param == "postgres without superuser":
            with psycopg.connect(address, autocommit=True) as connection:
                connection.execute(f"CREATE ROLE {name} LOGIN CREATEROLE")
                with contextlib.suppress(psycopg.errors.DuplicateObject):
                    connection.execute("CREATE ROLE dmm_server NOLOGIN NOBYPASSRLS")
                connection.execute(f"GRANT dmm_server TO {name} WITH ADMIN OPTION")
                connection.execute(f"ALTER DATABASE {name} OWNER TO {name}")
            address = address.replace("user=postgres", f"user={name}")
        made = PostgresDatabase(address)
    assert made.migrate(FIRST_VERSION) == 0
    for team in ("acme", "zeta"):
        fill_first(made, team)
    yield made
    made.close()


def roles_of(database: Database, team: str) -> list[str]:
    with database.transaction(team) as rows:
        found = rows("SELECT role FROM writer WHERE team_id = ? AND writer <> 'server'", team)
        return sorted(str(row[0]) for row in found)


def test_roles_go_to_the_next_version_and_back(old: Database) -> None:
    for team in ("acme", "zeta"):
        assert roles_of(old, team) == ["maintainer", "reader"]
    with pytest.raises(TeamError, match=f"schema version {FIRST_VERSION}, not") as told:
        old.need_ready()
    assert told.value.hint == "dmm server migrate"
    assert old.migrate() == FIRST_VERSION
    for team in ("acme", "zeta"):
        assert roles_of(old, team) == ["reader", "reviewer"]
    assert old.faults() == []
    assert old.migrate(FIRST_VERSION) == SCHEMA_VERSION
    for team in ("acme", "zeta"):
        assert roles_of(old, team) == ["maintainer", "reader"]


def test_a_version_whose_log_tells_of_a_new_role_is_not_left(old: Database) -> None:
    old.migrate()
    registry = Registry(old, SigningKey.make())
    registry.add("next", "shop")
    key = SigningKey.make().public
    registry.join(registry.invite("next", "shop", "reader"), key, '"role":"owner"')
    assert old.migrate(FIRST_VERSION) == SCHEMA_VERSION
    old.migrate()
    joined = registry.join(registry.invite("next", "shop", "reviewer"), key, "laptop")
    registry.revoke("next", "shop", joined.writer)
    with pytest.raises(TeamError, match="1 roles are unknown before it") as told:
        old.migrate(FIRST_VERSION)
    assert "keep this version" in str(told.value.hint)


def test_an_invitation_that_has_expired_keeps_no_version(old: Database) -> None:
    old.migrate()
    past = now() - dt.timedelta(days=9)
    registry = Registry(old, SigningKey.make(), clock=lambda: past)
    registry.add("next", "shop")
    registry.invite("next", "shop", "owner")
    assert old.migrate(FIRST_VERSION) == SCHEMA_VERSION


def test_a_version_that_holds_a_new_role_is_not_left(old: Database) -> None:
    old.migrate()
    registry = Registry(old, SigningKey.make())
    registry.add("next", "shop")
    registry.invite("next", "shop", "contributor")
    with pytest.raises(TeamError, match="1 roles are unknown before it") as told:
        old.migrate(FIRST_VERSION)
    assert "dmm server role" in str(told.value.hint)
    assert old.version() == SCHEMA_VERSION
    assert old.faults() == []
    for version in (0, SCHEMA_VERSION + 1):
        with pytest.raises(UsageError, match=f"no version {version} of the tables"):
            old.migrate(version)


def test_a_version_whose_log_tells_of_a_passkey_for_decisions_is_not_left(old: Database) -> None:
    old.migrate()
    registry, key = Registry(old, SigningKey.make()), SigningKey.make()
    registry.add("next", "shop")
    joined = registry.join(registry.invite("next", "shop", "reader"), key.public, "laptop")
    assert old.migrate(BEFORE_APPROVALS) == SCHEMA_VERSION
    with pytest.raises(TeamError, match=f"schema version {BEFORE_APPROVALS}, not"):
        old.need_ready()
    old.migrate()
    told = describe_passkeys(("next", "shop"), joined.writer, key, [hold(make_key())])
    registry.enrol("next", "shop", joined.writer, told)
    # A server of that version would take decisions that laptops refuse with the whole log.
    with pytest.raises(
        TeamError, match="1 passkeys for decisions are unknown before it"
    ) as refused:
        old.migrate(BEFORE_APPROVALS)
    assert "keep this version" in str(refused.value.hint)
    assert old.version() == SCHEMA_VERSION
    assert old.faults() == []


def test_every_isolated_table_is_there(old: Database) -> None:
    old.migrate()
    with old.transaction("acme") as rows:
        assert all(rows(f"SELECT count(*) FROM {table}") for table in ISOLATED)


def test_a_migration_that_breaks_off_changes_nothing(
    old: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    last = migrations.STEPS[SCHEMA_VERSION]
    broken = dict(migrations.STEPS) | {SCHEMA_VERSION: replace(last, up="SELECT no_such_thing()")}
    for module in (sqlite, postgres):
        monkeypatch.setattr(module, "STEPS", broken)
    with pytest.raises(StorageError):
        old.migrate()
    assert old.version() == FIRST_VERSION
    assert roles_of(old, "acme") == ["maintainer", "reader"]
    with pytest.raises(TeamError, match="schema version 1, not") as told:
        old.need_ready()
    assert told.value.hint == "dmm server migrate"
    monkeypatch.undo()
    assert old.migrate() == FIRST_VERSION
    assert roles_of(old, "acme") == ["reader", "reviewer"]
    assert old.faults() == []
