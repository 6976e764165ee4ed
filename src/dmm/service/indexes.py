"""The indexes of a project and of the user's overlay: opened, kept fresh, and held in memory."""

from __future__ import annotations

import contextlib
import threading
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dmm.errors import DmmError, IndexBroken, IndexBusy, ModelUnavailable, StorageError
from dmm.files.lock import exclusive
from dmm.index.snapshot import take_snapshot
from dmm.index.store import ELSEWHERE, LOGS, IndexStore
from dmm.index.sync import Syncer, SyncReport

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator, Sequence
    from pathlib import Path

    from dmm.domain.memory import Origin
    from dmm.embed.model import Embedder, Vectors
    from dmm.files.tree import MemoryTree
    from dmm.index.places import Place
    from dmm.index.records import IndexedMemory
    from dmm.index.snapshot import Snapshot
    from dmm.index.sync import Progress

    Fill = Callable[[IndexStore, Embedder | None, Progress | None], SyncReport]

LONG_WORD = 7
# How long a query waits for another process to finish indexing before it answers without.
PATIENCE = 1.0
# While there is nothing to answer from, it waits longer: the first files are soon read.
FIRST_PATIENCE = 10.0
BASELINE = "baseline/"


@dataclass(frozen=True, slots=True)
class _Order:
    """How a run is wanted: all files or the changed ones, told to whom, after which wait."""

    full: bool
    progress: Progress | None
    patience: float


@dataclass(slots=True)
class Shelf:
    """One tree of memories and the file of its index."""

    origin: Origin
    tree: MemoryTree
    path: Path
    store: IndexStore | None = None
    inode: int | None = None
    lock: str = "index.lock"


@dataclass(slots=True)
class _Place:
    """Where the snapshot of some index files is kept, and who waits for it."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    state: Hashable = None
    snapshot: Snapshot | None = None


@dataclass(slots=True)
class Loaded:
    """Snapshots in memory: one of each set of index files, for all who have these files open."""

    _places: dict[tuple[Path, ...], _Place] = field(default_factory=dict)

    def take(
        self, files: tuple[Path, ...], state: Hashable, load: Callable[[], Snapshot]
    ) -> Snapshot:
        """Give the snapshot of a state of files; whoever comes first loads it for the others."""
        place = self._places.setdefault(files, _Place())
        with place.lock:
            if place.snapshot is None or place.state != state:
                # What is out of date must not be in memory while its successor is loaded.
                place.snapshot = None
                place.snapshot = load()
                place.state = state
            return place.snapshot

    def held(self, files: tuple[Path, ...]) -> Snapshot | None:
        """Give what is in memory of some files, of whatever state."""
        place = self._places.get(files)
        return None if place is None else place.snapshot

    def drop(self, files: tuple[Path, ...]) -> None:
        """Let go of the snapshot of some files."""
        self._places.pop(files, None)


@dataclass(slots=True)
class Indexes:
    """All shelves of one project, searched as one; `fill` brings in what comes of no files."""

    shelves: tuple[Shelf, ...]
    count: Callable[[str], int]
    load_model: Callable[[], Embedder]
    batch_size: int
    fill: Fill | None = None
    loaded: Loaded = field(default_factory=Loaded)
    notices: dict[str, str] = field(default_factory=dict)
    _embedder: Embedder | None = None
    _asked_for_model: bool = False

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
        """Let go of the model; the next query asks for it again."""
        self._embedder = None
        self._asked_for_model = False
        self.notices.pop("model", None)

    def release_snapshot(self) -> None:
        """Let go of the content in memory; the next query loads it again."""
        self.loaded.drop(self._files)

    @property
    def _files(self) -> tuple[Path, ...]:
        return tuple(shelf.path for shelf in self.shelves)

    def is_word(self, word: str) -> bool:
        """Say whether a word is common English; without the model every word is taken for one."""
        embedder = self.embedder()
        if embedder is None:
            return True
        return len(word) < LONG_WORD and len(embedder.encode(word)) == 1

    def beside(self, shelf: Shelf) -> Indexes:
        """Make indexes of another tree that share the model."""
        return Indexes(
            shelves=(shelf,),
            count=self.count,
            load_model=self.load_model,
            batch_size=self.batch_size,
            _embedder=self.embedder(),
            _asked_for_model=True,
        )

    def sync(
        self, *, full: bool = False, progress: Progress | None = None, patience: float = 0.0
    ) -> SyncReport:
        """Bring all indexes up to the files, or raise; one process at a time."""
        order = _Order(full, progress, patience)
        reports = [self._sync_shelf(shelf, order) for shelf in self.shelves]
        return SyncReport(
            total=sum(report.total for report in reports),
            indexed=sum(report.indexed for report in reports),
            embedded=sum(report.embedded for report in reports),
            removed=sum(report.removed for report in reports),
            faults=tuple(fault for report in reports for fault in report.faults),
        )

    def refresh(self, *, progress: Progress | None = None) -> SyncReport | None:
        """Bring the indexes up to the files if that is possible, and note why where it is not."""
        self.notices.pop("index", None)
        try:
            patience = PATIENCE if self._is_begun() else FIRST_PATIENCE
            report = self.sync(progress=progress, patience=patience)
        except IndexBusy:
            self.notices["index"] = "another process is indexing; the newest changes may be missing"
        except StorageError as error:
            self.notices["index"] = f"the index could not be brought up to date: {error}"
        else:
            self._tell_faults(report)
            return report
        return None

    def _is_begun(self) -> bool:
        """Say whether there is anything to answer from."""
        try:
            return any(self._open(shelf).generation() for shelf in self.shelves)
        except IndexBroken:
            return False

    def _tell_faults(self, report: SyncReport) -> None:
        self.notices.pop("faults", None)
        faults = [fault for fault in report.faults if not fault.path.startswith(BASELINE)]
        if faults:
            names = ", ".join(fault.path for fault in faults[:3])
            more = f" and {len(faults) - 3} more" if len(faults) > 3 else ""
            self.notices["faults"] = f"left out for faults (dmm validate): {names}{more}"

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
            hint = "make the folder writable, then: dmm reindex"
            raise StorageError("the index can't be written", where=store.where, hint=hint)
        with self._lock(shelf, store, order.patience):
            if self.fill is not None:
                return self.fill(store, self.embedder(), order.progress)
            syncer = Syncer(shelf.origin, self.count, self.embedder(), self.batch_size)
            return syncer.sync(
                shelf.tree, store, now_ns=time.time_ns(), full=order.full, progress=order.progress
            )

    @contextlib.contextmanager
    def _lock(self, shelf: Shelf, store: IndexStore, patience: float) -> Iterator[None]:
        if store.where != str(shelf.path):
            yield
            return
        lock = shelf.path.with_name(shelf.lock)
        with exclusive(lock, what="another process is indexing", patience=patience):
            yield

    def _open(self, shelf: Shelf) -> IndexStore:
        if shelf.store is not None and shelf.inode not in (None, _inode(shelf.path)):
            # Somebody removed the index, or built it anew; what is open here is no longer it.
            self._close(shelf)
        if shelf.store is None:
            try:
                _refuse_links(shelf.path)
                shelf.store = IndexStore.open(shelf.path)
                shelf.inode = _inode(shelf.path)
            except IndexBroken as error:
                return self._rebuild(shelf, error)
            except StorageError as error:
                self.notices["store"] = f"the index is held in memory only: {error}"
                shelf.store = IndexStore.in_memory()
        return shelf.store

    def _rebuild(self, shelf: Shelf, error: IndexBroken) -> IndexStore:
        """Begin a damaged index anew; it holds nothing that the files do not."""
        if error.what != ELSEWHERE:
            self.notices["broken"] = f"the index was damaged and is built anew ({error.what})"
        self.release_snapshot()
        self._close(shelf)
        shelf.store = self._start_over(shelf)
        return shelf.store

    def _start_over(self, shelf: Shelf) -> IndexStore:
        try:
            for suffix in ("", *LOGS):
                shelf.path.with_name(shelf.path.name + suffix).unlink(missing_ok=True)
            store = IndexStore.open(shelf.path)
        except (OSError, StorageError):
            shelf.inode = None
            return IndexStore.in_memory()
        shelf.inode = _inode(shelf.path)
        return store

    def snapshot(self) -> Snapshot:
        """Give the current content in memory, loaded again only when an index has changed."""
        try:
            return self._take()
        except IndexBroken as error:
            self.mend(error)
            return self._take()

    def mend(self, error: IndexBroken) -> None:
        """Build a damaged index anew; `where` may name several, one of which is it."""
        for shelf in self.shelves:
            if str(shelf.path) in (error.where or ""):
                self._rebuild(shelf, error)
        self.refresh()

    def _take(self) -> Snapshot:
        stores = [(shelf.origin, self._open(shelf)) for shelf in self.shelves]
        dimensions = self._dimensions([store for _, store in stores])
        # An index that is held in memory belongs to whoever holds it.
        files = tuple(shelf.store if shelf.inode is None else shelf.inode for shelf in self.shelves)
        generations = tuple(store.generation() for _, store in stores)
        snapshot = self.loaded.take(
            self._files,
            (files, generations, dimensions),
            lambda: take_snapshot(stores, dimensions),
        )
        self._tell_hidden(snapshot)
        return snapshot

    def _dimensions(self, stores: Sequence[IndexStore]) -> int | None:
        """Use vectors only if all of them are of the model at hand."""
        self.notices.pop("vectors", None)
        embedder = self.embedder()
        if embedder is None:
            return None
        models = {store.meta("model") for store in stores} - {None}
        if models - {embedder.identity}:
            self.notices["vectors"] = "keyword retrieval only, until the new model has read all"
            return None
        return embedder.dimensions

    def _tell_hidden(self, snapshot: Snapshot) -> None:
        self.notices.pop("hidden", None)
        if snapshot.hidden:
            names = ", ".join(snapshot.hidden)
            self.notices["hidden"] = f"hidden by project memories with the same id: {names}"

    def memory(self, place: Place) -> IndexedMemory:
        """Fetch all that is known of one memory."""
        shelf = next(shelf for shelf in self.shelves if shelf.origin is place.origin)
        return self._open(shelf).memory(place.path)

    def served(self, place: Place) -> tuple[str, int, int]:
        """Fetch the content of one memory, its tokens and those of its heading."""
        shelf = next(shelf for shelf in self.shelves if shelf.origin is place.origin)
        return self._open(shelf).served(place.path)

    def store(self, origin: Origin) -> IndexStore | None:
        """Give the index of one tree, or None where there is no such tree."""
        shelf = next((shelf for shelf in self.shelves if shelf.origin is origin), None)
        return None if shelf is None else self._open(shelf)

    def close(self) -> None:
        """Close all index files."""
        for shelf in self.shelves:
            self._close(shelf)

    def _close(self, shelf: Shelf) -> None:
        if shelf.store is not None:
            with contextlib.suppress(DmmError):
                shelf.store.close()
            shelf.store = shelf.inode = None


def _inode(path: Path) -> int:
    try:
        return path.stat().st_ino
    except OSError:
        return -1


def _refuse_links(path: Path) -> None:
    """Refuse an index that a cloned repository would have us write somewhere else."""
    if path.resolve() != path:
        hint = "make the index folder a real folder inside .dmm"
        raise StorageError("it leads through a symbolic link", where=str(path), hint=hint)
