"""Keep one project's index fresh; scans are the truth, notifications only hints.

A scan follows each hint. One more follows shortly after, since a burst of changes may have been
told in part. Scans also come when the machine wakes up, and from time to time, at most a
hundredth of one core.
"""

from __future__ import annotations

import threading
import time
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from dmm.daemon.file_events import Polled, WatcherFailed, choose_watcher
from dmm.errors import DmmError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from dmm.bootstrap import Dmm
    from dmm.daemon.file_events import Watching
    from dmm.index.sync import SyncReport

# How long after a hint a second scan finds what was lost, and files written during the first.
AFTERMATH = 2.2
ACTIVE = 60.0
PERIOD_ACTIVE = 3.0
PERIOD_IDLE = 30.0
# What scans may take of one core: while nothing happens, and while changes never end.
SHARE_QUIET = 0.01
SHARE_BUSY = 0.25
LONGEST_GAP = 2.0
# A clock that is this far ahead of the other tells that the machine slept.
SLEPT = 3.0
FIRST_RETRY = 0.5
LAST_RETRY = 60.0
STOP_WITHIN = 1.0


class Watched(Protocol):
    """What is kept fresh: a project."""

    @property
    def dmm(self) -> Dmm:
        """What the project is made of."""
        ...

    @property
    def root(self) -> Path:
        """The .dmm folder."""
        ...

    def sync(self, *, stop: threading.Event | None = None) -> SyncReport:
        """Update the index from the files, unless stopped."""
        ...


@dataclass(frozen=True, slots=True)
class Clocks:
    """Two clocks: the first may stand still while the machine sleeps, the second does not."""

    steady: Callable[[], float] = time.monotonic
    wall: Callable[[], float] = time.time


class Watch:
    """One thread that notices changes and has them indexed."""

    def __init__(
        self, project: Watched, watcher: Watching | None = None, clocks: Clocks | None = None
    ) -> None:
        self.project = project
        self.mode = "not started"
        self.fault: str | None = None
        self.note: str | None = None
        self.report: SyncReport | None = None
        self.syncs = 0
        self._watcher = watcher
        self._clocks = clocks or Clocks()
        self._stop = threading.Event()
        self._synced = threading.Condition()
        self._thread = threading.Thread(target=self._run, name="dmm-watch", daemon=True)
        self._pending = True
        self._again = False
        self._cost = 0.0
        self._failures = 0
        self._hinted = self._ended = self._clocks.steady()
        self._ahead = self._clocks.wall() - self._ended

    def start(self) -> None:
        """Start watching; the first scan follows at once."""
        self._thread.start()

    @property
    def stopped(self) -> bool:
        """Whether the thread has ended."""
        return self._thread.ident is not None and not self._thread.is_alive()

    @property
    def rested(self) -> float:
        """How long ago the last scan ended."""
        return self._clocks.steady() - self._ended

    def end(self) -> None:
        """Ask the thread and a running scan to stop."""
        self._stop.set()

    def stop(self) -> bool:
        """Stop the thread; return False while a running scan delays it."""
        self.end()
        if self._thread.ident is not None:
            self._thread.join(STOP_WITHIN)
        return not self._thread.is_alive()

    def await_sync(self, number: int, timeout: float) -> bool:
        """Wait until that many scans have ended well; False where it takes too long."""
        with self._synced:
            return self._synced.wait_for(lambda: self.syncs >= number, timeout)

    def _run(self) -> None:
        try:
            try:
                self._follow(self._watcher or self._choose())
            except Exception as error:  # noqa: BLE001 - whatever fails, the files are looked at
                why = error if isinstance(error, WatcherFailed) else type(error).__name__
                self.note = f"polling for file changes instead of watching: {why}"
                self._follow(self._look_instead())
        except Exception as error:  # noqa: BLE001 - told, and begun again by whoever watches this
            self.fault = f"the watcher failed: {type(error).__name__}"
        finally:
            self.mode = "stopped"

    def _choose(self) -> Watching:
        settings = self.project.dmm.config.indexer
        trees = [shelf.tree for shelf in self.project.dmm.indexes.shelves]
        return choose_watcher(
            trees, debounce_ms=settings.debounce_ms, interval_ms=settings.watch_interval_ms
        )

    def _look_instead(self) -> Polled:
        trees = [shelf.tree for shelf in self.project.dmm.indexes.shelves]
        return Polled(trees, self.project.dmm.config.indexer.watch_interval_ms)

    def _follow(self, watcher: Watching) -> None:
        self.mode = watcher.mode
        with closing(watcher.changes(self._stop)) as hints:
            for seen in hints:
                if self._stop.is_set():
                    return
                now = self._clocks.steady()
                if self._woke(now) or seen:
                    # What kept the last scan from ending well may be over now.
                    self._hinted, self._pending, self._failures = now, True, min(1, self._failures)
                if now >= self._due(now):
                    self._sync()

    def _woke(self, now: float) -> bool:
        """Return whether the machine slept since the last look at the clocks."""
        ahead = self._clocks.wall() - now
        jumped = abs(ahead - self._ahead) > SLEPT
        self._ahead = ahead
        return jumped

    def _due(self, now: float) -> float:
        """Return when the next scan is wanted."""
        if self._failures:
            return self._ended + min(LAST_RETRY, FIRST_RETRY * 2.0 ** (self._failures - 1))
        if self._pending:
            return self._ended + min(LONGEST_GAP, self._cost / SHARE_BUSY)
        if self._again:
            return self._ended + AFTERMATH
        period = PERIOD_ACTIVE if now - self._hinted < ACTIVE else PERIOD_IDLE
        return self._ended + max(period, self._cost / SHARE_QUIET)

    def _sync(self) -> None:
        hinted, self._pending = self._pending, False
        started = time.thread_time()
        try:
            self.report = self._scan()
        except Exception as error:  # noqa: BLE001 - tried again, and told until it ends well
            known = isinstance(error, DmmError | OSError)
            self.fault = str(error) if known else f"indexing failed: {type(error).__name__}"
            self._failures, self._pending = self._failures + 1, True
        else:
            self.fault, self._failures, self._again = None, 0, hinted
            if not self.report.indexed:
                self._cost = time.thread_time() - started
        self._ended = self._clocks.steady()
        with self._synced:
            self.syncs += not self._failures
            self._synced.notify_all()

    def _scan(self) -> SyncReport:
        if not self.project.root.is_dir():
            # A volume that is not mounted is no deletion: the index stays as it is.
            raise FileNotFoundError(f"{self.project.root}: the folder does not exist now")
        return self.project.sync(stop=self._stop)
