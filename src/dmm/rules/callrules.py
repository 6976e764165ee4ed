"""A rule on tool calls held against a call: what it matches, and what was not done first."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from dmm.rules.budget import Stopped
from dmm.rules.patterns import Action, Match, ToolRule, matches

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dmm.rules.commands.calls import CallFacts, CommandUse
    from dmm.rules.needs import Done

    Past = Callable[[], Sequence[Done]]

CALLS_VERSION = 3
SPOKEN_VERSION = f"{CALLS_VERSION}.3"


def meet(rule: ToolRule, facts: CallFacts, done: Past | None = tuple) -> Match | None:
    """Hold a call against a rule.

    Without `done` nobody knows what was done before: a rule that wants something done first asks.
    """
    uncertain: Match | None = None
    for subject, found in matches(rule, facts):
        match = _with_missing(found, rule, facts, subject, done) if rule.needs else found
        if rule.needs and not match.missing:
            continue
        doubtful = bool(match.stopped or match.doubt)
        if (match.history_unknown or doubtful) and match.action is Action.DENY:
            match = match._replace(action=Action.ASK)
        if not doubtful:
            return match
        # A search that was given up counts where nothing is found for certain.
        uncertain = uncertain or match
    return uncertain


def _with_missing(
    match: Match, rule: ToolRule, facts: CallFacts, subject: object, done: Past | None
) -> Match:
    """Add what was not done first, by itself or before it in the same call, and why not."""
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
    told = [one.explain(past, facts.budget) for one in missing] if not stopped else []
    return match._replace(
        stopped=match.stopped or "".join(stopped[:1]),
        missing=missing,
        history_unknown=done is None and bool(missing),
        shortfalls=tuple(one for one in told if one),
    )


def _earlier(facts: CallFacts, subject: object) -> tuple[list[CommandUse], int]:
    """Return the commands of a call that have succeeded when its subject is reached, and where."""
    span = getattr(subject, "span", None)
    for use in facts.commands:
        if use is subject or use.invocation.span == span:
            before = {one.id for one in use.script.succeeded_before(use.invocation)}
            earlier = [one for one in facts.commands if one.invocation.id in before]
            return earlier, use.invocation.span[0]
    return [], 0
