"""What each rule in force does, in the four words that every surface uses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dmm.rules.rule import State
from dmm.rules.rulebook import filed_rule, in_words, on_calls
from dmm.rules.source import state_of_rule

if TYPE_CHECKING:
    from dmm.eventlog.state import Constraint

MOST_BINDING = tuple(State)
_BINDING = ("required", "learned")


def state_of(constraint: Constraint) -> State:
    """Tell what a constraint does: stop calls, ask, judge decisions, or advise."""
    filed = filed_rule(constraint)
    if filed is not None and not constraint.pending:
        return state_of_rule(filed)
    levels = {one.level_of(one.rule.rule.action) for one in on_calls(constraint)}
    if "deny" in levels:
        return State.ENFORCED
    if "ask" in levels:
        return State.ASKS
    judges = constraint.priority in _BINDING and not constraint.pending
    if judges and in_words(constraint).rule is not None:
        return State.DECISIONS
    return State.ADVICE


def order_by_state(one: tuple[Constraint, State]) -> tuple[int, bool, int]:
    """Sort the most binding first, and among those the newest; what is not recorded is newest."""
    constraint, state = one
    return MOST_BINDING.index(state), constraint.seq > 0, -constraint.seq
