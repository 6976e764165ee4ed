"""The review queue: a pure fold of events."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any, TypeVar

from dmm.domain.event import Event, EventType, Trust, least
from dmm.domain.proposal import (
    Check,
    CheckName,
    Edit,
    Judge,
    Operation,
    Outcome,
    Proposal,
    ProposalStatus,
    Review,
    Verdict,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

VERSION = 1

Proposals = dict[int, Proposal]
E = TypeVar("E", bound=StrEnum)


class _Malformed(Exception):
    """A payload that is not as the format says; its event changes nothing."""


@dataclass(frozen=True, slots=True)
class Queue:
    """All proposals by their number, as of the event `seq`."""

    seq: int = 0
    proposals: Mapping[int, Proposal] = field(default_factory=dict)

    @property
    def open(self) -> list[Proposal]:
        """The proposals that wait for a verdict, oldest first."""
        return [proposal for proposal in self.proposals.values() if proposal.is_open]

    @property
    def unfinished(self) -> list[Proposal]:
        """The proposals whose application began and did not end: what recovery has to settle."""
        return [p for p in self.proposals.values() if p.standing is ProposalStatus.APPLYING]


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
        step = _STEPS.get(event.type)
        if step is None or event.payload is None or event.version != VERSION:
            continue
        try:
            step(proposals, event)
        except _Malformed:
            continue
    return Queue(seq, proposals)


def _made(proposals: Proposals, event: Event) -> None:
    undoes = _numbers(event.get("undoes", []))
    if any(seq >= event.seq for seq in undoes):
        raise _Malformed
    proposals[event.seq] = Proposal(
        seq=event.seq,
        operation=_word(event.get("operation"), Operation),
        edits=_edits(event.get("edits")),
        reason=_text(event.get("reason")),
        proposer=event.actor,
        source=event.source,
        trust=least([_word(event.get("trust"), Trust), _word(event.trust, Trust)]),
        at=event.at,
        session=event.session,
        evidence=_numbers(event.get("evidence", [])),
        undoes=undoes,
        origin=_text(event.get("origin", "")),
    )


def _checked(proposals: Proposals, event: Event) -> None:
    proposal = _find(proposals, event, ProposalStatus.PENDING)
    checks = tuple(_check(told) for told in _list(event.get("checks")))
    proposals[proposal.seq] = replace(proposal, checks=checks)


def _check(told: object) -> Check:
    values = _map(told)
    hard, other = values.get("hard", False), values.get("other")
    if not isinstance(hard, bool):
        raise _Malformed
    return Check(
        name=_word(values.get("name"), CheckName),
        outcome=_word(values.get("outcome"), Outcome),
        text=_text(values.get("text")),
        hard=hard,
        other=None if other is None else _text(other),
    )


def _reviewed(proposals: Proposals, event: Event) -> None:
    proposal = _find(proposals, event, ProposalStatus.PENDING)
    review = _review(event)
    changes: dict[str, Any] = {"reviews": (*proposal.reviews, review)}
    if review.verdict is Verdict.REJECTED:
        changes["standing"] = ProposalStatus.REJECTED
    if review.verdict is Verdict.MODIFIED:
        if {edit.path for edit in review.edits} != {edit.path for edit in proposal.edits}:
            raise _Malformed
        # The checks were of the text before: none of them speaks for this one.
        changes |= {"edits": review.edits, "checks": ()}
    proposals[proposal.seq] = replace(proposal, **changes)


def _review(event: Event) -> Review:
    verdict = _word(event.get("verdict"), Verdict)
    told = event.get("edits") if verdict is Verdict.MODIFIED else None
    remarks = _map(event.get("remarks", {}))
    judge = _word(event.get("judge"), Judge)
    # Whoever records it may call itself anything; that a person spoke, only the event can tell.
    if judge is Judge.PERSON and event.trust != Trust.USER:
        raise _Malformed
    return Review(
        seq=event.seq,
        at=event.at,
        judge=judge,
        by=event.actor,
        verdict=verdict,
        reason=_text(event.get("reason")),
        confidence=_fraction(event.get("confidence")),
        remarks=tuple((_text(name), _text(text)) for name, text in remarks.items()),
        edits=() if verdict is not Verdict.MODIFIED else _edits(told),
    )


def _applying(proposals: Proposals, event: Event) -> None:
    proposal = _find(proposals, event, ProposalStatus.PENDING)
    _edits(event.get("edits"))
    proposals[proposal.seq] = replace(
        proposal, standing=ProposalStatus.APPLYING, applying=event.seq, failure=None
    )


def _applied(proposals: Proposals, event: Event) -> None:
    proposal = _find(proposals, event, ProposalStatus.APPLYING)
    commit = event.get("commit")
    done = replace(
        proposal,
        standing=ProposalStatus.APPLIED,
        applied=event.seq,
        commit=None if commit is None else _text(commit),
        uncommitted=event.get("uncommitted") is True,
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


def _committed(proposals: Proposals, event: Event) -> None:
    proposal = proposals.get(_number(event.get("proposal")))
    if proposal is None or not proposal.uncommitted:
        raise _Malformed
    if event.get("applying") != proposal.applying:
        raise _Malformed
    commit = event.get("commit")
    made = None if commit is None else _text(commit)
    proposals[proposal.seq] = replace(proposal, commit=made, uncommitted=False)


def _failed(proposals: Proposals, event: Event) -> None:
    proposal = _find(proposals, event, ProposalStatus.APPLYING)
    proposals[proposal.seq] = replace(
        proposal, standing=ProposalStatus.PENDING, applying=None, failure=_text(event.get("reason"))
    )


_STEPS: dict[str, Callable[[Proposals, Event], None]] = {
    EventType.PROPOSAL_MADE: _made,
    EventType.PROPOSAL_CHECKED: _checked,
    EventType.PROPOSAL_REVIEWED: _reviewed,
    EventType.PROPOSAL_APPLYING: _applying,
    EventType.PROPOSAL_APPLIED: _applied,
    EventType.PROPOSAL_COMMITTED: _committed,
    EventType.PROPOSAL_FAILED: _failed,
}


def _find(proposals: Proposals, event: Event, standing: ProposalStatus) -> Proposal:
    """Find the proposal that an event speaks of, if it stands where the event can follow."""
    proposal = proposals.get(_number(event.get("proposal")))
    if proposal is None or proposal.standing is not standing:
        raise _Malformed
    if standing is ProposalStatus.APPLYING and event.get("applying") != proposal.applying:
        raise _Malformed
    return proposal


def _edits(told: object) -> tuple[Edit, ...]:
    edits = tuple(_edit(_map(one)) for one in _list(told))
    if not edits or len({edit.path for edit in edits}) < len(edits):
        raise _Malformed
    return edits


def _edit(told: dict[str, Any]) -> Edit:
    before, after = told.get("before"), told.get("after")
    if before is None and after is None:
        raise _Malformed
    return Edit(
        path=_text(told.get("path")),
        before=None if before is None else _text(before),
        after=None if after is None else _text(after),
    )


def _word(value: object, kind: type[E]) -> E:
    try:
        return kind(_text(value))
    except ValueError:
        raise _Malformed from None


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise _Malformed
    return value


def _number(value: object) -> int:
    if type(value) is not int:
        raise _Malformed
    return value


def _fraction(value: object) -> float | None:
    if value is None:
        return None
    if type(value) not in (int, float) or not 0.0 <= float(str(value)) <= 1.0:
        raise _Malformed
    return float(str(value))


def _numbers(value: object) -> tuple[int, ...]:
    return tuple(_number(one) for one in _list(value))


def _list(value: object) -> list[Any]:
    if not isinstance(value, list):
        raise _Malformed
    return value


def _map(value: object) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise _Malformed
    return value
