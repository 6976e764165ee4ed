"""What the operations on conflicts return."""

from __future__ import annotations

from dmm.conflicts.records import Record
from dmm.domain.conflict import ConflictType, Method, Side
from dmm.domain.frozen import frozen
from dmm.domain.proposal import ProposalResult


@frozen
class ResolutionView:
    """How a conflict was settled, or will be once its proposals are applied."""

    action: str
    reason: str
    at: str | None
    proposals: tuple[str, ...]
    target: str | None = None


@frozen
class ConflictView:
    """A conflict with both memories; `proposals` are those just made to resolve it."""

    conflict_id: str
    type: ConflictType
    confidence: float
    sure: bool
    status: str
    detected: str | None
    description: str
    suggested_resolution: str
    methods: tuple[Method, ...]
    memories: tuple[Side, ...]
    quotes: tuple[str, str]
    resolution: ResolutionView | None = None
    digest: str | None = None
    proposals: tuple[ProposalResult, ...] = ()


@frozen
class ConflictList:
    """Conflicts in the order they were found, and how many are unresolved in all."""

    conflicts: tuple[ConflictView, ...]
    unresolved: int


@frozen
class Scanned:
    """What comparing all memories found; `recorded` is False where nothing could be written."""

    conflicts: tuple[ConflictView, ...]
    memories: int
    compared: int
    found: int
    gone: int
    recorded: bool
    notices: tuple[str, ...]


def show_conflict(record: Record) -> ConflictView:
    """Return a recorded conflict for display."""
    return ConflictView(
        record.id,
        record.type,
        record.confidence,
        record.sure,
        str(record.status),
        record.at,
        record.description,
        record.suggestion,
        record.methods,
        record.sides,
        record.quotes,
        _resolution(record),
    )


def _resolution(record: Record) -> ResolutionView | None:
    if not record.action:
        return None
    made = tuple(f"proposal_{seq}" for seq in record.proposals)
    when = record.resolved_at
    return ResolutionView(record.action, record.reason, when, made, record.target or None)
