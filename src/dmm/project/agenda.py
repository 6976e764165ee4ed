"""What is pending: proposals, conflicts, suggestions, and today's model usage."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING

from dmm.domain.frozen import frozen
from dmm.errors import LedgerRefused, StorageError
from dmm.lifecycle.usage import Usage

if TYPE_CHECKING:
    from collections.abc import Callable

    from dmm.conflicts.register import ConflictRegister
    from dmm.lifecycle.results import SuggestionView
    from dmm.lifecycle.service import Lifecycle
    from dmm.memories.overview import Survey
    from dmm.review.commits import Committing
    from dmm.review.reviewer_calls import Reviewer
    from dmm.review.store import ProposalStore
    from dmm.rules.project_ledger import ProjectLedger


@frozen
class Queue:
    """How many proposals are pending, and the oldest of them."""

    count: int
    oldest: str | None
    age_seconds: int | None


@frozen
class ModelTokens:
    """The tokens that chat models used today, and the daily limit."""

    tokens_today: int
    tokens_per_day: int


@frozen
class Pending:
    """Everything that waits for a person; None where only a ledger would know."""

    pending: Queue | None
    pending_rules: int | None
    uncommitted: tuple[str, ...] | None
    conflicts: int | None
    suggestions: tuple[SuggestionView, ...]
    model: ModelTokens | None


@frozen
class Agenda:
    """Gathers what is pending in one project, without recording anything.

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

    def read(self, survey: Survey) -> Pending:
        """Return what is pending; without a ledger, its parts are None."""
        try:
            if self.is_trusted() and self.project_ledger.exists:
                return self._read(survey)
        except (StorageError, LedgerRefused):
            # Told by whoever looks at the ledger itself.
            pass
        found = self.lifecycle.suggestions(survey, Usage())
        return Pending(None, None, None, None, self.lifecycle.show(found, ()), None)

    def _read(self, survey: Survey) -> Pending:
        reviewer = self.reviewer()
        return Pending(
            self._queue(),
            sum(one.pending for one in self.project_ledger.state().in_force),
            self._uncommitted(),
            len(self.conflict_register.records().open),
            self.lifecycle.look(survey).suggestions,
            ModelTokens(reviewer.spent_today(), reviewer.model.max_tokens_per_day),
        )

    def _queue(self) -> Queue:
        waiting = self.proposal_store.queue().open
        if not waiting:
            return Queue(0, None, None)
        oldest = min(waiting, key=lambda one: one.seq)
        return Queue(len(waiting), oldest.id, self._age(oldest.at))

    def _uncommitted(self) -> tuple[str, ...]:
        """Return the proposals still to be committed; none if commits are off."""
        committing = self.committing()
        return () if committing is None else tuple(one.id for one in committing.left())

    def _age(self, at: str) -> int | None:
        try:
            return max(0, int((self.now() - dt.datetime.fromisoformat(at)).total_seconds()))
        except (ValueError, TypeError):
            return None
