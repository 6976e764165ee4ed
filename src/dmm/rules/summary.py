"""A rule in plain words: what it stops, its exceptions, and what it wants done first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dmm.rules.explain import describe_pattern

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dmm.rules.callrules import CallRule
    from dmm.rules.rule import RuleLevel

LEADS: dict[str, str] = {"deny": "Blocks", "ask": "Asks before", "warn": "Warns about"}
ON_DECISIONS = "Not enforced on tool calls; only recorded decisions are checked."
ADVICE = "Not enforced; agents are shown the sentence."


def describe_matcher(call: CallRule, level: RuleLevel) -> Iterator[str]:
    """Say what a rule does to tool calls at a level, one statement a line."""
    rule = call.rule
    lead = LEADS.get(level, "Would block")
    tools = f" by the tool {' or '.join(rule.tools)}" if rule.tools else ""
    where = "".join(f", {scope.describe()}" for scope in call.scopes)
    needs = " and ".join(one.text for one in call.needs)
    until = f", unless this was done first: {needs}" if needs else ""
    for pattern in rule.patterns:
        yield f"{lead} {describe_pattern(pattern)}{tools}{where}{until}."
    for pattern in rule.exceptions:
        yield f"Not for {describe_pattern(pattern)}."
