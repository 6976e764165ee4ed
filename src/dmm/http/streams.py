"""Open streams: who listens to which project, and what each is sent.

While somebody listens to a project, a thread looks at the end of its ledger several times a second:
any process may append, and only the file knows. With nobody listening, nobody looks.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dmm.domain.event import PERSONS
from dmm.http.errors import to_json

if TYPE_CHECKING:
    from pathlib import Path

    from dmm.bootstrap import Dmm
    from dmm.eventlog.open_ledger import Actor
    from dmm.ledger.results import Briefs
    from dmm.projects import Project

# More new events at once are not told one by one: `head` says how many there are.
BATCH = 200
# A listener that is so many messages behind is let go; it comes again and says what it has seen.
WAITING = 64

log = logging.getLogger("dmm.http")


@dataclass(frozen=True, slots=True)
class Limits:
    """How many streams there may be, and in seconds how long one lives and how often it is told.

    A stream ends before the daemon counts as idle: a page in view opens the next one, a program
    that was forgotten does not.
    """

    most: int = 16
    life: float = 540.0
    beat: float = 15.0
    every: float = 0.1


def write_message(kind: str, told: object, seq: int | None = None) -> bytes:
    """Return one message of a stream; with a number, a listener that comes back can name it."""
    number = "" if seq is None else f"id: {seq}\n"
    return f"event: {kind}\n{number}data: ".encode() + to_json(told) + b"\n\n"


def write_news(root: Path, news: Briefs) -> bytes:
    """Return the message about new events."""
    told = {"root": str(root.parent), "head": news.head, "events": news.events}
    return write_message("ledger", told, news.head)


@dataclass(slots=True, eq=False)
class Listener:
    """One open stream; `seen` is the newest event that it was told of."""

    root: Path
    actor: Actor
    seen: int
    loop: asyncio.AbstractEventLoop = field(default_factory=asyncio.get_running_loop)
    messages: asyncio.Queue[bytes | None] = field(default_factory=lambda: asyncio.Queue(WAITING))

    @property
    def key(self) -> tuple[Path, bool]:
        """What is told alike to all who have it: a person reads what an agent may not."""
        return self.root, self.actor.trust in PERSONS

    def tell(self, message: bytes | None) -> None:
        """Send a message, from any thread; None ends the stream."""
        # Whoever stops the loop has ended the stream already.
        with contextlib.suppress(RuntimeError):
            self.loop.call_soon_threadsafe(self._put, message)

    def _put(self, message: bytes | None) -> None:
        if message is not None and self.messages.qsize() < WAITING - 1:
            self.messages.put_nowait(message)
        elif not self.messages.full():
            self.messages.put_nowait(None)


class Streams:
    """The open streams of one process."""

    def __init__(self, limits: Limits | None = None) -> None:
        self.limits = limits or Limits()
        self._lock = threading.Lock()
        self._listeners: set[Listener] = set()
        self._watches: dict[tuple[Path, bool], _Watch] = {}
        self._closed = False

    @property
    def count(self) -> int:
        """How many streams are open."""
        return len(self._listeners)

    @property
    def full(self) -> bool:
        """Whether there is no room for another one."""
        return self._closed or self.count >= self.limits.most

    def join(self, listener: Listener, project: Project) -> bool:
        """Take a listener in, unless there is no room."""
        with self._lock:
            if self.full:
                return False
            self._listeners.add(listener)
            watch = self._watches.get(listener.key)
            if watch is None:
                watch = _Watch(self, project, listener)
                self._watches[listener.key] = watch
                watch.start()
        return True

    def leave(self, listener: Listener) -> None:
        """Let a listener go; nobody looks where it was the last."""
        with self._lock:
            self._listeners.discard(listener)
            if not any(one.key == listener.key for one in self._listeners):
                watch = self._watches.pop(listener.key, None)
                if watch is not None:
                    watch.ended.set()

    def listeners(self, key: tuple[Path, bool]) -> list[Listener]:
        """List who is told the same."""
        with self._lock:
            return [one for one in self._listeners if one.key == key]

    def announce(self, root: Path, kind: str, told: object) -> None:
        """Send a message to every listener of a project."""
        with self._lock:
            reached = [one for one in self._listeners if one.root == root]
        if reached:
            message = write_message(kind, told)
            for listener in reached:
                listener.tell(message)

    def tell_job(self, root: Path, job: object) -> None:
        """Send the progress of a job to every listener of a project."""
        self.announce(root, "job", job)

    def end_all(self) -> None:
        """End all streams; whoever still may can open another."""
        with self._lock:
            reached = list(self._listeners)
        for listener in reached:
            listener.tell(None)

    def close(self) -> None:
        """End all streams, and take no more."""
        self._closed = True
        self.end_all()


class _Watch(threading.Thread):
    """Looks at the end of one ledger for those who are told the same."""

    def __init__(self, streams: Streams, project: Project, first: Listener) -> None:
        super().__init__(name="dmm-stream", daemon=True)
        self._streams = streams
        self._project = project
        self._key = first.key
        self._actor = first.actor
        self.ended = threading.Event()

    def run(self) -> None:
        """Look until nobody listens; where that fails, the listeners are let go."""
        try:
            # Connections of its own: no request waits for it, and it waits for none.
            with contextlib.closing(self._project.dmm.reopened().as_actor(self._actor)) as dmm:
                while not self.ended.wait(self._streams.limits.every):
                    self._look(dmm)
        except Exception as error:  # noqa: BLE001 - whoever opens the next stream is told the reason
            log.error("a stream failed: %s", type(error).__name__)  # noqa: TRY400 - no payloads
            self._let_go()

    def _look(self, dmm: Dmm) -> None:
        head = dmm.project_ledger.reading.head().seq
        behind = [one for one in self._streams.listeners(self._key) if one.seen != head]
        if not behind:
            return
        if not dmm.trusted:
            self._let_go()
            return
        news: dict[int, bytes] = {}
        for listener in behind:
            # A ledger that was restored from a backup is shorter: all of it may be news.
            seen = listener.seen if listener.seen < head else 0
            if seen not in news:
                told = dmm.audit.briefs(BATCH, after=seen, before=head + 1)
                news[seen] = write_news(listener.root, told)
            listener.seen = head
            listener.tell(news[seen])

    def _let_go(self) -> None:
        for listener in self._streams.listeners(self._key):
            listener.tell(None)
