"""The parts that change memory, for one actor: proposals, reviews, conflicts, imports, repairs."""

from __future__ import annotations

import contextlib
import os
from functools import cached_property, partial
from typing import TYPE_CHECKING

from dmm.bootstrap.base import Base, today
from dmm.bootstrap.lazy import Lazy
from dmm.bootstrap.reading import make_meter, take_indexes
from dmm.bootstrap.viewing import Viewing
from dmm.errors import LedgerRefused, StorageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from dmm.conflicts.comparison_set import ComparisonSet
    from dmm.conflicts.resolutions import Resolutions
    from dmm.conflicts.service import Conflicts
    from dmm.domain.conflict import Clash
    from dmm.domain.memory import Memory
    from dmm.domain.proposal import Edit, Proposal, ProposalResult
    from dmm.eventlog.state import Constraint
    from dmm.importer.rules import RuleImport
    from dmm.importer.service import Importer
    from dmm.index.service import Indexes
    from dmm.lifecycle.service import Lifecycle
    from dmm.memories.overview import Survey
    from dmm.memories.validation import Validation
    from dmm.notes.service import Notes
    from dmm.observations.model_distiller import Distiller
    from dmm.observations.proposing import Digest
    from dmm.project.agenda import Agenda
    from dmm.project.differences import Differences
    from dmm.review.application import Application
    from dmm.review.applied import Subscriber
    from dmm.review.commits import Committing
    from dmm.review.decisions import Reviews
    from dmm.review.reviewer_calls import Reviewer
    from dmm.review.service import Proposals
    from dmm.review.store import ProposalStore
    from dmm.review.undo import Undoing
    from dmm.rules.project_ledger import ProjectLedger
    from dmm.rules.service import Rules
    from dmm.rules.shelf import RuleShelf
    from dmm.sessions.past_sessions import Transcripts


class Writing(Viewing):
    """Everything that writes memory, through proposals."""

    @cached_property
    def transcripts(self) -> Transcripts:
        """Imports sessions from before."""
        from dmm.clients.place import Place
        from dmm.sessions import archives, past_sessions

        return past_sessions.Transcripts(
            self.project_ledger,
            archives.Archives(self.root.project.resolve(), Place(self.home, os.environ)),
            self.base.require_trust,
        )

    @property
    def conflicts(self) -> Conflicts:
        """Finds and records memories that contradict one another."""
        return self._conflicts()

    @cached_property
    def _conflicts(self) -> Lazy[Conflicts]:
        return Lazy(_make_conflicts, self.base, self._ledger)

    @property
    def application(self) -> Application:
        """Applies proposals to the files."""
        return self._application()

    @cached_property
    def _application(self) -> Lazy[Application]:
        return Lazy(_make_application, self.base, self._ledger, self._conflicts)

    @property
    def proposals(self) -> Proposals:
        """Takes proposals."""
        return self._proposals()

    @cached_property
    def _proposals(self) -> Lazy[Proposals]:
        return Lazy(_make_proposals, self.base, self._ledger, self._application)

    @cached_property
    def resolutions(self) -> Resolutions:
        """Resolves conflicts by proposals."""
        from dmm.conflicts.resolutions import Resolutions

        return Resolutions(self.conflicts, self._proposals)

    @cached_property
    def _reviewer(self) -> Lazy[Reviewer]:
        return Lazy(_make_reviewer, self.base, self._ledger)

    @cached_property
    def notes(self) -> Notes:
        """Remembers and forgets notes."""
        from dmm.notes import finding
        from dmm.notes.service import Notes

        search = finding.Search(self.indexes, self.proposals.intake.drafts, today)
        rules = partial(self.base.rule_folder.read, {})
        return Notes(self.root, self.proposals, search, rules, self.ledger.check_decision)

    @cached_property
    def reviews(self) -> Reviews:
        """Decides about proposals."""
        from dmm.review import decisions

        return decisions.Reviews(self.proposals, self._reviewer, self.base.clock)

    @cached_property
    def undoing(self) -> Undoing:
        """Takes applied writes back."""
        from dmm.review import undo

        return undo.Undoing(self.proposals, partial(_list_imported_rules, self._shelf))

    @cached_property
    def lifecycle(self) -> Lifecycle:
        """Takes reports on memories, and suggests what should become of them."""
        from dmm.lifecycle.service import Lifecycle

        return Lifecycle(
            self.root,
            self.config.lifecycle,
            self.config.retrieval.baseline_budget,
            self.project_ledger,
            self.base.usages,
            partial(_survey, self.base),
            self._proposals,
            partial(_list_proposals, self.base),
            today,
            self.base.require_trust,
        )

    @cached_property
    def digest(self) -> Digest:
        """Proposes what is worth keeping of a day."""
        from dmm.observations import proposing
        from dmm.observations.digest import LEAST, Limits

        return proposing.Digest(
            self.observations,
            self._proposals,
            partial(_list_proposals, self.base),
            Limits(LEAST, self.config.validation.max_tokens, self.count),
            today,
            self.base.require_trust,
        )

    @cached_property
    def distiller(self) -> Distiller:
        """Has a model retell what sessions did, where the user has named one and wants that."""
        from dmm.config import ModelConfig
        from dmm.observations.model_distiller import Distiller

        enabled = self.config.observations.distil_with_model
        settings = self.base.own_config.model if enabled else ModelConfig()
        meter = make_meter(self.base, self.project_ledger, settings)
        return Distiller(self.observations, meter, enabled, self.base.require_trust)

    @cached_property
    def differences(self) -> Differences:
        """Tells what a branch does to memory and rules."""
        from dmm.project import differences

        find = partial(_find_clashes, self.indexes, self.base.comparison_set)
        return differences.Differences(self.root.folder, find)

    @cached_property
    def agenda(self) -> Agenda:
        """Tells what waits for somebody."""
        from dmm.project import agenda

        return agenda.Agenda(
            self.project_ledger,
            self.proposal_store,
            self.conflict_register,
            self.lifecycle,
            partial(_find_committing, self.base, self._ledger),
            self._reviewer,
            self.base.is_trusted,
            self.base.clock,
        )

    @cached_property
    def importer(self) -> Importer:
        """Imports and exports instruction files."""
        from dmm.importer.service import Importer

        return Importer(
            self.root,
            self.config.retrieval,
            self.count,
            today,
            self.home,
            self.trust_store,
            partial(_write_imported, self._proposals),
            partial(_propose_imported, self._proposals),
            Lazy(_make_rule_import, self._ledger, self._shelf, self._rules),
            partial(_read_imported, self.proposal_store),
        )

    @cached_property
    def validation(self) -> Validation:
        """Checks and fixes memory files."""
        from dmm.memories import validation

        return validation.Validation(
            self.root,
            self.config.validation,
            self.config.retrieval,
            self.indexes,
            self.count,
            today,
            partial(_write_mended, self._proposals),
            own=self.base.is_own,
        )


def _make_conflicts(base: Base, ledger: Lazy[ProjectLedger]) -> Conflicts:
    from dmm.conflicts.service import Conflicts

    memories = base.comparison_set()
    return Conflicts(ledger(), base.conflict_register, memories, base.require_trust)


def _make_application(
    base: Base, ledger: Lazy[ProjectLedger], conflicts: Lazy[Conflicts]
) -> Application:
    from dmm.project import after_write
    from dmm.review import application

    committing = _find_committing(base, ledger)
    subscribers: list[Subscriber] = [
        partial(after_write.update_index, Lazy(lambda: base.memories)),
        # Compares what the index holds by now.
        partial(after_write.check_conflicts, conflicts),
    ]
    if committing is not None:
        # The manifest is written by now. Git's hooks may take long, so they come last.
        subscribers.append(committing.follow)
    return application.Application(
        base.root,
        ledger(),
        base.proposal_store,
        committing is not None,
        tuple(subscribers),
        partial(_agree, base),
    )


def _find_committing(base: Base, ledger: Lazy[ProjectLedger]) -> Committing | None:
    """Make what commits applied writes, where the settings want that."""
    if not base.config.governance.git_commit:
        return None
    from dmm.review.commits import Committing

    return Committing(base.root, ledger(), base.proposal_store)


def _agree(base: Base, paths: tuple[str, ...]) -> None:
    """Record consent to memories as just written."""
    binding = [f"memory/{path}" for path in paths if path.startswith("baseline/")]
    if binding:
        base.consents.accept(binding)


def _make_proposals(
    base: Base, ledger: Lazy[ProjectLedger], application: Lazy[Application]
) -> Proposals:
    from dmm.review.intake import Intake
    from dmm.review.service import Proposals

    return Proposals(
        base.config,
        ledger(),
        base.proposal_store,
        Intake(base.root, ledger(), base.proposal_store, Lazy(take_indexes, base), today),
        Lazy(lambda: base.examination),
        application(),
        base.trust_store,
    )


def _make_reviewer(base: Base, ledger: Lazy[ProjectLedger]) -> Reviewer:
    from dmm.config import ModelConfig
    from dmm.models.choose import choose_model
    from dmm.review import reviewer_calls

    enabled = base.config.reviewer_agent.enabled
    settings = base.own_config.model if enabled else ModelConfig()
    chat = partial(choose_model, settings, os.environ)
    return reviewer_calls.Reviewer(chat, ledger(), settings, base.clock)


def _make_rule_import(
    ledger: Lazy[ProjectLedger], shelf: Lazy[RuleShelf], rules: Lazy[Rules]
) -> RuleImport:
    from dmm.importer.rules import RuleImport

    constraints = partial(_list_in_force, ledger, shelf)
    return RuleImport(shelf(), constraints, rules().propose, rules().surroundings)


def _list_in_force(ledger: Lazy[ProjectLedger], shelf: Lazy[RuleShelf]) -> Sequence[Constraint]:
    return shelf().standing(ledger().state())


def _write_imported(proposals: Lazy[Proposals], edits: Sequence[Edit], reason: str) -> None:
    """Write imported files as the person who asked for it; the next query indexes them."""
    from dmm.domain.proposal import Operation

    proposals().apply_as_person(
        edits, reason, operation=Operation.CREATE, origin="import", one_of_many=True
    )


def _list_imported_rules(shelf: Lazy[RuleShelf]) -> Sequence[str]:
    rules = (one.rule for one in shelf().rules())
    return [one.id for one in rules if one.origin and not one.disabled]


def _read_imported(store: ProposalStore) -> Sequence[Edit]:
    """Read what earlier imports wrote; without a ledger nothing is known of it."""
    with contextlib.suppress(StorageError, LedgerRefused):
        return store.writes_of("import") if store.project_ledger.exists else ()
    return ()


def _propose_imported(proposals: Lazy[Proposals], path: str, text: str, why: str) -> ProposalResult:
    return proposals().create(path, text, why, origin="import")


def _write_mended(proposals: Lazy[Proposals], edit: Edit, what: str) -> None:
    """Write a fixed file as the person who asked for it."""
    proposals().apply_as_person([edit], what, origin="validate", one_of_many=True)


def _survey(base: Base) -> Survey:
    return base.overview.survey()


def _list_proposals(base: Base) -> Iterable[Proposal]:
    return base.proposal_store.queue().proposals.values()


def _find_clashes(
    indexes: Indexes, comparison_set: Lazy[ComparisonSet], memory: Memory
) -> list[tuple[Clash, str, str]]:
    """Find what a memory clashes with in this checkout."""
    from dmm.index.likeness import direction

    indexes.refresh(whole=True)
    embedder = indexes.embedder()
    towards = None if embedder is None else direction(memory, embedder)
    return comparison_set().find_clashes(memory, towards)
