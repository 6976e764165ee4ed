"""Rules on tool calls shown back in plain words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dmm.rules.explain import describe_call, describe_pattern
from dmm.rules.patterns import Action

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dmm.rules.callrules import CallRule
    from dmm.rules.commands.calls import ToolCall

_LEADS = {Action.DENY: "blocks", Action.ASK: "asks before", Action.WARN: "warns about"}
MOST_SHOWN = 4
NO_CALLS = "On tool calls: nothing; it judges decisions only."


def in_words_of_calls(rule: CallRule) -> Iterator[str]:
    """Say what a rule does on tool calls, and why it does no more."""
    patterns = [describe_pattern(one) for one in rule.rule.patterns[:MOST_SHOWN]]
    more = len(rule.rule.patterns) - len(patterns)
    told = "; ".join((*patterns, f"{more} more")) if more else "; ".join(patterns)
    where = "".join(f", {scope.describe()}" for scope in rule.scopes)
    needs = " and ".join(one.text for one in rule.needs)
    until = f", until this is recorded: {needs}" if needs else ""
    yield f"On tool calls: {_LEADS[rule.rule.action]} {told}{where}{until}."
    for doubt in rule.doubts:
        yield f'It does not block: whether "{doubt}" holds can\'t be seen in a tool call.'


def describe_example(call: ToolCall) -> str:
    """Write an example call in one line, with the branch or folder that it needs."""
    place = [f"on the branch {call.branch}"] if call.branch else []
    place += [f"in {call.cwd}"] if call.cwd else []
    text = str(call.input.get("content", "")).strip()
    told = f"{describe_call(call)}: {text}" if text else describe_call(call)
    return f"{told} ({', '.join(place)})" if place else told
