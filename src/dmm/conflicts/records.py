"""Fold the events of the ledger into the state of all conflicts."""

from __future__ import annotations

import hashlib
import re
from dataclasses import field, replace
from enum import StrEnum
from typing import TYPE_CHECKING

from dmm.domain.conflict import LEAST_SURE, Accepted, ConflictType, Method, Resolution, Side
from dmm.domain.event import EventType, Trust
from dmm.domain.frozen import frozen
from dmm.domain.payload import ConflictFound, ConflictResolved
from dmm.domain.proposal import Verdict
from dmm.domain.proposal_payload import OfProposal, ProposalApplied, ProposalReviewed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from dmm.domain.event import Event
    from dmm.domain.memory import Memory

PREFIX = "conflict_"
GONE = "gone"
# To live with a conflict is for a person to say.
PERSONS = (Trust.USER, Trust.REVIEWED)
_NAME = re.compile(rf"(?:{PREFIX})?(\d{{1,15}})", re.ASCII)


class Status(StrEnum):
    """How far a conflict has come."""

    UNRESOLVED = "unresolved"
    PROPOSED = "resolution_proposed"
    RESOLVED = "resolved"


@frozen
class Record:
    """One conflict; `action` and the fields after it say how it was or will be settled.

    `key` names both memories with what they said: the same two texts have the same key.
    """

    seq: int
    at: str
    type: ConflictType
    confidence: float
    sides: tuple[Side, Side]
    description: str
    suggestion: str = ""
    methods: tuple[Method, ...] = ()
    quotes: tuple[str, str] = ("", "")
    key: str = ""
    status: Status = Status.UNRESOLVED
    action: str | None = None
    reason: str = ""
    proposals: tuple[int, ...] = ()
    target: str | None = None
    resolved_at: str | None = None

    @property
    def id(self) -> str:
        """The name of the conflict, made of the number of its event."""
        return name_conflict(self.seq)

    @property
    def sure(self) -> bool:
        """Whether it is sure, not only possible."""
        return self.confidence >= LEAST_SURE

    @property
    def is_open(self) -> bool:
        """Whether the memories still contradict one another."""
        return self.status is not Status.RESOLVED

    @property
    def ids(self) -> frozenset[str]:
        """The ids of both memories."""
        return frozenset(side.id for side in self.sides)


@frozen
class Records:
    """All conflicts of a ledger by number, and which proposals were applied or refused so far."""

    seq: int = 0
    conflicts: dict[int, Record] = field(default_factory=dict)
    applied: set[int] = field(default_factory=set)
    refused: set[int] = field(default_factory=set)
    # The keys of conflicts that somebody of the team wants to live with.
    elsewhere: frozenset[str] = frozenset()

    @property
    def open(self) -> list[Record]:
        """Conflicts that are not settled, in the order they were found."""
        return [record for record in self.conflicts.values() if record.is_open]

    @property
    def accepted(self) -> frozenset[str]:
        """The keys of conflicts that a person declared intentional."""
        return self.elsewhere | frozenset(
            record.key
            for record in self.conflicts.values()
            if record.action == Resolution.INTENTIONAL and not record.is_open
        )


def name_conflict(seq: int) -> str:
    """Return the name of a conflict, made from the number of its event."""
    return f"{PREFIX}{seq}"


def read_name(name: str) -> int | None:
    """Return the number in a conflict's name, or None."""
    found = _NAME.fullmatch(name.strip())
    return None if found is None else int(found[1])


def digest_memory(memory: Memory) -> str:
    """Return a digest of what a memory says, to notice changes."""
    text = f"{memory.title}\0{memory.body.strip()}"
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:16]


def key_of(one: Memory, other: Memory) -> str:
    """Return a key for two memories and their texts; the order does not matter."""
    return "|".join(sorted(f"{memory.id}:{digest_memory(memory)}" for memory in (one, other)))


def fold(events: Iterable[Event], start: Records | None = None, *, to: int = 0) -> Records:
    """Apply events in order; unknown, blanked and malformed ones change nothing."""
    begun = start or Records()
    told = list(events)
    if not told:
        return replace(begun, seq=max(begun.seq, to))
    draft = Records(begun.seq, dict(begun.conflicts), set(begun.applied), set(begun.refused))
    seq = begun.seq
    for event in told:
        seq = event.seq
        step = _STEPS.get(event.type)
        if step is not None:
            step(draft, event)
    return replace(draft, seq=max(seq, to))


def accept_elsewhere(records: Records, accepted: Mapping[str, Accepted]) -> Records:
    """Close the conflicts between exactly the texts that a reviewer of the team accepted."""
    settled = {
        record.seq: replace(
            record,
            status=Status.RESOLVED,
            action=Resolution.INTENTIONAL,
            reason=f"accepted by {one.by} (team:{one.seq})",
            resolved_at=one.at,
        )
        for record in records.open
        if (one := accepted.get(record.key)) is not None
    }
    conflicts = {**records.conflicts, **settled}
    return replace(records, conflicts=conflicts, elsewhere=frozenset(accepted))


def _found(draft: Records, event: Event) -> None:
    told = ConflictFound.read(event)
    if told is None or len(told.memories) != 2:
        return
    quotes = (*told.quotes, "", "") if len(told.quotes) == 2 else ("", "")
    draft.conflicts[event.seq] = Record(
        seq=event.seq,
        at=event.at,
        type=told.type,
        confidence=max(0.0, min(1.0, told.confidence or 0.0)),
        sides=(told.memories[0], told.memories[1]),
        description=told.description or "",
        suggestion=told.suggestion or "",
        methods=told.methods,
        quotes=(quotes[0], quotes[1]),
        key=told.key or "",
    )


def _resolved(draft: Records, event: Event) -> None:
    told = ConflictResolved.read(event)
    record = None if told is None else draft.conflicts.get(read_name(told.id) or 0)
    if told is None or record is None or not record.is_open:
        return
    if told.action != GONE and told.action not in list(Resolution):
        return
    if told.action == Resolution.INTENTIONAL and event.trust not in PERSONS:
        return
    draft.conflicts[record.seq] = _settled(
        replace(
            record,
            action=told.action,
            reason=told.reason or "",
            proposals=told.proposals,
            target=told.target or None,
            resolved_at=event.at,
        ),
        draft,
    )


def _settled(record: Record, draft: Records) -> Record:
    """Return the status of a resolution: it is resolved once all its proposals are applied."""
    if draft.refused.intersection(record.proposals):
        return replace(
            record,
            status=Status.UNRESOLVED,
            action=None,
            reason="",
            proposals=(),
            target=None,
            resolved_at=None,
        )
    done = draft.applied.issuperset(record.proposals)
    return replace(record, status=Status.RESOLVED if done else Status.PROPOSED)


def _applied(draft: Records, event: Event) -> None:
    _follow(draft, ProposalApplied.read(event), draft.applied)


def _reviewed(draft: Records, event: Event) -> None:
    told = ProposalReviewed.read(event)
    if told is not None and told.verdict is Verdict.REJECTED:
        _follow(draft, told, draft.refused)


def _follow(draft: Records, told: OfProposal | None, seen: set[int]) -> None:
    if told is None:
        return
    seen.add(told.proposal)
    for record in draft.open:
        if told.proposal in record.proposals:
            draft.conflicts[record.seq] = _settled(record, draft)


_STEPS: dict[str, Callable[[Records, Event], None]] = {
    EventType.CONFLICT_FOUND: _found,
    EventType.CONFLICT_RESOLVED: _resolved,
    EventType.PROPOSAL_APPLIED: _applied,
    EventType.PROPOSAL_REVIEWED: _reviewed,
}
FOLDED = tuple(str(kind) for kind in _STEPS)
