"""Rules survive their stored form."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dmm.errors import UsageError
from dmm.rules.language.compile import compile_rule
from dmm.rules.language.rules import RULE_VERSION, rule_from_dict, rule_to_dict

HERE = Path(__file__).parent


def test_every_rule_of_the_case_table_survives_json() -> None:
    lines = (HERE / "cases.jsonl").read_text(encoding="utf-8").splitlines()
    for text in sorted({json.loads(line)["constraint"] for line in lines}):
        rule = compile_rule(text).rule
        if rule is not None:
            stored = json.dumps(rule_to_dict(rule), sort_keys=True)
            again = rule_from_dict(json.loads(stored))
            assert again == rule
            assert json.dumps(rule_to_dict(again), sort_keys=True) == stored


@pytest.mark.parametrize(
    ("stored", "message"),
    [
        ({"version": 99, "rule": {}}, "version 99"),
        ({"version": RULE_VERSION}, "damaged"),
        ({"version": RULE_VERSION, "rule": {"is": "Nonsense"}}, "damaged"),
        ({"version": RULE_VERSION, "rule": {"is": "Rule", "unknown": 1}}, "damaged"),
        ({"version": RULE_VERSION, "rule": {"is": "Term", "text": "a", "forms": []}}, "not a rule"),
    ],
)
def test_a_stored_value_that_is_no_rule_is_refused(stored: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        rule_from_dict(stored)
