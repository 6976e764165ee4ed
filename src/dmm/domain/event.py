"""Events: the immutable, versioned vocabulary of what happens."""

from __future__ import annotations

import json
import uuid
from dataclasses import field
from enum import StrEnum
from typing import Any

from dmm.domain.frozen import frozen

ID_RANDOMNESS = 10


class EventType(StrEnum):
    """Everything the ledger records; the names are part of the format."""

    SESSION_STARTED = "SessionStarted"
    SESSION_ENDED = "SessionEnded"
    USER_MESSAGE_RECEIVED = "UserMessageReceived"
    TOOL_REQUESTED = "ToolRequested"
    TOOL_USED = "ToolUsed"
    TOOL_FAILED = "ToolFailed"
    CONTEXT_COMPACTED = "ContextCompacted"
    TURN_ENDED = "TurnEnded"
    SUBAGENT_ENDED = "SubagentEnded"
    FACT_ADDED = "FactAdded"
    CONSTRAINT_ADDED = "ConstraintAdded"
    CONSTRAINT_ACCEPTED = "ConstraintAccepted"
    CONSTRAINT_DEACTIVATED = "ConstraintDeactivated"
    DECISION_MADE = "DecisionMade"
    DECISION_BLOCKED = "DecisionBlocked"
    MEMORY_QUERY_ISSUED = "MemoryQueryIssued"
    PACK_SERVED = "PackServed"
    PROPOSAL_MADE = "ProposalMade"
    PROPOSAL_CHECKED = "ProposalChecked"
    PROPOSAL_REVIEWED = "ProposalReviewed"
    PROPOSAL_APPLYING = "ProposalApplying"
    PROPOSAL_APPLIED = "ProposalApplied"
    PROPOSAL_COMMITTED = "ProposalCommitted"
    PROPOSAL_FAILED = "ProposalFailed"
    MODEL_CALLED = "ModelCalled"
    USAGE_REPORTED = "UsageReported"
    CONFLICT_FOUND = "ConflictFound"
    CONFLICT_RESOLVED = "ConflictResolved"
    OBSERVATION_MADE = "ObservationMade"
    MEMORY_EXPIRED = "MemoryExpired"
    PAYLOAD_REDACTED = "PayloadRedacted"
    LEDGER_RESTORED = "LedgerRestored"
    PASSKEYS_NOTED = "PasskeysNoted"
    FILES_MERGED = "FilesMerged"
    CALL_ALLOWED = "CallAllowed"


class Trust(StrEnum):
    """Where a statement comes from, most trusted first; what is derived takes the least."""

    USER = "user"
    REVIEWED = "reviewed"
    AGENT = "agent"
    TOOL = "tool"
    THIRD_PARTY = "third_party"


# Whose word binds by itself; a constraint from anybody else waits until a person accepts it.
PERSONS = frozenset((Trust.USER, Trust.REVIEWED))


def least(labels: list[Trust]) -> Trust:
    """Return the least trusted of some labels; nothing at all is trusted least."""
    order = list(Trust)
    return max(labels, key=order.index, default=Trust.THIRD_PARTY)


@frozen
class Draft:
    """An event that is about to be recorded; `id` makes a second try harmless."""

    type: str
    payload: dict[str, Any]
    id: str
    at: str
    actor: str = "user"
    source: str = "cli"
    trust: Trust = Trust.USER
    session: str | None = None
    caused_by: int | None = None
    references: tuple[int, ...] = ()
    version: int = 1


@frozen
class Event:
    """A recorded event; `payload` is None where it was blanked."""

    seq: int
    id: str
    type: str
    version: int
    at: str
    actor: str
    source: str
    trust: str
    session: str | None
    caused_by: int | None
    references: tuple[int, ...]
    payload: dict[str, Any] | None
    hash: str = field(default="", compare=False)

    def get(self, name: str, otherwise: Any = None) -> Any:
        """Read one value of the payload."""
        return otherwise if self.payload is None else self.payload.get(name, otherwise)

    @property
    def branch(self) -> str | None:
        """The branch that was checked out; none without Git, and in events of early versions."""
        found = self.get("branch")
        return found if isinstance(found, str) and found else None


def new_id(milliseconds: int, randomness: bytes) -> str:
    """Make the id of an event (UUID version 7); ids sort as text in the order of their time."""
    if not 0 <= milliseconds < 1 << 48 or len(randomness) < ID_RANDOMNESS:
        raise ValueError(f"an id needs a time of 48 bits and {ID_RANDOMNESS} random bytes")
    chance = int.from_bytes(randomness[:ID_RANDOMNESS])
    high = (milliseconds << 16) | 0x7000 | (chance >> 68)
    low = (0b10 << 62) | (chance & ((1 << 62) - 1))
    return str(uuid.UUID(int=(high << 64) | low))


def canonical(value: Any) -> str:
    """Write plain data as JSON in the one form that hashes rely on."""
    return _ENCODER.encode(value)


# Made once: json.dumps makes one for every call that is not plain.
_ENCODER = json.JSONEncoder(
    ensure_ascii=True, sort_keys=True, separators=(",", ":"), allow_nan=False
)
