"""What is pending: proposals, conflicts, suggestions, and today's model usage."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dmm.errors import LedgerRefused, StorageError
from dmm.lifecycle.usage import Usage

if TYPE_CHECKING:
    from collections.abc import Callable

    from dmm.conflicts.register import ConflictRegister
    from dmm.lifecycle.service import Lifecycle
    from dmm.memories.overview import Survey
    from dmm.review.commits import Committing
    from dmm.review.reviewer_calls import Reviewer
    from dmm.review.store import ProposalStore
    from dmm.rules.project_ledger import ProjectLedger


@dataclass(frozen=True, slots=True)
class Agenda:
    """Gathers what waits in one project; looking at it records nothing.

    The ledger is asked only where it is there and trusted. Without it, the files alone tell what
    has expired and whether the baseline is too large.
    """

    project_ledger: ProjectLedger
    proposal_store: ProposalStore
    conflict_register: ConflictRegister
    lifecycle: Lifecycle
    committing: Callable[[], Committing | None]
    reviewer: Callable[[], Reviewer]
    is_trusted: Callable[[], bool]
    now: Callable[[], dt.datetime]

    def describe(self, survey: Survey) -> dict[str, Any]:
        """Tell what waits; parts that only a ledger can tell are None where it tells nothing."""
        try:
            if self.is_trusted() and self.project_ledger.exists:
                return self._read(survey)
        except (StorageError, LedgerRefused):
            # Told by whoever looks at the ledger itself.
            pass
        told = self.lifecycle.tell(self.lifecycle.suggestions(survey, Usage()), [])
        untold = dict.fromkeys(("pending", "pending_rules", "uncommitted", "conflicts", "model"))
        return {**untold, "suggestions": told}

    def _read(self, survey: Survey) -> dict[str, Any]:
        reviewer = self.reviewer()
        return {
            "pending": self._pending(),
            "pending_rules": sum(one.pending for one in self.project_ledger.state().in_force),
            "uncommitted": self._uncommitted(),
            "conflicts": len(self.conflict_register.records().open),
            "suggestions": self.lifecycle.look(survey)["suggestions"],
            "model": {
                "tokens_today": reviewer.spent_today(),
                "tokens_per_day": reviewer.model.max_tokens_per_day,
            },
        }

    def _pending(self) -> dict[str, Any]:
        waiting = self.proposal_store.queue().open
        told: dict[str, Any] = {"count": len(waiting), "oldest": None, "age_seconds": None}
        if waiting:
            oldest = min(waiting, key=lambda one: one.seq)
            told |= {"oldest": oldest.id, "age_seconds": self._age(oldest.at)}
        return told

    def _uncommitted(self) -> list[str]:
        """Name what is still to be committed; nothing is where commits are not wanted."""
        committing = self.committing()
        return [] if committing is None else [one.id for one in committing.left()]

    def _age(self, at: str) -> int | None:
        try:
            return max(0, int((self.now() - dt.datetime.fromisoformat(at)).total_seconds()))
        except (ValueError, TypeError):
            return None
