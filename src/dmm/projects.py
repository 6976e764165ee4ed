"""Open projects, sharing one model and token counter, with locks for concurrent calls.

A project is opened four times, with connections of their own for queries, for recording in the
ledger, for looking at it and for indexing: none waits for another, and SQLite keeps them apart.
"""

from __future__ import annotations

import contextlib
import threading
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dmm.bootstrap import Base, Dmm, open_root, own_home
from dmm.config import Config, stamp_settings
from dmm.embed.shared import SharedModel
from dmm.errors import ConfigError, DaemonError, DmmError, PathRefused, RootNotFound
from dmm.eventlog.place import stamp_place
from dmm.files.consents import find_consents
from dmm.files.roots import Root, find_root
from dmm.files.trusted import TrustStore
from dmm.project.known import Known, list_known
from dmm.sessions.supplement import supplement

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from dmm.domain.pack import QueryRequest, Supplement
    from dmm.eventlog.open_ledger import Actor
    from dmm.index.sync import Progress, SyncReport
    from dmm.packs.service import Answer
    from dmm.sessions.payload import HookEvent

__all__ = ["GRACE", "Project", "Projects", "SharedModel"]

# How long indexing waits for a query that looks for changes itself.
PATIENCE = 5.0
# How long indexing in the background stands still for a query.
GIVEN_WAY = 5.0
# Whoever was given a project before its settings changed has so long to use it.
GRACE = 10.0
LONGEST_TOLD = 200


@dataclass(slots=True, eq=False)
class Project:
    """One project, ready to answer from several threads.

    `indexing` tells how much of how much is indexed in the background, `warmed` whether a prompt's
    needs are loaded; background jobs look after an `attended` one and its `unembedded` units.
    """

    dmm: Dmm
    asked: Dmm
    looked: Dmm
    indexed: Dmm
    settings: tuple[int, ...]
    used: float = field(default_factory=time.monotonic)
    closed: bool = False
    fault: ConfigError | None = None
    indexing: tuple[int, int] | None = None
    attended: bool = False
    warmed: bool = False
    unembedded: int = 0
    _asking: threading.Lock = field(default_factory=threading.Lock)
    _recording: threading.Lock = field(default_factory=threading.Lock)
    _reading: threading.Lock = field(default_factory=threading.Lock)
    _indexing: threading.Lock = field(default_factory=threading.Lock)
    _isolating: threading.Lock = field(default_factory=threading.Lock)
    _answering: threading.Lock = field(default_factory=threading.Lock)
    _answered: Dmm | None = None
    _ended: threading.Event = field(default_factory=threading.Event)

    @classmethod
    def of(cls, dmm: Dmm, settings: tuple[int, ...]) -> Project:
        """Open a project once more for each kind of use."""
        return cls(dmm, dmm.reopened(), dmm.reopened(), dmm.reopened(), settings)

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
        self, request: QueryRequest, *, actor: Actor | None = None, record: bool = True
    ) -> Answer:
        """Answer a query; the pack is recorded in the name of whoever asks, unless it is a try."""
        with self._using(self._asking):
            self.used = time.monotonic()
            dmm = self.asked if actor is None else self.asked.as_actor(actor)
            dmm.indexes.followed = self.indexing is not None
            return dmm.packs.query(request, progress=self._going_on(), record=record)

    def supplement(self, event: HookEvent, known: frozenset[str]) -> Supplement:
        """Find what a prompt adds to what its session was given."""
        with self._using(self._asking):
            self.used = time.monotonic()
            self.asked.indexes.followed = self.indexing is not None
            return supplement(self.asked.packs, event.prompt, known)

    def warm(self) -> None:
        """Load what a prompt will need."""
        with self._using(self._asking):
            self.asked.indexes.embedder()
            self.asked.indexes.snapshot()
            self.warmed = True

    @contextlib.contextmanager
    def recording(self, actor: Actor) -> Iterator[Dmm]:
        """Use the ledger in somebody's name; one at a time."""
        with self._using(self._recording):
            self.used = time.monotonic()
            yield self.dmm.as_actor(actor)

    @contextlib.contextmanager
    def write(self, actor: Actor) -> Iterator[Dmm]:
        """Propose and decide in somebody's name, with the index that answers queries."""
        with self._using(self._asking):
            self.used = time.monotonic()
            yield self.asked.as_actor(actor)

    @contextlib.contextmanager
    def recall(self, actor: Actor) -> Iterator[Dmm]:
        """Search the sessions; like queries, they are answered one at a time."""
        with self.write(actor) as dmm:
            dmm.recall.followed = self.attended
            yield dmm
            self.unembedded = dmm.recall.waiting

    def note_embedded(self) -> None:
        """Note that no unit of recall waits any more; the next search looks itself."""
        self.unembedded = self.asked.recall.waiting = 0

    @contextlib.contextmanager
    def asking(self, actor: Actor) -> Iterator[Dmm]:
        """Answer a question; the first may read the whole repository, and no prompt waits for it.

        It has files of its own, which stay open: the next question finds them warm.
        """
        with self._using(self._answering):
            self.used = time.monotonic()
            if self._answered is None:
                self._answered = self.dmm.reopened()
            yield self._answered.as_actor(actor)

    @contextlib.contextmanager
    def isolated(self, actor: Actor) -> Iterator[Dmm]:
        """Run what waits for others, such as a model, without blocking queries."""
        with self._isolating:
            if self.closed:
                raise self._refusal()
            self.used = time.monotonic()
            with contextlib.closing(self.dmm.reopened().as_actor(actor)) as apart:
                yield apart

    def applying(self, actor: Actor) -> contextlib.AbstractContextManager[Dmm]:
        """Run what may write files; queries do not wait for Git hooks."""
        commits = self.dmm.config.governance.git_commit
        return self.isolated(actor) if commits else self.write(actor)

    @contextlib.contextmanager
    def reading(self, actor: Actor) -> Iterator[Dmm]:
        """Read the ledger without recording and without delaying events."""
        with self._using(self._reading):
            self.used = time.monotonic()
            yield self.looked.as_actor(actor)

    def publish_rules(self) -> None:
        """Write the rules in force where a hook finds them; those on file stay if that fails."""
        with contextlib.suppress(DmmError), self._using(self._reading):
            self.looked.published.publish()

    def sync(
        self,
        *,
        full: bool = False,
        stop: threading.Event | None = None,
        progress: Progress | None = None,
    ) -> SyncReport:
        """Update the index from the files while queries use the current one."""
        with self._using(self._indexing):
            going_on = self._going_on(stop, progress, background=True)
            try:
                return self.indexed.indexes.sync(full=full, progress=going_on, patience=PATIENCE)
            finally:
                self.indexing = None
                # Rule files change as memories do; a hook that judges alone has to know them.
                self.publish_rules()

    def _going_on(
        self,
        stop: threading.Event | None = None,
        progress: Progress | None = None,
        *,
        background: bool = False,
    ) -> Progress:
        """Make what is called after each batch of files, and ends the run when it is time."""

        def check(done: int, of: int) -> None:
            if background:
                self.indexing = (done, of)
                self._give_way()
            if self._ended.is_set() or (stop is not None and stop.is_set()):
                raise DaemonError("indexing was stopped; the next run continues from there")
            if progress is not None:
                progress(done, of)

        return check

    def _give_way(self) -> None:
        """Yield to pending requests, for a limited time."""
        if self._asking.acquire(timeout=GIVEN_WAY):
            self._asking.release()

    @contextlib.contextmanager
    def _using(self, lock: threading.Lock) -> Iterator[None]:
        with lock:
            if self.closed:
                raise self._refusal()
            yield

    def _refusal(self) -> DaemonError:
        return DaemonError("the project was closed", where=str(self.root), hint="ask again")

    def release_model(self) -> bool:
        """Release the model unless in use; the next query loads it again."""
        free, self.warmed = True, False
        held = ((self._asking, self.asked), (self._indexing, self.indexed))
        for lock, dmm in (*held, (self._answering, self._answered)):
            if lock.acquire(blocking=False):
                if dmm is not None:
                    dmm.release_model()
                lock.release()
            else:
                free = False
        return free

    def end(self) -> None:
        """Ask running work to stop; new work is refused once closed."""
        self._ended.set()

    def close(self, *, wait: bool = True) -> bool:
        """Close all files after the calls under way; without waiting, only if there is none."""
        # In the order in which others take more than one: the end of a run of the indexer looks.
        locks = (self._asking, self._recording, self._indexing, self._reading, self._answering)
        with contextlib.ExitStack() as held:
            for lock in locks:
                if not lock.acquire(blocking=wait):
                    return False
                held.callback(lock.release)
            self.closed = True
            for dmm in (self.asked, self.dmm, self.looked, self.indexed, self._answered):
                if dmm is not None:
                    dmm.close()
        return True


class Projects:
    """All projects that are open in this process."""

    def __init__(self, *, home: Path | None = None, model: SharedModel | None = None) -> None:
        self.model = model or SharedModel()
        self._home = home or own_home()
        self.trust_store = TrustStore.of_user(self._home)
        self._open: dict[Path, Project] = {}
        self._retired: list[Project] = []
        self._lock = threading.Lock()
        self._opening: dict[Path, threading.Lock] = {}

    def find(self, start: Path) -> Project:
        """Return the project around a folder; nothing of one that is not trusted is read."""
        with _translated(start):
            root = find_root(start, None, self._home)
        return self._find(root)

    def find_folder(self, folder: Path) -> Project:
        """Return the project whose .dmm folder is named, and no other; it has to be trusted."""
        with _translated(folder):
            root = Root(folder.resolve())
            if folder.is_symlink() or not root.tree.root.is_dir():
                raise RootNotFound("there is no memory here", where=str(folder))
        return self._find(root)

    def _find(self, root: Root) -> Project:
        self.trust_store.require(root.folder)
        return self._give(root)

    def look_up(self, start: Path, *, exact: bool = False) -> Project:
        """Return the project around a folder, or right there, trusted or not."""
        with _translated(start):
            root = find_root(start, start if exact else None, self._home)
        project = self._give(root)
        if project.fault is not None:
            raise project.fault
        return project

    def _give(self, root: Root) -> Project:
        """Return the project as it is open; new settings open it again."""
        with _translated(root.folder):
            consents = find_consents(self.trust_store, root.folder)
            settings = (*stamp_settings(root.folder), *consents.stamp, stamp_place(root.folder))
        with self._lock:
            opening = self._opening.setdefault(root.folder, threading.Lock())
        # Whoever wants another project does not wait for this one to be opened.
        with opening:
            with self._lock:
                known = self._open.get(root.folder)
                if known is not None and known.settings == settings:
                    known.used = time.monotonic()
                    return known
            project = self._prepare(root, settings)
            with self._lock:
                self._open[root.folder] = project
                if known is not None:
                    self._retired.append(known)
        return project

    def _prepare(self, root: Root, settings: tuple[int, ...]) -> Project:
        """Open a project; with settings that can't be read, its rules hold and defaults count."""
        try:
            return Project.of(open_root(root, self._home, self.model), settings)
        except ConfigError as error:
            project = Project.of(Dmm(Base(root, Config(), self._home, self.model)), settings)
            project.fault = error
            return project

    def each(self) -> list[Project]:
        """Return all open projects."""
        with self._lock:
            return list(self._open.values())

    def known(self) -> tuple[Known, ...]:
        """List the projects that are trusted and still there, and those that are open, by path."""
        return list_known(self.trust_store, {str(one.root): one.trusted for one in self.each()})

    def close_idle(self, seconds: float) -> list[Project]:
        """Close projects unused for a while, and return them.

        They are closed, as are those whose settings changed, when nobody is at work in them.
        """
        now = time.monotonic()
        with self._lock:
            idle = [root for root, one in self._open.items() if now - one.used > seconds]
            left = [self._open.pop(root) for root in idle]
            self._retired += left
            waiting = [one for one in self._retired if now - one.used > GRACE]
        for project in waiting:
            project.end()
        closed = [project for project in waiting if project.close(wait=False)]
        with self._lock:
            self._retired = [one for one in self._retired if one not in closed]
        return left

    def release_model(self) -> bool:
        """Release the model in all projects; return False while it is in use."""
        free = [project.release_model() for project in self.each()]
        return all(free) and self.model.release()

    def end(self) -> None:
        """Ask all indexing to stop soon."""
        with self._lock:
            under_way = [*self._open.values(), *self._retired]
        for project in under_way:
            project.end()

    def close(self) -> None:
        """Close everything, after the calls under way."""
        self.end()
        with self._lock:
            left = [*self._open.values(), *self._retired]
            self._open.clear()
            self._retired.clear()
        for project in left:
            project.close()


@contextlib.contextmanager
def _translated(path: Path) -> Iterator[None]:
    """Return the error for a folder that can't be read."""
    try:
        yield
    except (OSError, ValueError, RuntimeError) as error:
        what = getattr(error, "strerror", None) or "no such path"
        where = repr(str(path)[:LONGEST_TOLD])
        raise PathRefused(f"this folder can't be read: {what}", where=where) from error
