"""Laptops of a team: what one accepts holds on the others, with the server and without it."""

from __future__ import annotations

import shutil
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import apsw
import pytest
from tests.team.conftest import Deaf, Late, Office, rewrite, served, spoil

from dmm.domain.event import Trust
from dmm.domain.pack import QueryRequest
from dmm.errors import LedgerBroken, LedgerRefused, TeamError, UsageError
from dmm.eventlog.open_ledger import Actor
from dmm.rules.commands.calls import ToolCall
from dmm.team import folding
from dmm.team.client import HttpLog
from dmm.team.keys import SigningKey
from dmm.team.mark import joined_mark
from dmm.team.port import Page, Revoked
from dmm.team.registry import Registry
from dmm.team.replica import Replica
from dmm.team.sqlite import SqliteDatabase

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Opener, Project

    from dmm.bootstrap import Dmm
    from dmm.embed.model import Embedder
    from dmm.team.port import Batch, Outcome
    from dmm.team.registry import Joined

DESTROY = ToolCall("Bash", {"command": "terraform destroy"})
RULE = "never run terraform destroy"


def level(dmm: Dmm) -> str:
    return dmm.rules.guard.judge(DESTROY).level


def test_a_rule_holds_on_the_other_laptop_after_it_was_exchanged(office: Office) -> None:
    ada, ben = office.laptop("ada"), office.laptop("ben", "reader")
    ada.ledger.add_constraint(RULE)
    assert (level(ada), level(ben)) == ("deny", "allow")
    assert ada.team.sync().sent == 1
    assert ben.team.sync().received == 1
    assert level(ben) == "deny"
    ruling = ben.rules.guard.judge(DESTROY)
    assert (ruling.id, ruling.text) == ("team:3", RULE)
    assert [one.id for one in ben.rules.list().rules] == ["team:3"]
    assert [one.id for one in ada.rules.list().rules] == ["1"]


def test_a_rule_holds_with_the_server_gone(
    tmp_path: Path, model: Embedder, registry: Registry, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DMM_ROOT", raising=False)
    with served(registry) as url:
        office = Office(tmp_path, model, registry, url)
        ada, ben = office.laptop("ada"), office.laptop("ben")
        ada.ledger.add_constraint(RULE)
        ada.team.sync()
        ben.team.sync()
    with pytest.raises(TeamError, match="can't be reached"):
        ben.team.sync()
    assert level(office.open("ben")) == "deny"
    ben.ledger.add_constraint("never use eval")
    assert ben.team.status().unsent == 1


def test_what_was_recorded_before_joining_stays_on_the_laptop(office: Office) -> None:
    ada = office.open("ada")
    ada.ledger.add_constraint(RULE)
    ada.team.join(office.url, office.registry.invite("acme", "shop", "reviewer"))
    assert ada.team.sync().sent == 0
    assert level(office.laptop("ben")) == "allow"


def test_an_agents_rule_is_shared_when_a_person_accepts_it(office: Office) -> None:
    ada, ben = office.laptop("ada"), office.laptop("ben")
    agent = ada.as_actor(Actor("agent", "mcp", Trust.AGENT))
    seq = agent.ledger.add_constraint(RULE).seq
    assert ada.team.sync().sent == 0
    ada.rules.constraints.accept_constraints([seq])
    assert ada.team.sync().sent == 1
    ben.team.sync()
    assert level(ben) == "deny"


def test_a_rule_that_is_lifted_is_lifted_for_all_and_by_nobody_else(office: Office) -> None:
    ada, ben = office.laptop("ada"), office.laptop("ben")
    ada.ledger.add_constraint(RULE)
    ada.team.sync()
    ben.team.sync()
    with pytest.raises(UsageError, match="team:3 is a rule of the team"):
        ben.rules.disable("team:3")
    ada.rules.disable("1")
    ada.team.sync()
    ben.team.sync()
    assert level(ben) == "allow"


def test_a_laptop_that_joined_again_lifts_what_it_shared_before(office: Office) -> None:
    ada, ben = office.laptop("ada"), office.laptop("ben")
    ada.ledger.add_constraint(RULE)
    ada.team.sync()
    office.registry.revoke("acme", "shop", ada.team.credentials().writer)
    with pytest.raises(TeamError, match="was removed from the team"):
        ada.team.sync()
    ada.team.join(office.url, office.registry.invite("acme", "shop", "reviewer"))
    ben.team.sync()
    assert level(ben) == "deny"
    ada.rules.disable("1")
    ada.team.sync()
    ben.team.sync()
    assert level(ben) == "allow"


def test_whoever_runs_the_server_can_lift_a_rule_for_all(office: Office) -> None:
    ada, ben = office.laptop("ada"), office.laptop("ben")
    ada.ledger.add_constraint(RULE)
    ada.team.sync()
    assert office.registry.lift("acme", "shop", 3)
    assert not office.registry.lift("acme", "shop", 3)
    ben.team.sync()
    assert level(ben) == "allow"
    for seq in (1, 4, 99):
        with pytest.raises(TeamError, match=f"event {seq} of the team log is not a rule"):
            office.registry.lift("acme", "shop", seq)


def test_so_many_rules_of_a_team_are_in_force_and_no_more(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada, ben = office.laptop("ada"), office.laptop("ben")
    monkeypatch.setattr(folding, "MOST_RULES", 2)
    for text in ("never use eval", "never use exec", RULE):
        ada.ledger.add_constraint(text)
    ada.team.sync()
    ben.team.sync()
    assert [one.text for one in ben.team.status().rules] == ["never use eval", "never use exec"]
    assert level(ben) == "allow"


def test_a_reader_shares_nothing(office: Office) -> None:
    eve = office.laptop("eve", "reader")
    eve.ledger.add_constraint(RULE)
    assert eve.team.sync().sent == 0
    assert eve.team.status().unsent == 0


@dataclass(slots=True)
class Short:
    """The log over a line that breaks after the first event that is new."""

    log: HttpLog
    answered: bool = False

    def push(self, batch: Batch) -> Outcome:
        return self.log.push(batch)

    def pull(self, after: int) -> Page | Revoked:
        page = self.log.pull(after)
        if self.answered or isinstance(page, Revoked):
            raise TeamError("unreachable", "the line broke")
        self.answered = True
        return replace(page, placed=page.placed[:1])


def test_a_rule_holds_once_a_signed_end_of_the_log_covers_it(office: Office) -> None:
    ada, ben = office.laptop("ada"), office.laptop("ben")
    ada.ledger.add_constraint(RULE)
    ada.ledger.add_constraint("never use eval")
    ada.team.sync()
    held = ben.team.credentials()
    with pytest.raises(TeamError, match="the line broke"):
        ben.team.exchange(held, Short(HttpLog.of(held)))
    assert ben.team.status().known == 3
    assert level(ben) == "allow"
    assert ben.team.sync().received == 1
    assert level(ben) == "deny"


def test_an_answer_that_is_lost_doubles_nothing(office: Office) -> None:
    ada, ben = office.laptop("ada"), office.laptop("ben")
    ada.ledger.add_constraint(RULE)
    held = ada.team.credentials()
    with pytest.raises(TeamError, match="the line broke"):
        ada.team.push(held, Deaf(HttpLog.of(held)))
    assert ada.team.status().unsent == 1
    ada.team.sync()
    assert ada.team.status().unsent == 0
    assert ben.team.sync().received == 1


def test_a_laptop_that_was_removed_is_told_and_keeps_the_rules(office: Office) -> None:
    ada, ben = office.laptop("ada"), office.laptop("ben")
    ada.ledger.add_constraint(RULE)
    ada.team.sync()
    ben.team.sync()
    office.registry.revoke("acme", "shop", ben.team.credentials().writer)
    with pytest.raises(TeamError, match="was removed from the team"):
        ben.team.sync()
    assert "was removed" in ben.team.status().fault
    assert level(ben) == "deny"


def test_a_laptop_restored_from_a_backup_is_told_and_can_join_again(office: Office) -> None:
    ada, ben = office.laptop("ada"), office.laptop("ben")
    ada.ledger.add_constraint(RULE)
    ada.team.sync()
    kept = office.folder / "backup"
    shutil.copytree(ada.root.folder, kept)
    ada.ledger.add_constraint("never use eval")
    ada.team.sync()
    with apsw.Connection(str(kept / "team.db")) as old:
        assert old.execute("SELECT sent FROM membership").fetchall() == [(1,)]
    shutil.copy(kept / "team.db", ada.team.path)
    ada.ledger.add_constraint("never use exec")
    with pytest.raises(TeamError, match="join again"):
        ada.team.sync()
    ada.team.join(office.url, office.registry.invite("acme", "shop", "reviewer"))
    ada.team.sync()
    ben.team.sync()
    shared = sorted(one.text for one in ben.team.status().rules)
    assert shared == ["never run terraform destroy", "never use eval", "never use exec"]


def test_a_ledger_that_was_restored_shares_what_is_recorded_after_it(office: Office) -> None:
    ada, ben = office.laptop("ada"), office.laptop("ben")
    ada.ledger.add_constraint(RULE)
    ada.team.sync()
    ada.backups.make()
    ada.ledger.add_constraint("never use eval")
    ada.team.sync()
    ada.close()
    for file in ada.root.folder.glob("ledger.db*"):
        file.unlink()
    ada = office.open("ada")
    ada.backups.restore()
    ada.ledger.add_constraint("never use exec")
    assert ada.team.sync().sent == 1
    ben.team.sync()
    shared = sorted(one.text for one in ben.team.status().rules)
    assert shared == ["never run terraform destroy", "never use eval", "never use exec"]


@pytest.mark.parametrize(
    ("what", "statement"),
    [
        ("a rule is edited", "UPDATE event SET payload = replace(payload, 'destroy', 'plan')"),
        ("the last event is dropped", "DELETE FROM event WHERE seq = 3"),
        ("all is dropped", "DELETE FROM event"),
        ("the end is moved", "DELETE FROM event WHERE seq = 3; UPDATE membership SET head = 2"),
    ],
)
def test_a_copy_that_was_changed_on_the_laptop_is_refused(
    office: Office, what: str, statement: str
) -> None:
    ada, ben = office.laptop("ada"), office.laptop("ben")
    ada.ledger.add_constraint(RULE)
    ada.team.sync()
    ben.team.sync()
    rewrite(ben.team.path, statement)
    with pytest.raises(LedgerRefused, match=r"changed on this laptop|event \d of the team log"):
        level(ben)
    with pytest.raises(TeamError):
        ben.team.sync()


def test_rules_that_are_gone_are_missed(office: Office) -> None:
    ada, ben = office.laptop("ada"), office.laptop("ben")
    ada.ledger.add_constraint(RULE)
    ada.team.sync()
    ben.team.sync()
    assert level(ben) == "deny"
    for file in ben.team.path.parent.glob("team.db*"):
        file.unlink()
    # A process that starts afterwards misses them as well.
    for dmm in (ben, office.open("ben")):
        with pytest.raises(LedgerRefused, match="the team's rules are gone"):
            level(dmm)
        with pytest.raises(LedgerBroken, match="gone or empty"):
            dmm.team.sync()
        assert any("the team's rules are gone" in one.what for one in dmm.rules.list().faults)
    again = office.open("ben")
    again.team.join(office.url, office.registry.invite("acme", "shop", "reader"))
    assert level(again) == "deny"


def test_a_project_that_joined_before_there_was_a_mark_gets_it_with_the_next_answer(
    office: Office,
) -> None:
    ben = office.laptop("ben")
    mark = joined_mark(ben.team.home, ben.team.path)
    mark.unlink()
    ben.team.sync()
    assert mark.read_text() == str(ben.team.path)


@pytest.mark.parametrize("how", ["empty", "no membership", "no database"])
def test_a_damaged_copy_lifts_no_rule_and_stops_nothing_else(office: Office, how: str) -> None:
    ada, ben = office.laptop("ada"), office.laptop("ben")
    ada.ledger.add_constraint(RULE)
    ada.team.sync()
    ben.team.sync()
    ben.published.publish()
    spoil(ben, how)
    before = ben.team.path.read_bytes()
    for dmm in (ben, office.open("ben")):
        with pytest.raises(LedgerBroken, match="copy of the team log is") as told:
            dmm.rules.guard.rule(DESTROY)
        assert "dmm team join" in str(told.value.hint)
        assert dmm.team.path.read_bytes() == before
        with pytest.raises(LedgerBroken):
            dmm.team.status()
        dmm.ledger.add_constraint("never use eval")
        assert any(one.hint == told.value.hint for one in dmm.rules.list().faults)
        pack = dmm.packs.query(QueryRequest("use eval")).pack
        assert any("never use eval" in one.text for one in pack.constraints)
        assert any("team.db" in one for one in pack.notices)
    ben.team.join(office.url, office.registry.invite("acme", "shop", "reader"))
    assert level(ben) == "deny"
    assert ben.team.path.with_name("team.db.damaged-1").read_bytes() == before


@dataclass(frozen=True, slots=True)
class Stubborn:
    """A server that takes nothing back."""

    log: HttpLog

    def push(self, batch: Batch) -> Outcome:
        return self.log.push(batch)

    def pull(self, after: int) -> Page | Revoked:
        return self.log.pull(after)


def lose_the_last(office: Office) -> None:
    """Put an old file in the place of the server's database; it does not know that it is old."""
    rewrite(
        office.folder / "server.db",
        "DROP TRIGGER event_is_never_deleted; DELETE FROM event WHERE seq = 3;"
        "UPDATE project SET seq = 2, hash = (SELECT hash FROM event WHERE seq = 2);"
        f"UPDATE writer SET wseq = 0, whash = '{'0' * 64}' WHERE wseq = 1 AND writer <> 'server'",
    )


def test_a_server_that_lost_events_and_takes_none_back_is_noticed(office: Office) -> None:
    ada, ben = office.laptop("ada"), office.laptop("ben")
    ada.ledger.add_constraint(RULE)
    ada.team.sync()
    ben.team.sync()
    lose_the_last(office)
    held = ben.team.credentials()
    with pytest.raises(TeamError, match="ends at 2; this laptop has 3") as told:
        ben.team.exchange(held, Stubborn(HttpLog.of(held)))
    assert told.value.fault == "behind"
    assert "ends at 2; this laptop has 3" in ben.team.status().fault
    assert level(ben) == "deny"
    ben.ledger.add_constraint("never use eval")
    with pytest.raises(TeamError, match="ends at 2; this laptop has 3"):
        ben.team.push(held, Stubborn(HttpLog.of(held)))
    done = ben.team.sync()
    assert (done.returned, done.sent, ben.team.status().fault) == (1, 1, "")


def test_a_server_that_lost_events_and_went_on_without_them_is_noticed(office: Office) -> None:
    ada, ben = office.laptop("ada"), office.laptop("ben")
    ada.ledger.add_constraint(RULE)
    ada.team.sync()
    lose_the_last(office)
    ben.ledger.add_constraint("never use eval")
    ben.team.sync()
    with pytest.raises(TeamError, match="another event 3"):
        ada.team.sync()
    assert "another event 3" in ada.team.status().fault


@dataclass(frozen=True, slots=True)
class Forging:
    """A server that changes the words of a rule on their way."""

    log: HttpLog

    def push(self, batch: Batch) -> Outcome:
        return self.log.push(batch)

    def pull(self, after: int) -> Page | Revoked:
        page = self.log.pull(after)
        assert isinstance(page, Page)
        changed = [
            replace(one, entry=replace(one.entry, payload=one.entry.payload.replace("ter", "x")))
            for one in page.placed
        ]
        return replace(page, placed=tuple(changed))


def test_tampering_is_told_until_the_log_is_as_it_was(office: Office) -> None:
    ada, ben = office.laptop("ada"), office.laptop("ben")
    ada.ledger.add_constraint(RULE)
    ada.team.sync()
    held = ben.team.credentials()
    with pytest.raises(TeamError, match="does not match its hash"):
        ben.team.exchange(held, Forging(HttpLog.of(held)))
    assert "event 3 of the team log: it does not match its hash" in ben.team.status().fault
    assert ben.team.sync().received == 1
    assert ben.team.status().fault == ""


def test_two_processes_that_receive_at_once_raise_no_alarm(office: Office) -> None:
    ada, ben = office.laptop("ada"), office.laptop("ben")
    ada.ledger.add_constraint(RULE)
    ada.team.sync()
    other = office.open("ben")

    def meanwhile() -> None:
        ada.ledger.add_constraint("never use eval")
        ada.team.sync()
        other.team.sync()

    held = ben.team.credentials()
    assert ben.team.exchange(held, Late(HttpLog.of(held), meanwhile)).received == 0
    told = ben.team.status()
    assert (told.fault, told.known, len(told.rules)) == ("", 4, 2)
    assert ben.team.exchange(held, Late(HttpLog.of(held), lambda: None)).received == 0


def test_another_event_under_a_known_number_is_noticed(office: Office) -> None:
    ada, ben = office.laptop("ada"), office.laptop("ben")
    ada.ledger.add_constraint(RULE)
    ada.team.sync()
    ben.team.sync()
    held = ben.team.credentials()
    page = HttpLog.of(held).pull(2)
    assert isinstance(page, Page)
    forged = replace(page, placed=(replace(page.placed[0], hash="0" * 64),))
    with Replica.opened(ben.team.path) as replica:
        assert replica.receive(held, page, 2) == 0
        with pytest.raises(TeamError, match="another event 3"):
            replica.receive(held, forged, 2)


def test_a_server_that_is_out_of_reach_is_no_fault(office: Office) -> None:
    ada = office.laptop("ada")
    away = replace(ada.team.credentials(), url="http://127.0.0.1:1")
    with pytest.raises(TeamError, match="can't be reached"):
        ada.team.exchange(away, HttpLog.of(away))
    assert ada.team.status().fault == ""


def test_a_server_with_another_key_is_refused(office: Office) -> None:
    invitation = office.registry.invite("acme", "shop", "reader")
    team, secret, _ = invitation.split(".")
    dmm = office.open("ada")
    with pytest.raises(TeamError, match="does not have the key"):
        dmm.team.join(office.url, f"{team}.{secret}.{SigningKey.make().public}")
    assert not dmm.team.joined


class Pretender(Registry):
    """A server that names a key which it does not hold."""

    def join(self, invitation: str, key: str, name: str) -> Joined:
        joined = super().join(invitation, key, name)
        return replace(joined, server_key=invitation.rpartition(".")[2])


def test_a_server_that_can_not_prove_its_key_changes_nothing(
    office: Office, tmp_path: Path
) -> None:
    ada, ben = office.laptop("ada"), office.laptop("ben")
    ada.ledger.add_constraint(RULE)
    ada.team.sync()
    ben.team.sync()
    before = ben.team.credentials()
    office.registry.revoke("acme", "shop", before.writer)
    with pytest.raises(TeamError, match="was removed"):
        ben.team.sync()
    files = sorted(path for path in (tmp_path / "ben").rglob("*") if path.is_file())
    database = SqliteDatabase(tmp_path / "false.db")
    database.migrate()
    false = Pretender(database, SigningKey.make())
    false.add("acme", "shop")
    team, secret, _ = false.invite("acme", "shop", "reader").split(".")
    with served(false) as url, pytest.raises(TeamError, match="not by the key") as told:
        ben.team.join(url, f"{team}.{secret}.{before.server_key}")
    database.close()
    assert told.value.fault == "unsigned"
    assert files == sorted(path for path in (tmp_path / "ben").rglob("*") if path.is_file())
    assert (ben.team.credentials(), level(ben)) == (before, "deny")
    ben.team.join(office.url, office.registry.invite("acme", "shop", "reader"))
    assert (ben.team.status().fault, level(ben)) == ("", "deny")


def test_a_project_joins_once(office: Office) -> None:
    ada = office.laptop("ada")
    with pytest.raises(UsageError, match="joined a team already"):
        ada.team.join(office.url, office.registry.invite("acme", "shop", "reader"))


@pytest.fixture
def no_team(open_project: Opener, project: Project) -> Dmm:
    return open_project(project)


def test_without_a_team_nothing_of_it_is_loaded_or_made(no_team: Dmm) -> None:
    no_team.ledger.add_constraint(RULE)
    assert level(no_team) == "deny"
    assert not no_team.team.joined
    with pytest.raises(TeamError, match="has not joined a team"):
        no_team.team.status()
    assert not no_team.team.path.exists()
