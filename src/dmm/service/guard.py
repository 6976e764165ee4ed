"""The guard of tool calls: one ruling on a call, under the constraints in force."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from dmm.domain.event import EventType
from dmm.policy.callbook import Ruling
from dmm.policy.commands.calls import ToolCall
from dmm.policy.spoken.callrules import Done, meet
from dmm.reading import read_script
from dmm.service.chronicle import IMPORTED, tool_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dmm.domain.event import Event
    from dmm.ledger.state import State
    from dmm.policy.callbook import CallEntry, DoneBefore
    from dmm.policy.spoken.callrules import CallRule
    from dmm.service.chronicle import Chronicle
    from dmm.service.published import PublishedRules

# Tool calls are many; what was done longer ago counts as not done.
CALLS_WITHIN = 2_000


@dataclass(frozen=True, slots=True)
class Guard:
    """Rules on tool calls; it reads the ledger and records nothing in it."""

    chronicle: Chronicle
    published: PublishedRules | None = None

    def rule(self, call: ToolCall) -> Ruling:
        """Rule on a call under the constraints in force now."""
        ruling = self.rule_at(call, self.chronicle.state())
        if self.published is not None:
            # Another process may have changed the rules; the file follows with the next call.
            self.published.publish()
        return ruling

    def rule_at(self, call: ToolCall, state: State) -> Ruling:
        """Rule on a call as things stood at some point of the log."""
        if not state.constraints:
            return Ruling()
        rules = self.chronicle.rulebook(state).calls
        return rules.rule(call, self._done(state), partial(read_script, call.cwd))

    def _done(self, state: State) -> DoneBefore:
        """Tell what was looked up and run since a rule last let its call through."""
        past: list[Event] = []
        read = False

        def since(entry: CallEntry) -> list[Done]:
            nonlocal past, read
            if not read:
                start = max(0, state.seq - CALLS_WITHIN)
                reading = self.chronicle.reading
                past = list(reading.events_of([EventType.TOOL_USED], start, state.seq))
                read = True
            asked = [Done(seq, text) for seq, text in state.queries.items()]
            done = [one for event in past if (one := done_by(event)) is not None]
            after = max(state.committed.get(entry.seq, 0), last_use(entry.rule, done))
            return [one for one in (*asked, *done) if one.seq > after]

        return since


def done_by(event: Event) -> Done | None:
    """Read a recorded tool event as something that was done; what was imported is not that."""
    if event.source == IMPORTED:
        return None
    text = tool_text(event)
    call = recorded_call(event)
    if call is None and text:
        call = ToolCall("Bash", {"command": text})
    if call is None:
        return None
    held = " ".join(str(value) for value in call.input.values())
    return Done(event.seq, f"{text} {held}", call)


def recorded_call(event: Event) -> ToolCall | None:
    """Read the tool call of an event, where it was recorded."""
    tool, values = event.get("tool"), event.get("input")
    if not isinstance(tool, str) or not isinstance(values, dict):
        return None
    return ToolCall(tool, values, _text(event, "cwd"), _text(event, "branch"))


def _text(event: Event, name: str) -> str | None:
    value = event.get(name)
    return value if isinstance(value, str) else None


def last_use(rule: CallRule, done: Sequence[Done]) -> int:
    """Find the last call that a rule guards: it has used up what was done before it."""
    guarded = rule.changed(needs=())
    for one in reversed(done):
        if one.may_match(rule.rule.patterns) and meet(guarded, one.facts()) is not None:
            return one.seq
    return 0
