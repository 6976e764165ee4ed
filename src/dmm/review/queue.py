"""The review queue: a pure fold of events."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from dmm.domain.event import Trust, least
from dmm.domain.plain import Malformed
from dmm.domain.proposal import Edit, Judge, Operation, Proposal, ProposalStatus, Review, Verdict
from dmm.domain.proposal_payload import (
    OfProposal,
    ProposalApplied,
    ProposalApplying,
    ProposalChecked,
    ProposalCommitted,
    ProposalFailed,
    ProposalMade,
    ProposalReviewed,
)
from dmm.domain.recorded import Payload

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from dmm.domain.event import Event

Proposals = dict[int, Proposal]


@dataclass(frozen=True, slots=True)
class Queue:
    """All proposals by their number, as of the event `seq`."""

    seq: int = 0
    proposals: Mapping[int, Proposal] = field(default_factory=dict)

    @property
    def open(self) -> list[Proposal]:
        """The proposals that wait for a verdict, oldest first."""
        return [proposal for proposal in self.proposals.values() if proposal.is_open]


def fold(events: Iterable[Event], start: Queue | None = None) -> Queue:
    """Apply events in order to a queue; those it already holds are passed over.

    Events that are unknown, blanked, malformed, of a version from the future, or that do not fit
    the standing of their proposal change nothing but the number.
    """
    start = start or Queue()
    seq, proposals = start.seq, dict(start.proposals)
    for event in events:
        if event.seq <= seq:
            continue
        seq = event.seq
        told = Payload.read(event)
        step = _STEPS.get(type(told))
        if step is not None:
            with contextlib.suppress(Malformed):
                step(proposals, event, told)
    return Queue(seq, proposals)


def _made(proposals: Proposals, event: Event, told: ProposalMade) -> None:
    if any(seq >= event.seq for seq in told.undoes) or event.trust not in list(Trust):
        raise Malformed
    proposals[event.seq] = Proposal(
        seq=event.seq,
        operation=told.operation,
        edits=_sound(told.edits),
        reason=told.reason,
        proposer=event.actor,
        source=event.source,
        trust=least([told.trust, Trust(event.trust)]),
        at=event.at,
        session=event.session,
        evidence=told.evidence,
        undoes=told.undoes,
        origin=told.origin or "",
    )


def _checked(proposals: Proposals, _: Event, told: ProposalChecked) -> None:
    proposal = _find(proposals, told, ProposalStatus.PENDING)
    proposals[proposal.seq] = replace(proposal, checks=told.checks)


def _reviewed(proposals: Proposals, event: Event, told: ProposalReviewed) -> None:
    proposal = _find(proposals, told, ProposalStatus.PENDING)
    review = _review(event, told)
    proposal = replace(proposal, reviews=(*proposal.reviews, review))
    if review.verdict is Verdict.REJECTED:
        proposal = replace(proposal, standing=ProposalStatus.REJECTED)
    if review.verdict is Verdict.MODIFIED:
        if {edit.path for edit in review.edits} != {edit.path for edit in proposal.edits}:
            raise Malformed
        # The checks were of the text before: none of them speaks for this one.
        proposal = replace(proposal, edits=review.edits, checks=())
    proposals[proposal.seq] = proposal


def _review(event: Event, told: ProposalReviewed) -> Review:
    # Whoever records it may call itself anything; that a person spoke, only the event can tell.
    if told.judge is Judge.PERSON and event.trust != Trust.USER:
        raise Malformed
    if told.confidence is not None and not 0.0 <= told.confidence <= 1.0:
        raise Malformed
    return Review(
        seq=event.seq,
        at=event.at,
        judge=told.judge,
        by=event.actor,
        verdict=told.verdict,
        reason=told.reason,
        confidence=told.confidence,
        remarks=tuple((told.remarks or {}).items()),
        edits=_sound(told.edits) if told.verdict is Verdict.MODIFIED else (),
    )


def _applying(proposals: Proposals, event: Event, told: ProposalApplying) -> None:
    proposal = _find(proposals, told, ProposalStatus.PENDING)
    _sound(told.edits)
    proposals[proposal.seq] = replace(
        proposal, standing=ProposalStatus.APPLYING, applying=event.seq, failure=None
    )


def _applied(proposals: Proposals, event: Event, told: ProposalApplied) -> None:
    proposal = _find(proposals, told, ProposalStatus.APPLYING)
    done = replace(
        _of_intent(proposal, told.applying),
        standing=ProposalStatus.APPLIED,
        applied=event.seq,
        commit=told.commit,
        uncommitted=told.uncommitted,
    )
    proposals[proposal.seq] = done
    _carry_through(proposals, done)


def _carry_through(proposals: Proposals, first: Proposal) -> None:
    """Mark what an applied undo takes back; one that takes back an undo brings its work again."""
    waiting = [first]
    while waiting:
        source = waiting.pop()
        takes_back = source.standing is ProposalStatus.APPLIED
        wanted = ProposalStatus.APPLIED if takes_back else ProposalStatus.UNDONE
        for seq in source.undoes if source.operation is Operation.UNDO else ():
            target = proposals.get(seq)
            if target is None or target.standing is not wanted:
                continue
            if not takes_back and target.undone_by != source.seq:
                continue
            proposals[seq] = replace(
                target,
                standing=ProposalStatus.UNDONE if takes_back else ProposalStatus.APPLIED,
                undone_by=source.seq if takes_back else None,
            )
            waiting.append(proposals[seq])


def _committed(proposals: Proposals, _: Event, told: ProposalCommitted) -> None:
    proposal = proposals.get(told.proposal)
    if proposal is None or not proposal.uncommitted:
        raise Malformed
    proposal = _of_intent(proposal, told.applying)
    proposals[proposal.seq] = replace(proposal, commit=told.commit, uncommitted=False)


def _failed(proposals: Proposals, _: Event, told: ProposalFailed) -> None:
    proposal = _of_intent(_find(proposals, told, ProposalStatus.APPLYING), told.applying)
    proposals[proposal.seq] = replace(
        proposal, standing=ProposalStatus.PENDING, applying=None, failure=told.reason
    )


_STEPS: dict[type, Callable[[Proposals, Event, Any], None]] = {
    ProposalMade: _made,
    ProposalChecked: _checked,
    ProposalReviewed: _reviewed,
    ProposalApplying: _applying,
    ProposalApplied: _applied,
    ProposalCommitted: _committed,
    ProposalFailed: _failed,
}


def _find(proposals: Proposals, told: OfProposal, standing: ProposalStatus) -> Proposal:
    """Find the proposal that an event speaks of, if it stands where the event can follow."""
    proposal = proposals.get(told.proposal)
    if proposal is None or proposal.standing is not standing:
        raise Malformed
    return proposal


def _of_intent(proposal: Proposal, applying: int | None) -> Proposal:
    """Refuse an event that belongs to another attempt to apply the proposal."""
    if applying != proposal.applying:
        raise Malformed
    return proposal


def _sound(edits: tuple[Edit, ...]) -> tuple[Edit, ...]:
    """Refuse edits that change nothing, or one file twice."""
    if not edits or len({edit.path for edit in edits}) < len(edits):
        raise Malformed
    if any(edit.before is edit.after is None for edit in edits):
        raise Malformed
    return edits
