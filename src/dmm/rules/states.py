"""Return the state of each active rule in the four words of every surface."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dmm.domain.event import Trust
from dmm.eventlog.state import Constraint
from dmm.rules.callbook import LEVELS
from dmm.rules.explain import ADVICE, ON_DECISIONS, describe_matcher
from dmm.rules.rule import State
from dmm.rules.rulebook import compile_constraint, filed_rule, in_words, on_calls
from dmm.rules.source import state_of_rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dmm.rules.callbook import Level
    from dmm.rules.rule import RuleLevel

MOST_BINDING = tuple(State)
STARTER = "starter."
_BINDING = ("required", "learned")


def state_of(constraint: Constraint) -> State:
    """Return what a constraint does: stop calls, ask, judge decisions, or advise."""
    filed = filed_rule(constraint)
    if filed is not None and not constraint.pending:
        return state_of_rule(filed)
    levels = {one.level_of(one.rule.action) for one in on_calls(constraint)}
    if "deny" in levels:
        return State.ENFORCED
    if "ask" in levels:
        return State.ASKS
    judges = constraint.priority in _BINDING and not constraint.pending
    if judges and in_words(constraint).rule is not None:
        return State.DECISIONS
    return State.ADVICE


def order_by_state(one: tuple[Constraint, State]) -> tuple[int, bool, int]:
    """Return a sort key: the most binding first, then the newest."""
    constraint, state = one
    return MOST_BINDING.index(state), constraint.seq > 0, -constraint.seq


def hardest(constraint: Constraint) -> RuleLevel:
    """Return the level of a constraint on tool calls; without a matcher it only advises."""
    levels = [one.level_of(one.rule.action) for one in on_calls(constraint)]
    return advised(max(levels, key=LEVELS.index, default="allow"))


def advised(level: Level) -> RuleLevel:
    """Return the level of a rule that lets every call through."""
    return "advise" if level == "allow" else level


def describe_constraint(constraint: Constraint) -> Iterator[str]:
    """Return what a constraint does, in plain words."""
    entries = on_calls(constraint)
    for entry in entries:
        level = entry.level_of(entry.rule.action)
        yield from describe_matcher(entry.rule, advised(level))
    if not entries:
        yield ON_DECISIONS if state_of(constraint) is State.DECISIONS else ADVICE


def preview_constraint(text: str, priority: str) -> tuple[State, list[str]]:
    """Return what a text would do as a constraint that a person has accepted."""
    rule = compile_constraint(text).rule
    supposed = Constraint(0, text, priority, Trust.USER, rule=rule)
    return state_of(supposed), list(describe_constraint(supposed))


def is_starter(constraint: Constraint) -> bool:
    """Whether a constraint is one of the starter rules."""
    return constraint.text.startswith(STARTER)
