"""Long work that somebody follows: started, reported, cancelled, kept for a while."""

from __future__ import annotations

import datetime as dt
import secrets
import threading
import time
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from dmm.domain.plain import to_plain
from dmm.errors import DaemonError, DmmError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    Progress = Callable[[int, int], None]
    Work = Callable[[Progress], object]

MOST_RUNNING = 3
MOST_KEPT = 32
KEPT_SECONDS = 3_600.0
# The listeners are told so often at most, in seconds.
TOLD_EVERY = 0.2
STOP_WITHIN = 1.0
UNFORESEEN = {"code": "unforeseen", "what": "internal error in the daemon", "hint": None}


class JobState(StrEnum):
    """How far a job has come."""

    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True)
class Job:
    """One job; `total` is None as long as it is not known."""

    id: str
    kind: str
    root: str
    state: JobState
    done: int
    total: int | None
    started: str
    ended: str | None
    result: object
    error: Mapping[str, Any] | None


@dataclass(slots=True, eq=False)
class _Held:
    """A job with what runs it."""

    job: Job
    folder: Path
    asked: tuple[object, ...]
    cancelled: threading.Event = field(default_factory=threading.Event)
    thread: threading.Thread | None = None
    told: float = 0.0
    ended: float | None = None

    @property
    def running(self) -> bool:
        return self.ended is None


class Jobs:
    """The jobs of one process; `announce` is told of each change."""

    def __init__(self, announce: Callable[[Path, Job], None] = lambda _root, _job: None) -> None:
        self._announce = announce
        self._lock = threading.Lock()
        self._held: dict[str, _Held] = {}
        self._closed = False

    @property
    def running(self) -> int:
        """How many jobs run."""
        with self._lock:
            return sum(one.running for one in self._held.values())

    def begin(self, kind: str, folder: Path, work: Work, *given: object) -> Job:
        """Begin a job for the project in a .dmm folder, unless the same one runs already."""
        asked = (kind, folder, *given)
        with self._lock:
            self._forget()
            running = [one for one in self._held.values() if one.running]
            same = next((one for one in running if one.asked == asked), None)
            if same is not None:
                return same.job
            if self._closed or len(running) >= MOST_RUNNING:
                hint = "wait for one to end, or cancel it"
                raise DaemonError(f"{len(running)} jobs are already running", hint=hint)
            name = secrets.token_hex(8)
            state, root = JobState.RUNNING, str(folder.parent)
            job = Job(name, kind, root, state, 0, None, _now(), None, None, None)
            held = self._held[name] = _Held(job, folder, asked)
            held.thread = threading.Thread(
                target=self._run, args=(held, work), name=f"dmm-{kind}", daemon=True
            )
        held.thread.start()
        self._announce(folder, job)
        return job

    def _forget(self) -> None:
        """Let go of jobs that ended long ago, and of the oldest where there are too many."""
        oldest = time.monotonic() - KEPT_SECONDS
        ended = [name for name, one in self._held.items() if one.ended is not None]
        late = {name for name in ended if (self._held[name].ended or 0.0) < oldest}
        for name in {*ended[: max(0, len(self._held) - MOST_KEPT + 1)], *late}:
            del self._held[name]

    def _run(self, held: _Held, work: Work) -> None:
        def progress(done: int, total: int) -> None:
            if held.cancelled.is_set():
                raise DaemonError("the job was cancelled")
            self._move(held, done, total)

        try:
            result = to_plain(work(progress))
        except Exception as error:  # noqa: BLE001 - told to whoever follows the job
            cancelled = held.cancelled.is_set()
            state = JobState.CANCELLED if cancelled else JobState.FAILED
            self._end(held, state, error=None if cancelled else _describe(error))
        else:
            self._end(held, JobState.DONE, result=result)

    def _move(self, held: _Held, done: int, total: int) -> None:
        held.job = replace(held.job, done=done, total=total or None)
        now = time.monotonic()
        if now - held.told >= TOLD_EVERY:
            held.told = now
            self._announce(held.folder, held.job)

    def _end(
        self,
        held: _Held,
        state: JobState,
        result: object = None,
        error: Mapping[str, Any] | None = None,
    ) -> None:
        done = held.job.total if state is JobState.DONE else held.job.done
        held.job = replace(
            held.job, state=state, done=done or 0, ended=_now(), result=result, error=error
        )
        held.ended = time.monotonic()
        # Agents listen too; a result is for whoever asks for it.
        self._announce(held.folder, replace(held.job, result=None))

    def list(self, folder: Path) -> tuple[Job, ...]:
        """List the jobs of a project, the newest first, without their results."""
        with self._lock:
            found = [one.job for one in self._held.values() if one.folder == folder]
        return tuple(replace(one, result=None) for one in reversed(found))

    def find(self, folder: Path, name: str) -> Job:
        """Return one job of a project."""
        return self._find(folder, name).job

    def _find(self, folder: Path, name: str) -> _Held:
        with self._lock:
            held = self._held.get(name)
        if held is None or held.folder != folder:
            raise UsageError("there is no such job", hint="GET /v1/jobs lists them")
        return held

    def cancel(self, folder: Path, name: str) -> Job:
        """Cancel a job, and return it as it is now; it ends at its next step."""
        held = self._find(folder, name)
        held.cancelled.set()
        if held.thread is not None:
            held.thread.join(STOP_WITHIN)
        return held.job

    def close(self) -> None:
        """Take no more, and have those that run end soon."""
        self._closed = True
        with self._lock:
            running = [one for one in self._held.values() if one.running]
        for held in running:
            held.cancelled.set()


def _describe(error: Exception) -> Mapping[str, Any]:
    if isinstance(error, DmmError):
        return {"code": error.code, "what": error.what, "hint": error.hint}
    return UNFORESEEN


def _now() -> str:
    return dt.datetime.now(dt.UTC).isoformat(timespec="milliseconds")
