"""What the operations on a ledger return."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any

from dmm.domain.brief import Brief
from dmm.domain.event import Event
from dmm.domain.frozen import frozen
from dmm.eventlog.compare import Difference
from dmm.eventlog.state import Decision, Fact, State
from dmm.eventlog.verify import Verification
from dmm.rules.results import CallFinding, ConstraintView


@frozen
class FactRecorded:
    """A fact as it was recorded; a changed value is an alert."""

    seq: int
    key: str
    value: str
    previous_value: str | None = None
    drift_alert: bool = False


@frozen
class MessageRecorded:
    """What the user said, as it was recorded."""

    seq: int
    text: str


@frozen
class Committed:
    """A decision that was committed."""

    status: str
    seq: int
    decision: str
    rationale: str
    warning: str | None = None


@frozen
class Blocked:
    """A decision that was blocked, and by which constraint."""

    status: str
    violated_constraint_seq: int
    reason: str
    suggestion: str
    id: str = ""


@frozen
class DecisionFinding(CallFinding):
    """A constraint that a decision meets, with the words of it that matched."""

    matched: tuple[str, ...]


@frozen
class FactView:
    """A fact by its name."""

    key: str
    value: str
    confidence: float
    seq: int


@frozen
class DecisionView:
    """A decision in brief."""

    text: str
    status: str
    seq: int


@frozen
class Found:
    """What a search of the ledger found; None for what was not searched."""

    query_seq: int
    facts: tuple[FactView, ...]
    constraints: tuple[ConstraintView, ...] | None = None
    decisions: tuple[DecisionView, ...] | None = None


@frozen
class Holding:
    """The value of a fact, under its name."""

    value: str
    confidence: float
    seq: int


@frozen
class StateView:
    """Facts, constraints and decisions at an event."""

    facts: Mapping[str, Holding]
    constraints: tuple[ConstraintView, ...]
    decisions: tuple[DecisionView, ...]


@frozen
class Alert:
    """A fact that changed, or a decision that rests on one."""

    type: str
    message: str
    related_seqs: tuple[int | None, ...]


@frozen
class Context:
    """Everything that is held to be so, and what should be looked at."""

    current_seq: int
    facts: Mapping[str, Holding]
    constraints: tuple[ConstraintView, ...]
    decisions: tuple[DecisionView, ...]
    alerts: tuple[Alert, ...]
    pending_constraints: int = 0


@frozen
class Link:
    """One event of a provenance; `stale` is a fact that has another value by now."""

    seq: int
    type: str
    payload: Mapping[str, Any] | None
    caused_by: int | None
    stale: bool = False


@frozen
class Chain:
    """The events that something rests on, the newest first."""

    chain: tuple[Link, ...]


@frozen
class Replayed:
    """The state at an event, and its hash."""

    seq: int
    state_hash: str
    state: State


@frozen
class Flashback:
    """What was known at an event, and how today differs."""

    mode: str
    viewing_seq: int
    current_seq: int
    historical_state: StateView
    diff_from_current: Difference


@frozen
class Compared:
    """How two points of the log differ."""

    from_seq: int
    to_seq: int
    added: Mapping[str, Any]
    removed: Mapping[str, Any]
    changed: Mapping[str, Any]


@frozen
class Drift:
    """How far two points of the log are apart, from 0 to 1."""

    from_seq: int
    to_seq: int
    drift: float


@frozen
class Simulation:
    """A decision tried with one more constraint."""

    timeline: str
    injected_constraint: str
    injected_at_seq: int
    injected_priority: str
    tested_decision: str
    result: str
    reason: str | None


@frozen
class Step:
    """A decision as it was taken."""

    seq: int
    text: str
    status: str


@frozen
class SimulatedStep(Step):
    """A decision as it would have been taken; `why` says what blocks it now."""

    why: str | None


@frozen
class SideBySide:
    """The decisions up to an event as they were (A), and with one more constraint (B)."""

    to_seq: int
    a: tuple[Step, ...]
    b: tuple[SimulatedStep, ...]


@frozen
class SimulatedTimelines(Simulation):
    """A decision tried with one more constraint, and the decisions that followed."""

    timelines: SideBySide


@frozen
class Created:
    """A ledger, and whether it was made just now."""

    ledger: str
    created: bool
    seq: int


@frozen
class Checked:
    """A chain of events that was walked from the first to the last, or the first bad one."""

    valid: bool
    events: int
    blanked: int
    head: str
    first_bad_seq: int | None
    reason: str | None
    anchors: int
    foreign_anchors: int


@frozen
class Verified(Checked):
    """A ledger that was verified.

    `wrong_snapshots` is None where the chain is broken already; `anchored` is the event that was
    anchored, None where nothing is new since the last, 0 where nobody asked for it.
    """

    unread_anchor_lines: tuple[int, ...]
    wrong_snapshots: tuple[int, ...] | None = None
    anchored: int | None = 0


@frozen
class Copied(Checked):
    """A copy of the ledger that was verified."""

    path: str

    def describe(self) -> object:
        """Return it with the path first."""
        return {"path": self.path} | asdict(self)


def check(found: Verification) -> Checked:
    """Return what came of walking a chain."""
    ends = found.first_bad, found.reason, found.anchors, found.foreign
    return Checked(found.valid, found.events, found.blanked, found.head, *ends)


@frozen
class Entries:
    """Recorded events with everything that is stored of them."""

    events: tuple[Event, ...]


@frozen
class Briefs:
    """Recorded events in one line each; `head` is the number of the newest of all."""

    head: int
    events: tuple[Brief, ...]


@frozen
class Restored:
    """A ledger that goes on from a backup; `missing` events are lost."""

    source: str
    seq: int
    missing: int
    aside: str | None


@frozen
class Withdrawn:
    """What became of blanked events that a team shares: how many have left this laptop.

    `unread` are files that may hold their words and can't be read.
    """

    sent: int = 0
    erased: bool = True
    unread: tuple[str, ...] = ()


@frozen
class Redacted:
    """Events that were blanked, and what was erased besides."""

    redacted: tuple[int, ...]
    events: tuple[int, ...]
    erased: bool
    dropped: int
    removed: tuple[str, ...]
    unread: tuple[str, ...]
    sent: int


def show_fact(fact: Fact) -> FactView:
    """Return a fact in brief."""
    return FactView(fact.key, fact.value, fact.confidence, fact.seq)


def show_decision(one: Decision) -> DecisionView:
    """Return a decision in brief."""
    return DecisionView(one.text, one.status, one.seq)


def show_state(state: State) -> StateView:
    """Return facts, constraints and decisions in brief."""
    # The formatters know these values; they do not need all that rules are made of.
    from dmm.rules.views import show_constraint

    facts = state.facts.values()
    return StateView(
        {one.key: Holding(one.value, one.confidence, one.seq) for one in facts},
        tuple(map(show_constraint, state.constraints.values())),
        tuple(map(show_decision, state.decisions.values())),
    )


def find_alerts(state: State, replaced: Mapping[int, Fact]) -> Iterator[Alert]:
    """Name facts that changed, and decisions that rest on one; `replaced` tells by what."""
    for fact in state.facts.values():
        if fact.drifted:
            told = f"{fact.key} changed from {fact.previous_value} to {fact.value}"
            yield Alert("drift", told, (fact.previous_seq, fact.seq))
    for decision in state.decisions.values():
        for seq in decision.references if decision.status == "committed" else ():
            if seq in replaced:
                fact = replaced[seq]
                told = f"decision {decision.seq} is based on an old value of {fact.key}"
                yield Alert("stale_decision", told, (decision.seq, fact.seq))
