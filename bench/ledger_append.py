"""One durable append, in turns with what the disk and SQLite alone take for as many bytes."""

from __future__ import annotations

import contextlib
import json
import os
import statistics
import tempfile
import time
from dataclasses import dataclass, field
from itertools import cycle, islice
from pathlib import Path
from typing import TYPE_CHECKING

from bench.report import Measure
from dmm.eventlog.log import EventLog
from dmm.storage import sqlite

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from dmm.domain.event import Draft

BAR = 1.3
BLOCKS = 24
# So few that SQLite does not write its log again from the start meanwhile.
BLOCKS_OF_GROWTH = 8
IN_A_BLOCK = 25
BURST = 1_000
# Enough that it has done so before the first block.
BURSTS = 8
PROBES = 20
PREALLOCATED = 4 << 20
SHARED_MEMORY = Path("/dev/shm")
IN_MEMORY = ("tmpfs", "ramfs")
MOUNTS = Path("/proc/self/mounts")
# Folders of other file systems to measure in, separated as in PATH.
FOLDERS = "DMM_BENCH_FOLDERS"
APPEND = "append of an event"
ONE_FSYNC = "the same bytes over old ones, fsync"


@dataclass(slots=True)
class Runner:
    """One of those that take turns: what it does, and how long that took, block by block."""

    act: Callable[[], object]
    blocks: list[list[float]] = field(default_factory=list)

    def run(self, times: int) -> None:
        """Do it some times."""
        spent = []
        for _ in range(times):
            start = time.perf_counter()
            self.act()
            spent.append(time.perf_counter() - start)
        self.blocks.append(spent)

    @property
    def medians(self) -> list[float]:
        """The median of each block."""
        return [statistics.median(block) for block in self.blocks]

    @property
    def mean(self) -> float:
        """The mean of all."""
        return statistics.fmean(one for block in self.blocks for one in block)

    def tell(self) -> dict[str, float]:
        """Tell the times in microseconds."""
        return {
            "p50 us": 1e6 * statistics.median(one for block in self.blocks for one in block),
            "mean us": 1e6 * self.mean,
            "best block us": 1e6 * min(self.medians),
        }


def find_places() -> Iterator[Path]:
    """Name the folders to measure in: a temporary one, one in memory, and those asked for."""
    yield Path(tempfile.gettempdir())
    if SHARED_MEMORY.is_dir():
        yield SHARED_MEMORY
    yield from map(Path, filter(None, os.environ.get(FOLDERS, "").split(os.pathsep)))


def measure_append(place: Path, drafts: Iterator[Draft]) -> Iterator[Measure]:
    """Measure with a log that is written over, as in a long life, and with one that still grows."""
    kind = _find_file_system(place)
    name = f"{kind} at {place}"
    for growing in (False, True):
        with tempfile.TemporaryDirectory(prefix="dmm-bench-", dir=place) as folder:
            runners = _take_turns(Path(folder), drafts, growing=growing)
        where = f"{name}, growing" if growing else name
        # In memory nothing is flushed, so there is no fsync to hold an append against.
        yield from _compare(runners, where, held=not growing and kind not in IN_MEMORY)


def _take_turns(folder: Path, drafts: Iterator[Draft], *, growing: bool) -> dict[str, Runner]:
    """Let all work in short blocks, so that a slow moment of the disk hits all alike."""
    path = folder / "ledger.db"
    _fill(path, drafts)
    with contextlib.ExitStack() as stack:
        log = stack.enter_context(contextlib.closing(EventLog.open(path)))
        size = _count_bytes(log, path.with_name("ledger.db-wal"), drafts)
        bare = stack.enter_context(contextlib.closing(Bare(folder / "bare.db")))
        raw = stack.enter_context(contextlib.closing(Raw(folder, bytes(size))))
        if not growing:
            for _ in range(BURSTS):
                log.extend(islice(drafts, BURST))
                bare.extend(islice(drafts, 2 * BURST))
        blocks = BLOCKS_OF_GROWTH if growing else BLOCKS
        ready = iter(list(islice(drafts, 2 * blocks * IN_A_BLOCK)))
        runners = {
            APPEND: Runner(lambda: log.append([next(ready)])),
            "the same bytes over old ones, fdatasync": Runner(raw.overwrite),
            ONE_FSYNC: Runner(lambda: raw.overwrite(os.fsync)),
            "the same bytes at the end of a file, fsync": Runner(raw.extend),
            "a new file of 512 bytes, fsync": Runner(raw.create),
            "SQLite alone, one INSERT of the payload": Runner(lambda: bare.insert(next(ready))),
        }
        order = list(runners.values())
        for number in range(blocks):
            for runner in order[number % len(order) :] + order[: number % len(order)]:
                runner.run(IN_A_BLOCK)
    return runners


def _fill(path: Path, drafts: Iterator[Draft]) -> None:
    with contextlib.closing(EventLog.open(path)) as log:
        log.extend(islice(drafts, BURST))


def _count_bytes(log: EventLog, wal: Path, drafts: Iterator[Draft]) -> int:
    """Count the bytes that a commit writes, while the log beside the file is new and grows."""
    log.append([next(drafts)])
    before = wal.stat().st_size
    for draft in islice(drafts, PROBES):
        log.append([draft])
    return (wal.stat().st_size - before) // PROBES


def _compare(runners: dict[str, Runner], where: str, *, held: bool) -> Iterator[Measure]:
    """Tell the append's times over those of each other, block by block; the median of these."""
    append = runners[APPEND]
    for name, runner in runners.items():
        shares = [one / other for one, other in zip(append.medians, runner.medians, strict=True)]
        yield Measure(
            f"{where}: {name}" if runner is append else f"{where}: over {name}",
            None if runner is append else statistics.median(shares),
            BAR if name == ONE_FSYNC and held else None,
            at_most=True,
            digits=2,
            beside=runner.tell(),
            note="" if runner is append else f"by means {append.mean / runner.mean:.2f}",
        )


class Raw:
    """Files that are written without a database."""

    def __init__(self, folder: Path, content: bytes) -> None:
        self._folder = folder
        self._content = content
        self._numbers = iter(range(1 << 62))
        self._old = os.open(folder / "old", os.O_CREAT | os.O_WRONLY, 0o600)
        os.write(self._old, bytes(PREALLOCATED))
        os.fsync(self._old)
        self._places = cycle(range(0, PREALLOCATED - len(content), len(content)))
        self._end = os.open(folder / "end", os.O_CREAT | os.O_WRONLY | os.O_APPEND, 0o600)

    def close(self) -> None:
        """Close the files."""
        os.close(self._old)
        os.close(self._end)

    def overwrite(self, sync: Callable[[int], None] = os.fdatasync) -> None:
        """Write over what is there; without a new size there is no more for the disk to note."""
        os.pwrite(self._old, self._content, next(self._places))
        sync(self._old)

    def extend(self) -> None:
        """Write at the end of a file."""
        os.write(self._end, self._content)
        os.fsync(self._end)

    def create(self) -> None:
        """Write a new file."""
        path = self._folder / f"{next(self._numbers)}.json"
        file = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        os.write(file, bytes(512))
        os.fsync(file)
        os.close(file)


class Bare:
    """A database of one table without index, trigger or hash, as durable as the ledger."""

    def __init__(self, path: Path) -> None:
        self._connection = sqlite.connect(path, durable=True)
        self._connection.execute("CREATE TABLE notes (text TEXT) STRICT")

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def insert(self, draft: Draft) -> None:
        """Keep one payload."""
        text = json.dumps(draft.payload)
        self._connection.execute("INSERT INTO notes VALUES (?)", (text,))

    def extend(self, drafts: Iterable[Draft]) -> None:
        """Keep some in one transaction."""
        with self._connection:
            for draft in drafts:
                self.insert(draft)


def _find_file_system(place: Path) -> str:
    """Tell the kind of file system that a folder lies on, where the system tells it."""
    try:
        mounts = [line.split() for line in MOUNTS.read_text("utf-8").splitlines()]
    except OSError:
        return "files"
    folder = place.resolve()
    found = [(len(at), kind) for _, at, kind, *_ in mounts if folder.is_relative_to(at)]
    return max(found, default=(0, "files"))[1]
