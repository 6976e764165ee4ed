"""The parts that change memory: proposals, reviews, conflicts, imports, repairs."""

from __future__ import annotations

import os
from functools import cached_property
from typing import TYPE_CHECKING

from dmm.bootstrap.base import now, today
from dmm.bootstrap.reading import Reading

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dmm.conflicts.service import Conflicts
    from dmm.domain.conflict import Clash
    from dmm.domain.memory import Memory
    from dmm.domain.proposal import Edit
    from dmm.importer.rules import RuleImport
    from dmm.importer.service import Importer
    from dmm.lifecycle.service import Lifecycle
    from dmm.memories.validation import Validation
    from dmm.observations.distilling import Distiller
    from dmm.observations.proposing import Digest
    from dmm.project.agenda import Agenda
    from dmm.project.differences import Differences
    from dmm.review.application import Application
    from dmm.review.decisions import Reviews
    from dmm.review.examination import Examination
    from dmm.review.intake import Intake
    from dmm.review.service import Proposals
    from dmm.review.undo import Undoing
    from dmm.sessions.past_sessions import Transcripts


class Writing(Reading):
    """Everything that writes memory, through proposals."""

    @cached_property
    def transcripts(self) -> Transcripts:
        """Imports sessions from before."""
        from dmm.clients.place import Place
        from dmm.sessions import archives, past_sessions

        return past_sessions.Transcripts(
            self.project_ledger,
            archives.Archives(self.root.project.resolve(), Place(self.home, os.environ)),
            self._require,
        )

    def _require(self) -> None:
        """Refuse a project that this user has not accepted."""
        self.trust_store.require(self.root.folder)

    @cached_property
    def application(self) -> Application:
        """Applies proposals to the files."""
        from dmm.review import application

        return application.Application(
            self.root,
            self.project_ledger,
            self.proposal_store,
            self.config.governance.git_commit,
            self._settle,
            self._agree,
        )

    def _agree(self, paths: tuple[str, ...]) -> None:
        """Note that a person has agreed to memories as they were just written."""
        binding = [f"memory/{path}" for path in paths if path.startswith("baseline/")]
        if binding:
            self.consents.accept(binding)

    def _settle(self, paths: tuple[str, ...]) -> list[str]:
        """Bring what is derived up to files that were just written; tell what did not work."""
        from dmm.project.after_write import settle

        return settle(self.memories, self.conflicts, paths)

    @cached_property
    def _intake(self) -> Intake:
        from dmm.review import intake

        return intake.Intake(
            self.root, self.project_ledger, self.proposal_store, lambda: self.indexes, today
        )

    @cached_property
    def _examination(self) -> Examination:
        from dmm.review import examination

        return examination.Examination(
            self.config,
            self.indexes,
            self._baselines,
            self.count,
            today,
            lambda memory, towards: self.conflicts.find_clashes(memory, towards),
        )

    @cached_property
    def proposals(self) -> Proposals:
        """Takes proposals."""
        from dmm.review.service import Proposals

        return Proposals(
            self.config,
            self.project_ledger,
            self.proposal_store,
            self._intake,
            lambda: self._examination,
            self.application,
            self.trust_store,
        )

    @cached_property
    def reviews(self) -> Reviews:
        """Decides about proposals."""
        from dmm.review import decisions

        return decisions.Reviews(self.proposals, lambda: self.reviewer, now)

    @cached_property
    def undoing(self) -> Undoing:
        """Takes applied writes back."""
        from dmm.review import undo

        return undo.Undoing(self.proposals)

    @cached_property
    def conflicts(self) -> Conflicts:
        """Finds and settles memories that contradict one another."""
        from dmm.conflicts import comparison_set
        from dmm.conflicts.service import Conflicts
        from dmm.embed.pairs import PairModel

        return Conflicts(
            self.project_ledger,
            self.conflict_register,
            comparison_set.ComparisonSet(self.indexes, today, PairModel.load),
            self._require,
            lambda: self.proposals,
        )

    @cached_property
    def lifecycle(self) -> Lifecycle:
        """Takes reports on memories, and suggests what should become of them."""
        from dmm.lifecycle import usage_projection
        from dmm.lifecycle.service import Lifecycle

        return Lifecycle(
            self.root,
            self.config.lifecycle,
            self.config.retrieval.baseline_budget,
            self.project_ledger,
            usage_projection.UsageProjection(self.project_ledger),
            lambda: self.overview.survey(),
            lambda: self.proposals,
            lambda: self.proposal_store.queue().proposals.values(),
            today,
            self._require,
        )

    @cached_property
    def digest(self) -> Digest:
        """Proposes what is worth keeping of a day."""
        from dmm.observations import proposing
        from dmm.observations.digest import Limits

        sizes = self.config.validation
        return proposing.Digest(
            self.observations,
            lambda: self.proposals,
            lambda: self.proposal_store.queue().proposals.values(),
            Limits(sizes.min_tokens, sizes.max_tokens, self.count),
            today,
            self._require,
        )

    @cached_property
    def distiller(self) -> Distiller:
        """Has a model retell what sessions did, where the user has named one and wants that."""
        from dmm.config import ModelConfig
        from dmm.models import metering
        from dmm.models.choose import choose_model
        from dmm.observations import distilling

        enabled = self.config.observations.distil_with_model
        settings = self._own_config.model if enabled else ModelConfig()
        return distilling.Distiller(
            self.observations,
            metering.Meter(
                lambda: choose_model(settings, os.environ), self.project_ledger, settings, now
            ),
            enabled,
            self._require,
        )

    @cached_property
    def differences(self) -> Differences:
        """Tells what a branch does to memory and rules."""
        from dmm.project import differences

        return differences.Differences(self.root.folder, self._find_clashes)

    def _find_clashes(self, memory: Memory) -> list[tuple[Clash, str, str]]:
        """Find what a memory clashes with in this checkout."""
        from dmm.index.likeness import direction

        self.indexes.refresh(whole=True)
        embedder = self.indexes.embedder()
        towards = None if embedder is None else direction(memory, embedder)
        return self.conflicts.find_clashes(memory, towards)

    @cached_property
    def agenda(self) -> Agenda:
        """Tells what waits for somebody."""
        from dmm.project import agenda
        from dmm.review.commits import Committing

        wanted = self.config.governance.git_commit
        return agenda.Agenda(
            self.project_ledger,
            self.proposal_store,
            self.conflict_register,
            self.lifecycle,
            lambda: (
                Committing(self.root, self.project_ledger, self.proposal_store) if wanted else None
            ),
            lambda: self.reviewer,
            lambda: self.trusted,
            now,
        )

    @cached_property
    def importer(self) -> Importer:
        """Imports and exports instruction files."""
        from dmm.importer.service import Importer

        return Importer(
            self.root,
            self.config.retrieval,
            self.indexes,
            self.count,
            today,
            self.home,
            self.trust_store,
            self._import,
            lambda path, text, why: self.proposals.create(path, text, why, origin="import"),
            self._find_rule_import,
        )

    def _find_rule_import(self) -> RuleImport:
        from dmm.importer.rules import RuleImport

        return RuleImport(
            self.shelf,
            lambda: self.shelf.standing(self.project_ledger.state()),
            self.rules.propose,
        )

    def _import(self, edits: Sequence[Edit], reason: str) -> None:
        """Write imported files as the person who asked for it; the next query indexes them."""
        from dmm.domain.proposal import Operation

        self.proposals.apply_as_person(
            edits, reason, operation=Operation.CREATE, origin="import", settle=False
        )

    @cached_property
    def validation(self) -> Validation:
        """Checks and mends memory files."""
        from dmm.memories import validation

        config = self.config
        return validation.Validation(
            self.root,
            config.validation,
            config.retrieval,
            self.indexes,
            self.count,
            today,
            self._mend,
        )

    def _mend(self, edit: Edit, what: str) -> None:
        """Write a mended file as the person who asked for it."""
        self.proposals.apply_as_person([edit], what, origin="validate", settle=False)
