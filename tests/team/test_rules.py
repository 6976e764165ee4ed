"""The team's rules: a fold of the log that takes only what a maintainer may say."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.team.test_chain import ADA, AT, BEN, place, say, server_says

from dmm.domain.event import canonical
from dmm.eventlog.chain import Head
from dmm.rules.rulebook import Rulebook
from dmm.team import rules
from dmm.team.chain import JOINED, MAINTAINER, READER, WriterHead, seal, tell_joined
from dmm.team.rules import TeamRule, enact, fold_rules
from dmm.team.sharing import Told

if TYPE_CHECKING:
    from dmm.rules.rulebook import Compiled
    from dmm.team.chain import Entry
    from dmm.team.keys import SigningKey


def test_a_rule_counts_by_the_role_its_writer_had_when_it_was_shared() -> None:
    ada = server_says((), JOINED, tell_joined("ada", WriterHead(ADA.public, MAINTAINER)))
    eve = server_says((ada,), JOINED, tell_joined("eve", WriterHead(BEN.public, READER)))
    before = say(BEN, "eve", (), "never use eval")
    later = server_says((ada, eve), JOINED, tell_joined("eve", WriterHead(BEN.public, MAINTAINER)))
    rule = say(ADA, "ada", (), "never use exec")
    found = fold_rules(place([ada, eve, before, rule, later]))
    assert [(one.seq, one.text, one.writer) for one in found] == [(4, "never use exec", "ada")]


def lift(key: SigningKey, writer: str, of: str) -> Entry:
    told = Told(f"{writer}-lifts", "ConstraintDeactivated", AT, canonical({"of": of}))
    return seal(key, writer, Head(), told)


def test_any_maintainer_lifts_a_rule_and_no_reader() -> None:
    ada = server_says((), JOINED, tell_joined("ada", WriterHead(ADA.public, MAINTAINER)))
    rule = say(ADA, "ada", (), "never use eval")
    for role, left in ((MAINTAINER, 0), (READER, 1)):
        ben = server_says((ada,), JOINED, tell_joined("ben", WriterHead(BEN.public, role)))
        found = fold_rules(place([ada, ben, rule, lift(BEN, "ben", rule.id)]))
        assert len(found) == left, role


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
    ada = server_says((), JOINED, tell_joined("ada", WriterHead(ADA.public, MAINTAINER)))
    bad = seal(ADA, "ada", Head(), Told("one", "ConstraintAdded", AT, canonical(told)))
    good = say(ADA, "ada", (bad,), "never use eval")
    assert [one.text for one in fold_rules(place([ada, bad, good]))] == ["never use eval"]


def test_a_rule_that_can_not_be_compiled_is_guidance(monkeypatch: pytest.MonkeyPatch) -> None:
    def compile_or_fail(text: str) -> Compiled:
        if "deep" in text:
            raise RecursionError
        return compile_constraint(text)

    compile_constraint = rules.compile_constraint
    monkeypatch.setattr(rules, "compile_constraint", compile_or_fail)
    deep = enact(TeamRule(3, "never go too deep", "required", "ada"))
    plain = enact(TeamRule(4, "never run terraform destroy", "required", "ada"))
    assert (deep.id, deep.text) == ("team:3", "never go too deep")
    assert {one.id for one in Rulebook([deep, plain]).calls.entries} == {"team:4"}


def test_a_rule_is_compiled_once_as_long_as_it_says_the_same() -> None:
    rule = TeamRule(3, "never run terraform destroy", "required", "ada")
    assert enact(rule) is enact(TeamRule(3, rule.text, rule.priority, rule.writer))
    assert enact(TeamRule(3, "never use eval", "required", "ada")).text == "never use eval"
