"""A rule on tool calls, and what it wants done first."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from dmm.domain.value import Value
from dmm.errors import UsageError
from dmm.rules.budget import Stopped
from dmm.rules.needs import Done, Need, done_by_call, need_from_dict, need_to_dict
from dmm.rules.patterns import (
    Action,
    Match,
    ToolRule,
    matches,
    rule_from_dict,
    rule_to_dict,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dmm.rules.commands.calls import CallFacts, CommandUse

__all__ = [
    "CALLS_VERSION", "SPOKEN_VERSION", "CallRule", "Done", "Meeting", "Need", "call_from_dict",
    "call_to_dict", "calls_from_dict", "calls_to_dict", "done_by_call", "meet",
]  # fmt: skip
CALLS_VERSION = 3
SPOKEN_VERSION = f"{CALLS_VERSION}.3"


class CallRule(Value):
    """A tool rule with what it needs."""

    rule: ToolRule
    needs: tuple[Need, ...] = ()


class Meeting(NamedTuple):
    """A call that meets a rule, and how hard.

    `shortfalls` say why something that was done first does not count.
    """

    match: Match
    action: Action
    missing: tuple[Need, ...] = ()
    history_unknown: bool = False
    shortfalls: tuple[str, ...] = ()


class Lack(NamedTuple):
    """What was not done first, why what was done does not count, and why that is not known."""

    missing: tuple[Need, ...] = ()
    shortfalls: tuple[str, ...] = ()
    stopped: str = ""


def meet(
    rule: CallRule, facts: CallFacts, done: Callable[[], Sequence[Done]] | None = tuple
) -> Meeting | None:
    """Hold a call against a rule.

    Without `done` nobody knows what was done before: a rule that wants something done first asks.
    """
    uncertain_met: Meeting | None = None
    for subject, match in matches(rule.rule, facts):
        lack = _lack(rule, facts, subject, done) if rule.needs else Lack()
        if rule.needs and not lack.missing:
            continue
        blind = done is None and bool(lack.missing)
        given_up = match.stopped or lack.stopped
        doubtful = bool(given_up or match.doubt)
        action = match.action
        if (blind or doubtful) and action is Action.DENY:
            action = Action.ASK
        match = match._replace(stopped=given_up)
        met = Meeting(match, action, lack.missing, blind, lack.shortfalls)
        if not doubtful:
            return met
        # A search that was given up counts where nothing is found for certain.
        uncertain_met = uncertain_met or met
    return uncertain_met


def _lack(
    rule: CallRule, facts: CallFacts, subject: object, done: Callable[[], Sequence[Done]] | None
) -> Lack:
    """Find what was not done first, by itself or before it in the same call, and why not."""
    earlier, at = _earlier(facts, subject)
    stopped: list[str] = []

    def lacks(is_met: Callable[[], bool]) -> bool:
        try:
            return not is_met()
        except Stopped as fault:
            stopped.append(fault.what)
            return True

    needs = [one for one in rule.needs if lacks(partial(one.met_within, facts, earlier, at))]
    past: Sequence[Done] = ()
    try:
        past = done() if needs and done is not None else ()
    except Stopped as fault:
        stopped.append(fault.what)
    missing = tuple(one for one in needs if lacks(partial(one.met_before, past, facts, at)))
    if not missing or stopped:
        return Lack(missing, stopped="".join(stopped[:1]))
    told = (one.explain(past, facts.budget) for one in missing)
    return Lack(missing, tuple(one for one in told if one))


def _earlier(facts: CallFacts, subject: object) -> tuple[list[CommandUse], int]:
    """Return the commands of a call that have succeeded when its subject is reached, and where."""
    span = getattr(subject, "span", None)
    for use in facts.commands:
        if use is subject or use.invocation.span == span:
            before = {one.id for one in use.script.succeeded_before(use.invocation)}
            earlier = [one for one in facts.commands if one.invocation.id in before]
            return earlier, use.invocation.span[0]
    return [], 0


def calls_to_dict(rules: Sequence[CallRule]) -> object:
    """Write rules as plain values for JSON."""
    return {"version": CALLS_VERSION, "rules": [call_to_dict(one) for one in rules]}


def call_to_dict(rule: CallRule) -> object:
    """Write one rule as plain values for JSON."""
    return {
        "rule": rule_to_dict(rule.rule),
        "needs": [need_to_dict(one) for one in rule.needs],
        # What earlier versions read.
        "scopes": [],
        "doubts": [],
        "instead": "",
    }


def calls_from_dict(stored: Any) -> tuple[CallRule, ...]:
    """Read rules back; a form from another version is refused."""
    hint = "compile the constraint text again"
    if not isinstance(stored, dict) or stored.get("version") != CALLS_VERSION:
        raise UsageError(f"stored rules on calls are not of version {CALLS_VERSION}", hint=hint)
    try:
        return tuple(call_from_dict(one) for one in stored["rules"])
    except (KeyError, TypeError, ValueError, AttributeError) as fault:
        raise UsageError(f"these values are no rules on calls: {fault}", hint=hint) from fault


def call_from_dict(stored: Any) -> CallRule:
    """Read one rule back from plain values."""
    if stored["scopes"] or stored["doubts"]:
        raise ValueError("it has a scope or a doubt, as earlier versions wrote it")
    needs = tuple(need_from_dict(one) for one in stored["needs"])
    return CallRule(rule_from_dict(stored["rule"]), needs)
