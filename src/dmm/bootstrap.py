"""The one place that knows how the parts are put together."""

from __future__ import annotations

import datetime as dt
import os
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from dmm.config import FILE_NAME, Config, ModelConfig, StorageConfig, read_config
from dmm.errors import ConfigError, RootNotFound
from dmm.files.roots import NAME, Root, find_root
from dmm.files.trusted import TrustStore
from dmm.ledger.place import find_ledger

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from dmm.domain.proposal import Edit
    from dmm.embed.model import Embedder
    from dmm.embed.tokens import TokenCounter
    from dmm.service.agenda import Agenda
    from dmm.service.application import Application
    from dmm.service.audit import Audit
    from dmm.service.baselines import Baselines
    from dmm.service.briefing import Briefing
    from dmm.service.chronicle import Chronicle
    from dmm.service.conflicts import Conflicts
    from dmm.service.desk import Desk
    from dmm.service.digest import Digest
    from dmm.service.docket import Docket
    from dmm.service.examination import Examination
    from dmm.service.guard import Guard
    from dmm.service.indexes import Indexes, Shelf
    from dmm.service.intake import Intake
    from dmm.service.ledger import Ledger
    from dmm.service.lifecycle import Lifecycle
    from dmm.service.memories import Memories
    from dmm.service.monoliths import Monoliths
    from dmm.service.observations import Observations
    from dmm.service.overview import Overview
    from dmm.service.packs import Packs
    from dmm.service.proposals import Proposals
    from dmm.service.reviewing import Reviewer
    from dmm.service.reviews import Reviews
    from dmm.service.sessions import Sessions
    from dmm.service.standing import Standing
    from dmm.service.story import Stage
    from dmm.service.timelines import Timelines
    from dmm.service.transcripts import Transcripts
    from dmm.service.undoing import Undoing
    from dmm.service.validation import Validation


def now() -> dt.datetime:
    """Tell the time, the same everywhere in the world."""
    return dt.datetime.now(dt.UTC)


def today() -> dt.date:
    """Tell the day, the same everywhere in the world."""
    return now().date()


class _Counting:
    """Counts tokens, loaded with the first count; holds no project, so that one can be let go."""

    @cached_property
    def _counter(self) -> TokenCounter:
        from dmm.embed.tokens import TokenCounter

        return TokenCounter()

    def __call__(self, text: str) -> int:
        return self._counter.count(text)


@dataclass(frozen=True)
class Dmm:
    """Everything DMM can do for one project; each part is loaded when it is first asked for."""

    root: Root
    config: Config
    home: Path
    load_model: Callable[[], Embedder]
    by_agent: bool = False

    @cached_property
    def count(self) -> Callable[[str], int]:
        """Counts the tokens of a text."""
        return _Counting()

    @cached_property
    def indexes(self) -> Indexes:
        """The index of the project, and of the user's own memories beside it."""
        from dmm.service.indexes import Indexes

        return Indexes(
            shelves=_shelves(self.root, self.home, self.config),
            count=self.count,
            load_model=self.load_model,
            batch_size=self.config.indexer.batch_size,
        )

    @cached_property
    def _baselines(self) -> Baselines:
        from dmm.service.baselines import Baselines

        return Baselines(self.root, self.count)

    @cached_property
    def packs(self) -> Packs:
        """Answers queries."""
        from dmm.service.packs import Packs

        return Packs(
            self.root,
            self.config.retrieval,
            self.indexes,
            self._baselines,
            self.count,
            today,
            self._find_standing,
            self._find_marks,
        )

    def _find_marks(self) -> Mapping[str, tuple[str, ...]]:
        """Tell what packs say of memories in conflict; nothing where there is no ledger."""
        return self.docket.marks() if find_ledger(self.root.folder).exists() else {}

    def _find_standing(self) -> Standing | None:
        """Look for the ledger's voice in packs; nothing is loaded where there is no ledger."""
        known = self.trust_store.find(self.root.folder)
        kept = known is not None and known.ledger is not None
        return self._standing if kept or find_ledger(self.root.folder).exists() else None

    @cached_property
    def _standing(self) -> Standing:
        from dmm.service import standing

        return standing.Standing(self.root, self.chronicle, self.count, lambda: self.trusted)

    @cached_property
    def trust_store(self) -> TrustStore:
        """What this user trusts."""
        return TrustStore.of_user(self.home)

    @property
    def trusted(self) -> bool:
        """Whether this user has made this memory or accepted it."""
        return self.trust_store.is_trusted(self.root.folder)

    @cached_property
    def chronicle(self) -> Chronicle:
        """The ledger's log and state."""
        from dmm.domain.event import Trust
        from dmm.service import chronicle

        agent = chronicle.Voice(actor="agent", trust=Trust.AGENT)
        return chronicle.Chronicle(
            find_ledger(self.root.folder),
            now,
            agent if self.by_agent else chronicle.Voice(),
            chronicle.TrustedLedger(self.trust_store, self.root.folder),
        )

    @cached_property
    def ledger(self) -> Ledger:
        """Records facts, constraints and decisions."""
        from dmm.service import ledger

        return ledger.Ledger(self.chronicle)

    @cached_property
    def sessions(self) -> Sessions:
        """Attends to the sessions of agents."""
        from dmm.service import sessions

        return sessions.Sessions(
            self.root.project, self.chronicle, lambda: self._guard, lambda: self._briefing
        )

    @cached_property
    def transcripts(self) -> Transcripts:
        """Imports sessions from before."""
        from dmm.clients.place import Place
        from dmm.service import archives, transcripts

        return transcripts.Transcripts(
            self.chronicle,
            archives.Archives(self.root.project.resolve(), Place(self.home, os.environ)),
            lambda: self.trust_store.require(self.root.folder),
        )

    @cached_property
    def _guard(self) -> Guard:
        from dmm.service import guard

        return guard.Guard(self.chronicle)

    @cached_property
    def _briefing(self) -> Briefing:
        from dmm.service import briefing

        return briefing.Briefing(self.root, self._baselines, self.count, self._find_standing)

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
    def memories(self) -> Memories:
        """Works on all memories at once."""
        from dmm.service import memories

        return memories.Memories(self.root, self.indexes)

    @cached_property
    def desk(self) -> Desk:
        """All proposals, as they stand."""
        from dmm.service import desk

        return desk.Desk(self.chronicle)

    @cached_property
    def application(self) -> Application:
        """Applies proposals to the files."""
        from dmm.service import application

        return application.Application(
            self.root, self.chronicle, self.desk, self.config.governance.git_commit, self._settle
        )

    def _settle(self, paths: tuple[str, ...]) -> list[str]:
        """Bring what is derived up to files that were just written; tell what did not work."""
        from dmm.service.aftermath import settle

        return settle(self.memories, self.conflicts, paths)

    @cached_property
    def _intake(self) -> Intake:
        from dmm.service import intake

        return intake.Intake(self.root, self.chronicle, self.desk, lambda: self.indexes, today)

    @cached_property
    def _examination(self) -> Examination:
        from dmm.service import examination

        return examination.Examination(
            self.config,
            self.indexes,
            self._baselines,
            self.count,
            today,
            lambda memory: self.conflicts.find_clashes(memory),
        )

    @cached_property
    def proposals(self) -> Proposals:
        """Takes proposals."""
        from dmm.service import proposals

        return proposals.Proposals(
            self.config,
            self.chronicle,
            self.desk,
            self._intake,
            lambda: self._examination,
            self.application,
            self.trust_store,
        )

    @cached_property
    def reviews(self) -> Reviews:
        """Decides about proposals."""
        from dmm.service import reviews

        return reviews.Reviews(self.proposals, lambda: self.reviewer, now)

    @cached_property
    def reviewer(self) -> Reviewer:
        """Asks the reviewer agent, where the user has named a model."""
        from dmm.models.choose import choose_model
        from dmm.service import reviewing

        settings = self._own_config.model if self.config.reviewer_agent.enabled else ModelConfig()
        return reviewing.Reviewer(
            lambda: choose_model(settings, os.environ), self.chronicle, settings, now
        )

    @cached_property
    def _own_config(self) -> Config:
        """The user's own settings: a project that came from elsewhere can't name a model."""
        return read_config(self.home / NAME / FILE_NAME)

    @cached_property
    def undoing(self) -> Undoing:
        """Takes applied writes back."""
        from dmm.service import undoing

        return undoing.Undoing(self.proposals)

    @cached_property
    def docket(self) -> Docket:
        """The conflicts that are on record."""
        from dmm.service import docket

        return docket.Docket(self.chronicle, lambda: self.trusted)

    @cached_property
    def conflicts(self) -> Conflicts:
        """Finds and settles memories that contradict one another."""
        from dmm.service import conflicts, corpus

        return conflicts.Conflicts(
            self.chronicle,
            self.docket,
            corpus.Corpus(self.indexes, today),
            lambda: self.trust_store.require(self.root.folder),
            lambda: self.proposals,
        )

    @cached_property
    def lifecycle(self) -> Lifecycle:
        """Takes reports on memories, and suggests what should become of them."""
        from dmm.service import counting, lifecycle

        return lifecycle.Lifecycle(
            self.root,
            self.config.lifecycle,
            self.config.retrieval.baseline_budget,
            self.chronicle,
            counting.Counting(self.chronicle),
            lambda: self.overview.survey(),
            lambda: self.proposals,
            lambda: self.desk.queue().proposals.values(),
            today,
        )

    @cached_property
    def observations(self) -> Observations:
        """What sessions did, distilled."""
        from dmm.service import observations

        return observations.Observations(self.chronicle, str(self.root.project))

    @cached_property
    def digest(self) -> Digest:
        """Proposes what is worth keeping of a day."""
        from dmm.observations.digest import Limits
        from dmm.service import digest

        sizes = self.config.validation
        return digest.Digest(
            self.observations,
            lambda: self.proposals,
            lambda: self.desk.queue().proposals.values(),
            Limits(sizes.min_tokens, sizes.max_tokens, self.count),
            today,
        )

    @cached_property
    def agenda(self) -> Agenda:
        """Tells what waits for somebody."""
        from dmm.service import agenda

        return agenda.Agenda(
            self.chronicle,
            self.desk,
            self.docket,
            self.lifecycle,
            lambda: self.reviewer,
            lambda: self.trusted,
            now,
        )

    @cached_property
    def monoliths(self) -> Monoliths:
        """Imports and exports instruction files."""
        from dmm.service import monoliths

        return monoliths.Monoliths(
            self.root,
            self.config.retrieval,
            self.indexes,
            self.count,
            today,
            self.home,
            self.trust_store,
            self._import,
            lambda path, text, why: self.proposals.create(path, text, why, origin="import"),
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
        from dmm.service import validation

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

    @cached_property
    def overview(self) -> Overview:
        """Describes the state of the memory."""
        from dmm.service import overview

        return overview.Overview(
            self.root, self.config.retrieval, self.indexes.shelves, self.count, today
        )

    def close(self) -> None:
        """Close the files that were opened."""
        if "indexes" in self.__dict__:
            self.indexes.close()
        if "chronicle" in self.__dict__:
            self.chronicle.close()


def open_dmm(
    *,
    start: Path | None = None,
    override: Path | None = None,
    home: Path | None = None,
    load_model: Callable[[], Embedder] | None = None,
    by_agent: bool = False,
) -> Dmm:
    """Put DMM together for the project around `start`; an agent speaks in its own name."""
    home = home or own_home()
    named = os.environ.get("DMM_ROOT")
    override = override or (Path(named) if named else None)
    root = find_root(start or override or here(), override, home)
    return open_root(root, home, load_model, by_agent=by_agent)


def open_root(
    root: Root,
    home: Path,
    load_model: Callable[[], Embedder] | None = None,
    *,
    by_agent: bool = False,
) -> Dmm:
    """Put DMM together for a .dmm folder that is known."""
    config = read_config(root.folder / FILE_NAME)
    if config.model != ModelConfig() and root.folder != (home / NAME).resolve():
        where = f"{root.folder / FILE_NAME}: model"
        hint = f"name it in {home / NAME / FILE_NAME}: a project can't send your key anywhere"
        raise ConfigError("only your own settings can name a model", where=where, hint=hint)
    return Dmm(root, config, home, load_model or _load_model, by_agent)


def open_stage() -> Stage:
    """Put a ledger together that lives in memory, for a story; it needs no project."""
    from dmm.service import chronicle, ledger, story, timelines

    kept = chronicle.Chronicle(None, now)
    return story.Stage(ledger.Ledger(kept), timelines.Timelines(kept))


def here() -> Path:
    """Tell the working directory."""
    try:
        return Path.cwd()
    except OSError as error:
        hint = "change to a folder that exists, or name one with --root"
        raise RootNotFound("the working directory is gone", hint=hint) from error


def own_home() -> Path:
    """Tell the user's home."""
    try:
        return Path.home()
    except RuntimeError:
        # A user without a home, as in some containers.
        return Path(os.sep)


def _load_model() -> Embedder:
    from dmm.embed.model import Embedder

    return Embedder.load()


def _shelves(root: Root, home: Path, config: Config) -> tuple[Shelf, ...]:
    from dmm.domain.memory import OVERLAY_SCOPES, Origin
    from dmm.files.tree import MemoryTree
    from dmm.service.indexes import Shelf

    name = config.storage.embeddings_db
    shelves = [Shelf(Origin.PROJECT, root.tree, root.folder / name)]
    own = Root((home / NAME).resolve())
    if _is_folder(own.tree.root) and own.folder != root.folder:
        tree = MemoryTree(own.tree.root, tuple(scope.value for scope in OVERLAY_SCOPES))
        shelves.append(Shelf(Origin.USER, tree, own.folder / StorageConfig().embeddings_db))
    return tuple(shelves)


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:
        # The home of somebody else: what can't be entered joins nothing.
        return False
