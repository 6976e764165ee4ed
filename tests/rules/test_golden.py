"""One case of each kind that is always judged right; `make quality` scores the full tables."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from bench.judged import calls, decisions

KINDS = (
    *("inflection", "negation", "replacement", "instead_of", "scope", "exception", "numbers"),
    *("identifier", "verification", "claim", "mention", "exclusive", "requirement", "guidance"),
)


def described(case: dict[str, Any]) -> str:
    return f"{case['kind']}: {case['constraint']}"


@pytest.mark.parametrize("case", decisions.read_table("golden"), ids=described)
def test_a_decision_is_judged_right(case: dict[str, Any]) -> None:
    assert decisions.status_of(case).name == case["expected"]


@pytest.mark.parametrize("case", decisions.read_table("tool_golden"), ids=described)
def test_a_call_is_judged_right(case: dict[str, Any]) -> None:
    assert calls.level_of(case) == case["expected"]


def test_the_table_of_decisions_is_large_and_covers_every_kind() -> None:
    kinds = Counter(case["kind"] for case in decisions.read_table("cases"))
    assert kinds.total() >= 200
    assert [kind for kind in KINDS if kinds[kind] < 7] == []


@pytest.mark.parametrize(
    ("name", "least"),
    [("tool_cases", 280), ("tool_held_out", 220), ("tool_second_held_out", 130)],
)
def test_a_table_of_calls_is_large_and_most_of_them_pass(name: str, least: int) -> None:
    levels = Counter(case["expected"] for case in decisions.read_table(name))
    assert levels.total() >= least
    assert levels["allow"] >= levels["deny"]


def test_the_table_of_wordings_has_many_decisions_that_keep_their_rule() -> None:
    kept = Counter(case["expected"] for case in decisions.read_table("wordings"))["ALLOWED"]
    assert kept >= 130


def test_most_rules_of_the_tables_can_be_enforced() -> None:
    assert decisions.count_rules() >= 200
    assert calls.count_rules() >= 90
