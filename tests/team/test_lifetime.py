"""A confirmation that was not used ends: soon after it was asked for, and with later ones."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from tests.team.test_approvals import ADDED, NOW, OTHER, RULE, Reviewer, confirm, hold_passkey
from tests.team.test_journal import settle
from tests.team.test_log import read_all
from tests.team.test_persons import make_key

from dmm.passkeys.acts import PersonAct
from dmm.team.confirming import forget_used
from dmm.team.port import Refused, Taken
from dmm.team.proofs import GOOD_FOR, PAST

if TYPE_CHECKING:
    from tests.team.conftest import Hall, Office

    from dmm.team.port import Outcome

ENDED = "its confirmation had expired"
SECOND = dt.timedelta(seconds=1)


class Decider(Reviewer):
    """A laptop whose user decides at a time, with a confirmation that was asked for at another."""

    def decide(self, text: str, asked: dt.datetime, at: dt.datetime | str) -> Outcome:
        said = {"text": text, "priority": "required"}
        writer = self.laptop.joined.writer
        (told,) = self.prove(said, at=asked)
        self.laptop.tell(ADDED, told, f"{writer}-{text.split()[1]}", str(at).replace(" ", "T"))
        outcome = self.laptop.log.push(self.laptop.batch(len(self.laptop.said)))
        if isinstance(outcome, Refused):
            self.laptop.said.pop()
        return outcome


def is_ended(outcome: Outcome) -> bool:
    assert isinstance(outcome, Taken) or ENDED in getattr(outcome, "why", "")
    return isinstance(outcome, Refused)


def test_the_server_takes_no_decision_long_after_it_was_confirmed(hall: Hall) -> None:
    ada = Decider(hall, hall.join("reviewer"))
    ada.enrol()
    assert not is_ended(ada.decide("Never guess", NOW, NOW))
    assert not is_ended(ada.decide("Never push", NOW - GOOD_FOR, NOW))
    assert is_ended(ada.decide("Never rebase", NOW - GOOD_FOR - SECOND, NOW))
    assert is_ended(ada.decide("Never rebase", NOW + GOOD_FOR + SECOND, NOW))
    for malformed in ("yesterday", "2026-01-31T12:00:00"):
        outcome = ada.decide("Never rebase", NOW, malformed)
        assert isinstance(outcome, Refused)
        assert "its time can't be read" in outcome.why


def test_a_decision_that_is_dated_back_does_not_revive_its_confirmation(hall: Hall) -> None:
    ada = Decider(hall, hall.join("reviewer"))
    ada.enrol()
    assert not is_ended(ada.decide("Never guess", NOW, NOW))
    # A clock may be set back, though not so far.
    before = NOW - PAST
    assert not is_ended(ada.decide("Never push", before, before))
    assert is_ended(ada.decide("Never rebase", before - SECOND, before - SECOND))
    # Another laptop has confirmations of its own.
    ben = Decider(hall, hall.join("reviewer"))
    ben.enrol()
    assert not is_ended(ben.decide("Never rebase", before - SECOND, before - SECOND))


def test_two_that_are_sent_at_once_end_each_other_as_two_in_turn_do(hall: Hall) -> None:
    ada = Decider(hall, hall.join("reviewer"))
    ada.enrol()
    early = NOW - PAST - SECOND
    for told, at in zip((RULE, OTHER), (NOW, early), strict=True):
        (proved,) = ada.prove(told, at=at)
        ada.laptop.tell(ADDED, proved, f"event-{at.day}", at.isoformat())
    outcome = ada.laptop.log.push(ada.laptop.batch())
    assert isinstance(outcome, Refused)
    assert f"event 2: {ENDED}" in outcome.why
    assert isinstance(ada.laptop.log.push(ada.laptop.batch(1, 1)), Taken)


def test_the_same_rule_later_needs_another_confirmation(office: Office) -> None:
    ada, ben, key = settle(office, "ada", []), office.laptop("ben"), make_key()
    hold_passkey(ada, key)
    ada.team.sync()
    ada.team.sync()
    said = PersonAct.CONSTRAINT, "required", [RULE["text"]]
    # Confirmed, and then the command failed; a while later somebody adds the rule.
    confirm(ada, key, *said, at=ada.team.clock() - GOOD_FOR - dt.timedelta(minutes=1))
    first = ada.ledger.add_constraint(RULE["text"]).seq
    assert (ada.team.sync().sent, ada.team.status().unproven) == (0, 1)
    ada.rules.disable(str(first))
    confirm(ada, key, *said)
    ada.ledger.add_constraint(RULE["text"])
    # That the first was lifted stays here, too: nobody confirmed it.
    assert (ada.team.sync().sent, ada.team.status().unproven) == (1, 2)
    ben.team.sync()
    assert [one.text for one in ben.team.status().rules] == [RULE["text"]]


def test_what_waits_with_an_ended_confirmation_keeps_nothing_back(office: Office) -> None:
    """As with an earlier version, which attached it."""
    ada, key = settle(office, "ada", ["facts"]), make_key()
    hold_passkey(ada, key)
    ada.team.sync()
    ada.team.sync()
    said = PersonAct.CONSTRAINT, "required", [RULE["text"]]
    confirm(ada, key, *said, at=ada.team.clock() - PAST)
    ada.ledger.add_constraint(RULE["text"])
    ada.ledger.add_fact("a", "b")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("dmm.team.proofs.GOOD_FOR", 2 * PAST)
        assert ada.team.status().unsent == 2
    assert (ada.team.sync().sent, ada.team.status().unproven) == (1, 1)


def test_an_ended_confirmation_in_the_log_keeps_no_laptop_from_reading_it(hall: Hall) -> None:
    """An earlier server of the same protocol may have taken it."""
    ada, ben = Decider(hall, hall.join("reviewer")), hall.join("reader")
    ada.enrol()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("dmm.team.proofs.GOOD_FOR", 2 * PAST)
        assert not is_ended(ada.decide("Never guess", NOW - PAST, NOW))
    assert read_all(ben)[-1].entry.type == ADDED


def test_an_empty_batch_and_one_without_decisions_ask_for_no_time(hall: Hall) -> None:
    ada = Decider(hall, hall.join("contributor"))
    ada.laptop.tell("FactAdded", {"key": "a", "value": "b"}, "fact", "yesterday")
    assert isinstance(ada.laptop.log.push(ada.laptop.batch()), Taken)
    assert isinstance(ada.laptop.log.push(replace(ada.laptop.batch(), entries=())), Taken)


def test_the_server_keeps_one_time_for_each_laptop(hall: Hall) -> None:
    ada = Decider(hall, hall.join("reviewer"))
    ada.enrol()
    for days, text in ((1, "Never guess"), (0, "Never push"), (2, "Never rebase")):
        at = NOW + dt.timedelta(days=days)
        assert not is_ended(ada.decide(text, at, at))
    with hall.registry.database.transaction(hall.team) as rows:
        found = rows("SELECT mark FROM confirmation WHERE team_id = ?", hall.team)
    assert sum(mark.startswith("asked ") for (mark,) in found) == 1
    # It is found again in the log.
    with hall.registry.database.transaction(hall.team) as rows:
        forget_used(ada.log, rows)
    assert is_ended(ada.decide("Never skip tests", NOW - SECOND, NOW - SECOND))


def test_a_laptop_whose_team_knows_its_passkeys_reads_their_record_for_decisions_alone(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada, key = settle(office, "ada", ["facts"]), make_key()
    hold_passkey(ada, key)
    ada.team.sync()
    ada.team.sync()
    monkeypatch.setattr("dmm.passkeys.keyring.Keyring._lines", lambda _: pytest.fail("it was read"))
    ada.ledger.add_fact("region", "eu-west-1")
    assert ada.team.sync().sent == 1
