"""What the tests of the tables share: their cases, a rule in force, and what it blocks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from dmm.rules.language.compile import compile_rule
from dmm.rules.language.judge import InForce, Priority, Status, judge


def read_cases(name: str, expected: str | None = None) -> list[dict[str, Any]]:
    """The cases of a table beside these tests, all or those of one answer."""
    lines = Path(__file__).with_name(f"{name}.jsonl").read_text("utf-8").splitlines()
    cases = [json.loads(line) for line in lines]
    return [case for case in cases if expected in (None, case["expected"])]


def in_force(text: str, seq: int = 1) -> InForce:
    """A required rule."""
    return InForce(seq, text, Priority.REQUIRED, compile_rule(text).rule)


def blocked(rule: str, decision: str) -> bool:
    """Whether a rule alone blocks a decision."""
    return judge(decision, [in_force(rule)]).status is Status.BLOCKED
