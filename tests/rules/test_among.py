"""A rule among many: through the index of all rules it blocks what it blocks alone."""

from __future__ import annotations

import pytest
from tests.rules.conftest import blocked, in_force, read_cases

from dmm.rules.language.judge import RuleSet, judge


@pytest.mark.slow
@pytest.mark.parametrize("table", ["ordinary", "wordings", "everyday"])
def test_a_rule_among_hundreds_blocks_what_it_blocks_alone(table: str) -> None:
    cases = read_cases(table) if table == "everyday" else read_cases(table, "BLOCKED")
    texts = sorted({case["constraint"] for case in cases})
    rules = RuleSet([in_force(text, seq) for seq, text in enumerate(texts)])
    for case in cases:
        found = judge(case["decision"], rules).findings
        among = any(item.blocks and item.text == case["constraint"] for item in found)
        assert among is blocked(case["constraint"], case["decision"]), case
