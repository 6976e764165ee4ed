"""Background jobs for open projects, one at a time, when idle.

An application that broke off is finished when a project is opened. The ledger is backed up once a
day. Conflicts are looked for as often as the settings say, the life of memories is looked after
once a day, and once a day the days before are digested. Units of recall that a search found without
vectors are embedded. Where the user wants it, a model retells what sessions did. Each piece has
connections of its own, makes way for whoever is served meanwhile, and ends when the process does.
Those that load much are done in a process of their own.
"""

from __future__ import annotations

import contextlib
import json
import threading
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dmm.domain.event import Trust
from dmm.errors import DaemonError, DmmError, StorageError
from dmm.eventlog.open_ledger import Actor
from dmm.files.durable import write_derived
from dmm.project.daemon_status import ChoresDone
from dmm.reading import read_regular

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from dmm.bootstrap import Dmm
    from dmm.config import Config
    from dmm.daemon.logs import Log
    from dmm.files.roots import Root
    from dmm.projects import Project

    Apart = Callable[[Path, str, float | None, threading.Event], None]
    Progress = Callable[[int, int], None]

RECOVERY, CONFLICTS, LIFECYCLE = "recovery", "conflicts", "lifecycle"
DISTIL, DIGEST, BACKUP, RECALL = "distil", "digest", "backup", "recall"
ORDER = (RECOVERY, BACKUP, RECALL, CONFLICTS, LIFECYCLE, DISTIL, DIGEST)
# What these load is of use to nobody else, or they take minutes.
APART = frozenset((CONFLICTS, LIFECYCLE, DIGEST, RECALL))
ENDED = "it was stopped; the next run starts over"
HOUR, DAY, WEEK = 3_600.0, 86_400.0, 604_800.0
INTERVALS = {"hourly": HOUR, "daily": DAY, "weekly": WEEK}
# A piece waits for a moment without questions, but not for ever.
QUIET = 30.0
PATIENCE = 600.0
RETRY = 900.0
# After a longer absence the days before are left to whoever wants them.
MOST_DAYS = 7
PAUSE = 0.02
LONGEST_PAUSE = 1.0
STOP_WITHIN = 1.0
ACTOR = Actor("dmm", "daemon", Trust.AGENT)
FILE = "chores.json"
MAX_BYTES = 4_096


@dataclass(frozen=True, slots=True)
class Clocks:
    """Two clocks: one for the time of day, which outlives the process, and one for waiting."""

    wall: Callable[[], float] = time.time
    steady: Callable[[], float] = time.monotonic


@dataclass(slots=True)
class _Care:
    """What is known of the chores of one open project."""

    project: Project
    last: dict[str, float]
    recovered: bool = False
    due: dict[str, float] = field(default_factory=dict)
    rest: dict[str, float] = field(default_factory=dict)
    faults: dict[str, str] = field(default_factory=dict)


class Chores:
    """Looks after the projects that are open and trusted."""

    def __init__(
        self,
        log: Log,
        *,
        is_ready: Callable[[Project], bool] = lambda _: True,
        is_serving: Callable[[], bool] = lambda: False,
        after: Callable[[], object] = lambda: None,
        clocks: Clocks | None = None,
        apart: Apart | None = None,
    ) -> None:
        self._log = log
        self._is_ready = is_ready
        self._is_serving = is_serving
        self._after = after
        self._clocks = clocks or Clocks()
        self._apart = apart
        self._cares: dict[Path, _Care] = {}
        self._leaving = threading.Event()
        self._thread: threading.Thread | None = None

    @property
    def busy(self) -> bool:
        """Whether a piece of work is under way."""
        return self._thread is not None and self._thread.is_alive()

    def tick(self, projects: list[Project], quiet: float) -> None:
        """Start the next job that is due, unless one is running."""
        self._follow(projects)
        if self.busy or self._leaving.is_set():
            return
        for care in self._cares.values():
            chore = self._choose(care, quiet)
            if chore is not None:
                self._thread = threading.Thread(
                    target=self._do, args=(care, chore), name=f"dmm-{chore}", daemon=True
                )
                self._thread.start()
                return

    def _follow(self, projects: list[Project]) -> None:
        """Add projects that were opened and drop those that were closed."""
        known = {project.root: project for project in projects}
        for root in [root for root in self._cares if root not in known]:
            del self._cares[root]
        for root, project in known.items():
            care = self._cares.get(root)
            if care is None:
                self._cares[root] = _Care(project, _read(project.dmm.root, self._clocks.wall()))
            elif care.project is not project:
                self._cares[root] = _Care(project, care.last)
            project.attended = True

    def _choose(self, care: _Care, quiet: float) -> str | None:
        if not care.project.trusted or care.project.fault is not None:
            return None
        now = self._clocks.steady()
        for chore in ORDER:
            if now < care.rest.get(chore, now) or not self._is_due(care, chore):
                continue
            waited = now - care.due.setdefault(chore, now)
            if chore == RECOVERY or (
                self._is_ready(care.project) and (quiet > QUIET or waited > PATIENCE)
            ):
                return chore
        return None

    def _is_due(self, care: _Care, chore: str) -> bool:
        if chore == RECOVERY:
            return not care.recovered
        if chore == RECALL:
            return care.project.unembedded > 0
        interval = _interval(care.project.dmm.config, chore)
        now, last = self._clocks.wall(), care.last.get(chore, 0.0)
        if chore == DIGEST:
            # A day is over at midnight, whenever the day before was digested.
            now, last = now // DAY * DAY, last // DAY * DAY
        # A clock that was set back must not put the work off until it has caught up.
        return interval is not None and not 0.0 <= now - last < interval

    def _do(self, care: _Care, chore: str) -> None:
        try:
            if self._apart is not None and chore in APART:
                self._apart(care.project.root, chore, care.last.get(chore), self._leaving)
            else:
                self._do_here(care, chore)
        except Exception as error:  # noqa: BLE001 - told, and tried again later
            self._fail(care, chore, error)
        else:
            self._finish(care, chore)
        finally:
            self._after()

    def _do_here(self, care: _Care, chore: str) -> None:
        # It has its own connections, so it holds nobody's lock, however long this takes.
        with contextlib.closing(care.project.dmm.reopened().as_actor(ACTOR)) as dmm:
            last, now = care.last.get(chore), self._clocks.wall()
            silence = carry_out(dmm, chore, last, now=now, progress=self._make_way)
            if silence:
                self._log.write(f"{chore}: {silence}")

    def _make_way(self, _done: int, _of: int) -> None:
        """Pause while somebody is served, for a while; end when the process leaves."""
        deadline = time.monotonic() + LONGEST_PAUSE
        while self._is_serving() and time.monotonic() < deadline:
            if self._leaving.wait(PAUSE):
                break
        if self._leaving.is_set():
            raise DaemonError(ENDED)

    def _fail(self, care: _Care, chore: str, error: Exception) -> None:
        if self._leaving.is_set():
            return
        known = isinstance(error, DmmError | OSError)
        care.faults[chore] = str(error) if known else type(error).__name__
        care.rest[chore] = self._clocks.steady() + RETRY
        self._log.write_fault(f"{chore} failed", error)

    def _finish(self, care: _Care, chore: str) -> None:
        for noted in (care.faults, care.rest, care.due):
            noted.pop(chore, None)
        if chore == RECOVERY:
            care.recovered = True
            return
        if chore == RECALL:
            care.project.note_embedded()
        care.last[chore] = self._clocks.wall()
        _keep(care.project.dmm.root, care.last)

    def describe(self, root: Path) -> ChoresDone:
        """Return when each chore of a project was last done, and what went wrong since."""
        care = self._cares.get(root)
        last = {} if care is None else care.last
        faults = {} if care is None else care.faults
        done = {name: _told(last[name]) for name in sorted(last)}
        return ChoresDone(done, dict(sorted(faults.items())))

    def end(self) -> None:
        """Start nothing new and stop running work soon."""
        self._leaving.set()

    def stop(self) -> bool:
        """End; False where a piece of work takes longer to notice."""
        self.end()
        if self._thread is not None:
            self._thread.join(STOP_WITHIN)
        return not self.busy


def carry_out(
    dmm: Dmm,
    chore: str,
    last: float | None,
    *,
    now: float,
    progress: Progress = lambda _done, _of: None,
) -> str:
    """Run one job; return why a model did not answer, if it did not."""
    match chore:
        case "recovery":
            dmm.application.recover()
        case "backup":
            dmm.backups.make()
        case "conflicts":
            # Nobody waits for it: one process, which makes way, is enough.
            dmm.conflicts.scan(progress=progress)
        case "recall":
            dmm.recall.catch_up(progress)
        case "lifecycle":
            dmm.lifecycle.run(progress=progress)
        case "distil":
            return dmm.distiller.distil(progress=progress).silence or ""
        case "digest":
            for day in _days_since(last, now):
                progress(0, 0)
                dmm.digest.run(day)
    return ""


def _interval(config: Config, chore: str) -> float | None:
    """Return how often a chore is done; None where it is not wanted."""
    match chore:
        case "conflicts":
            return INTERVALS.get(config.conflict_scan_interval)
        case "distil":
            return HOUR if config.observations.distil_with_model else None
        case "digest":
            return DAY if config.observations.daily_digest else None
    return DAY


def _days_since(last: float | None, now: float) -> list[str]:
    """Name the whole days (UTC) that no digest saw yet: those since the last one, or yesterday."""
    today = int(now // DAY)
    first = today - 1 if last is None else int(last // DAY)
    days = range(min(max(first, today - MOST_DAYS), today - 1), today)
    return [time.strftime("%Y-%m-%d", time.gmtime(day * DAY)) for day in days]


def _told(moment: float) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(moment))


def _read(root: Root, now: float) -> dict[str, float]:
    """Read when chores were last done; a file that is damaged or from the future tells nothing."""
    try:
        kept = json.loads(read_regular(root.folder / "run" / FILE, MAX_BYTES)[0])
        moments = {name: float(kept[name]) for name in ORDER if name in kept}
    except (OSError, ValueError, TypeError, RecursionError):
        return {}
    return {name: moment for name, moment in moments.items() if 0.0 <= moment <= now}


def _keep(root: Root, last: dict[str, float]) -> None:
    try:
        write_derived(root.make_run() / FILE, json.dumps(last, sort_keys=True).encode())
    except StorageError:
        # It is then done again by the next process, which does no harm.
        return
