"""The parts that look things up and record what happens."""

from __future__ import annotations

import os
from functools import cached_property
from typing import TYPE_CHECKING

from dmm.bootstrap.base import Base, now, today
from dmm.files.roots import NAME
from dmm.service.heap import release

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dmm.service.asking import Asking
    from dmm.service.audit import Audit
    from dmm.service.backups import Backups
    from dmm.service.briefing import Briefing
    from dmm.service.guard import Guard
    from dmm.service.indexes import Indexes
    from dmm.service.ledger import Ledger
    from dmm.service.memories import Memories
    from dmm.service.observations import Observations
    from dmm.service.overview import Overview
    from dmm.service.packs import Packs
    from dmm.service.published import PublishedRules
    from dmm.service.recall import Recall
    from dmm.service.redactions import Redactions
    from dmm.service.rulefiles import RuleShelf
    from dmm.service.rules import Rules
    from dmm.service.sessions import Sessions
    from dmm.service.timelines import Timelines


class Reading(Base):
    """Packs, the ledger, sessions and recall."""

    @cached_property
    def packs(self) -> Packs:
        """Answers queries."""
        indexes = self.indexes
        from dmm.service.packs import Packs

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
        return self.docket.marks() if self._has_ledger else {}

    @cached_property
    def ledger(self) -> Ledger:
        """Records facts, constraints and decisions."""
        from dmm.service import ledger

        return ledger.Ledger(self.chronicle, self.published, self.shelf)

    @cached_property
    def shelf(self) -> RuleShelf:
        """The rules in the project's files."""
        from dmm.service import rulefiles

        return rulefiles.RuleShelf(
            self.root, self.chronicle, self._rule_folder, self.published.publish
        )

    @cached_property
    def rules(self) -> Rules:
        """Writes, shows and tries rules."""
        from dmm.service import rules

        return rules.Rules(
            self.shelf, self.ledger, self.timelines, self._guard, lambda: self.trusted
        )

    @cached_property
    def published(self) -> PublishedRules:
        """The rules in force as a file for hooks."""
        from dmm.rulefile import RuleFiles
        from dmm.service import published

        files = RuleFiles(str(self.trust_store.path.parent))
        own = self._own_config.enforcement.on_failure
        strict = ("allow", "ask", "deny")
        on_failure = max(self.config.enforcement.on_failure, own, key=strict.index)
        return published.PublishedRules(files, self.root.folder, self.chronicle, on_failure)

    @cached_property
    def sessions(self) -> Sessions:
        """Attends to the sessions of agents."""
        from dmm.service import sessions

        return sessions.Sessions(
            self.root.project, self.chronicle, lambda: self._guard, lambda: self._briefing
        )

    @cached_property
    def _guard(self) -> Guard:
        from dmm.service import guard

        return guard.Guard(self.chronicle, self.published, self.shelf)

    @cached_property
    def _briefing(self) -> Briefing:
        from dmm.service import briefing

        return briefing.Briefing(
            self.root, self._baselines, self.consents, self.count, self._find_standing
        )

    @cached_property
    def timelines(self) -> Timelines:
        """Looks at the ledger over time."""
        from dmm.service import timelines

        return timelines.Timelines(self.chronicle)

    @cached_property
    def audit(self) -> Audit:
        """Makes, verifies, copies and reads out the ledger."""
        from dmm.ledger.anchors import NAME
        from dmm.service import audit

        return audit.Audit(self.chronicle, self.root.folder / NAME)

    @cached_property
    def backups(self) -> Backups:
        """Backs the ledger up and restores it."""
        from dmm.service import backups

        return backups.Backups(self.chronicle)

    @cached_property
    def redactions(self) -> Redactions:
        """Blanks what should never have been recorded."""
        from dmm.ledger.place import NAME, find_earlier, find_folders
        from dmm.losses import SPOOL
        from dmm.service import redactions, remains

        folder = self.root.folder
        folders = dict.fromkeys((folder, *find_folders(self._ledger)))
        olds = (*find_earlier(folder), *(one / NAME for one in folders))
        places = tuple(dict.fromkeys((self._ledger, *olds)))
        spool = self.trust_store.path.parent / SPOOL
        around = remains.Remains(tuple(folders), places, spool)
        return redactions.Redactions(self.chronicle, self.backups, self.published, around)

    @cached_property
    def memories(self) -> Memories:
        """Works on all memories at once."""
        from dmm.service import memories

        return memories.Memories(self.root, self.indexes)

    @cached_property
    def overview(self) -> Overview:
        """Describes the state of the memory."""
        from dmm.service import overview

        return overview.Overview(
            self.root, self.config.retrieval, self.indexes.shelves, self.count, today
        )

    @cached_property
    def observations(self) -> Observations:
        """What sessions did, distilled."""
        from dmm.domain.memory import Origin
        from dmm.service import observations

        indexes = self._unit_indexes
        return observations.Observations(
            self.chronicle,
            str(self.root.project),
            lambda: indexes.store(Origin.PROJECT),
            indexes.mend,
        )

    @cached_property
    def recall(self) -> Recall:
        """Finds what was said and done in sessions."""
        from dmm.service import recall

        return recall.Recall(
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
        from dmm.service.indexes import Indexes
        from dmm.service.loaded import Loaded
        from dmm.service.shelves import Shelf

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
        from dmm.service import asking, drawing, repository

        # The user's own memory lies in their home, which is no repository.
        own = self.root.folder == (self.home / NAME).resolve()
        project = None if own else self.root.project
        store = (self.root.folder / self.config.storage.embeddings_db).with_name("repo.db")
        return asking.Asking(
            self.config.ask,
            drawing.Drawing(
                self.packs,
                self.recall,
                repository.Repository(project, store),
                lambda: self.trusted,
            ),
            self.chronicle,
            str(self.root.project),
            self.count,
            today,
            self._choose_profile if self.config.ask.model_fallback else None,
        )

    def _choose_profile(self, question: str, names: tuple[str, ...]) -> str | None:
        """Have the user's model choose a profile, where they have named one."""
        from dmm.models.choose import choose_model
        from dmm.service import metering, routing

        settings = self._own_config.model
        meter = metering.Meter(
            lambda: choose_model(settings, os.environ), self.chronicle, settings, now
        )
        require = self.trust_store.require
        return routing.Routing(meter, lambda: require(self.root.folder)).choose(question, names)

    def release_model(self) -> None:
        """Let go of the model and of what only recall holds; the next call loads them again."""
        self.indexes.release_model()
        if "recall" in self.__dict__:
            self.recall.release()
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
        if "chronicle" in self.__dict__:
            self.chronicle.close()
