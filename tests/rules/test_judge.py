"""Verdicts: priorities, verifications, spans, traces, and the index of rules."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from dmm.errors import UsageError
from dmm.rules.callbook import ENGINE_VERSION
from dmm.rules.language.compile import compile_rule
from dmm.rules.language.judge import (
    MAX_DECISION,
    InForce,
    Priority,
    Recorded,
    RuleSet,
    Status,
    guards,
    judge,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dmm.rules.language.rules import Rule


def in_force(text: str, seq: int = 1, priority: Priority = Priority.REQUIRED) -> InForce:
    return InForce(seq, text, priority, compile_rule(text).rule)


def compiled(text: str) -> Rule:
    rule = compile_rule(text).rule
    assert rule is not None
    return rule


def test_a_blocked_decision_names_the_constraint_the_place_and_the_way_out() -> None:
    decision = "We will call eval(user_input) in the calculator"
    verdict = judge(decision, [in_force("Never use eval()", 7)])
    assert verdict.status is Status.BLOCKED
    assert verdict.describe()["engine"] == ENGINE_VERSION
    (violation,) = verdict.findings
    assert violation.seq == 7
    assert violation.blocks
    assert [decision[a:b] for a, b in violation.spans] == ["call eval(user_input)"]
    assert verdict.reason == (
        'constraint 7 "Never use eval()": "use eval" is forbidden ("call eval(user_input)")'
    )
    assert verdict.suggestion == (
        'Decide without the act "use eval", or ask for the constraint to be changed.'
    )
    assert verdict.describe()["trace"] == [
        'constraint 7: read "call eval" as the act "use eval"',
        "constraint 7: the act is done",
    ]


def test_required_and_learned_block_and_preferred_only_warns() -> None:
    decision = "Use eval for the formulas"
    outcomes = {
        priority: judge(decision, [in_force("Never use eval", 1, priority)]).status
        for priority in Priority
    }
    assert outcomes == {
        Priority.REQUIRED: Status.BLOCKED,
        Priority.LEARNED: Status.BLOCKED,
        Priority.PREFERRED: Status.WARNING,
    }


def test_a_block_stands_before_a_warning_and_both_are_told() -> None:
    rules = [in_force("Never use eval", 1, Priority.PREFERRED), in_force("Avoid eval", 2)]
    verdict = judge("Use eval for the formulas", rules)
    assert verdict.status is Status.BLOCKED
    assert [(item.seq, item.blocks) for item in verdict.findings] == [(2, True), (1, False)]


def test_guidance_without_a_rule_never_stops_anything() -> None:
    verdict = judge("Write a rude message", [InForce(1, "Be kind", Priority.REQUIRED, None)])
    assert verdict.status is Status.ALLOWED
    assert verdict.reason == "no constraint in force is broken"


@pytest.mark.parametrize(
    "decision",
    [
        "We could use eval for the formulas",
        "Consider using eval for the formulas",
        "When using eval, add a comment",
        "eval in the calculator",
    ],
)
def test_what_is_merely_similar_warns(decision: str) -> None:
    assert judge(decision, [in_force("Never use eval")]).status is Status.WARNING


def test_every_part_of_a_topic_has_to_be_recorded() -> None:
    rules = [in_force("Verify accessibility and budget before booking", 4)]
    accessibility = Recorded(10, "is the hotel accessible?")
    budget = Recorded(11, "what is the budget")
    decision = "Book Hotel Granvia"
    nothing = judge(decision, rules)
    assert nothing.status is Status.BLOCKED
    assert "no recorded verification of accessibility, budget" in nothing.reason
    half = judge(decision, rules, [accessibility])
    assert half.suggestion == "Query the memory about budget first, then decide again."
    assert half.status is Status.BLOCKED
    assert judge(decision, rules, [accessibility, budget]).status is Status.ALLOWED


def test_the_caller_may_choose_the_records_for_each_constraint() -> None:
    rules = [
        in_force("Verify the budget before booking", 1),
        in_force("Verify the dates before booking", 2),
    ]

    def verified(constraint: InForce) -> Sequence[Recorded]:
        return [Recorded(9, "budget and dates")] if constraint.seq == 1 else []

    verdict = judge("Book the chalet", rules, verified)
    assert [item.seq for item in verdict.findings] == [2]


def test_a_two_word_topic_needs_both_words_in_one_record() -> None:
    rules = [in_force("Check the rollback plan before deploying")]
    apart = [Recorded(1, "rollback"), Recorded(2, "plan for lunch")]
    assert judge("Deploy the API", rules, apart).status is Status.BLOCKED
    assert judge("Deploy the API", rules, [Recorded(1, "rollback plan")]).status is Status.ALLOWED


@pytest.mark.parametrize(
    "decision",
    [
        "Arrive before noon",
        "Read a book before bed",
        "The meeting is before lunch",
        "Check the weather before packing",
        "Ask the user before booking anything",
        "Do not book Hotel Sakura before Monday",
    ],
)
def test_before_in_unrelated_text_asks_for_no_verification(decision: str) -> None:
    verdict = judge(decision, [in_force("Verify accessibility before booking")])
    assert verdict.status is not Status.BLOCKED


def test_a_rule_on_a_kind_of_thing_holds_for_one_called_by_its_name() -> None:
    rules = [in_force("Never book hotels")]
    assert judge("Book the Hotel Ribeira", rules).status is Status.BLOCKED
    react = [in_force("Never use React")]
    assert judge("Use React Native for the app", react).status is not Status.BLOCKED


def test_approval_counts_only_when_recorded() -> None:
    rules = [in_force("No new dependencies without approval")]
    assert judge("Add httpx as a dependency", rules).status is Status.BLOCKED
    claimed = judge("Add httpx as a dependency, approved by Alice", rules)
    assert claimed.status is Status.WARNING
    recorded = [Recorded(3, "approval of httpx by Alice")]
    assert judge("Add httpx as a dependency", rules, recorded).status is Status.ALLOWED


def test_a_rule_says_which_decisions_it_guards() -> None:
    rule = compiled("Verify accessibility before booking")
    assert guards(rule, "Book Hotel Sakura")
    assert not guards(rule, "Cancel the booking")
    assert not guards(compiled("Never use eval"), "Use eval")


def test_a_rule_set_gives_the_same_verdict_as_its_constraints() -> None:
    constraints = [in_force("Never use eval", 1), in_force("No force push to main", 2)]
    decision = "Force push to main"
    assert judge(decision, RuleSet(constraints)) == judge(decision, constraints)


def test_adding_a_rule_with_an_unknown_verb_changes_no_other_verdict() -> None:
    water = in_force("Do not water the lawn on Mondays", 2)
    assert judge("Water the lawn on Monday", [water]).status is Status.BLOCKED
    alone = judge("Use water for cooling", [in_force("Never use water", 1)])
    assert judge("Use water for cooling", [in_force("Never use water", 1), water]) == alone


def test_a_decision_too_long_to_judge_is_refused_not_cut() -> None:
    with pytest.raises(UsageError, match="at most 20000 are judged"):
        judge("a" * (MAX_DECISION + 1), [])


PROGRAM = """
import json, pathlib, sys
from dmm.rules.language.compile import compile_rule
from dmm.rules.language.judge import InForce, Priority, judge
from dmm.rules.language.rules import rule_to_dict
for line in pathlib.Path(sys.argv[1]).read_text(encoding="utf-8").splitlines():
    case = json.loads(line)
    made = compile_rule(case["constraint"])
    stored = rule_to_dict(made.rule) if made.rule else None
    verdict = judge(
        case["decision"], [InForce(1, case["constraint"], Priority.REQUIRED, made.rule)]
    )
    sys.stdout.write(f"{stored} {made.blocks} {made.allows} {verdict.reason} "
                     f"{verdict.describe()}\\n")
"""


def test_rules_and_verdicts_are_the_same_for_every_hash_seed() -> None:
    table = Path(__file__).with_name("held_out.jsonl")
    outputs = {
        subprocess.run(
            [sys.executable, "-c", PROGRAM, str(table)],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONIOENCODING": "utf-8"},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(outputs) == 1
    assert b"is forbidden" in outputs.pop()
