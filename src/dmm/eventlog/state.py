"""The state at an event: a pure fold of the log, identical on every machine."""

from __future__ import annotations

import hashlib
from dataclasses import field, fields, replace
from itertools import chain
from typing import TYPE_CHECKING, Any

from dmm.domain.event import PERSONS, Event, EventType, Trust, canonical
from dmm.domain.frozen import frozen
from dmm.domain.payload import (
    ConstraintAccepted,
    ConstraintAdded,
    ConstraintDeactivated,
    DecisionBlocked,
    DecisionRecorded,
    FactAdded,
    MemoryQueryIssued,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

CODE = "state-2"
QUERIES_KEPT = 1_000
UNACCEPTED = frozenset(Trust) - PERSONS
FILE = "file"
TEAM, BY = "team", "by"


@frozen
class Fact:
    """Something that is held to be so; `previous_value` is what it replaced."""

    key: str
    value: str
    confidence: float
    seq: int
    previous_value: str | None = None
    previous_seq: int | None = None

    @property
    def drifted(self) -> bool:
        """Whether the value differs from the one before."""
        return self.previous_seq is not None and self.previous_value != self.value


@frozen
class Constraint:
    """A rule; `rule` is what it was compiled to, None where it is guidance only.

    `trust` is that of whoever added it, or `reviewed` once a person has accepted it. A rule
    from a file holds in the checkout whose file it is, its `place`. One that the team shares is in
    no ledger here; its number is that of the team's log, negative.
    """

    seq: int
    text: str
    priority: str
    trust: str
    triggered_by: int | None = None
    active: bool = True
    rule: Mapping[str, Any] | None = None

    @property
    def pending(self) -> bool:
        """Whether it waits for a person: an agent added it, or its words are a tool's."""
        return self.trust in UNACCEPTED

    @property
    def binds(self) -> bool:
        """Whether it is active: neither lifted nor waiting for a person."""
        return self.active and not self.pending

    @property
    def from_file(self) -> bool:
        """Whether it comes from a rule file."""
        return self.rule is not None and self.rule.get("kind") == FILE

    @property
    def is_shared(self) -> bool:
        """Whether it comes from the team, and not from this ledger."""
        return self.rule is not None and TEAM in self.rule

    @property
    def by(self) -> str | None:
        """Whose word a team's rule is, and whether that is proved."""
        return str(self.rule[BY]) if self.rule is not None and self.is_shared else None

    @property
    def id(self) -> str:
        """The id of a rule file or a team's rule; other constraints are known by their number."""
        if self.rule is not None and self.is_shared:
            return f"{TEAM}:{self.rule[TEAM]}"
        return self._of_file("id")

    @property
    def path(self) -> str:
        """The rule file it stands in."""
        return self._of_file("path")

    @property
    def place(self) -> str:
        """The checkout whose rule file it is; empty for what holds in all of them."""
        return self._of_file("place")

    @property
    def source(self) -> str:
        """The text of its rule file."""
        return self._of_file("source")

    @property
    def digest(self) -> str:
        """The digest of that text."""
        return self._of_file("digest")

    def _of_file(self, name: str) -> str:
        value = self.rule.get(name) if self.rule is not None and self.from_file else None
        return value if isinstance(value, str) else ""


@frozen
class Decision:
    """A decision that was committed or blocked."""

    seq: int
    text: str
    status: str
    rationale: str | None = None
    references: tuple[int, ...] = ()


@frozen
class State:
    """Facts by key, constraints and decisions by number, and what was looked up so far.

    `queries` are the recorded look-ups that can satisfy a verification; `committed` tells for each
    constraint the last committed decision it applied to.
    """

    seq: int = 0
    facts: dict[str, Fact] = field(default_factory=dict)
    constraints: dict[int, Constraint] = field(default_factory=dict)
    decisions: dict[int, Decision] = field(default_factory=dict)
    queries: dict[int, str] = field(default_factory=dict)
    committed: dict[int, int] = field(default_factory=dict)

    @property
    def in_force(self) -> list[Constraint]:
        """Active constraints in the order they were added."""
        return [constraint for constraint in self.constraints.values() if constraint.active]

    def at_place(self, place: str) -> State:
        """Leave out what rule files say in other checkouts of the repository."""
        here = {seq: one for seq, one in self.constraints.items() if one.place in ("", place)}
        return self if len(here) == len(self.constraints) else replace(self, constraints=here)

    def describe(self) -> object:
        """The state as plain data."""
        return {
            "seq": self.seq,
            "facts": {key: _describe(fact) for key, fact in self.facts.items()},
            "constraints": [_describe(one) for one in self.constraints.values()],
            "decisions": [_describe(one) for one in self.decisions.values()],
            "queries": [[seq, text] for seq, text in self.queries.items()],
            "committed": [[rule, seq] for rule, seq in sorted(self.committed.items())],
        }

    def canonical(self) -> bytes:
        """The one form of the state as bytes."""
        return canonical(self.describe()).encode()

    def hash(self) -> str:
        """The hash of the state: equal logs have equal hashes, everywhere."""
        return hashlib.sha256(self.canonical()).hexdigest()


def _describe(part: Fact | Constraint | Decision) -> object:
    return {name: getattr(part, name) for name in _FIELDS[type(part)]}


_FIELDS = {kind: tuple(f.name for f in fields(kind)) for kind in (Fact, Constraint, Decision)}


def fold(state: State, events: Iterable[Event], *, to: int | None = None) -> State:
    """Apply events in order; any log can be folded.

    Events that are unknown, blanked, malformed or of a version from the future change nothing but
    the number.
    """
    rest = iter(events)
    first = next(rest, None)
    if first is None:
        # Most events change nothing here, and a long ledger's state is large to copy.
        return state if to is None else replace(state, seq=to)
    draft = State(
        facts=dict(state.facts),
        constraints=dict(state.constraints),
        decisions=dict(state.decisions),
        queries=dict(state.queries),
        committed=dict(state.committed),
    )
    seq = state.seq
    for event in chain((first,), rest):
        seq = event.seq
        step = _STEPS.get(event.type)
        if step is not None:
            step(draft, event)
    return replace(draft, seq=seq if to is None else to)


def _fact(draft: State, event: Event) -> None:
    told = FactAdded.read(event)
    if told is None:
        return
    # Taken out first, so that facts stand in the order of their numbers.
    before = draft.facts.pop(told.key, None)
    draft.facts[told.key] = Fact(
        key=told.key,
        value=told.value,
        confidence=1.0 if told.confidence is None else max(0.0, min(1.0, told.confidence)),
        seq=event.seq,
        previous_value=None if before is None else before.value,
        previous_seq=None if before is None else before.seq,
    )


def _constraint(draft: State, event: Event) -> None:
    told = ConstraintAdded.read(event)
    if told is None:
        return
    draft.constraints[event.seq] = Constraint(
        seq=event.seq,
        text=told.text,
        priority=told.priority or "required",
        trust=event.trust,
        triggered_by=told.triggered_by,
        rule=told.rule,
    )
    # A decision from before the rule has used up what was looked up until then.
    if told.since:
        draft.committed[event.seq] = told.since


def _acceptance(draft: State, event: Event) -> None:
    """Activate a constraint; only a person can."""
    told = ConstraintAccepted.read(event)
    target = None if told is None else draft.constraints.get(told.seq)
    if target is not None and target.pending and event.trust in PERSONS:
        draft.constraints[target.seq] = replace(target, trust=Trust.REVIEWED.value)


def _deactivation(draft: State, event: Event) -> None:
    told = ConstraintDeactivated.read(event)
    target = None if told is None else draft.constraints.get(told.seq)
    if target is not None:
        draft.constraints[target.seq] = replace(target, active=False)


def _decision(draft: State, event: Event) -> None:
    told = DecisionRecorded.read(event)
    if told is None:
        return
    blocked = isinstance(told, DecisionBlocked)
    draft.decisions[event.seq] = Decision(
        seq=event.seq,
        text=told.text,
        status="blocked" if blocked else "committed",
        rationale=told.rationale,
        references=event.references,
    )
    if not blocked:
        draft.committed.update(dict.fromkeys(told.applied, event.seq))


def _query(draft: State, event: Event) -> None:
    told = MemoryQueryIssued.read(event)
    if told is None:
        return
    draft.queries[event.seq] = told.question or told.text
    if len(draft.queries) > QUERIES_KEPT:
        del draft.queries[next(iter(draft.queries))]


_STEPS: dict[str, Callable[[State, Event], None]] = {
    EventType.FACT_ADDED: _fact,
    EventType.CONSTRAINT_ADDED: _constraint,
    EventType.CONSTRAINT_ACCEPTED: _acceptance,
    EventType.CONSTRAINT_DEACTIVATED: _deactivation,
    EventType.DECISION_MADE: _decision,
    EventType.DECISION_BLOCKED: _decision,
    EventType.MEMORY_QUERY_ISSUED: _query,
}
FOLDED = tuple(str(kind) for kind in _STEPS)
RULES = tuple(
    str(kind)
    for kind in (
        EventType.CONSTRAINT_ADDED,
        EventType.CONSTRAINT_ACCEPTED,
        EventType.CONSTRAINT_DEACTIVATED,
    )
)
