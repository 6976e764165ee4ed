"""The one place that knows how the parts are put together."""

from __future__ import annotations

import datetime as dt
import os
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from dmm.config import FILE_NAME, Config, StorageConfig, read_config
from dmm.errors import RootNotFound
from dmm.files.roots import NAME, Root, find_root
from dmm.files.trusted import TrustStore
from dmm.ledger.place import find_ledger

if TYPE_CHECKING:
    from collections.abc import Callable

    from dmm.embed.model import Embedder
    from dmm.embed.tokens import TokenCounter
    from dmm.service.audit import Audit
    from dmm.service.baselines import Baselines
    from dmm.service.briefing import Briefing
    from dmm.service.chronicle import Chronicle
    from dmm.service.guard import Guard
    from dmm.service.indexes import Indexes, Shelf
    from dmm.service.ledger import Ledger
    from dmm.service.memories import Memories
    from dmm.service.monoliths import Monoliths
    from dmm.service.overview import Overview
    from dmm.service.packs import Packs
    from dmm.service.sessions import Sessions
    from dmm.service.standing import Standing
    from dmm.service.story import Stage
    from dmm.service.timelines import Timelines
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
        )

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
    def monoliths(self) -> Monoliths:
        """Imports and exports instruction files."""
        from dmm.service import monoliths

        settings = self.config.retrieval
        return monoliths.Monoliths(
            self.root, settings, self.indexes, self.count, today, self.home, self.trust_store
        )

    @cached_property
    def validation(self) -> Validation:
        """Checks and mends memory files."""
        from dmm.service import validation

        config = self.config
        return validation.Validation(
            self.root, config.validation, config.retrieval, self.indexes, self.count, today
        )

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
