"""Decisions with lists of verbs, things and places under a denial, each with its rule."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dmm.rules.language.compile import compile_rule
from dmm.rules.language.judge import InForce, Priority, Status, judge

ROWS = [
    json.loads(line)
    for line in (Path(__file__).parent / "coordination.jsonl").read_text("utf-8").splitlines()
]
# "Before holidays" is read as something that the act may not go without.
NOT_SURE = {"Merge on Fridays"}


def status_of(rule: str, decision: str) -> Status:
    in_force = InForce(1, rule, Priority.REQUIRED, compile_rule(rule).rule)
    return judge(decision, [in_force]).status


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["keeps"])
def test_a_decision_that_agrees_with_the_rule_is_never_blocked(row: dict[str, str]) -> None:
    assert status_of(row["constraint"], row["keeps"]) is not Status.BLOCKED


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["breaks"])
def test_a_decision_for_one_of_several_forbidden_things_is_blocked(row: dict[str, str]) -> None:
    wanted = Status.WARNING if row["breaks"] in NOT_SURE else Status.BLOCKED
    assert status_of(row["constraint"], row["breaks"]) is wanted


def test_an_object_behind_the_last_verb_of_a_list_is_for_all_of_them() -> None:
    assert status_of("Never rename backups", "Move, rename or delete backups") is Status.BLOCKED


def test_an_order_behind_a_denial_stands_on_its_own() -> None:
    assert status_of("Never delete backups", "Do not panic, delete backups") is Status.BLOCKED
