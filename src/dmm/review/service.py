"""Make proposals: record, check, and apply where a rule allows it.

WRITE: wish → drafting → intake (redaction, trust, ProposalMade) → examination (ProposalChecked) →
tier → a review (review/decisions.py) → application (review/application.py) → index, conflicts.
"""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypedDict, Unpack

from dmm.domain.event import Trust
from dmm.domain.proposal import Judge, Operation, ProposalResult, ProposalStatus, Verdict, digest
from dmm.domain.proposal_payload import ProposalChecked, ProposalMade, ProposalReviewed
from dmm.errors import DmmError, FileExists, ReviewRefused, StaleBase, UsageError
from dmm.redaction.inputs import need
from dmm.review.application import Approval
from dmm.review.intake import Wish, clean_edits
from dmm.review.patches import show_diff
from dmm.review.preview import Preview, show_clashes, show_neighbours
from dmm.review.store import overtaken, rewritten
from dmm.review.tiers import Tier, tier_of
from dmm.review.writing import Writing, draft_edits, settle
from dmm.tracing import traced

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dmm.config import Config
    from dmm.domain.event import Draft as EventDraft
    from dmm.domain.proposal import Edit, Proposal
    from dmm.domain.proposal_payload import OfProposal
    from dmm.files.trusted import TrustStore
    from dmm.review.application import Application, Applied
    from dmm.review.drafting import About, Drafts
    from dmm.review.examination import Examination, Examined
    from dmm.review.intake import Draft, Intake
    from dmm.review.store import ProposalStore
    from dmm.rules.project_ledger import ProjectLedger

LONGEST_REASON = 2_000


class Details(TypedDict, total=False):
    """What a request may say beside its path, reason and content."""

    patch: str | None
    base: str | None
    about: About
    evidence: Sequence[int]
    source: str | None
    origin: str


@dataclass(frozen=True, slots=True)
class Proposals:
    """Takes proposals for one project."""

    config: Config
    project_ledger: ProjectLedger
    proposal_store: ProposalStore
    intake: Intake
    examination: Callable[[], Examination]
    application: Application
    trust: TrustStore

    @traced()
    def write(self, asked: Writing) -> ProposalResult:
        """Make the proposal that a request means."""
        asked = settle(asked, self.intake.drafts())
        return self._make(_wish(asked), lambda drafts: draft_edits(drafts, asked))

    @traced()
    def preview(self, asked: Writing) -> Preview:
        """Return what would be said to a proposal, and who would decide; nothing is recorded."""
        self.trust.require(self.intake.root.folder)
        asked = settle(asked, self.intake.drafts())
        proposal, told = self.intake.imagine(
            _wish(asked), lambda drafts: draft_edits(drafts, asked)
        )
        examined = self._examine(proposal, told.secrets, told.tainted)
        proposal = replace(proposal, checks=examined.checks)
        tier, why = self.tier(proposal)
        return Preview(
            proposal.path,
            str(proposal.operation),
            str(proposal.trust),
            proposal.checks,
            tuple(line for e in proposal.edits for line in show_diff(e.before, e.after, e.path)),
            str(tier),
            why,
            show_neighbours(examined),
            show_clashes(examined),
            proposal.text,
            proposal.seal,
        )

    def create(
        self, path: str, content: str, reason: str, **details: Unpack[Details]
    ) -> ProposalResult:
        """Propose a new memory; an existing file is refused."""
        return self.write(Writing(path, reason, Operation.CREATE, content=content, **details))

    def update(
        self, path: str, reason: str, *, content: str | None = None, **details: Unpack[Details]
    ) -> ProposalResult:
        """Propose a new text."""
        return self.write(Writing(path, reason, Operation.UPDATE, content=content, **details))

    def deprecate(self, path: str, reason: str, **details: Unpack[Details]) -> ProposalResult:
        """Propose to take a memory out of force."""
        return self.write(Writing(path, reason, Operation.DEPRECATE, **details))

    @traced()
    def merge(
        self, keep: str, drop: str, content: str, reason: str, *, origin: str = ""
    ) -> ProposalResult:
        """Propose one text for two memories; the other goes out of force."""
        wish = _wish(Writing(keep, reason, Operation.MERGE, origin=origin))

        def draft(drafts: Drafts) -> tuple[Edit, ...]:
            changed = drafts.update(drafts.place(keep), content, None)
            return (*changed, *drafts.deprecate(drafts.place(drop)))

        return self._make(wish, draft)

    def apply_as_person(
        self,
        edits: Sequence[Edit],
        reason: str,
        *,
        operation: Operation = Operation.UPDATE,
        origin: str = "",
        undoes: tuple[int, ...] = (),
        one_of_many: bool = False,
    ) -> Applied:
        """Record and apply what a person's own command does, as one proposal."""
        if self.project_ledger.actor.trust is not Trust.USER:
            what = "only a person can write memory past the queue"
            raise ReviewRefused(what, hint="run it in your own terminal")
        self.trust.require(self.intake.root.folder)
        _, secrets = clean_edits(tuple(edits))
        if secrets:
            what = f"the text seems to contain a secret: {', '.join(secrets)}"
            raise UsageError(what, where=edits[0].path, hint="take it out of the text first")
        for edit in edits:
            self._refuse_taken(edit)
        wish = Wish(operation, reason, origin=origin, undoes=undoes)
        proposal = self.intake.record(wish, lambda _: tuple(edits))
        approval = Approval(Judge.PERSON, proposal.edits, reason)
        try:
            return self.application.apply(proposal.seq, approval, one_of_many=one_of_many)
        except DmmError as error:
            # Nobody asked for something that waits.
            said = ProposalReviewed(
                proposal=proposal.seq,
                judge=Judge.PERSON,
                verdict=Verdict.REJECTED,
                reason=f"not applied: {error}",
            )
            with contextlib.suppress(DmmError):
                self.judge(proposal, said)
            raise

    def _refuse_taken(self, edit: Edit) -> None:
        current = self.intake.root.tree.text_of(edit.path)
        if edit.before is None and current is not None:
            raise FileExists("the file already exists", where=edit.path)
        if digest(current) != edit.base:
            raise StaleBase("the file has just been changed", where=edit.path)

    def _make(self, wish: Wish, draft: Draft) -> ProposalResult:
        """Record a proposal, examine it, and apply it if the rule for small notes says so."""
        self.trust.require(self.intake.root.folder)
        self.application.recover()
        proposal, repeated = self.intake.record_once(wish, draft)
        if repeated:
            tier, why = self.tier(proposal)
            notice = f"already proposed: {proposal.id} awaits review"
            return ProposalResult.of(proposal, (notice,), tier=str(tier), why=why, repeated=True)
        self.examine(proposal)
        proposal = self.proposal_store.queue().proposals[proposal.seq]
        tier, why = self.tier(proposal)
        notices: tuple[str, ...] = ()
        if tier is Tier.AUTO:
            notices = self._apply_by_rule(proposal, why)
        proposal = self.proposal_store.queue().proposals[proposal.seq]
        return ProposalResult.of(proposal, notices, tier=str(tier), why=why)

    def tier(self, proposal: Proposal) -> tuple[Tier, str]:
        """Return who decides about a proposal, by the checks that it has now, and why."""
        known = self.proposal_store.queue().proposals.values()
        written = [one for one in known if one.standing is ProposalStatus.APPLIED]
        own = {one.path for one in written if one.proposer == proposal.proposer}
        rules = self.config.governance, self.config.reviewer_agent
        return tier_of(proposal, proposal.checks, *rules, own)

    def _apply_by_rule(self, proposal: Proposal, why: str) -> tuple[str, ...]:
        """Apply a note of little weight; where that fails it waits like any other."""
        try:
            approval = Approval(Judge.RULE, proposal.edits, why)
            return self.application.apply(proposal.seq, approval).notices
        except DmmError as error:
            return (f"it awaits review: {error}",)

    def examine(self, proposal: Proposal) -> Examined:
        """Run the checks as the memory stands now, and record them where they are new."""
        examined = self.look(proposal)
        self.keep_checks(proposal, examined)
        return examined

    def look(self, proposal: Proposal) -> Examined:
        """Run the checks as the memory stands now; nothing is recorded."""
        log = self.project_ledger.reading
        made = ProposalMade.read(log.event(proposal.seq))
        changed = ProposalReviewed.read(log.event(_last_text(proposal))) or made
        secrets = () if changed is None else changed.secrets
        return self._examine(proposal, secrets, None if made is None else made.tainted)

    def _examine(self, proposal: Proposal, secrets: Sequence[str], tainted: int | None) -> Examined:
        others = [one for one in self.proposal_store.queue().open if one.seq != proposal.seq]
        source = None if tainted is None else f"event {tainted}"
        return self.examination().examine(proposal, others, secrets=secrets, tainted=source)

    def keep_checks(self, proposal: Proposal, examined: Examined) -> None:
        """Record checks that are new, unless it was decided or its text changed meanwhile."""
        if examined.checks == proposal.checks:
            return
        with self.project_ledger.log.writing() as writer:
            now = self.proposal_store.queue().proposals[proposal.seq]
            if now.is_open and now.edits == proposal.edits:
                told = ProposalChecked(proposal=proposal.seq, checks=examined.checks)
                writer.append(self._draft(told))

    def judge(self, proposal: Proposal, said: ProposalReviewed) -> None:
        """Record a verdict on a proposal that waits, with the very texts that were judged."""
        with self.project_ledger.log.writing() as writer:
            now = self.proposal_store.queue().proposals[proposal.seq]
            if not now.is_open:
                raise overtaken(now)
            if now.edits != proposal.edits:
                raise rewritten(now)
            writer.append(self._draft(said))

    def _draft(self, told: OfProposal) -> EventDraft:
        about = told.proposal
        return self.project_ledger.draft(told, caused_by=about, references=(about,))


def _last_text(proposal: Proposal) -> int:
    """Return the event that the present text comes from: a review that changed it, or the first."""
    return next((one.seq for one in reversed(proposal.reviews) if one.edits), proposal.seq)


def _wish(asked: Writing) -> Wish:
    need("reason", asked.reason)
    if len(asked.reason) > LONGEST_REASON:
        raise UsageError(f"the reason is longer than {LONGEST_REASON} characters")
    return Wish(
        asked.operation or Operation.UPDATE,
        asked.reason.strip(),
        tuple(dict.fromkeys(asked.evidence)),
        asked.source,
        asked.origin,
    )
