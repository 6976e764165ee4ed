"""The indexes of a project and the user's overlay: opened, refreshed, held in memory."""

from __future__ import annotations

import contextlib
import time
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from dmm.errors import IndexBroken, IndexBusy, ModelUnavailable, StorageError
from dmm.files.lock import in_turn
from dmm.index.derived_file import ELSEWHERE
from dmm.index.hurry import Hurry, describe_left
from dmm.index.lexical import Unread
from dmm.index.loaded import Loaded
from dmm.index.renewal import renew_snapshot
from dmm.index.sync import Syncer, SyncReport
from dmm.storage import sqlite

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from dmm.domain.memory import Origin
    from dmm.embed.model import Embedder, Vectors
    from dmm.index.records import IndexedMemory
    from dmm.index.shelves import Shelf
    from dmm.index.snapshot import Place, Snapshot
    from dmm.index.store import IndexStore
    from dmm.index.sync import Progress

    Fill = Callable[[IndexStore, Embedder | None, Progress | None], SyncReport]

LONG_WORD = 7
# How long a query waits for another process to finish indexing before it answers without.
PATIENCE = 2.0
# How long a query may index before it answers with what there is.
ALLOWANCE = 2.5
LEAST_ALLOWANCE = 0.5
# What it takes to load a memory, or to see that it has not changed, in seconds: a query has to have
# time for that too.
LOADING = 4e-5
RENEWING = 8e-6
BASELINE = "baseline/"


@dataclass(frozen=True, slots=True)
class _Order:
    """How a run is wanted: all files or the changed ones, told to whom, after which wait."""

    full: bool
    progress: Progress | None
    patience: float
    hurry: Hurry | None
    fill: Fill | None


@dataclass(slots=True)
class Indexes:
    """All shelves of one project, searched as one.

    What is not `of_files` is brought in by whoever passes `fill`. `followed` says that somebody
    else is indexing the rest at this moment.
    """

    shelves: tuple[Shelf, ...]
    count: Callable[[str], int]
    load_model: Callable[[], Embedder]
    batch_size: int
    of_files: bool = True
    loaded: Loaded = field(default_factory=Loaded)
    allowance: float = ALLOWANCE
    followed: bool = False
    clock: Callable[[], float] = time.monotonic
    notices: dict[str, str] = field(default_factory=dict)
    _embedder: Embedder | None = None
    _asked_for_model: bool = False
    _unread: Unread = field(default_factory=lambda: Unread(0, {}))
    _looked: list[SyncReport | None] = field(default_factory=list)

    def embedder(self) -> Embedder | None:
        """Load the model on first use; without it every answer says that only keywords count."""
        if not self._asked_for_model:
            self._asked_for_model = True
            try:
                self._embedder = self.load_model()
            except ModelUnavailable as error:
                self._go_without_model(error)
        return self._embedder

    def embed(self, query: str) -> Vectors | None:
        """Turn a query into its vector, or None where only keywords count."""
        embedder = self.embedder()
        try:
            return None if embedder is None else embedder.embed_query(query)
        except ModelUnavailable as error:
            self._go_without_model(error)
            return None

    def _go_without_model(self, error: ModelUnavailable) -> None:
        self._embedder = None
        self.notices["model"] = f"keyword retrieval only, the model is unavailable: {error}"

    @property
    def held(self) -> int:
        """How many memories the snapshot in memory has; none before the first query."""
        snapshot = self.loaded.held(self._files)
        return 0 if snapshot is None else len(snapshot)

    def release_model(self) -> None:
        """Release the model; the next query loads it again."""
        self._embedder = None
        self._asked_for_model = False
        self.notices.pop("model", None)

    def release_snapshot(self) -> None:
        """Release the content in memory; the next query loads it again."""
        self.loaded.drop(self._files)

    @property
    def _files(self) -> tuple[Path, ...]:
        return tuple(shelf.path for shelf in self.shelves)

    def is_word(self, word: str) -> bool:
        """Return whether a word is short and common, so that it can't be a slip in a name."""
        return self.embedder() is None or (len(word) < LONG_WORD and self.is_common(word))

    def is_common(self, word: str) -> bool:
        """Whether a word is common English; without the model every word is taken for one."""
        embedder = self.embedder()
        return embedder is None or len(embedder.encode(word)) == 1

    def sync(
        self,
        *,
        full: bool = False,
        progress: Progress | None = None,
        patience: float = 0.0,
        hurry: Hurry | None = None,
        fill: Fill | None = None,
    ) -> SyncReport:
        """Update all indexes from the files, or raise; others may index in between.

        In a hurry, a large backlog is left for later as far as there is no time for it.
        """
        order = _Order(full, progress, patience, hurry, fill)
        return SyncReport.of_all([self._sync_shelf(shelf, order) for shelf in self.shelves])

    def refresh(
        self,
        words: str = "",
        *,
        whole: bool = False,
        progress: Progress | None = None,
        fill: Fill | None = None,
    ) -> SyncReport | None:
        """Update the indexes from the files if possible, and record why if not.

        Of a large backlog, files that hold the words come first, and what there is no time for is
        left, unless the whole is wanted.
        """
        if self._looked:
            return self._looked[0]
        for about in ("index", "partial"):
            self.notices.pop(about, None)
        self._unread = Unread(0, {})
        try:
            hurry = None if whole else Hurry(self._allow(), words, clock=self.clock)
            patience = max(PATIENCE, self.allowance)
            report = self.sync(progress=progress, patience=patience, hurry=hurry, fill=fill)
        except IndexBusy:
            self.notices["index"] = "another process is indexing; the newest changes may be missing"
        except StorageError as error:
            self.notices["index"] = f"the index could not be updated: {error}"
        else:
            self._unread = self._unread if hurry is None else hurry.unread()
            self._tell_faults(report)
            if report.waiting or report.lacking:
                self.notices["partial"] = describe_left(report, followed=self.followed)
            return report
        return None

    @contextlib.contextmanager
    def looked_at_once(self) -> Iterator[None]:
        """Look at the files now; until this ends, a refresh returns what was found."""
        self._looked = [self.refresh()]
        try:
            yield
        finally:
            self._looked = []

    @property
    def incomplete(self) -> bool:
        """Whether the last refresh left files out."""
        return not self.notices.keys().isdisjoint(("index", "partial"))

    def _allow(self) -> float:
        """Return how long to index, so that there is time left to load what the index holds."""
        try:
            held = sum(self._open(shelf).size() for shelf in self.shelves)
        except IndexBroken:
            held = 0
        needed = held * (LOADING if self.loaded.held(self._files) is None else RENEWING)
        return max(min(LEAST_ALLOWANCE, self.allowance), self.allowance - needed)

    def _tell_faults(self, report: SyncReport) -> None:
        self.notices.pop("faults", None)
        faults = [fault for fault in report.faults if not fault.path.startswith(BASELINE)]
        if faults:
            names = ", ".join(fault.path for fault in faults[:3])
            more = f" and {len(faults) - 3} more" if len(faults) > 3 else ""
            self.notices["faults"] = f"left out because of errors (dmm validate): {names}{more}"

    def _sync_shelf(self, shelf: Shelf, order: _Order) -> SyncReport:
        try:
            return self._sync_once(shelf, order)
        except IndexBroken as error:
            self._rebuild(shelf, error)
        except ModelUnavailable as error:
            self._go_without_model(error)
        return self._sync_once(shelf, order)

    def _sync_once(self, shelf: Shelf, order: _Order) -> SyncReport:
        store = self._open(shelf)
        if not store.writable:
            full = sqlite.is_full(store.where)
            hint = sqlite.FULL if full else "make the folder writable, then: dmm reindex"
            raise StorageError("the index can't be written", where=store.where, hint=hint)
        if self.of_files:
            return self._run(shelf, store, order)
        if order.fill is None:
            return SyncReport()
        with self._lock(shelf, store, order.patience):
            return order.fill(store, self.embedder(), order.progress)

    def _run(self, shelf: Shelf, store: IndexStore, order: _Order) -> SyncReport:
        syncer = Syncer(shelf.origin, self.count, self.embedder(), self.batch_size)
        run = syncer.begin(shelf.tree, store, now_ns=time.time_ns(), full=order.full)
        with self._lock(shelf, store, order.patience):
            run.prepare()

        def advance() -> bool:
            with self._lock(shelf, store, order.patience):
                more = run.advance()
            if more and order.progress is not None:
                order.progress(run.done, run.work)
            return more

        if order.hurry is not None and run.outstanding > self.batch_size:
            order.hurry.carry_out(run, shelf.tree, advance, followed=self.followed)
        else:
            while advance():
                pass
        with self._lock(shelf, store, order.patience):
            return run.end()

    @contextlib.contextmanager
    def _lock(self, shelf: Shelf, store: IndexStore, patience: float) -> Iterator[None]:
        if store.where != str(shelf.path):
            yield
            return
        lock = shelf.path.with_name(shelf.lock)
        with in_turn(lock, what="another process is indexing", patience=patience):
            if shelf.replaced:
                # What is written from here on would be lost.
                hint = "run the command again"
                raise IndexBusy("the index was rebuilt meanwhile", where=store.where, hint=hint)
            yield

    def _open(self, shelf: Shelf) -> IndexStore:
        if shelf.replaced:
            shelf.close()
        if shelf.store is None:
            try:
                return shelf.open()
            except IndexBroken as error:
                return self._rebuild(shelf, error)
            except StorageError as error:
                self.notices["store"] = f"the index is held in memory only: {error}"
                return shelf.hold_in_memory()
        return shelf.store

    def _rebuild(self, shelf: Shelf, error: IndexBroken) -> IndexStore:
        """Recreate a damaged index; everything in it comes from the files."""
        if error.what != ELSEWHERE:
            self.notices["broken"] = f"the index was damaged and is being rebuilt ({error.what})"
        self.release_snapshot()
        return shelf.start_over()

    def snapshot_at_hand(self) -> Snapshot:
        """Return what is in memory as it is, while somebody else is indexing; else what is current.

        A large index changes several times a second then, and to follow it takes about one.
        """
        held = self.loaded.held(self._files) if self.followed else None
        return self.snapshot() if held is None else self._amid_unread(held)

    def snapshot(self, fill: Fill | None = None) -> Snapshot:
        """Return the current content in memory, loaded again only when an index has changed."""
        try:
            return self._take()
        except IndexBroken as error:
            self.fix(error, fill)
            return self._take()

    def fix(self, error: IndexBroken, fill: Fill | None = None) -> None:
        """Build a damaged index anew."""
        self.start_over(error)
        self.refresh(fill=fill)

    def start_over(self, error: IndexBroken) -> None:
        """Empty a damaged index; `where` may name several, one of which is it."""
        for shelf in self.shelves:
            if str(shelf.path) in (error.where or ""):
                self._rebuild(shelf, error)

    def _take(self) -> Snapshot:
        stores = [(shelf.origin, self._open(shelf)) for shelf in self.shelves]
        dimensions = self._dimensions([store for _, store in stores])
        # An index that is held in memory belongs to whoever holds it.
        files = tuple(shelf.store if shelf.inode is None else shelf.inode for shelf in self.shelves)
        generations = tuple(store.generation() for _, store in stores)
        snapshot = self.loaded.take(
            self._files,
            (files, generations, dimensions),
            # What comes of no files grows with the ledger, and is searched less often.
            lambda held: renew_snapshot(held, stores, dimensions, floats=self.of_files),
        )
        self._tell_hidden(snapshot)
        return self._amid_unread(snapshot)

    def _amid_unread(self, snapshot: Snapshot) -> Snapshot:
        if snapshot.lexical.unread == self._unread:
            return snapshot
        return replace(snapshot, lexical=snapshot.lexical.amid(self._unread))

    def _dimensions(self, stores: Sequence[IndexStore]) -> int | None:
        """Use vectors only if all of them are of the model at hand."""
        self.notices.pop("vectors", None)
        embedder = self.embedder()
        if embedder is None:
            return None
        models = {store.meta("model") for store in stores} - {None}
        if models - {embedder.identity}:
            self.notices["vectors"] = (
                "keyword retrieval only, until the new model has embedded everything"
            )
            return None
        return embedder.dimensions

    def _tell_hidden(self, snapshot: Snapshot) -> None:
        self.notices.pop("hidden", None)
        if snapshot.hidden:
            names = ", ".join(snapshot.hidden)
            self.notices["hidden"] = f"hidden by project memories with the same id: {names}"

    def memory(self, place: Place) -> IndexedMemory:
        """Fetch all that is known of one memory."""
        return self._open(self._shelf(place)).memory(place.path)

    def is_there(self, place: Place) -> bool:
        """Whether the file of a memory still exists."""
        return self._shelf(place).has(place.path)

    def is_current(self, place: Place, content_hash: str) -> bool:
        """Whether the file of a memory still holds what was indexed."""
        return self._shelf(place).holds(place.path, content_hash)

    def served(self, place: Place) -> tuple[str, int, int]:
        """Fetch the content of one memory, its tokens and those of its heading."""
        return self._open(self._shelf(place)).served(place.path)

    def _shelf(self, place: Place) -> Shelf:
        return next(shelf for shelf in self.shelves if shelf.origin is place.origin)

    def store(self, origin: Origin) -> IndexStore | None:
        """Return the index of one tree, or None where there is no such tree."""
        shelf = next((shelf for shelf in self.shelves if shelf.origin is origin), None)
        return None if shelf is None else self._open(shelf)

    def close(self) -> None:
        """Close all index files."""
        for shelf in self.shelves:
            shelf.close()
