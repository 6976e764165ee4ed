"""The shared base of all parts: project, clock, indexes and ledger."""

from __future__ import annotations

import datetime as dt
import os
import sys
import threading
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar, cast

from dmm.config import FILE_NAME, Config, ModelConfig, StorageConfig, read_config
from dmm.errors import StorageError
from dmm.eventlog.place import find_earlier, find_ledger, stands
from dmm.files.consents import Consents, find_consents
from dmm.files.roots import NAME, Root
from dmm.files.trusted import TrustStore

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from dmm.conflicts.register import ConflictRegister
    from dmm.embed.model import Embedder
    from dmm.embed.tokens import TokenCounter
    from dmm.index.service import Indexes
    from dmm.index.shelves import Shelf
    from dmm.packs.active_constraints import ActiveConstraints
    from dmm.packs.baselines import Baselines
    from dmm.review.reviewer_calls import Reviewer
    from dmm.review.store import ProposalStore
    from dmm.rules.folder import RuleFolder
    from dmm.rules.project_ledger import ProjectLedger


T = TypeVar("T")
# With less, the libraries that count tokens and run the model end the process themselves.
LEAST_MEMORY = 256 << 20


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


class Shared:
    """What all who have one project open hold together, so that it is in memory once."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._parts: dict[type, object] = {}

    def part(self, kind: type[T]) -> T:
        """Give the one part of a kind; it is made when it is first asked for."""
        with self._lock:
            if kind not in self._parts:
                self._parts[kind] = kind()
            return cast("T", self._parts[kind])


@dataclass(frozen=True)
class Base:
    """One project, opened; each part is loaded when it is first asked for.

    `replace` opens it once more, with files of its own; `shared` is the same for both.
    """

    root: Root
    config: Config
    home: Path
    load_model: Callable[[], Embedder]
    by_agent: bool = False
    shared: Shared = field(default_factory=Shared, compare=False, repr=False)

    @cached_property
    def count(self) -> Callable[[str], int]:
        """Counts the tokens of a text."""
        return _Counting()

    @cached_property
    def indexes(self) -> Indexes:
        """The index of the project, and of the user's own memories beside it."""
        _need_memory()
        from dmm.index.loaded import Loaded
        from dmm.index.service import Indexes

        return Indexes(
            shelves=_shelves(self.root, self.home, self.config),
            count=self.count,
            load_model=self.load_model,
            batch_size=self.config.indexer.batch_size,
            allowance=self.config.indexer.query_wait_ms / 1_000,
            loaded=self.shared.part(Loaded),
        )

    @cached_property
    def _baselines(self) -> Baselines:
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

    @property
    def trusted(self) -> bool:
        """Whether this user has made this memory or accepted it."""
        return self.trust_store.is_trusted(self.root.folder)

    @cached_property
    def _ledger(self) -> Path:
        """Where the ledger is, or would be; looking for the repository takes longer than asking."""
        return find_ledger(self.root.folder)

    @cached_property
    def project_ledger(self) -> ProjectLedger:
        """The ledger's log and state."""
        from dmm.domain.event import Trust
        from dmm.eventlog import open_ledger
        from dmm.rules.project_ledger import ProjectLedger

        agent = open_ledger.Actor(name="agent", trust=Trust.AGENT)
        return ProjectLedger(
            self._ledger,
            now,
            agent if self.by_agent else open_ledger.Actor(),
            open_ledger.TrustedLedger(self.trust_store, self.root.folder),
            find_earlier(self.root.folder),
            self.shared.part(open_ledger.Folded),
            folder=self._rule_folder,
        )

    @cached_property
    def _rule_folder(self) -> RuleFolder:
        from dmm.rules import folder

        return folder.RuleFolder(self.root.folder, self.consents)

    def _find_standing(self) -> ActiveConstraints | None:
        """Look for the ledger's voice in packs; nothing is loaded where there is no ledger."""
        known = self.trust_store.find(self.root.folder)
        kept = known is not None and known.ledger is not None
        return self._standing if kept or self._has_ledger or self._has_rules else None

    @property
    def _has_rules(self) -> bool:
        """Whether there are rule files."""
        return (self.root.folder / "rules").is_dir() and bool(self._rule_folder.read({}).rules)

    @property
    def _has_ledger(self) -> bool:
        """Whether there may be a ledger; whoever reads one that can't be looked at says so."""
        try:
            return stands(self._ledger)
        except StorageError:
            return True

    @cached_property
    def _standing(self) -> ActiveConstraints:
        from dmm.packs import active_constraints

        return active_constraints.ActiveConstraints(
            self.root, self.project_ledger, self.count, lambda: self.trusted
        )

    @cached_property
    def proposal_store(self) -> ProposalStore:
        """All proposals, as they stand."""
        from dmm.review import store

        return store.ProposalStore(self.project_ledger)

    @cached_property
    def conflict_register(self) -> ConflictRegister:
        """The conflicts that are on record."""
        from dmm.conflicts import register

        return register.ConflictRegister(
            self.project_ledger, lambda: self.trusted, self.root.tree.holds
        )

    @cached_property
    def _own_config(self) -> Config:
        """The user's own settings: a project that came from elsewhere can't name a model."""
        return read_config(self.home / NAME / FILE_NAME)

    @cached_property
    def reviewer(self) -> Reviewer:
        """Asks the reviewer agent, where the user has named a model."""
        from dmm.models.choose import choose_model
        from dmm.review import reviewer_calls

        settings = self._own_config.model if self.config.reviewer_agent.enabled else ModelConfig()
        return reviewer_calls.Reviewer(
            lambda: choose_model(settings, os.environ), self.project_ledger, settings, now
        )


def _need_memory() -> None:
    """Refuse a limit of this process that is too low to work under."""
    if sys.platform == "win32":
        return
    import resource

    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit != resource.RLIM_INFINITY and limit < LEAST_MEMORY:
        what = (
            f"this process may use {limit >> 20} MB of memory, but {LEAST_MEMORY >> 20} MB "
            "are needed"
        )
        raise StorageError(what, hint="raise the limit: ulimit -v unlimited")


def _shelves(root: Root, home: Path, config: Config) -> tuple[Shelf, ...]:
    from dmm.domain.memory import OVERLAY_SCOPES, Origin
    from dmm.files.tree import MemoryTree
    from dmm.index.shelves import Shelf

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
