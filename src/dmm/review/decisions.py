"""List, show, review, approve, reject and edit proposals."""

from __future__ import annotations

import contextlib
import datetime as dt
import re
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from dmm.domain.event import Trust
from dmm.domain.frozen import frozen
from dmm.domain.proposal import (
    Edit,
    Judge,
    Operation,
    Outcome,
    ProposalResult,
    ProposalStatus,
    Review,
    Verdict,
    digest,
)
from dmm.domain.proposal_payload import ProposalReviewed
from dmm.errors import DmmError, ReviewRefused, StaleBase, StorageError, UsageError
from dmm.passkeys.acts import PersonAct
from dmm.redaction.inputs import need, need_one
from dmm.redaction.redact import redact
from dmm.review.application import Approval
from dmm.review.drafting import has_front_matter, refuse_large, with_body
from dmm.review.examination import Examined
from dmm.review.intake import clean_edits
from dmm.review.patches import show_diff, three_way
from dmm.review.preview import show_clashes, show_neighbours
from dmm.review.results import Processed, ProposalList, ProposalRow, ProposalView, ReviewView
from dmm.review.reviewer_calls import Silence
from dmm.review.store import overtaken, rewritten
from dmm.review.tiers import Tier, may_apply
from dmm.tracing import traced

if TYPE_CHECKING:
    from collections.abc import Callable

    from dmm.domain.proposal import Proposal
    from dmm.review.reviewer import Answer
    from dmm.review.reviewer_calls import Reviewer
    from dmm.review.service import Proposals

# As much of a digest as chance does not repeat, up to the whole.
_SEEN = re.compile("[0-9a-f]{8,64}", re.IGNORECASE)
STATUSES = (
    "pending",
    "all",
    *(str(one) for one in ProposalStatus if one is not ProposalStatus.PENDING),
)


@frozen
class Reviews:
    """Decides about the proposals of one project."""

    proposals: Proposals
    reviewer: Callable[[], Reviewer]
    now: Callable[[], dt.datetime]

    @traced()
    def list(self, status: str = "pending") -> ProposalList:
        """List proposals, oldest first, with their age."""
        need_one("status", status, STATUSES)
        queue = self.proposals.proposal_store.queue()
        chosen = [p for p in queue.proposals.values() if status in ("all", str(p.standing))]
        rows = tuple(
            ProposalRow.of(one, self._age(one), checks={name: found[name] for name in Outcome})
            for one in chosen
            for found in [Counter(check.outcome for check in one.checks)]
        )
        return ProposalList(rows, len(queue.open))

    def _age(self, proposal: Proposal) -> int:
        made = dt.datetime.fromisoformat(proposal.at)
        return max(0, int((self.now() - made).total_seconds()))

    @traced()
    def show(self, name: str, *, record: bool = True) -> ProposalView:
        """Return everything about one proposal; one that waits is checked anew.

        New checks are recorded, unless somebody only looks.
        """
        proposal = self.proposals.proposal_store.find(name)
        examined = Examined((), ())
        if proposal.is_open and self._may_record:
            examined = self.proposals.look(proposal)
            # Where nothing can be written, it is shown all the same.
            with contextlib.suppress(StorageError):
                if record:
                    self.proposals.keep_checks(proposal, examined)
            seen, proposal = proposal, self.proposals.proposal_store.find(name)
            if proposal.edits == seen.edits:
                proposal = replace(proposal, checks=examined.checks)
        tier, why = self._tier(proposal)
        return ProposalView.of(
            proposal,
            self._age(proposal),
            checks=proposal.checks,
            session=proposal.session,
            evidence=proposal.evidence,
            undoes=proposal.undoes,
            reviews=tuple(map(_show_review, proposal.reviews)),
            tier=str(tier),
            why=why,
            failure=proposal.failure,
            commit=proposal.commit,
            uncommitted=proposal.uncommitted,
            neighbours=show_neighbours(examined),
            conflicts=show_clashes(examined),
            digest=proposal.seal,
            edits=proposal.edits,
            diff=tuple(line for e in proposal.edits for line in _diff(e)),
            stale=self._stale(proposal),
        )

    @property
    def _may_record(self) -> bool:
        root = self.proposals.intake.root.folder
        return self.proposals.trust.is_trusted(root)

    def _stale(self, proposal: Proposal) -> tuple[str, ...]:
        """Show base, file and proposal side by side where the file has changed since."""
        lines: tuple[str, ...] = ()
        for edit in proposal.edits if proposal.is_open else ():
            current = self.proposals.intake.root.tree.text_of(edit.path)
            if digest(current) != edit.base:
                lines += tuple(three_way(edit.before or "", current or "", edit.after or ""))
        return lines

    def _tier(self, proposal: Proposal) -> tuple[Tier, str]:
        return self.proposals.tier(proposal)

    @traced()
    def process(self, name: str) -> ProposalResult:
        """Submit a proposal to the reviewer agent; on failure it stays pending."""
        self._require()
        proposal = self._waiting(name)
        examined = self.proposals.examine(proposal)
        proposal = self.proposals.proposal_store.find(name)
        tier, why = self._tier(proposal)
        if any(check.hard and check.failed for check in proposal.checks):
            return self._left(proposal, "a check rejects it; the reviewer was not asked")
        if tier is Tier.PERSON:
            return self._left(proposal, why)
        answer = self.reviewer().review(proposal, examined.checks, examined.neighbours)
        if isinstance(answer, Silence):
            return self._left(proposal, answer.reason)
        self.proposals.examine(proposal)
        if self._again(proposal) != proposal:
            why = "it or related memory changed while the reviewer was deciding"
            return self._left(self._again(proposal), why)
        return self._follow(proposal, answer)

    def _left(self, proposal: Proposal, why: str) -> ProposalResult:
        return ProposalResult.of(proposal, why=why)

    def _follow(self, proposal: Proposal, answer: Answer) -> ProposalResult:
        """Apply the reviewer agent's verdict, within the checks and the threshold."""
        threshold = self.proposals.config.reviewer_agent.auto_approve_threshold
        if answer.verdict is Verdict.APPROVED:
            review = _review(Judge.REVIEWER, answer.reason, answer.confidence)
            why = may_apply(proposal, proposal.checks, review, threshold=threshold)
            if why is None:
                remarks = dict(answer.remarks)
                given = answer.reason, answer.confidence, remarks
                approval = Approval(Judge.REVIEWER, proposal.edits, *given)
                return self._apply(proposal, approval)
            self._note(proposal, answer)
            return self._left(self._again(proposal), f"the reviewer approves, but {why}")
        if answer.verdict is Verdict.MODIFIED and not has_front_matter(answer.content or ""):
            return self._left(proposal, "the reviewer's text has no front matter")
        self._note(proposal, answer)
        if answer.verdict is Verdict.MODIFIED:
            proposal = self._again(proposal)
            self.proposals.examine(proposal)
            why = "the reviewer changed the text; a person decides"
            return self._left(self._again(proposal), why)
        return self._left(self._again(proposal), answer.reason)

    def _note(self, proposal: Proposal, answer: Answer) -> None:
        said = ProposalReviewed(
            proposal=proposal.seq,
            judge=Judge.REVIEWER,
            verdict=answer.verdict,
            reason=redact(answer.reason).text,
            confidence=answer.confidence,
            remarks={name: redact(text).text for name, text in answer.remarks},
        )
        if answer.verdict is Verdict.MODIFIED and answer.content is not None:
            said = _changed(said, proposal, answer.content)
        self.proposals.judge(proposal, said)

    @traced()
    def process_all(self) -> Processed:
        """Submit every pending proposal to the reviewer agent, oldest first."""
        told = []
        for proposal in self.proposals.proposal_store.queue().open:
            try:
                told.append(self.process(proposal.id))
            except DmmError as error:
                told.append(self._left(proposal, str(error)))
        return Processed(tuple(told), len(self.proposals.proposal_store.queue().open))

    @traced()
    def approve(
        self, name: str, *, bypass_reviewer: bool = False, reason: str = "", seen: str | None = None
    ) -> ProposalResult:
        """Apply a proposal because a person says so; some refusals hold for a person too.

        `seen` is the digest of the texts that were looked at, or its beginning.
        """
        self._need_person(PersonAct.APPROVE)
        self.proposals.application.recover()
        proposal = self.as_seen(name, seen)
        self._refuse_stale(proposal)
        self.proposals.examine(proposal)
        examined, proposal = proposal, self._still_waiting(proposal)
        if proposal.edits != examined.edits:
            raise rewritten(proposal)
        review = _review(Judge.PERSON, reason)
        why = may_apply(proposal, proposal.checks, review, bypass=bypass_reviewer)
        if why is not None:
            hint = f"change it with: dmm review edit {proposal.id}"
            raise ReviewRefused(why, where=proposal.id, hint=hint)
        overridden = tuple(str(check.name) for check in proposal.failures)
        said = redact(reason).text
        approval = Approval(Judge.PERSON, proposal.edits, said, overridden=overridden)
        return self._apply(proposal, approval)

    def _refuse_stale(self, proposal: Proposal) -> None:
        """Refuse a proposal whose files were changed; one just applied is reported so."""
        try:
            self.proposals.application.refuse_stale(proposal)
        except StaleBase:
            self._still_waiting(proposal)
            raise

    def _still_waiting(self, proposal: Proposal) -> Proposal:
        now = self._again(proposal)
        if not now.is_open:
            raise overtaken(now)
        return now

    def _apply(self, proposal: Proposal, approval: Approval) -> ProposalResult:
        applied = self.proposals.application.apply(proposal.seq, approval)
        return ProposalResult.of(applied.proposal, applied.notices)

    @traced()
    def reject(self, name: str, reason: str, *, seen: str | None = None) -> ProposalResult:
        """Reject a proposal; it stays on record."""
        self._need_person(PersonAct.REJECT)
        need("reason", reason)
        proposal = self.as_seen(name, seen)
        self.proposals.judge(proposal, _say(proposal, Verdict.REJECTED, reason))
        return ProposalResult.of(self._again(proposal))

    @traced()
    def edit(
        self, name: str, content: str, reason: str = "", *, seen: str | None = None
    ) -> ProposalResult:
        """Replace the proposed text by a person's; it is checked again and stays pending."""
        self._need_person(PersonAct.EDIT)
        proposal = self.as_seen(name, seen)
        if content == proposal.text and not self._stale(proposal):
            raise UsageError("nothing was changed", where=proposal.id)
        said = _say(proposal, Verdict.MODIFIED, reason or "edited by hand")
        self.proposals.judge(proposal, _changed(said, self._upon_now(proposal), content))
        proposal = self._again(proposal)
        self.proposals.examine(proposal)
        return ProposalResult.of(self._again(proposal))

    def _upon_now(self, proposal: Proposal) -> Proposal:
        """Set a change upon the file as it is now: whoever edits has seen what became of it."""
        tree = self.proposals.intake.root.tree
        now = {e.path: tree.text_of(e.path) for e in proposal.edits if e.before and e.after}
        edits = (replace(e, before=now.get(e.path) or e.before) for e in proposal.edits)
        return replace(proposal, edits=tuple(edits))

    def _again(self, proposal: Proposal) -> Proposal:
        return self.proposals.proposal_store.queue().proposals[proposal.seq]

    def _waiting(self, name: str) -> Proposal:
        proposal = self.proposals.proposal_store.find(name)
        if not proposal.is_open:
            hint = "dmm review list shows pending proposals"
            raise ReviewRefused(f"{proposal.id} is {proposal.standing}", hint=hint)
        return proposal

    def as_seen(self, name: str, seen: str | None) -> Proposal:
        """Find a proposal that waits, with the texts that somebody has looked at."""
        if seen is not None and not _SEEN.fullmatch(seen.strip()):
            hint = "dmm review show prints it, such as: --seen 3f2a9c81d07b"
            raise UsageError(f"{seen!r} is not the digest of a proposal", hint=hint)
        proposal = self._waiting(name)
        if seen is not None and not proposal.seal.startswith(seen.strip().lower()):
            raise rewritten(proposal)
        return proposal

    def _require(self) -> None:
        self.proposals.trust.require(self.proposals.intake.root.folder)

    def _need_person(self, act: PersonAct) -> None:
        self._require()
        if self.proposals.project_ledger.actor.trust is not Trust.USER:
            hint = "decide in a terminal: dmm review"
            raise ReviewRefused(f"an agent can't {act.words}", hint=hint)


def _say(proposal: Proposal, verdict: Verdict, reason: str) -> ProposalReviewed:
    return ProposalReviewed(
        proposal=proposal.seq,
        judge=Judge.PERSON,
        verdict=verdict,
        reason=redact(reason.strip()).text,
        remarks={},
    )


def _changed(said: ProposalReviewed, proposal: Proposal, content: str) -> ProposalReviewed:
    """Replace the proposed text by a review's text."""
    refuse_large(content)
    target = next((e for e in proposal.edits if e.after is not None), None)
    if target is None or proposal.operation is Operation.UNDO:
        raise ReviewRefused("this proposal has no text to edit", where=proposal.id)
    if not content.strip():
        hint = f"to reject it: dmm review reject {proposal.id}"
        raise UsageError("the text is empty", where=proposal.id, hint=hint)
    if not has_front_matter(content):
        content = with_body(target.path, target.after or "", content)
    new = Edit(target.path, target.before, content)
    edits = tuple(new if edit is target else edit for edit in proposal.edits)
    cleaned, secrets = clean_edits(edits)
    return replace(said, edits=cleaned, secrets=tuple(secrets))


def _review(judge: Judge, reason: str, confidence: float | None = None) -> Review:
    """An approval that is about to be given."""
    return Review(0, "", judge, "", Verdict.APPROVED, reason, confidence)


def _diff(edit: Edit) -> list[str]:
    return show_diff(edit.before, edit.after, edit.path)


def _show_review(one: Review) -> ReviewView:
    told = one.seq, one.at, one.judge, one.by, one.verdict, one.reason, one.confidence
    return ReviewView(*told, remarks=dict(one.remarks))
