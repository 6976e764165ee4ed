"""Rules held against the past: a new one rehearsed, a recorded verdict explained."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from dmm.domain.event import EventType
from dmm.domain.payload import DecisionRecorded, MemoryQueryIssued, ToolRequested
from dmm.errors import LedgerRefused
from dmm.eventlog.open_ledger import tool_text
from dmm.eventlog.state import Constraint
from dmm.redaction.inputs import need
from dmm.rules.constraints import need_priority
from dmm.rules.discretion import discreet
from dmm.rules.explain import describe_call
from dmm.rules.guard import CALLS_WITHIN, FINISHED, Guard, done_by, recorded_call, spend
from dmm.rules.language.judge import Recorded
from dmm.rules.needs import Done
from dmm.rules.results import Met, Rehearsed, RuleRehearsed, VerdictExplained
from dmm.rules.rulebook import Rulebook, compile_constraint, in_words, may_satisfy, on_calls
from dmm.tracing import SIMULATION, traced

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from dmm.domain.event import Event
    from dmm.eventlog.state import State
    from dmm.rules.budget import Budget
    from dmm.rules.callbook import CallEntry
    from dmm.rules.project_ledger import ProjectLedger

    Progress = Callable[[int, int], None]

DECISIONS = (str(EventType.DECISION_MADE), str(EventType.DECISION_BLOCKED))
LOOKUPS = (str(EventType.MEMORY_QUERY_ISSUED), str(EventType.TOOL_USED))
CALLS = (str(EventType.TOOL_REQUESTED), str(EventType.TOOL_USED))


@dataclass(frozen=True, slots=True)
class Rehearsals:
    """Looks at the past of a ledger; nothing here records anything."""

    project_ledger: ProjectLedger

    def event(self, seq: int) -> Event:
        """Return a recorded event, or refuse its number."""
        self._need_event(seq, first=1)
        event = self.project_ledger.reading.event(seq)
        if event is None:
            raise LedgerRefused(f"event {seq} is missing", hint="dmm ledger verify")
        return event

    def _need_event(self, seq: int, *, first: int = 0) -> None:
        head = self.project_ledger.reading.head().seq
        if not first <= seq <= head:
            hint = f"name an event from {first} to {head}" if head else "nothing is recorded yet"
            raise LedgerRefused(f"there is no event {seq}", hint=hint)

    def state_at(self, seq: int | None) -> State:
        """Replay to an event, the newest if none is named; 0 is before the first."""
        if seq is not None:
            self._need_event(seq)
        return self.project_ledger.state(seq)

    def here(self, seq: int | None, place: str | None = None) -> State:
        """Replay to an event, without the rule files of other checkouts."""
        return self.state_at(seq).at_place(self.project_ledger.place if place is None else place)

    @traced(*SIMULATION)
    def rehearse(self, text: str, priority: str = "required") -> Rehearsed:
        """Replay the past against a new rule: which decisions and tool calls would it block?"""
        need("constraint", text)
        need_priority(priority)
        told = self.rehearse_constraint(suppose(text, priority, 0))
        found = told.decisions, told.tool_calls, told.would_block
        return Rehearsed(told.constraint, told.enforceable, *found)

    def rehearse_constraint(
        self, constraint: Constraint, progress: Progress | None = None
    ) -> RuleRehearsed:
        """Replay the past against a constraint that is compiled already."""
        head = self.project_ledger.reading.head().seq
        rehearsal = _Rehearsal(replace(constraint, seq=head + 1), self.project_ledger.project)
        types = sorted({*DECISIONS, *LOOKUPS, *CALLS, *FINISHED})
        for event in self.project_ledger.reading.events_of(types, 0, head):
            rehearsal.meet(event)
            if progress is not None:
                progress(event.seq, head)
        return RuleRehearsed(
            constraint.text,
            constraint.rule is not None,
            rehearsal.decisions,
            rehearsal.calls,
            tuple(rehearsal.blocked),
            tuple(rehearsal.asked),
            rehearsal.calls_blocked,
        )

    def find_blocked(self, constraint: Constraint, after: int, to: int) -> dict[int, str]:
        """Return which decisions of a stretch a constraint would have blocked, and why."""
        rehearsal = _Rehearsal(constraint, self.project_ledger.project)
        types = sorted({*DECISIONS, *LOOKUPS})
        for event in self.project_ledger.reading.events_of(types, after, to):
            rehearsal.meet(event, calls=False)
        return {one.seq: one.reason for one in rehearsal.blocked}

    @traced()
    @discreet
    def explain(self, seq: int) -> VerdictExplained:
        """Replay a verdict: what was decided, on what grounds, and does today's engine agree?"""
        event = self.event(seq)
        asked = ToolRequested.read(event)
        if asked is not None and asked.verdict:
            return self._explain_call(event, asked)
        told = DecisionRecorded.read(event)
        if told is None:
            hint = "dmm ledger log --type DecisionMade, DecisionBlocked or ToolRequested"
            raise LedgerRefused(
                f"event {seq} is neither a decision nor a judged tool call", hint=hint
            )
        state = self.here(seq - 1, told.place)
        verdict = Rulebook(state.in_force).judge(told.text, self.project_ledger.lookups(state))
        then, now = told.verdict, verdict.describe()
        return VerdictExplained(seq, event.branch, told.text, then, now, _agree(then, now))

    def _explain_call(self, event: Event, asked: ToolRequested) -> VerdictExplained:
        call = recorded_call(event, self.project_ledger.project)
        if call is None:
            raise LedgerRefused(f"the tool call of event {event.seq} was not recorded in full")
        state = self.here(event.seq - 1, asked.place)
        ruling = Guard(self.project_ledger).rule_at(call, state)
        then, now = asked.verdict, ruling.describe()
        agrees = _agree(then, now) and _number(then) == _number(now)
        named = describe_call(call)
        return VerdictExplained(event.seq, event.branch, named, then, now, agrees)


def _agree(then: Mapping[str, Any], now: Mapping[str, Any]) -> bool:
    """Return whether two verdicts are the same, by the same rules."""
    kept = [_unnumbered(one) for one in then.get("violations") or ()]
    found = [_unnumbered(one) for one in now["violations"]]
    return bool(then.get("status") == now["status"] and kept == found)


def _unnumbered(violation: Mapping[str, Any]) -> Mapping[str, Any]:
    """Know a rule from a file by its id: it may have been judged by before it was recorded."""
    return {**violation, "seq": 0} if violation.get("id") else violation


def _number(verdict: Mapping[str, Any]) -> object:
    return verdict.get("id") or verdict.get("seq")


def _question(event: Event) -> str:
    told = MemoryQueryIssued.read(event)
    return "" if told is None else told.question or ""


class _Rehearsal:
    """Walks the past once with one supposed constraint, as if it had been there all along."""

    def __init__(self, constraint: Constraint, project: str = "") -> None:
        self.constraint = constraint
        self._project = project
        self.blocked: list[Met] = []
        self.asked: list[Met] = []
        self.decisions = self.calls = self.calls_blocked = 0
        self._rules = Rulebook([constraint])
        self._rule = in_words(constraint).rule
        self._lookups: list[Recorded] = []
        self._past: deque[Done] | None = None
        if any(entry.rule.needs for entry in on_calls(constraint)):
            self._past = deque(maxlen=CALLS_WITHIN)

    def meet(self, event: Event, *, calls: bool = True) -> None:
        if event.type in DECISIONS:
            self._decide(event)
        if calls and event.type in CALLS and (event.caused_by is None or event.type == CALLS[0]):
            self._call(event)
        if event.type in LOOKUPS:
            asked = event.type == LOOKUPS[0]
            text = _question(event) if asked else tool_text(event)
            if text and may_satisfy(self._rule, text):
                self._lookups.append(Recorded(event.seq, text))
            if asked and self._past is not None:
                self._past.append(Done(event.seq, text))
        if event.type in FINISHED and self._past is not None:
            done = done_by(event)
            self._past += [] if done is None else [done]

    def _decide(self, event: Event) -> None:
        told = DecisionRecorded.read(event)
        text = "" if told is None else told.text
        self.decisions += 1
        verdict = self._rules.judge(text, lambda _: self._lookups)
        if verdict.blocked:
            reason = verdict.findings[0].reason
            self.blocked.append(Met(event.seq, text, reason))
        elif event.type == EventType.DECISION_MADE and self._rules.used_up(text):
            self._lookups.clear()

    def _call(self, event: Event) -> None:
        call = recorded_call(event, self._project)
        if call is None:
            return
        self.calls += 1
        ruling = self._rules.calls.rule(call, self._done)
        met = ruling.findings[0] if ruling.findings else None
        if met is None or met.level not in ("ask", "deny"):
            return
        told = Met(event.seq, describe_call(call), met.reason)
        if ruling.denied:
            self.blocked.append(told)
            self.calls_blocked += 1
        else:
            self.asked.append(told)

    def _done(self, entry: CallEntry, budget: Budget | None) -> list[Done]:
        return spend(entry.rule, list(self._past or ()), budget=budget)


def suppose(text: str, priority: str, seq: int) -> Constraint:
    """Return a constraint that nobody has recorded."""
    rule = compile_constraint(text).rule
    return Constraint(seq, text, priority, "simulation", rule=rule)
