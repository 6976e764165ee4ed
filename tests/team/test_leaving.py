"""What leaves a laptop of a team, and what a redaction still keeps from leaving."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import pytest
from tests.team.conftest import Deaf, Office, rewrite, spoil

from dmm.domain.event import Trust
from dmm.errors import TeamError
from dmm.eventlog.open_ledger import Actor
from dmm.team.client import HttpLog

if TYPE_CHECKING:
    from collections.abc import Callable

    from dmm.team.port import Batch, Outcome, Page, Revoked

RULE = "never run terraform destroy"


def test_what_is_sent_holds_no_byte_of_the_session(office: Office) -> None:
    ada = office.laptop("ada")
    agent = ada.as_actor(Actor("canary-actor", "mcp", Trust.AGENT, "canary-session"))
    agent.ledger.add_fact("canary-key", "canary-value")
    agent.ledger.record_decision("canary-decision", rationale="canary-rationale")
    agent.ledger.add_constraint("never use the canary-pending word")
    ada.ledger.record_decision("canary-of-a-person", rationale="canary-why")
    ada.ledger.add_constraint(RULE)
    ada.team.sync()
    for file in (office.folder / "server.db", *office.folder.glob("server.db-*")):
        assert b"canary" not in file.read_bytes()
    assert b"canary" not in ada.team.path.read_bytes()


def test_a_rule_that_was_redacted_while_it_waited_is_never_sent(office: Office) -> None:
    ada, ben = office.laptop("ada"), office.laptop("ben")
    ada.ledger.add_constraint("never use eval")
    ada.team.sync()
    leaked = ada.ledger.add_constraint("never print canary-secret").seq
    agent = ada.as_actor(Actor("agent", "mcp", Trust.AGENT))
    pending = agent.ledger.add_constraint("never show canary-secret").seq
    ada.rules.constraints.accept_constraints([pending])
    ada.ledger.add_constraint(RULE)
    assert ada.team.status().unsent == 3
    told = ada.redactions.redact([leaked, pending], "it leaked", "canary-secret")
    assert (told.sent, told.erased, told.unread) == (0, True, ())
    for file in ada.team.path.parent.glob("team.db*"):
        assert b"canary" not in file.read_bytes()
    assert ada.team.status().unsent == 1
    assert ada.team.sync().sent == 1
    ben.team.sync()
    assert [one.text for one in ben.team.status().rules] == ["never use eval", RULE]
    ada.ledger.add_constraint("never use exec")
    assert (ada.team.sync().sent, ben.team.sync().received) == (1, 1)


def test_a_redaction_says_what_has_left_the_laptop(office: Office) -> None:
    ada = office.laptop("ada")
    first = ada.ledger.add_constraint("never print canary-secret").seq
    ada.team.sync()
    second = ada.ledger.add_constraint("never show canary-secret").seq
    held = ada.team.credentials()
    with pytest.raises(TeamError, match="the line broke"):
        ada.team.push(held, Deaf(HttpLog.of(held)))
    ada.team.exchange(held, HttpLog.of(held))
    assert ada.redactions.redact([first, second], "it leaked").sent == 2
    ada.ledger.add_constraint(RULE)
    assert ada.team.sync().sent == 2
    assert ada.team.status().fault == ""


def test_a_rule_is_redacted_after_the_answer_on_it_was_lost_and_the_laptop_goes_on(
    office: Office,
) -> None:
    ada, ben = office.laptop("ada"), office.laptop("ben")
    first = ada.ledger.add_constraint("never print canary-secret").seq
    held = ada.team.credentials()
    with pytest.raises(TeamError, match="the line broke"):
        ada.team.push(held, Deaf(HttpLog.of(held)))
    later = ada.ledger.add_constraint("never show canary-later").seq
    assert ada.redactions.redact([first, later], "it leaked").sent == 1
    ada.ledger.add_constraint(RULE)
    assert ada.team.sync().sent == 2
    assert ada.team.status().fault == ""
    ben.team.sync()
    assert [one.text for one in ben.team.status().rules] == ["never print canary-secret", RULE]


def test_a_rule_that_waits_while_the_server_is_away_can_still_be_withdrawn(office: Office) -> None:
    ada = office.laptop("ada")
    leaked = ada.ledger.add_constraint("never print canary-secret").seq
    held = ada.team.credentials()
    with pytest.raises(TeamError, match="can't be reached"):
        ada.team.push(held, HttpLog.of(replace(held, url="http://127.0.0.1:1")))
    assert ada.redactions.redact([leaked], "it leaked").sent == 0
    assert ada.team.status().unsent == 0


@dataclass(frozen=True, slots=True)
class Interrupted:
    """The log of a laptop on which something is done while entries are on their way."""

    log: HttpLog
    act: Callable[[], object]

    def push(self, batch: Batch) -> Outcome:
        if batch.entries:
            self.act()
        return self.log.push(batch)

    def pull(self, after: int) -> Page | Revoked:
        return self.log.pull(after)


def test_a_redaction_while_a_rule_is_on_its_way_comes_too_late(office: Office) -> None:
    ada = office.laptop("ada")
    leaked = ada.ledger.add_constraint("never print canary-secret").seq
    held, told = ada.team.credentials(), []
    way = Interrupted(
        HttpLog.of(held), lambda: told.append(ada.redactions.redact([leaked], "it leaked"))
    )
    assert ada.team.push(held, way) == 1
    assert [one.sent for one in told] == [1]
    ada.ledger.add_constraint(RULE)
    assert ada.team.sync().sent == 1
    assert ada.team.status().fault == ""


def test_a_copy_of_the_first_version_is_brought_up_to_date(office: Office) -> None:
    ada = office.laptop("ada")
    drop = "; ".join(f"ALTER TABLE membership DROP COLUMN {one}" for one in ("offered", "unproven"))
    rewrite(ada.team.path, f"{drop}; PRAGMA user_version = 1")
    ada.ledger.add_constraint(RULE)
    assert ada.team.sync().sent == 1


def test_a_redaction_names_a_copy_that_can_not_be_searched(office: Office) -> None:
    ada = office.laptop("ada")
    seq = ada.ledger.add_constraint("never print canary-secret").seq
    spoil(ada, "no database")
    assert ada.redactions.redact([seq], "it leaked").unread == (str(ada.team.path),)
    ada.team.join(office.url, office.registry.invite("acme", "shop", "reader"))
    aside = ada.team.path.with_name("team.db.damaged-1")
    assert ada.redactions.redact([], "it leaked", "no database").removed[:1] == (str(aside),)
