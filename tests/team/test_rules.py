"""The team's rules: a fold of the log that takes only what its writer may say."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.team.test_chain import (
    ADA,
    AT,
    BEN,
    LOG,
    fold_rules,
    place,
    say,
    server_says,
    tell_joined,
)
from tests.team.test_log import read_all

from dmm.domain.event import Trust, canonical
from dmm.eventlog.chain import Head
from dmm.eventlog.open_ledger import Actor
from dmm.ledger.results import Blocked
from dmm.ledger.service import Ledger
from dmm.rules.project_ledger import ProjectLedger
from dmm.rules.rulebook import Rulebook, compile_constraint
from dmm.team import rules
from dmm.team.chain import JOINED, WriterHead, seal
from dmm.team.folding import TeamRule
from dmm.team.port import Taken
from dmm.team.roles import CONTRIBUTOR, OWNER, READER, REVIEWER
from dmm.team.rules import enact
from dmm.team.stored import now
from dmm.team.told import Told

if TYPE_CHECKING:
    from tests.team.conftest import Hall

    from dmm.eventlog.state import Constraint
    from dmm.rules.rulebook import Compiled
    from dmm.team.chain import Entry
    from dmm.team.keys import SigningKey


def test_a_rule_counts_by_the_role_its_writer_had_when_it_was_shared() -> None:
    ada = server_says((), JOINED, tell_joined("ada", WriterHead(ADA.public, REVIEWER)))
    eve = server_says((ada,), JOINED, tell_joined("eve", WriterHead(BEN.public, READER)))
    before = say(BEN, "eve", (), "never use eval")
    later = server_says((ada, eve), JOINED, tell_joined("eve", WriterHead(BEN.public, REVIEWER)))
    rule = say(ADA, "ada", (), "never use exec")
    found = fold_rules(place([ada, eve, before, rule, later]))
    assert [(one.seq, one.text, one.writer) for one in found] == [(4, "never use exec", "ada")]


def lift(key: SigningKey, writer: str, of: str) -> Entry:
    told = Told(f"{writer}-lifts", "ConstraintDeactivated", AT, canonical({"of": of}))
    return seal(key, LOG, writer, Head(), told)


def test_reviewers_and_owners_lift_a_rule_and_nobody_else() -> None:
    ada = server_says((), JOINED, tell_joined("ada", WriterHead(ADA.public, REVIEWER)))
    rule = say(ADA, "ada", (), "never use eval")
    for role, left in ((OWNER, 0), (REVIEWER, 0), (CONTRIBUTOR, 1), (READER, 1)):
        ben = server_says((ada,), JOINED, tell_joined("ben", WriterHead(BEN.public, role)))
        found = fold_rules(place([ada, ben, rule, lift(BEN, "ben", rule.id)]))
        assert len(found) == left, role


@pytest.mark.parametrize("of", ["%", "_" * 8, "eve-%", "\\"])
def test_the_server_lifts_a_rule_whatever_it_is_called(hall: Hall, of: str) -> None:
    eve = hall.join("reviewer")
    eve.say("Never one", id="eve-rule")
    eve.tell("ConstraintAccepted", {"of": of, "text": "Never eat", "priority": "required"}, "evil")
    eve.tell("ConstraintDeactivated", {"of": "eve-rule"})
    assert eve.log.push(eve.batch()) == Taken(4)
    (seq,) = (one.seq for one in read_all(eve) if one.entry.id == "evil")
    assert [hall.registry.lift(hall.team, "shop", seq) for _ in range(2)] == [True, False]
    assert fold_rules(read_all(eve)) == ()


def test_the_server_adds_no_rule() -> None:
    payload = canonical({"text": "never use eval", "priority": "required"})
    assert fold_rules(place([server_says((), "ConstraintAdded", payload)])) == ()


@pytest.mark.parametrize(
    "told",
    [
        {"text": "never use \ud800", "priority": "required"},
        {"text": "never use \x1b[2J", "priority": "required"},
        {"text": "x" * 4_001, "priority": "required"},
        {"text": "never use exec", "priority": "absolute"},
        {"text": ["never use exec"]},
    ],
)
def test_a_rule_whose_words_no_laptop_should_take_is_left_out(told: dict[str, object]) -> None:
    """A server of another make may have taken it."""
    ada = server_says((), JOINED, tell_joined("ada", WriterHead(ADA.public, REVIEWER)))
    bad = seal(ADA, LOG, "ada", Head(), Told("one", "ConstraintAdded", AT, canonical(told)))
    good = say(ADA, "ada", (bad,), "never use eval")
    assert [one.text for one in fold_rules(place([ada, bad, good]))] == ["never use eval"]


def test_a_rule_that_can_not_be_compiled_is_guidance(monkeypatch: pytest.MonkeyPatch) -> None:
    def compile_or_fail(text: str) -> Compiled:
        if "deep" in text:
            raise RecursionError
        return compile_constraint(text)

    monkeypatch.setattr(rules, "compile_constraint", compile_or_fail)
    deep = enact(TeamRule(3, "never go too deep", "required", "ada"))
    plain = enact(TeamRule(4, "never run terraform destroy", "required", "ada"))
    assert (deep.id, deep.text) == ("team:3", "never go too deep")
    assert {one.id for one in Rulebook([deep, plain]).calls.entries} == {"team:4"}


VERIFY = ("verify accessibility before booking", "verify the invoice before paying")


@pytest.fixture
def shared() -> list[Constraint]:
    """Two rules of a team that each ask for a look-up."""
    return [
        enact(TeamRule(seq, text, "required", "ada"))
        for seq, text in zip((3, 4), VERIFY, strict=True)
    ]


@pytest.fixture
def ledger(shared: list[Constraint]) -> Ledger:
    return Ledger(ProjectLedger(None, now, Actor(trust=Trust.USER), shared=lambda: tuple(shared)))


def test_a_decision_uses_up_the_look_up_of_one_rule_and_not_of_the_others(ledger: Ledger) -> None:
    ledger.query_memory("accessibility and invoice of Hotel Sakura")
    assert ledger.record_decision("Booking Hotel Sakura", "near").status == "COMMITTED"
    assert ledger.record_decision("Booking Hotel Sakura", "near").status == "BLOCKED"
    assert ledger.record_decision("Paying Hotel Sakura", "due").status == "COMMITTED"


def test_other_words_under_the_same_name_are_in_force_at_once(
    ledger: Ledger, shared: list[Constraint]
) -> None:
    shared[:] = [enact(TeamRule(3, "never use eval", "required", "ada"))]
    assert ledger.record_decision("Use eval for this", "quick").status == "BLOCKED"
    shared[:] = [enact(TeamRule(3, "never use exec", "required", "ada"))]
    assert ledger.record_decision("Use eval for this", "quick").status == "COMMITTED"
    blocked = ledger.record_decision("Use exec for this", "quick")
    assert isinstance(blocked, Blocked)
    assert (blocked.id, blocked.violated_constraint_seq) == ("team:3", 0)


def test_a_rule_is_compiled_once_as_long_as_it_says_the_same() -> None:
    rule = TeamRule(3, "never run terraform destroy", "required", "ada")
    assert enact(rule) is enact(TeamRule(3, rule.text, rule.priority, rule.writer))
    assert enact(TeamRule(3, "never use eval", "required", "ada")).text == "never use eval"
