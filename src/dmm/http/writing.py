"""Proposals, reviews, conflicts and feedback over HTTP; only a person decides.

FastAPI reads the annotations when the program runs, so they stand here as they are.
"""

import datetime as dt
from dataclasses import asdict
from typing import Annotated, Literal

from fastapi import APIRouter, Path, Query

from dmm.conflicts.results import ConflictList, ConflictView
from dmm.domain.plain import to_plain
from dmm.domain.proposal import Operation, ProposalResult
from dmm.errors import UsageError
from dmm.http import writing_models
from dmm.http.calls import BEHIND_TOKEN, Called, Reply, told
from dmm.http.nodes import read_body
from dmm.lifecycle.results import FeedbackRecorded
from dmm.notes.service import Forgotten, Remembered
from dmm.passkeys.acts import Act, PersonAct, digest_text
from dmm.review.drafting import About
from dmm.review.results import ProposalList, Undone, UndoPreview
from dmm.review.writing import Writing

router = APIRouter(prefix="/v1", tags=["writing"], dependencies=BEHIND_TOKEN)

Proposal = Annotated[
    str, Path(alias="id", pattern=r"^(proposal_)?[0-9]{1,15}$", description="Such as proposal_17.")
]
Conflict = Annotated[
    str, Path(alias="id", pattern=r"^(conflict_)?[0-9]{1,15}$", description="Such as conflict_12.")
]
Status = Literal["pending", "rejected", "applying", "applied", "undone", "all"]


@router.post("/proposals", responses=told(ProposalResult))
def propose(call: Called, body: writing_models.Proposing) -> Reply:
    """Propose a change of memory; it is checked and awaits review."""
    with call.project(body.root).applying(call.unproven.actor) as dmm:
        return Reply(dmm.proposals.write(_asked(body)))


@router.post("/proposals/preview", responses=told(writing_models.PreviewTold))
def preview(call: Called, body: writing_models.Proposing) -> Reply:
    """Show what the checks would say to a change, and who would decide; nothing is recorded."""
    with call.unproven.write(body.root) as dmm:
        found = to_plain(dmm.proposals.preview(_asked(body)))
    return Reply(found | {"body": read_body(found["text"])})


def _asked(body: writing_models.Proposing) -> Writing:
    return Writing(
        body.path,
        body.reason,
        None if body.operation is None else Operation(body.operation),
        content=body.content,
        patch=body.patch,
        base=body.base,
        new_scope=body.new_scope,
        to=body.to,
        about=_about(body),
        evidence=body.evidence,
        source=body.source,
    )


def _about(body: writing_models.Proposing) -> About:
    usual = About()
    return About(
        tags=tuple(body.tags),
        priority=usual.priority if body.priority is None else body.priority,
        related=tuple(body.related),
        supersedes=tuple(body.supersedes),
        expires=None if body.expires is None else _day(body.expires),
    )


def _day(text: str) -> dt.date:
    try:
        return dt.date.fromisoformat(text)
    except ValueError:
        raise UsageError("expires is not a valid date", hint="such as 2026-12-31") from None


@router.post("/remember", responses=told(Remembered))
def remember(call: Called, body: writing_models.Note) -> Reply:
    """Remember a note; a person's is applied at once, an agent's by the rules of its tier."""
    act = Act(PersonAct.REMEMBER, body.replaces or "", digest_text(body.text))
    call.prove(act, body.proof, body.root)
    with call.project(body.root).applying(call.actor) as dmm:
        found = dmm.notes.remember(
            body.text, replaces=body.replaces, anyway=body.anyway, source=body.source
        )
    return Reply(asdict(found))


@router.post("/forget", responses=told(Forgotten))
def forget(call: Called, body: writing_models.Forgetting) -> Reply:
    """Forget a memory by its path, its id or words of its text; lists them if several match."""
    call.prove(Act(PersonAct.FORGET, body.name, body.seen or ""), body.proof, body.root)
    with call.project(body.root).applying(call.actor) as dmm:
        return Reply(asdict(dmm.notes.forget(body.name, reason=body.reason, seen=body.seen)))


@router.get("/proposals", responses=told(ProposalList))
def list_proposals(call: Called, status: Annotated[Status, Query()] = "pending") -> Reply:
    """List proposals, the oldest first."""
    with call.write() as dmm:
        return Reply(dmm.reviews.list(status))


@router.get("/proposals/{id}", responses=told(writing_models.ShownTold))
def show_proposal(call: Called, name: Proposal) -> Reply:
    """Show a proposal with its checks, reviews and changes; one that waits is checked anew."""
    with call.write() as dmm:
        found = dmm.reviews.show(name, record=False)
    text = next((one.after for one in found.edits if one.after is not None), None)
    return Reply(to_plain(found) | {"body": read_body(text)})


@router.post("/proposals/{id}/process", responses=told(ProposalResult))
def process(call: Called, name: Proposal, body: writing_models.Processing) -> Reply:
    """Submit a proposal to the reviewer agent; without a verdict it stays pending."""
    with call.project(body.root).isolated(call.unproven.actor) as dmm:
        return Reply(dmm.reviews.process(name))


@router.post("/proposals/{id}/approve", responses=told(ProposalResult))
def approve(call: Called, name: Proposal, body: writing_models.Approval) -> Reply:
    """Apply a proposal; for a person who is signed in."""
    with call.decide(Act(PersonAct.APPROVE, name, body.seen or ""), body) as dmm:
        found = dmm.reviews.approve(
            name, bypass_reviewer=body.bypass_reviewer, reason=body.reason, seen=body.seen
        )
    return Reply(found)


@router.post("/proposals/{id}/reject", responses=told(ProposalResult))
def reject(call: Called, name: Proposal, body: writing_models.Rejection) -> Reply:
    """Reject a proposal; for a person who is signed in."""
    with call.decide(Act(PersonAct.REJECT, name, body.seen or ""), body) as dmm:
        return Reply(dmm.reviews.reject(name, body.reason, seen=body.seen))


@router.post("/proposals/{id}/edit", responses=told(ProposalResult))
def edit(call: Called, name: Proposal, body: writing_models.Change) -> Reply:
    """Replace the proposed text; for a person who is signed in."""
    with call.decide(Act(PersonAct.EDIT, name, digest_text(body.content)), body) as dmm:
        return Reply(dmm.reviews.edit(name, body.content, body.reason, seen=body.seen))


@router.post("/undo", responses=told(Undone | UndoPreview))
def undo(call: Called, body: writing_models.Undo) -> Reply:
    """Undo applied writes, or preview that; for a person who is signed in."""
    session, source = body.session, body.source
    if body.preview:
        with call.write(body.root) as dmm:
            return Reply(dmm.undoing.preview(body.seq, session=session, source=source))
    with call.decide(Act(PersonAct.UNDO, _meant(body), body.seen or ""), body) as dmm:
        found = dmm.undoing.undo(
            body.seq, session=session, source=source, reason=body.reason, seen=body.seen
        )
    return Reply(found)


def _meant(body: writing_models.Undo) -> str:
    """Name what is undone: proposal_N, session:ID or source:NAME."""
    if body.seq is not None:
        return f"proposal_{body.seq}"
    return f"session:{body.session}" if body.session else f"source:{body.source}"


@router.post("/feedback", responses=told(FeedbackRecorded))
def feedback(call: Called, body: writing_models.Feedback) -> Reply:
    """Record how memories were used."""
    with call.unproven.write(body.root) as dmm:
        return Reply(dmm.lifecycle.report(body.memories, body.outcome, body.context))


@router.get("/conflicts", responses=told(ConflictList))
def list_conflicts(
    call: Called,
    status: Annotated[Literal["unresolved", "resolved", "all"], Query()] = "unresolved",
) -> Reply:
    """List recorded conflicts."""
    with call.write() as dmm:
        return Reply(dmm.conflicts.list(status))


@router.post("/conflicts", responses=told(ConflictView))
def flag(call: Called, body: writing_models.Flag) -> Reply:
    """Record a conflict that somebody sees between two memories."""
    with call.unproven.write(body.root) as dmm:
        return Reply(dmm.conflicts.flag(body.ids, body.description))


@router.get("/conflicts/{id}", responses=told(writing_models.ConflictShownTold))
def show_conflict(call: Called, name: Conflict) -> Reply:
    """Show one conflict with both texts."""
    with call.write() as dmm:
        found = dmm.conflicts.show(name)
        sides = to_plain(dmm.memory_views.sides(name))
    bodies = [one | {"body": read_body(one["text"])} for one in sides]
    return Reply(to_plain(found) | {"sides": bodies})


@router.post("/conflicts/{id}/resolve", responses=told(ConflictView))
def resolve(call: Called, name: Conflict, body: writing_models.Resolving) -> Reply:
    """Settle a conflict by proposals; a person alone can call it intentional."""
    act = Act(PersonAct.RESOLVE, f"{name}:{body.action}", body.seen or "")
    call.prove(act, body.proof, body.root)
    with call.project(body.root).applying(call.actor) as dmm:
        found = dmm.resolutions.resolve(
            name,
            body.action,
            target=body.target,
            reason=body.reason,
            content=body.content,
            seen=body.seen,
        )
    return Reply(found)
