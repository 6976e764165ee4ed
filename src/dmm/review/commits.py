"""Git commits of applied proposals, made after the write lock is released.

What could not be committed stays on record as that, and is tried again after the next write.
"""

from __future__ import annotations

import hashlib
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from dmm.domain.event import Trust
from dmm.domain.proposal import digest
from dmm.domain.proposal_payload import ProposalApplying, ProposalCommitted
from dmm.errors import DmmError, IndexBusy, MemoryFileError, PathRefused, StorageError
from dmm.eventlog.open_ledger import Actor
from dmm.files import commits
from dmm.files.lock import exclusive

if TYPE_CHECKING:
    from pathlib import Path

    from dmm.domain.proposal import Proposal
    from dmm.files.roots import Root
    from dmm.review.applied import AppliedWrite
    from dmm.review.store import ProposalStore
    from dmm.rules.project_ledger import ProjectLedger

PATIENCE = 1.0
OTHERS = "written; another process is committing and will include it, or the next write will"
RECOVERY = Actor(name="dmm", source="recovery", trust=Trust.AGENT)


def place_of(root: Root) -> str:
    """Return a name for a worktree among those that share its ledger."""
    return hashlib.sha256(str(root.folder).encode("utf-8", "replace")).hexdigest()[:16]


def state_of(root: Root, path: str) -> str | None:
    """Hash what a file holds; one that can't be read any more was changed by somebody else."""
    try:
        return digest(root.tree.text_of(path))
    except (MemoryFileError, PathRefused) as error:
        return str(error)


@dataclass(frozen=True, slots=True)
class Committing:
    """Commits what was applied in one worktree, one process at a time."""

    root: Root
    project_ledger: ProjectLedger
    proposal_store: ProposalStore

    def follow(self, write: AppliedWrite) -> list[str]:
        """Commit a write that was just applied."""
        return self.commit(write.proposal)

    def commit(self, own: int | None = None) -> list[str]:
        """Commit the proposal of this moment, then what was left before; gives what went wrong."""
        lock = self.root.make_run() / "commit.lock"
        try:
            with exclusive(lock, what="another process is committing", patience=PATIENCE):
                return self._commit_all(own)
        except IndexBusy:
            return [OTHERS]
        except StorageError as error:
            return [_not_now(error)]

    def _commit_all(self, own: int | None) -> list[str]:
        """Commit this one, then the others; where this one fails, they would hardly fare better."""
        if own is None:
            return self._make_up()
        failure = self.try_commit(own)
        if failure is not None:
            return [_not_now(failure)]
        return [*self._tell_ignored(own), *self._make_up()]

    def _tell_ignored(self, seq: int) -> list[str]:
        """Return the result for a file that Git ignores; it is not tried again."""
        paths = self._paths(self.proposal_store.queue().proposals[seq])
        if paths and commits.are_ignored(self.root.folder, paths):
            return [f"written, but not committed: {paths[0]}: Git ignores it"]
        return []

    def _make_up(self) -> list[str]:
        """Visit each in turn; new ones may arrive, and a failure stops no other."""
        recovering = replace(self, project_ledger=self.project_ledger.as_actor(RECOVERY))
        told: list[str] = []
        tried: set[int] = set()
        latest = time.monotonic() + commits.DEADLINE
        while left := [one for one in self.left() if one.seq not in tried]:
            tried.add(left[0].seq)
            failure = recovering.try_commit(left[0].seq)
            if failure is not None:
                told.append(f"{left[0].id} is still not committed: {failure}")
            if failure is not None and time.monotonic() > latest:
                break
        return told

    def try_commit(self, seq: int) -> DmmError | None:
        """Commit one proposal, unless it is; return what went wrong. The caller holds the lock."""
        proposal = self.proposal_store.queue().proposals[seq]
        if not proposal.uncommitted:
            return None
        try:
            paths = self._paths(proposal)
            made = commits.commit(self.root.folder, paths, _message(proposal)) if paths else None
            # On record as done where Git ignores it, or it would be tried after every write.
            self._note(proposal, made)
        except DmmError as error:
            return error
        return None

    def _note(self, proposal: Proposal, made: str | None) -> None:
        of = proposal.seq
        told = ProposalCommitted(proposal=of, applying=proposal.applying, commit=made)
        draft = self.project_ledger.draft(told, caused_by=of, references=(of,))
        self.project_ledger.record(draft)

    def left(self) -> list[Proposal]:
        """List what was applied here and is not committed yet."""
        known = self.proposal_store.queue().proposals.values()
        return [one for one in known if one.uncommitted and self._is_here(one)]

    def _is_here(self, proposal: Proposal) -> bool:
        intent = ProposalApplying.read(self.project_ledger.reading.event(proposal.applying or 0))
        return intent is not None and intent.place == place_of(self.root)

    def _paths(self, proposal: Proposal) -> list[Path]:
        """Name the files that are as they were written; others are for whoever changed them."""
        written = [e for e in proposal.edits if state_of(self.root, e.path) == digest(e.after)]
        return [self.root.tree.resolve(edit.path) for edit in written]


def _not_now(error: DmmError) -> str:
    return f"written, but not committed: {error}; the next write retries"


def _message(proposal: Proposal) -> str:
    judge = proposal.reviews[-1]
    lines = [
        f"Memory: {proposal.operation} {proposal.path}",
        "",
        " ".join(proposal.reason.split()),
        "",
        f"Proposed-by: {proposal.proposer}",
        f"Reviewed-by: {judge.by} ({judge.judge})",
        f"DMM-Proposal: {proposal.id}",
    ]
    return "\n".join(lines)
