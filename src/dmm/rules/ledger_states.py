"""What a constraint of the ledger does, in the four words that every surface uses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dmm.domain.event import Trust
from dmm.eventlog.state import Constraint
from dmm.rules.callbook import LEVELS
from dmm.rules.rule import State
from dmm.rules.rulebook import compile_constraint, on_calls
from dmm.rules.states import state_of
from dmm.rules.summary import ADVICE, ON_DECISIONS, describe_matcher

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dmm.rules.callbook import Level
    from dmm.rules.rule import RuleLevel

STARTER = "starter."


def hardest(constraint: Constraint) -> RuleLevel:
    """Tell how hard a constraint stops a tool call; a rule that names none advises."""
    levels = [one.level_of(one.rule.rule.action) for one in on_calls(constraint)]
    return advised(max(levels, key=LEVELS.index, default="allow"))


def advised(level: Level) -> RuleLevel:
    """Name the level of a rule that lets every call through."""
    return "advise" if level == "allow" else level


def describe_constraint(constraint: Constraint) -> Iterator[str]:
    """Say in plain words what a constraint does; nothing here blocks that does not block."""
    entries = on_calls(constraint)
    for entry in entries:
        level = entry.level_of(entry.rule.rule.action)
        yield from describe_matcher(entry.rule, advised(level))
        yield from (f"Not certain: {one}." for one in entry.rule.doubts)
    if not entries:
        yield ON_DECISIONS if state_of(constraint) is State.DECISIONS else ADVICE


def preview_constraint(text: str, priority: str) -> tuple[State, list[str]]:
    """Tell what a text would do as a constraint that a person has accepted."""
    rule = compile_constraint(text).rule
    supposed = Constraint(0, text, priority, Trust.USER, rule=rule)
    return state_of(supposed), list(describe_constraint(supposed))


def is_starter(constraint: Constraint) -> bool:
    """Whether a constraint is one of the starter rules."""
    return constraint.text.startswith(STARTER)
