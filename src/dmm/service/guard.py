"""The guard of tool calls: one ruling on a call, under the constraints in force."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from dmm.domain.event import EventType
from dmm.policy.commands.calls import CallFacts, ToolCall, read_call
from dmm.policy.commands.rules import RULES_VERSION
from dmm.policy.judge import ENGINE_VERSION
from dmm.policy.spoken.callrules import SPOKEN_VERSION, Done, meet
from dmm.reading import read_script
from dmm.service.chronicle import IMPORTED, tool_text
from dmm.service.rulebook import LEVELS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dmm.domain.event import Event
    from dmm.ledger.state import State
    from dmm.policy.commands.calls import TextOf
    from dmm.policy.spoken.callrules import CallRule
    from dmm.service.chronicle import Chronicle
    from dmm.service.rulebook import CallEntry, DoneBefore, Finding, Level, Rulebook

GUARD_VERSION = f"{ENGINE_VERSION}/{RULES_VERSION}.{SPOKEN_VERSION}"
# Tool calls are many; what was done longer ago counts as not done.
CALLS_WITHIN = 2_000
_UNREADABLE = "the command can't be read to its end"
_IN_FORCE = "rules on commands are in force"
_WRITE_OUT = "Write the command out in full, without decoding or building it, or ask the user."


@dataclass(frozen=True, slots=True)
class Ruling:
    """What is said to a tool call, with all that explains it and lets it be tried again."""

    level: Level = "allow"
    seq: int | None = None
    text: str = ""
    reason: str = "no constraint in force is broken"
    suggestion: str = ""
    trace: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()

    @property
    def denied(self) -> bool:
        """Whether the call must not run."""
        return self.level == "deny"

    def describe(self) -> dict[str, Any]:
        """The ruling as it is recorded: enough to explain it and to try it again."""
        return {
            "status": self.level,
            "engine": GUARD_VERSION,
            "seq": self.seq,
            "reason": self.reason,
            "suggestion": self.suggestion,
            "violations": [
                {
                    "seq": one.seq,
                    "level": one.level,
                    "spans": [list(span) for span in one.spans],
                    "reason": one.reason,
                }
                for one in self.findings
            ],
            "trace": list(self.trace),
        }


@dataclass(frozen=True, slots=True)
class Guard:
    """Rules on tool calls; it reads the ledger and writes nothing."""

    chronicle: Chronicle

    def rule(self, call: ToolCall) -> Ruling:
        """Rule on a call under the constraints in force now."""
        return self.rule_at(call, self.chronicle.state())

    def rule_at(self, call: ToolCall, state: State) -> Ruling:
        """Rule on a call as things stood at some point of the log."""
        if not state.constraints:
            return Ruling()
        files = partial(read_script, call.cwd)
        return rule_call(self.chronicle.rulebook(state), call, self._done(state), files)

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
            after = max(state.committed.get(entry.constraint.seq, 0), last_use(entry.rule, done))
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
    guarded = replace(rule, needs=())
    for one in reversed(done):
        if one.may_match(rule.rule.patterns) and meet(guarded, one.facts()) is not None:
            return one.seq
    return 0


def rule_call(
    rules: Rulebook, call: ToolCall, done: DoneBefore, files: TextOf | None = None
) -> Ruling:
    """Rule on a call: the hardest finding decides, and the oldest constraint among equals.

    `files` gives the text of a script that the call runs. What can't be read is asked about, where
    a rule could stop a command.
    """
    facts = read_call(call, files)
    found = sorted(rules.check(facts, done), key=lambda one: (-LEVELS.index(one.level), one.seq))
    unclear = facts.malformed or bool(facts.unresolved)
    if unclear and rules.stops_commands and not _settled(found):
        return _unreadable(facts, found)
    if not found:
        return Ruling()
    first = found[0]
    return Ruling(
        level=first.level,
        seq=first.seq,
        text=first.text,
        reason=f'constraint {first.seq} "{first.text}": {first.reason}',
        suggestion=first.suggestion,
        trace=_trace(found),
        findings=tuple(found),
    )


def _settled(found: Sequence[Finding]) -> bool:
    return bool(found) and found[0].level in ("ask", "deny")


def _unreadable(facts: CallFacts, found: Sequence[Finding]) -> Ruling:
    """Ask about a call of which nobody can tell what it runs."""
    steps = [f"unresolved: {one}" for one in facts.unresolved]
    if facts.malformed:
        steps.append(f"malformed or too long: {len(facts.text)} characters")
    unclear = facts.unresolved[0] if facts.unresolved else _UNREADABLE
    return Ruling(
        level="ask",
        reason=f"{unclear}, and {_IN_FORCE}",
        suggestion=_WRITE_OUT,
        trace=(*steps, *_trace(found)),
        findings=tuple(found),
    )


def _trace(found: Sequence[Finding]) -> tuple[str, ...]:
    return tuple(f"constraint {one.seq}: {step}" for one in found for step in one.trace)
