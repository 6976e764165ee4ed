"""The parts that look things up and record events."""

from __future__ import annotations

import os
from functools import cached_property
from typing import TYPE_CHECKING

from dmm.bootstrap.base import Base, now, today
from dmm.files.roots import NAME
from dmm.gc_tuning import release

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dmm.ask.service import Asking
    from dmm.index.service import Indexes
    from dmm.ledger.audit import Audit
    from dmm.ledger.backups import Backups
    from dmm.ledger.redactions import Redactions
    from dmm.ledger.service import Ledger
    from dmm.ledger.timelines import Timelines
    from dmm.memories.overview import Overview
    from dmm.memories.service import Memories
    from dmm.observations.last_session import LastSession
    from dmm.observations.service import Observations
    from dmm.packs.service import Packs
    from dmm.recall.service import Recall
    from dmm.rules.guard import Guard
    from dmm.rules.published import PublishedRules
    from dmm.rules.service import Rules
    from dmm.rules.shelf import RuleShelf
    from dmm.sessions.briefing import Briefing
    from dmm.sessions.service import Sessions


class Reading(Base):
    """Packs, the ledger, sessions and recall."""

    @cached_property
    def packs(self) -> Packs:
        """Answers queries."""
        indexes = self.indexes
        from dmm.packs.service import Packs

        return Packs(
            self.root,
            self.config.retrieval,
            indexes,
            self._baselines,
            self.count,
            today,
            self._find_standing,
            self._find_marks,
        )

    def _find_marks(self) -> Mapping[str, tuple[str, ...]]:
        """Tell what packs say of memories in conflict; nothing where there is no ledger."""
        return self.conflict_register.marks() if self._has_ledger else {}

    @cached_property
    def ledger(self) -> Ledger:
        """Records facts, constraints and decisions."""
        from dmm.ledger.service import Ledger

        return Ledger(self.project_ledger, self.published, self.shelf)

    @cached_property
    def shelf(self) -> RuleShelf:
        """The rules in the project's files."""
        from dmm.rules import shelf

        return shelf.RuleShelf(
            self.root, self.project_ledger, self._rule_folder, self.published.publish
        )

    @cached_property
    def rules(self) -> Rules:
        """Writes, shows and tries rules."""
        from dmm.rules.service import Rules

        return Rules(self.shelf, self.ledger, self.timelines, self._guard, lambda: self.trusted)

    @cached_property
    def published(self) -> PublishedRules:
        """The rules in force as a file for hooks."""
        from dmm.rulefile import RuleFiles
        from dmm.rules import published

        files = RuleFiles(str(self.trust_store.path.parent))
        own = self._own_config.enforcement.on_failure
        strict = ("allow", "ask", "deny")
        on_failure = max(self.config.enforcement.on_failure, own, key=strict.index)
        return published.PublishedRules(files, self.root.folder, self.project_ledger, on_failure)

    @cached_property
    def sessions(self) -> Sessions:
        """Attends to the sessions of agents."""
        from dmm.sessions.file_notes import FileNotes
        from dmm.sessions.service import Sessions

        return Sessions(
            self.root.project,
            self.project_ledger,
            lambda: self._guard,
            lambda: self._briefing,
            FileNotes(self.root.project, lambda: self.packs),
            lambda branch, session: self._last_session.tell(branch, session),
        )

    @cached_property
    def _last_session(self) -> LastSession:
        from dmm.observations.last_session import LastSession

        return LastSession(self.project_ledger, str(self.root.project), now)

    @cached_property
    def _guard(self) -> Guard:
        from dmm.rules import guard

        return guard.Guard(self.project_ledger, self.published, self.shelf)

    @cached_property
    def _briefing(self) -> Briefing:
        from dmm.sessions import briefing

        return briefing.Briefing(
            self.root, self._baselines, self.consents, self.count, self._find_standing
        )

    @cached_property
    def timelines(self) -> Timelines:
        """Looks at the ledger over time."""
        from dmm.ledger import timelines

        return timelines.Timelines(self.project_ledger)

    @cached_property
    def audit(self) -> Audit:
        """Makes, verifies, copies and reads out the ledger."""
        from dmm.eventlog.anchors import NAME
        from dmm.ledger import audit

        return audit.Audit(self.project_ledger, self.root.folder / NAME)

    @cached_property
    def backups(self) -> Backups:
        """Backs the ledger up and restores it."""
        from dmm.ledger import backups

        return backups.Backups(self.project_ledger)

    @cached_property
    def redactions(self) -> Redactions:
        """Blanks what should never have been recorded."""
        from dmm.eventlog.place import NAME, find_earlier, find_folders
        from dmm.ledger import redactions, remains
        from dmm.losses import SPOOL

        folder = self.root.folder
        folders = dict.fromkeys((folder, *find_folders(self._ledger)))
        olds = (*find_earlier(folder), *(one / NAME for one in folders))
        places = tuple(dict.fromkeys((self._ledger, *olds)))
        spool = self.trust_store.path.parent / SPOOL
        around = remains.Remains(tuple(folders), places, spool)
        return redactions.Redactions(self.project_ledger, self.backups, self.published, around)

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
    def observations(self) -> Observations:
        """What sessions did, distilled."""
        from dmm.domain.memory import Origin
        from dmm.observations.service import Observations

        indexes = self._unit_indexes
        return Observations(
            self.project_ledger,
            str(self.root.project),
            lambda: indexes.store(Origin.PROJECT),
            indexes.mend,
        )

    @cached_property
    def recall(self) -> Recall:
        """Finds what was said and done in sessions."""
        from dmm.recall.service import Recall

        return Recall(
            self.observations,
            self._unit_indexes,
            self.config.retrieval,
            self.count,
            lambda: self.trust_store.require(self.root.folder),
        )

    @cached_property
    def _unit_indexes(self) -> Indexes:
        """The index of the units of recall, beside that of the memories."""
        from dmm.domain.memory import Origin
        from dmm.index.loaded import Loaded
        from dmm.index.service import Indexes
        from dmm.index.shelves import Shelf

        path = (self.root.folder / self.config.storage.embeddings_db).with_name("recall.db")
        shelf = Shelf(Origin.PROJECT, self.root.tree, path, lock="recall.lock")
        return Indexes(
            shelves=(shelf,),
            count=self.count,
            load_model=self.load_model,
            batch_size=self.config.indexer.batch_size,
            fill=lambda store, embedder, progress: self.recall.fill(store, embedder, progress),
            loaded=self.shared.part(Loaded),
        )

    @cached_property
    def asking(self) -> Asking:
        """Answers questions from memory, sessions and code."""
        from dmm.ask import code, project_sources
        from dmm.ask.service import Asking

        # The user's own memory lies in their home, which is no repository.
        own = self.root.folder == (self.home / NAME).resolve()
        project = None if own else self.root.project
        store = (self.root.folder / self.config.storage.embeddings_db).with_name("repo.db")
        return Asking(
            self.config.ask,
            project_sources.ProjectSources(
                self.packs,
                self.recall,
                code.Repository(project, store),
                lambda: self.trusted,
            ),
            self.project_ledger,
            str(self.root.project),
            self.count,
            today,
            self._choose_profile if self.config.ask.model_fallback else None,
        )

    def _choose_profile(self, question: str, names: tuple[str, ...]) -> str | None:
        """Have the user's model choose a profile, where they have named one."""
        from dmm.ask import model_routing
        from dmm.models import metering
        from dmm.models.choose import choose_model

        settings = self._own_config.model
        meter = metering.Meter(
            lambda: choose_model(settings, os.environ), self.project_ledger, settings, now
        )
        require = self.trust_store.require
        return model_routing.Routing(meter, lambda: require(self.root.folder)).choose(
            question, names
        )

    def release_model(self) -> None:
        """Let go of the model and of what only recall holds; the next call loads them again."""
        self.indexes.release_model()
        if "recall" in self.__dict__:
            self.recall.release()
        if "conflicts" in self.__dict__:
            self.__dict__["conflicts"].corpus.release()
        if "asking" in self.__dict__:
            self.asking.release()

    def close(self) -> None:
        """Close the files that were opened, and let go of what was read."""
        release()
        if "indexes" in self.__dict__:
            self.indexes.close()
        if "_unit_indexes" in self.__dict__:
            self._unit_indexes.close()
        if "asking" in self.__dict__:
            self.asking.close()
        if "project_ledger" in self.__dict__:
            self.project_ledger.close()
