"""Projects held open: one model and one token count for all, and locks so that calls can meet.

A project is opened three times, with connections of their own for queries, for the ledger and for
indexing: none of them waits for another, and SQLite keeps them apart.
"""

from __future__ import annotations

import contextlib
import threading
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dmm.bootstrap import open_root, own_home
from dmm.config import FILE_NAME
from dmm.files.roots import find_root
from dmm.files.trusted import TrustStore
from dmm.service.chronicle import Voice
from dmm.service.sessions import supplement

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from dmm.bootstrap import Dmm
    from dmm.capture.payload import HookEvent
    from dmm.domain.pack import PackEntry, QueryRequest
    from dmm.embed.model import Embedder
    from dmm.index.sync import SyncReport
    from dmm.service.packs import Answer


class SharedModel:
    """The embedding model, loaded once for all projects and let go when nobody asks for it."""

    def __init__(self, load: Callable[[], Embedder] | None = None) -> None:
        self._load = load
        self._lock = threading.Lock()
        self._held: Embedder | None = None

    def __call__(self) -> Embedder:
        """Give the model; whoever asks first waits for it."""
        with self._lock:
            if self._held is None:
                self._held = self._load() if self._load else _load_model()
            return self._held

    @property
    def loaded(self) -> bool:
        """Whether the model takes up memory now."""
        return self._held is not None

    def release(self) -> None:
        """Let the model go; it is loaded again when it is needed."""
        with self._lock:
            self._held = None


def _load_model() -> Embedder:
    from dmm.embed.model import Embedder

    return Embedder.load()


@dataclass(slots=True)
class Project:
    """One project, ready to answer from several threads."""

    dmm: Dmm
    asked: Dmm
    indexed: Dmm
    settings: tuple[int, ...]
    used: float = field(default_factory=time.monotonic)
    _asking: threading.Lock = field(default_factory=threading.Lock)
    _speaking: threading.Lock = field(default_factory=threading.Lock)
    _indexing: threading.Lock = field(default_factory=threading.Lock)

    @property
    def root(self) -> Path:
        """The .dmm folder."""
        return self.dmm.root.folder

    @property
    def indexed_count(self) -> int:
        """How many memories the last look at the index saw."""
        return self.asked.indexes.held

    @property
    def trusted(self) -> bool:
        """Whether the user has made this memory or accepted it."""
        return self.dmm.trusted

    def query(
        self, request: QueryRequest, *, refresh: bool = True, voice: Voice | None = None
    ) -> Answer:
        """Answer a query; the pack is recorded in the name of whoever asks."""
        with self._asking:
            self.used = time.monotonic()
            if self.asked.trusted:
                self.asked.chronicle.voice = voice or Voice()
            return self.asked.packs.query(request, refresh=refresh)

    def supplement(self, event: HookEvent, known: frozenset[str]) -> tuple[PackEntry, ...]:
        """Find what a prompt adds to what its session was given."""
        with self._asking:
            self.used = time.monotonic()
            return supplement(self.asked.packs, event.prompt, known)

    def warm(self) -> None:
        """Load what a prompt will need."""
        with self._asking:
            self.asked.indexes.embedder()
            self.asked.indexes.snapshot()

    @contextlib.contextmanager
    def speak(self, voice: Voice) -> Iterator[Dmm]:
        """Use the ledger in somebody's name; one at a time."""
        with self._speaking:
            self.used = time.monotonic()
            self.dmm.chronicle.voice = voice
            yield self.dmm

    def sync(self, *, full: bool = False) -> SyncReport:
        """Bring the index up to the files, while queries go on with what they have."""
        with self._indexing:
            return self.indexed.indexes.sync(full=full)

    def release_model(self) -> None:
        """Let go of the model; the next query asks for it again."""
        for lock, dmm in ((self._asking, self.asked), (self._indexing, self.indexed)):
            with lock:
                dmm.indexes.release_model()

    def close(self) -> None:
        """Close all files, after the calls that are under way."""
        for lock, dmm in (
            (self._asking, self.asked),
            (self._speaking, self.dmm),
            (self._indexing, self.indexed),
        ):
            with lock:
                dmm.close()


class Projects:
    """All projects that are open in this process."""

    def __init__(self, *, home: Path | None = None, model: SharedModel | None = None) -> None:
        self.model = model or SharedModel()
        self._home = home or own_home()
        self._open: dict[Path, Project] = {}
        self._lock = threading.Lock()

    def find(self, start: Path) -> Project:
        """Give the project around a folder; nothing of one that is not trusted is read."""
        root = find_root(start, None, self._home)
        TrustStore.of_user(self._home).require(root.folder)
        return self.look_up(root.folder.parent)

    def look_up(self, start: Path) -> Project:
        """Give the project around a folder, trusted or not; new settings open it again."""
        root = find_root(start, None, self._home)
        settings = _stamp(root.folder)
        with self._lock:
            known = self._open.get(root.folder)
            if known is not None and known.settings == settings:
                known.used = time.monotonic()
                return known
            spoken, asked, indexed = (open_root(root, self._home, self.model) for _ in range(3))
            self._open[root.folder] = project = Project(spoken, asked, indexed, settings)
        if known is not None:
            known.close()
        return project

    def each(self) -> list[Project]:
        """Give all open projects."""
        with self._lock:
            return list(self._open.values())

    def close_idle(self, seconds: float) -> list[Project]:
        """Close the projects that nobody has used for a while, and give them back."""
        now = time.monotonic()
        with self._lock:
            idle = [root for root, one in self._open.items() if now - one.used > seconds]
            left = [self._open.pop(root) for root in idle]
        for project in left:
            project.close()
        return left

    def release_model(self) -> None:
        """Let the model go in all projects."""
        for project in self.each():
            project.release_model()
        self.model.release()

    def close(self) -> None:
        """Close everything."""
        for project in self.each():
            project.close()
        with self._lock:
            self._open.clear()


def _stamp(folder: Path) -> tuple[int, ...]:
    """Tell one state of a project's folder and settings from another."""
    own = folder.stat()
    try:
        found = (folder / FILE_NAME).stat()
    except OSError:
        return (own.st_dev, own.st_ino)
    return (own.st_dev, own.st_ino, found.st_mtime_ns, found.st_size)
