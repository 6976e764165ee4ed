"""What the review of proposals returns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

from dmm.domain.event import Trust
from dmm.domain.frozen import frozen
from dmm.domain.proposal import (
    Check,
    Edit,
    Judge,
    Operation,
    Proposal,
    ProposalResult,
    ProposalStatus,
    Verdict,
)
from dmm.review.preview import ClashView, NearMemory


@frozen
class ProposalHead:
    """What a proposal is about, from whom, and how long it has waited."""

    id: str
    operation: Operation
    path: str
    proposer: str
    source: str
    trust: Trust
    reason: str
    origin: str
    at: str
    age_seconds: int
    status: ProposalStatus

    @classmethod
    def of(cls, proposal: Proposal, age_seconds: int, **more: Any) -> Self:
        """Tell a proposal as it stands, with more about it."""
        return cls(
            proposal.id,
            proposal.operation,
            proposal.path,
            proposal.proposer,
            proposal.source,
            proposal.trust,
            proposal.reason,
            proposal.origin,
            proposal.at,
            age_seconds,
            proposal.standing,
            **more,
        )


@frozen
class ProposalRow(ProposalHead):
    """A proposal in a list, with the number of its checks by outcome."""

    checks: Mapping[str, int]


@frozen
class ProposalList:
    """Proposals, oldest first, and how many wait in all."""

    proposals: tuple[ProposalRow, ...]
    pending: int


@frozen
class ReviewView:
    """One verdict on a proposal."""

    seq: int
    at: str
    judge: Judge
    by: str
    verdict: Verdict
    reason: str
    confidence: float | None
    remarks: Mapping[str, str]


@frozen
class ProposalView(ProposalHead):
    """Everything about a proposal; `stale` shows how its file has changed since."""

    checks: tuple[Check, ...]
    session: str | None
    evidence: tuple[int, ...]
    undoes: tuple[int, ...]
    reviews: tuple[ReviewView, ...]
    tier: str
    why: str
    failure: str | None
    commit: str | None
    uncommitted: bool
    neighbours: tuple[NearMemory, ...]
    conflicts: tuple[ClashView, ...]
    digest: str
    edits: tuple[Edit, ...]
    diff: tuple[str, ...]
    stale: tuple[str, ...]


@frozen
class Processed:
    """What the reviewer agent made of everything that waited."""

    processed: tuple[ProposalResult, ...]
    pending: int


@frozen
class Undone(ProposalResult):
    """A write that took others back; `rules_left` are rules of undone imports that stay active."""

    undone: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    rules_left: tuple[str, ...] = ()


@frozen
class Undoable(ProposalResult):
    """A write that would be taken back."""

    proposer: str = ""


@frozen
class UndoPreview:
    """What an undo would take back, and how the files would change; imported rules stay."""

    would_undo: tuple[Undoable, ...]
    paths: tuple[str, ...]
    diff: tuple[str, ...]
    digest: str
    rules_left: tuple[str, ...] = ()
