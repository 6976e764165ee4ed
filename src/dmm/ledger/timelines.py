"""The ledger over time: provenance, past states and simulations."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING

from dmm.domain.event import EventType
from dmm.domain.payload import DecisionRecorded, FactAdded
from dmm.errors import LedgerRefused, UsageError
from dmm.eventlog.compare import diff, drift
from dmm.ledger.results import (
    Chain,
    Compared,
    Drift,
    Flashback,
    Link,
    Replayed,
    SideBySide,
    SimulatedStep,
    SimulatedTimelines,
    Simulation,
    Step,
    show_state,
)
from dmm.redaction.inputs import need
from dmm.rules.constraints import need_priority
from dmm.rules.discretion import discreet
from dmm.rules.rehearsals import Rehearsals, suppose
from dmm.rules.rulebook import Rulebook, in_words, last_guarded
from dmm.tracing import SIMULATION, traced

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from dmm.domain.event import Event
    from dmm.eventlog.state import Constraint, State
    from dmm.rules.language.judge import Judgement

DECISIONS = (str(EventType.DECISION_MADE), str(EventType.DECISION_BLOCKED))
LONGEST_CHAIN = 1_000
MOST_FOLLOWED = 5_000


@dataclass(frozen=True, slots=True)
class Timelines(Rehearsals):
    """Looks at a ledger; nothing here records anything."""

    @traced()
    @discreet
    def trace_provenance(self, seq: int | None = None, fact_key: str | None = None) -> Chain:
        """Follow causes and references back to the first event; stale facts are marked."""
        if not self.project_ledger.exists:
            return Chain(())
        state = self.project_ledger.state()
        if seq is not None and fact_key is not None:
            raise UsageError("name an event or a fact, not both", hint="give seq or fact_key")
        if seq is None:
            if fact_key is None:
                raise UsageError("name an event or a fact", hint="give seq or fact_key")
            fact = state.facts.get(fact_key)
            if fact is None:
                hint = "dmm ledger context lists the facts"
                raise LedgerRefused(f"there is no fact {fact_key!r}", hint=hint)
            seq = fact.seq
        chain: list[Link] = []
        waiting, seen = deque([self.event(seq)]), {seq}
        while waiting and len(chain) < LONGEST_CHAIN:
            event = waiting.popleft()
            chain.append(_link(event, state))
            cause = () if event.caused_by is None else (event.caused_by,)
            for source in (*cause, *event.references):
                if source not in seen:
                    seen.add(source)
                    waiting.append(self.event(source))
        return Chain(tuple(chain))

    @traced()
    @discreet
    def replay(self, to: int | None = None) -> Replayed:
        """Fold the log up to an event; equal logs give equal hashes, on every machine."""
        state = self.state_at(to)
        return Replayed(state.seq, state.hash(), state)

    @traced()
    @discreet
    def time_travel(self, to_seq: int) -> Flashback:
        """Show what was known at an event, and how today differs."""
        then, now = (
            self.here(to_seq),
            self.project_ledger.state().at_place(self.project_ledger.place),
        )
        return Flashback("FLASHBACK", to_seq, now.seq, show_state(then), diff(then, now))

    @traced()
    @discreet
    def diff(self, before: int, after: int) -> Compared:
        """Compare what was known at two events."""
        found = diff(self.here(before), self.here(after))
        return Compared(before, after, found.added, found.removed, found.changed)

    @traced()
    def drift(self, before: int, after: int) -> Drift:
        """Measure how far two points of the log are apart, from 0 to 1."""
        measure = drift(self.here(before), self.here(after))
        return Drift(before, after, round(measure, 4))

    @traced(*SIMULATION)
    @discreet
    def simulate_timeline(
        self, inject_constraint: str, at_seq: int, then_decide: str, priority: str = "required"
    ) -> Simulation:
        """Try a decision as if a constraint had been there since an event; nothing is recorded."""
        need("constraint", inject_constraint)
        need("text", then_decide)
        need_priority(priority)
        state = self.here(at_seq)
        injected = suppose(inject_constraint, priority, at_seq + 1)
        since = last_guarded(in_words(injected).rule, list(state.decisions.values()))
        timeline = replace(state, committed=state.committed | {injected.seq: since})
        rules = Rulebook([*state.in_force, injected])
        verdict = rules.judge(then_decide, self.project_ledger.lookups(timeline))
        return Simulation(
            timeline="B (simulated)",
            injected_constraint=inject_constraint,
            injected_at_seq=at_seq,
            injected_priority=priority,
            tested_decision=then_decide,
            result="BLOCKED" if verdict.blocked else "ALLOWED",
            reason=_reason(verdict, injected) if verdict.blocked else None,
        )

    @traced(*SIMULATION)
    @discreet
    def simulate_timelines(
        self, inject_constraint: str, at_seq: int, then_decide: str, priority: str = "required"
    ) -> SimulatedTimelines:
        """Try a decision with one more constraint, and show what it does to those that followed.

        So many events after it are looked at; `to_seq` is the last.
        """
        tried = self.simulate_timeline(inject_constraint, at_seq, then_decide, priority)
        log = self.project_ledger.reading
        to = min(log.head().seq, at_seq + MOST_FOLLOWED)
        injected = suppose(inject_constraint, priority, at_seq + 1)
        blocked = self.find_blocked(injected, at_seq, to)
        recorded = (
            (one.seq, DecisionRecorded.read(one)) for one in log.events_of(DECISIONS, at_seq, to)
        )
        decisions = [(seq, told) for seq, told in recorded if told is not None]
        sides = SideBySide(
            to,
            tuple(Step(seq, told.text, (told.status or "").upper()) for seq, told in decisions),
            tuple(_steps(decisions, blocked)),
        )
        values = {one.name: getattr(tried, one.name) for one in fields(tried)}
        return SimulatedTimelines(**values, timelines=sides)


def _steps(
    decisions: Iterable[tuple[int, DecisionRecorded]], blocked: Mapping[int, str]
) -> Iterator[SimulatedStep]:
    for seq, told in decisions:
        was = (told.status or "").upper()
        yield SimulatedStep(seq, told.text, "BLOCKED" if seq in blocked else was, blocked.get(seq))


def _reason(verdict: Judgement, injected: Constraint) -> str:
    own = (one for one in verdict.findings if one.seq == injected.seq and one.blocks)
    found = next(own, None)
    return (
        verdict.reason if found is None else f'injected constraint "{found.text}": {found.reason}'
    )


def _link(event: Event, state: State) -> Link:
    fact = FactAdded.read(event)
    current = None if fact is None else state.facts.get(fact.key)
    stale = fact is not None and current is not None and current.value != fact.value
    return Link(event.seq, event.type, event.payload, event.caused_by, stale)
