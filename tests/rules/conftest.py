"""What the tests of the tables share: their cases, a rule in force, and what it blocks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dmm.rules.callrules import Action, match_tool
from dmm.rules.language.compile import compile_rule
from dmm.rules.language.judge import InForce, Priority, Status, judge

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dmm.rules.callrules import Match, ToolRule
    from dmm.rules.commands.calls import ToolCall


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


def check_call(rules: Iterable[ToolRule], call: ToolCall) -> tuple[Match, ...]:
    """Match all rules against one call; the hardest action first, else the order of the rules."""
    found = [match for rule in rules if (match := match_tool(rule, call))]
    return tuple(sorted(found, key=lambda match: list(Action).index(match.action)))
