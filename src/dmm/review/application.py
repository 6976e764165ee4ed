"""Apply a proposal: record the intent, write the files, record the result, announce it.

Whoever is killed in between leaves an intent. The next one who works here finishes it: every file
is then as it was before or as it was proposed, never something else.
"""

from __future__ import annotations

import contextlib
from dataclasses import field, replace
from typing import TYPE_CHECKING

from dmm.domain.event import Trust
from dmm.domain.frozen import frozen
from dmm.domain.proposal import Edit, Judge, ProposalStatus, Verdict, digest
from dmm.domain.proposal_payload import (
    ProposalApplied,
    ProposalApplying,
    ProposalFailed,
    ProposalReviewed,
)
from dmm.errors import DmmError, StaleBase
from dmm.files.edits import carry_out, in_order, invert
from dmm.files.lock import exclusive
from dmm.redaction.redact import redact
from dmm.review.applied import AppliedWrite
from dmm.review.commits import RECOVERY, place_of, state_of
from dmm.review.patches import three_way
from dmm.review.store import overtaken, rewritten
from dmm.review.tiers import trust_after

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from dmm.domain.event import Draft
    from dmm.domain.proposal import Proposal
    from dmm.domain.proposal_payload import OfProposal
    from dmm.files.roots import Root
    from dmm.review.applied import Subscriber
    from dmm.review.store import ProposalStore
    from dmm.rules.project_ledger import ProjectLedger

PATIENCE = 30.0


@frozen
class Approval:
    """Why a proposal may be applied: who said so of which texts, and what was overridden."""

    judge: Judge
    edits: tuple[Edit, ...]
    reason: str = ""
    confidence: float | None = None
    remarks: Mapping[str, str] = field(default_factory=dict)
    overridden: tuple[str, ...] = ()


@frozen
class Applied:
    """A proposal that is in force now, and what did not go as usual."""

    proposal: Proposal
    notices: tuple[str, ...] = ()


@frozen
class Application:
    """Applies proposals to the files of one project, then tells the subscribers, in order.

    `agree` notes a person's consent to the files as they are written, before anybody else writes.
    """

    root: Root
    project_ledger: ProjectLedger
    proposal_store: ProposalStore
    git_commit: bool
    subscribers: tuple[Subscriber, ...] = ()
    agree: Callable[[tuple[str, ...]], None] = lambda _: None

    def apply(self, seq: int, approval: Approval, *, one_of_many: bool = False) -> Applied:
        """Apply a proposal that waits, once; the files must be those it was made from."""
        with self._alone():
            self._finish()
            proposal = self._claim(seq, approval)
            self._write(proposal)
            self._close(proposal)
        paths = tuple(edit.path for edit in proposal.edits)
        notices = self._announce(AppliedWrite(paths, seq, one_of_many))
        return Applied(self.proposal_store.queue().proposals[seq], notices)

    def _announce(self, write: AppliedWrite) -> tuple[str, ...]:
        return tuple(notice for tell in self.subscribers for notice in tell(write))

    def recover(self) -> list[str]:
        """Finish what was begun and broke off; gives the names of the proposals."""
        if not self._unfinished():
            return []
        with self._alone():
            names, paths = self._finish()
        self._announce(AppliedWrite(paths))
        return names

    def refuse_stale(self, proposal: Proposal) -> None:
        """Refuse a proposal whose files are no longer what it was made from."""
        for edit in proposal.edits:
            current = self.root.tree.text_of(edit.path)
            if digest(current) != edit.base:
                raise _stale(proposal, edit, current)

    @contextlib.contextmanager
    def _alone(self) -> Iterator[None]:
        folder = self.root.make_run()
        what = "another process is writing memory"
        with exclusive(folder / "write.lock", what=what, patience=PATIENCE):
            yield

    def _claim(self, seq: int, approval: Approval) -> Proposal:
        """Record the approval and the intent in one transaction; from here it will be applied."""
        with self.project_ledger.log.writing() as writer:
            proposal = self.proposal_store.find(str(seq))
            if not proposal.is_open:
                raise overtaken(proposal)
            if proposal.edits != approval.edits:
                raise rewritten(proposal)
            self.refuse_stale(proposal)
            review = ProposalReviewed(
                proposal=seq,
                judge=approval.judge,
                verdict=Verdict.APPROVED,
                reason=redact(approval.reason).text,
                remarks={name: redact(text).text for name, text in approval.remarks.items()},
                confidence=approval.confidence,
                overridden=tuple(approval.overridden),
            )
            writer.append(self._draft(review))
            intent = ProposalApplying(
                proposal=seq,
                place=place_of(self.root),
                edits=tuple(Edit(e.path, e.base, digest(e.after)) for e in proposal.edits),
                folders=self._new_folders(proposal),
            )
            event = writer.append(self._draft(intent))
        return replace(proposal, applying=event.seq)

    def _new_folders(self, proposal: Proposal) -> tuple[str, ...]:
        """Name the folders that are made along with new files, so that an undo can remove them."""
        made = [edit.path for edit in proposal.edits if edit.before is None]
        names = {name for path in made for name in self.root.tree.missing_folders(path)}
        return tuple(sorted(names))

    def _draft(self, told: OfProposal) -> Draft:
        seq = told.proposal
        return self.project_ledger.draft(told, caused_by=seq, references=(seq,))

    def _write(self, proposal: Proposal) -> None:
        """Carry out all edits, or none of them."""
        done: list[Edit] = []
        try:
            for edit in in_order(proposal.edits):
                carry_out(self.root.tree, edit)
                done.append(edit)
        except DmmError as error:
            self._withdraw(proposal, done, str(error))
            raise

    def _withdraw(self, proposal: Proposal, done: Sequence[Edit], reason: str) -> None:
        """Revert what was written; the proposal is pending again."""
        for edit in reversed(done):
            carry_out(self.root.tree, invert(edit))
        failed = ProposalFailed(proposal=proposal.seq, applying=proposal.applying, reason=reason)
        self.project_ledger.record(self._draft(failed))

    def _close(self, proposal: Proposal) -> None:
        """Record that the files are written, and whether a commit of them is in the future."""
        self._clear_folders(proposal)
        trust = trust_after(self.proposal_store.queue().proposals[proposal.seq])
        told = ProposalApplied(
            proposal=proposal.seq,
            applying=proposal.applying,
            trust=str(trust),
            uncommitted=self.git_commit,
        )
        self.project_ledger.record(self._draft(told))
        if trust == Trust.REVIEWED:
            # A person has agreed to these very texts.
            self.agree(tuple(edit.path for edit in proposal.edits))

    def _clear_folders(self, proposal: Proposal) -> None:
        """Remove the folders that an undo has left empty, if the undone writes made them."""
        known = self.proposal_store.queue().proposals
        undone = [known[seq].applying for seq in proposal.undoes if seq in known]
        log = self.project_ledger.reading
        intents = [ProposalApplying.read(log.event(seq)) for seq in undone if seq is not None]
        made = {name for one in intents if one is not None for name in one.folders}
        for edit in proposal.edits:
            if edit.after is None:
                self.root.tree.clear_folders(edit.path, made)

    def _unfinished(self) -> list[Proposal]:
        proposals = self.proposal_store.queue().proposals.values()
        open_ones = [one for one in proposals if one.standing is ProposalStatus.APPLYING]
        return [one for one in open_ones if self._is_here(one)]

    def _is_here(self, proposal: Proposal) -> bool:
        intent = ProposalApplying.read(self.project_ledger.reading.event(proposal.applying or 0))
        return intent is not None and intent.place == place_of(self.root)

    def _finish(self) -> tuple[list[str], tuple[str, ...]]:
        """Finish the intents that somebody left; the lock tells that nobody is at them."""
        names, paths = [], []
        recovering = replace(self, project_ledger=self.project_ledger.as_actor(RECOVERY))
        for proposal in self._unfinished():
            recovering.resume(proposal)
            names.append(proposal.id)
            paths += [edit.path for edit in proposal.edits]
        return names, tuple(paths)

    def resume(self, proposal: Proposal) -> None:
        """Finish an application, or revert it where a file was changed meanwhile.

        Whoever calls holds the lock.
        """
        states = {e: state_of(self.root, e.path) for e in proposal.edits}
        if all(now in (e.base, digest(e.after)) for e, now in states.items()):
            for edit in in_order(proposal.edits):
                carry_out(self.root.tree, edit)
            self._close(proposal)
            return
        done = [e for e, now in states.items() if now == digest(e.after)]
        self._withdraw(proposal, done, "a file changed while the write was interrupted")


def _stale(proposal: Proposal, edit: Edit, current: str | None) -> StaleBase:
    view = three_way(edit.before or "", current or "", edit.after or "")
    what = f"{edit.path} has changed since {proposal.id} was made"
    if edit.before is None:
        what = f"{edit.path} exists now; {proposal.id} would have created it"
    hint = f"see the three texts with: dmm review show {proposal.id}; then edit or reject it"
    return StaleBase(what, where=edit.path, hint=hint, view="\n".join(view))
