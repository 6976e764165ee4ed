"""The rules in force on tool calls, as one value: asked by the daemon, or by a hook on its own.

Everything here is pure and light to load, and can be written as plain data: the hook process
reads it back when nobody else answers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, get_args

from dmm.domain.value import Value
from dmm.errors import UsageError
from dmm.policy.commands.calls import CallFacts, ToolCall, read_call
from dmm.policy.commands.index import CallIndex
from dmm.policy.commands.rules import RULES_VERSION, Action, PathPattern, ToolPattern
from dmm.policy.spoken.callrules import (
    SPOKEN_VERSION,
    CallRule,
    Done,
    call_from_dict,
    call_to_dict,
    meet,
)
from dmm.policy.version import ENGINE_VERSION

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from dmm.policy.commands.calls import ScriptFacts, TextOf
    from dmm.policy.spoken.callrules import Meeting

GUARD_VERSION = f"{ENGINE_VERSION}/{RULES_VERSION}.{SPOKEN_VERSION}"
BOOK_VERSION = f"1.{GUARD_VERSION}"
Level = Literal["allow", "warn", "ask", "deny"]
LEVELS: tuple[Level, ...] = get_args(Level)
DoneBefore = Callable[["CallEntry"], Sequence[Done]]
_OF_ACTION: dict[Action, Level] = {
    Action.DENY: "deny",
    Action.ASK: "ask",
    Action.WARN: "warn",
}
_UNREADABLE = "the command can't be read to its end"
_IN_FORCE = "rules on commands are in force"
_WRITE_OUT = "Write the command out in full, without decoding or building it, or ask the user."


def nothing_done(_: CallEntry) -> Sequence[Done]:
    """Know of nothing that was done before."""
    return ()


class CallEntry(Value):
    """One rule on tool calls with its constraint; `typed` ones also judge decisions.

    `most` is the hardest level the constraint may use, and `note` says why where that is not deny.
    """

    seq: int
    text: str
    rule: CallRule
    typed: bool = False
    most: Level = "deny"
    note: str = ""

    def level_of(self, action: Action) -> Level:
        """Return how hard a match of this rule stops a call."""
        return min(_OF_ACTION[action], self.most, key=LEVELS.index)


class Finding(Value):
    """A constraint that a decision or a call meets, and whether that blocks it.

    `note` says why it does not bind as others do.
    """

    seq: int
    text: str
    blocks: bool
    spans: tuple[tuple[int, int], ...]
    reason: str
    suggestion: str
    trace: tuple[str, ...]
    level: Level = "deny"
    history_unknown: bool = False
    note: str = ""

    def tell(self) -> str:
        """Name the constraint, why it is met, and what weakens it."""
        told = f'constraint {self.seq} "{self.text}": {self.reason}'
        return f"{told}; {self.note}" if self.note else told


class Ruling(Value):
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
        """Return the ruling as it is recorded: enough to explain it and to try it again."""
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


class CallBook:
    """Rules on tool calls, indexed once and asked often."""

    def __init__(self, entries: Iterable[CallEntry]) -> None:
        self.entries = tuple(entries)
        self._index = CallIndex((one, one.rule.rule.patterns) for one in self.entries)
        self.stops_commands = any(_stops_commands(one) for one in self.entries)

    def find(
        self, facts: CallFacts, done: DoneBefore | None = nothing_done
    ) -> Iterator[tuple[Finding, bool]]:
        """Hold a call against every rule; each finding says whether its rule is a typed one.

        Without `done` it is not known what was done before; rules that want something done first
        ask then, at most.
        """
        for entry, met, doubt in self._meet_readings(facts, done):
            yield _finding(entry, met, doubt=doubt), entry.typed
        for script in facts.scripts:
            for entry, met, doubt in self._meet_readings(script.facts, done):
                found = _finding(entry, met, script, doubt=doubt)
                yield found.changed(spans=((0, len(facts.text)),)), entry.typed

    def _meet_readings(
        self, facts: CallFacts, done: DoneBefore | None
    ) -> Iterator[tuple[CallEntry, Meeting, str]]:
        """Meet the rules as the words stand, and as they may also be read."""
        for entry, met in self._meet(facts, done):
            yield entry, met, ""
        for reading in facts.readings:
            for entry, met in self._meet(reading, done):
                doubt = reading.doubt_at(met.match.span)
                if doubt:
                    yield entry, met, doubt

    def _meet(
        self, facts: CallFacts, done: DoneBefore | None
    ) -> Iterator[tuple[CallEntry, Meeting]]:
        for entry in self._index.candidates(facts):
            met = meet(entry.rule, facts, None if done is None else partial(done, entry))
            if met is not None:
                yield entry, met

    def check(
        self, call: ToolCall | CallFacts, done: DoneBefore | None = nothing_done
    ) -> list[Finding]:
        """Hold a call against every rule, each constraint once, with its hardest finding."""
        facts = call if isinstance(call, CallFacts) else read_call(call)
        hardest: dict[int, Finding] = {}
        for one, _ in self.find(facts, done):
            known = hardest.get(one.seq)
            if known is None or LEVELS.index(one.level) > LEVELS.index(known.level):
                hardest[one.seq] = one
        return list(hardest.values())

    def rule(
        self,
        call: ToolCall,
        done: DoneBefore | None = nothing_done,
        files: TextOf | None = None,
    ) -> Ruling:
        """Rule on a call: the hardest finding decides, and the oldest constraint among equals.

        `files` gives the text of a script that the call runs. What can't be read is asked about,
        where a rule could stop a command.
        """
        facts = read_call(call, files)
        found = sorted(self.check(facts, done), key=lambda one: (-LEVELS.index(one.level), one.seq))
        unclear = facts.malformed or bool(facts.unresolved)
        if unclear and self.stops_commands and not _settled(found):
            return _unreadable(facts, found)
        if not found:
            return Ruling()
        first = found[0]
        return Ruling(
            level=first.level,
            seq=first.seq,
            text=first.text,
            reason=first.tell(),
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


def _stops_commands(entry: CallEntry) -> bool:
    """Say whether a rule could deny a command: one that can't be read may then hide it."""
    rule = entry.rule.rule
    on_commands = not all(isinstance(one, ToolPattern | PathPattern) for one in rule.patterns)
    return on_commands and entry.level_of(rule.action) == "deny"


def _finding(
    entry: CallEntry, met: Meeting, script: ScriptFacts | None = None, *, doubt: str = ""
) -> Finding:
    match = met.match
    level = entry.level_of(met.action)
    if level == "deny" and (script is not None or doubt):
        # It is not certain that this part of a file runs, or that the words mean this.
        level = "ask"
    reason = "it matches" if match.reason in entry.text else match.reason
    trace = [*match.trace]
    if script is not None:
        where = script.where(match.span[0])
        reason += f" ({where})"
        trace.append(f"found in {where}, which the call runs")
    elif match.matched not in reason:
        reason += f' ("{match.matched}")'
    if doubt:
        reason += f"; {doubt}"
        trace.append(f"not certain: {doubt}")
    if met.unknown:
        reason += f"; whether this is {' and '.join(met.unknown)} can't be seen"
        trace.append(f"scope not seen: {', '.join(met.unknown)}")
    if met.missing:
        wanted = ", ".join(one.text for one in met.missing)
        if met.history_unknown:
            reason += f"; whether this was done first is not known: {wanted}"
        trace.append(f"not done before: {wanted}")
    trace += [f"not certain: {one}" for one in entry.rule.doubts]
    trace += [entry.note] if entry.note else []
    return Finding(
        seq=entry.seq,
        text=entry.text,
        blocks=level == "deny",
        spans=(match.span,),
        reason=reason,
        suggestion=match.suggestion,
        trace=tuple(trace),
        level=level,
        history_unknown=met.history_unknown,
        note=entry.note,
    )


def book_to_dict(book: CallBook) -> dict[str, Any]:
    """Write the rules as plain values for JSON."""
    return {
        "version": BOOK_VERSION,
        "entries": [
            {
                "seq": one.seq,
                "text": one.text,
                "typed": one.typed,
                "most": one.most,
                "note": one.note,
                "rule": call_to_dict(one.rule),
            }
            for one in book.entries
        ],
    }


def book_from_dict(stored: Mapping[str, Any]) -> CallBook:
    """Read the rules back; a form of another version is refused."""
    if stored.get("version") != BOOK_VERSION:
        raise UsageError(f"stored rules on calls are not of version {BOOK_VERSION}")
    try:
        return CallBook(_entry(one) for one in stored["entries"])
    except (KeyError, TypeError, ValueError, AttributeError) as fault:
        raise UsageError(f"these values are no rules on calls: {fault}") from fault


def _entry(stored: Mapping[str, Any]) -> CallEntry:
    if stored["most"] not in LEVELS:
        raise ValueError("a level of no known name")
    return CallEntry(
        seq=stored["seq"],
        text=stored["text"],
        rule=call_from_dict(stored["rule"]),
        typed=stored["typed"],
        most=stored["most"],
        note=stored["note"],
    )
