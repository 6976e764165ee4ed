"""Undo applied writes, newest first, as one recorded write."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dmm.domain.proposal import Edit, Operation, ProposalStatus, digest
from dmm.errors import ReviewRefused, StaleBase, UsageError
from dmm.redaction.identity import keep_identity
from dmm.review.patches import show_diff, three_way
from dmm.review.results import Undoable, Undone, UndoPreview
from dmm.tracing import traced

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dmm.domain.proposal import Proposal
    from dmm.review.service import Proposals

# What an import writes is known by this origin.
IMPORT = "import"


@dataclass(frozen=True, slots=True)
class Undoing:
    """Takes writes back."""

    proposals: Proposals
    # The ids of the active rules that imports brought.
    imported_rules: Callable[[], Sequence[str]]

    @traced()
    def undo(
        self,
        seq: int | None = None,
        *,
        session: str | None = None,
        source: str | None = None,
        reason: str = "",
        seen: str | None = None,
    ) -> Undone:
        """Undo one write by its number, or all that a session or a source made.

        `seen` is the digest of what somebody has looked at.
        """
        self.proposals.trust.require(self.proposals.intake.root.folder)
        self.proposals.application.recover()
        chosen, edits = self._plan(seq, session, source)
        if seen is not None and seen != _seal(chosen):
            hint = "look again at what would be undone"
            raise ReviewRefused("this would undo something other than what was shown", hint=hint)
        applied = self.proposals.apply_as_person(
            edits,
            reason or f"undo {', '.join(one.id for one in chosen)}",
            operation=Operation.UNDO,
            undoes=tuple(one.seq for one in chosen),
        )
        return Undone.of(
            applied.proposal,
            applied.notices,
            undone=tuple(one.id for one in chosen),
            paths=tuple(edit.path for edit in edits),
            rules_left=self._rules_left(chosen),
        )

    def preview(
        self, seq: int | None = None, *, session: str | None = None, source: str | None = None
    ) -> UndoPreview:
        """Return what an undo would take back, and how the files would change."""
        chosen, edits = self._plan(seq, session, source)
        return UndoPreview(
            tuple(Undoable.of(one, proposer=one.proposer) for one in chosen),
            tuple(edit.path for edit in edits),
            tuple(line for e in edits for line in show_diff(e.before, e.after, e.path)),
            _seal(chosen),
            self._rules_left(chosen),
        )

    def _rules_left(self, chosen: Sequence[Proposal]) -> tuple[str, ...]:
        """Name the rules of imports: an undo takes back memories alone."""
        imported = any(one.origin == IMPORT for one in chosen)
        return tuple(self.imported_rules()) if imported else ()

    def _plan(
        self, seq: int | None, session: str | None, source: str | None
    ) -> tuple[list[Proposal], tuple[Edit, ...]]:
        """Find what is meant and what has to be written; files changed since are refused."""
        if [seq is not None, bool(session), bool(source)].count(True) != 1:
            raise UsageError("give one of: a number, a session, a source")
        chosen = self._chosen(seq, session, source)
        edits = _inverse(chosen)
        if not edits:
            raise ReviewRefused("these writes have already undone each other")
        for edit in edits:
            self._refuse_changed(edit, chosen)
        return chosen, edits

    def _chosen(self, seq: int | None, session: str | None, source: str | None) -> list[Proposal]:
        """Find the applied proposals that are meant, newest first."""
        known = self.proposals.proposal_store.queue().proposals.values()
        if seq is not None:
            meant = [one for one in known if seq in (one.seq, one.applied)]
        elif session:
            named = keep_identity(session)
            meant = [one for one in known if one.session == named]
        else:
            meant = [one for one in known if source in (one.source, one.proposer, one.origin)]
        chosen = [one for one in meant if one.standing is ProposalStatus.APPLIED]
        if seq is None:
            # What was taken back is out already; taking that back too would bring it again.
            chosen = [one for one in chosen if one.operation is not Operation.UNDO]
        if not chosen:
            named = "" if seq is None else f" {seq}"
            what = f"there is no applied write{named} to undo"
            if seq is not None and meant:
                what = f"{meant[0].id} is {meant[0].standing}, so there is nothing to undo"
            hint = "dmm review list --status applied shows the writes"
            raise ReviewRefused(what, hint=hint)
        return sorted(chosen, key=lambda one: one.applied or 0, reverse=True)

    def _refuse_changed(self, edit: Edit, chosen: Sequence[Proposal]) -> None:
        current = self.proposals.intake.root.tree.text_of(edit.path)
        if digest(current) == edit.base:
            return
        named = ", ".join(one.id for one in chosen)
        last, left = self._last_write(edit.path, chosen)
        if current is None and left is not None:
            what = f"{edit.path}, which {named} wrote, is not here"
            hint = "switch to the branch that has it, or restore the file with Git"
            raise StaleBase(what, where=edit.path, hint=hint)
        hint = "it was changed by hand or by Git; change the file by hand"
        if last is not None:
            hint = f"undo what came later first: dmm undo {last}; or change the file by hand"
        view = "\n".join(three_way(edit.before or "", current or "", edit.after or ""))
        what = f"{edit.path} was changed after {named}"
        raise StaleBase(what, where=edit.path, hint=hint, view=view)

    def _last_write(self, path: str, chosen: Sequence[Proposal]) -> tuple[int | None, str | None]:
        """Return the last write of a file after the chosen ones, and what it left of it."""
        known = self.proposals.proposal_store.queue().proposals.values()
        later = [
            (one.applied or 0, one.seq, edit.after)
            for one in known
            if one.standing is ProposalStatus.APPLIED and one.operation is not Operation.UNDO
            for edit in one.edits
            if edit.path == path and (one.applied or 0) > (chosen[0].applied or 0)
        ]
        if not later:
            return None, ""
        _, seq, left = max(later, key=lambda one: one[:2])
        return seq, left


def _seal(newest_first: Sequence[Proposal]) -> str:
    """Return the digest of all texts that would be taken back; of one proposal its own."""
    seals = [one.seal for one in newest_first]
    return seals[0] if len(seals) == 1 else hashlib.sha256("\n".join(seals).encode()).hexdigest()


def _inverse(newest_first: Sequence[Proposal]) -> tuple[Edit, ...]:
    """Return one write that restores each file as it was before the first write."""
    inverse: dict[str, Edit] = {}
    for proposal in newest_first:
        for edit in proposal.edits:
            known = inverse.get(edit.path)
            if known is not None and digest(known.after) != digest(edit.after):
                what = f"{edit.path} was changed by others in between"
                raise StaleBase(what, where=edit.path, hint="undo the writes one by one")
            start = edit.after if known is None else known.before
            inverse[edit.path] = Edit(edit.path, before=start, after=edit.before)
    return tuple(edit for edit in inverse.values() if edit.before != edit.after)
