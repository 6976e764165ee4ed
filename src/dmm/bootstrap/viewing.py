"""The parts that show what was served, done and counted, for one actor."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from dmm.bootstrap.base import today
from dmm.bootstrap.lazy import Lazy
from dmm.bootstrap.reading import Reading, take_indexes

if TYPE_CHECKING:
    from dmm.packs.served import ServedPacks
    from dmm.project.memory_view import MemoryViews
    from dmm.project.metrics import Metrics
    from dmm.project.session_history import SessionHistory


class Viewing(Reading):
    """Packs, sessions and figures; nothing here records."""

    @cached_property
    def served_packs(self) -> ServedPacks:
        """Shows packs that were served, and why they held what they held."""
        from dmm.packs import served

        return served.ServedPacks(self.project_ledger, Lazy(take_indexes, self.base))

    @cached_property
    def session_history(self) -> SessionHistory:
        """Shows sessions as they ran."""
        from dmm.project import session_history

        return session_history.SessionHistory(self.project_ledger, self.base.activity)

    @cached_property
    def metrics(self) -> Metrics:
        """Reports figures over time."""
        from dmm.project import metrics

        return metrics.Metrics(
            self.project_ledger,
            self.base.activity,
            self.base.catalogues,
            self.base.baselines,
            self.proposal_store,
            self.config.retrieval.baseline_budget,
            today,
        )

    @cached_property
    def memory_views(self) -> MemoryViews:
        """Shows memories with their code, usage and history."""
        from dmm.project import memory_view

        return memory_view.MemoryViews(
            self.root.project,
            self.indexes,
            self.project_ledger,
            self.base.catalogues,
            self.base.usages,
            self.base.activity,
            self.conflict_register,
            self.proposal_store,
        )
