"""A rule on tool calls, and what it wants done first."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from dmm.domain.value import Value
from dmm.rules.budget import Stopped
from dmm.rules.needs import Done, Need, done_by_call
from dmm.rules.patterns import Action, Match, ToolRule, matches

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dmm.rules.commands.calls import CallFacts, CommandUse

__all__ = [
    "CALLS_VERSION", "SPOKEN_VERSION", "CallRule", "Done", "Meeting", "Need", "done_by_call",
    "meet",
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
