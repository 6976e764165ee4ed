"""What one opening of a project holds: its files, indexes and ledger, whoever uses them."""

from __future__ import annotations

import datetime as dt
import threading
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import TYPE_CHECKING, TypeVar, cast

from dmm.bootstrap.lazy import Counting, Lazy
from dmm.config import FILE_NAME, Config, read_config
from dmm.errors import StorageError
from dmm.eventlog.place import find_earlier, find_ledger, stands
from dmm.files.consents import Consents, find_consents
from dmm.files.roots import NAME, Root
from dmm.files.trusted import TrustStore
from dmm.gc_tuning import release

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from dmm.ask.code import Repository
    from dmm.conflicts.comparison_set import ComparisonSet
    from dmm.conflicts.register import ConflictRegister
    from dmm.domain.conflict import Clash
    from dmm.domain.memory import Memory
    from dmm.embed.model import Embedder
    from dmm.index.service import Indexes
    from dmm.index.vectors import Floats
    from dmm.ledger.histogram import Stops
    from dmm.lifecycle.usage_projection import UsageProjection
    from dmm.memories.catalogue import Catalogues
    from dmm.memories.overview import Overview
    from dmm.memories.service import Memories
    from dmm.observations.service import Observations
    from dmm.packs.baselines import Baselines
    from dmm.packs.scoped import ScopedMemories
    from dmm.project.activity_projection import ActivityProjection
    from dmm.recall.service import Recall
    from dmm.review.examination import Examination
    from dmm.review.store import ProposalStore
    from dmm.rules.folder import RuleFolder
    from dmm.rules.project_ledger import ProjectLedger
    from dmm.rules.published import PublishedRules
    from dmm.sessions.service import SessionMemory
    from dmm.team.in_force import TeamRules


T = TypeVar("T")


def now() -> dt.datetime:
    """Return the time, in UTC."""
    return dt.datetime.now(dt.UTC)


def today() -> dt.date:
    """Return today's date, in UTC."""
    return now().date()


class Shared:
    """What all who have one project open hold together, so that it is in memory once."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._parts: dict[type, object] = {}

    def part(self, kind: type[T]) -> T:
        """Return the one part of a kind, made on first use."""
        with self._lock:
            if kind not in self._parts:
                self._parts[kind] = kind()
            return cast("T", self._parts[kind])


@dataclass(frozen=True)
class Base:
    """One project, opened; each part is loaded when it is first asked for.

    No part knows who uses it. `replace` opens the project once more, with files of its own;
    `shared` is the same for both.
    """

    root: Root
    config: Config
    home: Path
    load_model: Callable[[], Embedder]
    clock: Callable[[], dt.datetime] = now
    shared: Shared = field(default_factory=Shared, compare=False, repr=False)

    @cached_property
    def count(self) -> Callable[[str], int]:
        """Counts the tokens of a text."""
        return Counting()

    @cached_property
    def indexes(self) -> Indexes:
        """The index of the project, and of the user's own memories beside it."""
        from dmm.bootstrap.shelves import find_shelves, need_memory

        need_memory()
        from dmm.index.loaded import Loaded
        from dmm.index.service import Indexes

        return Indexes(
            shelves=find_shelves(self.root, self.home, self.config),
            count=self.count,
            load_model=self.load_model,
            batch_size=self.config.indexer.batch_size,
            allowance=self.config.indexer.query_wait_ms / 1_000,
            loaded=self.shared.part(Loaded),
        )

    @cached_property
    def memories(self) -> Memories:
        """Works on all memories at once."""
        from dmm.memories.service import Memories

        return Memories(self.root, self.indexes)

    @cached_property
    def overview(self) -> Overview:
        """Describes the state of the memory."""
        from dmm.memories import overview

        return overview.Overview(
            self.root, self.config.retrieval, self.indexes.shelves, self.count, today
        )

    @cached_property
    def baselines(self) -> Baselines:
        """Compiles the baseline."""
        from dmm.packs.baselines import Baselines

        return Baselines(self.root, self.count, self.consents)

    @cached_property
    def consents(self) -> Consents:
        """What the user has agreed to of what instructs and configures."""
        return find_consents(self.trust_store, self.root.folder)

    @cached_property
    def trust_store(self) -> TrustStore:
        """What this user trusts."""
        return TrustStore.of_user(self.home)

    @cached_property
    def is_trusted(self) -> Callable[[], bool]:
        """Says whether this user has made this memory or accepted it."""
        return partial(self.trust_store.is_trusted, self.root.folder)

    @cached_property
    def require_trust(self) -> Callable[[], None]:
        """Refuses a project that this user has not accepted."""
        return partial(self.trust_store.require, self.root.folder)

    @cached_property
    def own_config(self) -> Config:
        """The user's own settings: a project that came from elsewhere can't name a model."""
        return read_config(self.home / NAME / FILE_NAME)

    @cached_property
    def ledger_path(self) -> Path:
        """Where the ledger is, or would be; looking for the repository takes longer than asking."""
        return find_ledger(self.root.folder)

    @property
    def has_ledger(self) -> bool:
        """Whether there may be a ledger; whoever reads one that can't be looked at says so."""
        try:
            return stands(self.ledger_path)
        except StorageError:
            return True

    @property
    def has_constraints(self) -> bool:
        """Whether a ledger or rule files may hold rules; nothing is loaded where neither does."""
        known = self.trust_store.find(self.root.folder)
        kept = known is not None and known.ledger is not None
        return kept or self.has_ledger or self._has_rules or self.team_rules.expected

    @property
    def _has_rules(self) -> bool:
        return (self.root.folder / "rules").is_dir() and bool(self.rule_folder.read({}).rules)

    @cached_property
    def ledger(self) -> ProjectLedger:
        """The ledger's log and state; whoever records takes it `as_actor`."""
        from dmm.eventlog import open_ledger
        from dmm.rules.project_ledger import ProjectLedger

        return ProjectLedger(
            self.ledger_path,
            self.clock,
            record_of=open_ledger.TrustedLedger(self.trust_store, self.root.folder),
            earlier=find_earlier(self.root.folder),
            folded=self.shared.part(open_ledger.Folded),
            checkout=self.root.project,
            folder=self.rule_folder,
            shared=self.team_rules,
        )

    @cached_property
    def team_rules(self) -> TeamRules:
        """The rules that others of a team have shared."""
        from dmm.team import checked, in_force

        path = self.ledger_path.with_name(in_force.NAME)
        return in_force.TeamRules(path, self.home, self.shared.part(checked.Checked))

    @cached_property
    def rule_folder(self) -> RuleFolder:
        """The rule files."""
        from dmm.rules import folder

        return folder.RuleFolder(self.root.folder, self.consents)

    @cached_property
    def published(self) -> PublishedRules:
        """The rules in force as a file for hooks."""
        from dmm.rulefile import RuleFiles
        from dmm.rules import published

        files = RuleFiles(str(self.trust_store.path.parent))
        own = self.own_config.enforcement.on_failure
        strict = ("allow", "ask", "deny")
        on_failure = max(self.config.enforcement.on_failure, own, key=strict.index)
        return published.PublishedRules(files, self.root.folder, self.ledger, on_failure)

    @cached_property
    def proposal_store(self) -> ProposalStore:
        """All proposals, as they stand."""
        from dmm.review import store

        return store.ProposalStore(self.ledger)

    @cached_property
    def conflict_register(self) -> ConflictRegister:
        """The conflicts that are on record."""
        from dmm.conflicts import register

        return register.ConflictRegister(
            self.ledger, self.is_trusted, self.root.tree.holds, self.team_rules.accepted
        )

    def conflict_marks(self) -> Mapping[str, tuple[str, ...]]:
        """Return what packs say of memories in conflict; nothing where there is no ledger."""
        return self.conflict_register.marks() if self.has_ledger else {}

    @cached_property
    def comparison_set(self) -> Lazy[ComparisonSet]:
        """The memories that are compared with one another."""
        return Lazy(_make_comparison_set, self.indexes, self._beside("verdicts"))

    @cached_property
    def examination(self) -> Examination:
        """Runs the checks of proposals."""
        from dmm.review import examination

        return examination.Examination(
            self.config,
            self.indexes,
            self.baselines,
            self.count,
            today,
            partial(_find_clashes, self.comparison_set),
        )

    @cached_property
    def usages(self) -> UsageProjection:
        """How the memories were used."""
        from dmm.lifecycle import usage_projection

        return usage_projection.UsageProjection(self.ledger, self.team_rules.counts)

    @cached_property
    def stops(self) -> Stops:
        """The calls and decisions that were blocked."""
        from dmm.ledger import histogram

        return histogram.Stops(self.ledger)

    @cached_property
    def activity(self) -> ActivityProjection:
        """What happened, counted by session, day and memory."""
        from dmm.project import activity_projection

        return activity_projection.ActivityProjection(self.ledger)

    @cached_property
    def catalogues(self) -> Catalogues:
        """All memories in brief."""
        from dmm.memories.catalogue import Catalogues

        return Catalogues(self.indexes)

    @cached_property
    def scoped_memories(self) -> ScopedMemories:
        """The memories that are about files."""
        from dmm.packs.scoped import ScopedMemories

        return ScopedMemories(self.indexes)

    @cached_property
    def session_memory(self) -> SessionMemory:
        """What is remembered of the sessions of agents."""
        from dmm.sessions.service import SessionMemory

        return SessionMemory()

    @cached_property
    def observations(self) -> Observations:
        """What sessions did, distilled."""
        from dmm.domain.memory import Origin
        from dmm.observations.service import Observations

        indexes = self._unit_indexes
        find_store = partial(indexes.store, Origin.PROJECT)
        return Observations(self.ledger, str(self.root.project), find_store, indexes.start_over)

    @cached_property
    def recall(self) -> Recall:
        """Finds what was said and done in sessions."""
        from dmm.recall.service import Recall

        return Recall(
            self.observations,
            self._unit_indexes,
            self.config.retrieval,
            self.count,
            self.require_trust,
        )

    @cached_property
    def _unit_indexes(self) -> Indexes:
        """The index of the units of recall, beside that of the memories."""
        from dmm.domain.memory import Origin
        from dmm.index.loaded import Loaded
        from dmm.index.service import Indexes
        from dmm.index.shelves import Shelf

        shelf = Shelf(Origin.PROJECT, self.root.tree, self._beside("recall.db"), lock="recall.lock")
        return Indexes(
            shelves=(shelf,),
            count=self.count,
            load_model=self.load_model,
            batch_size=self.config.indexer.batch_size,
            of_files=False,
            loaded=self.shared.part(Loaded),
        )

    @cached_property
    def repository(self) -> Repository:
        """The code around the memory; the user's own lies in their home, which is none."""
        from dmm.ask import code

        project = None if self.is_own else self.root.project
        return code.Repository(project, self._beside("repo.db"), self.indexes.embedder)

    @property
    def is_own(self) -> bool:
        """Whether it is the user's own memory, which is about no project."""
        return self.root.folder == (self.home / NAME).resolve()

    def _beside(self, name: str) -> Path:
        return (self.root.folder / self.config.storage.embeddings_db).with_name(name)

    def release_model(self) -> None:
        """Release the model and the recall data; the next call loads them again."""
        self.indexes.release_model()
        if "recall" in self.__dict__:
            self.recall.release()
        if "comparison_set" in self.__dict__ and self.comparison_set.made:
            self.comparison_set().release()
        if "repository" in self.__dict__:
            self.repository.release()

    def close(self) -> None:
        """Close the files that were opened, and let go of what was read."""
        release()
        for name in ("indexes", "_unit_indexes", "repository", "ledger"):
            if name in self.__dict__:
                self.__dict__[name].close()


def _make_comparison_set(indexes: Indexes, verdicts: Path) -> ComparisonSet:
    from dmm.conflicts import comparison_set
    from dmm.embed.pairs import PairModel

    return comparison_set.ComparisonSet(indexes, today, PairModel.load, verdicts)


def _find_clashes(
    memories: Callable[[], ComparisonSet], memory: Memory, towards: Floats | None
) -> list[tuple[Clash, str, str]]:
    return memories().find_clashes(memory, towards)
