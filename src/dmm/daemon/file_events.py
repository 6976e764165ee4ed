"""Detect file changes by system notification or by polling.

Both only hint: what has changed is found by a scan. Links are never followed.
"""

from __future__ import annotations

import contextlib
import os
import re
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Protocol

from dmm.files.tree import MAX_DEPTH, SUFFIX, TOP_DIRECTORIES

if TYPE_CHECKING:
    import threading
    from collections.abc import Generator, Iterable, Sequence

    from watchfiles.main import FileChange

    from dmm.files.tree import MemoryTree

    # The number, the time and the size of a file or folder.
    Look = tuple[int, int, int]

MOUNTS = Path("/proc/mounts")
# File systems on which changes made elsewhere are told to nobody here.
SILENT = {
    *("9p", "afs", "ceph", "cifs", "davfs", "drvfs", "fakeowner", "glusterfs", "lustre", "ncpfs"),
    *("nfs", "nfs4", "prl_fs", "smb3", "smbfs", "vboxsf", "virtiofs", "vmhgfs"),
}
TICK_MS = 500
# The notifier wakes up after each step; a shorter one would only cost.
SHORTEST_STEP_MS = 20
# A burst is reported after its last change, or after this many quiet spans at the latest.
LONGEST_BURST = 5
# A look over all files may take this part of one core, unless the files are very many.
LOOK_SHARE = 0.02
LONGEST_INTERVAL = 4.0
_OCTAL = re.compile(r"\\([0-7]{3})")


class WatcherFailed(Exception):
    """The system does not tell of changes here; the message says why."""


class Watching(Protocol):
    """Notices changes below some trees."""

    mode: ClassVar[str]

    def changes(self, stop: threading.Event) -> Generator[bool, None, None]:
        """Yield True when something may have changed, False from time to time; end after `stop`.

        The first True comes as soon as changes are noticed.
        """
        ...


@dataclass(frozen=True, slots=True)
class Notified:
    """Is told of changes by the system; every folder is watched by itself."""

    trees: Sequence[MemoryTree]
    debounce_ms: int
    tick_ms: int = TICK_MS

    mode: ClassVar[str] = "notified"

    def changes(self, stop: threading.Event) -> Generator[bool, None, None]:
        """Yield hints; the watch begins anew whenever folders came, went or were replaced."""
        while not stop.is_set():
            folders = _look(self.trees)
            try:
                if folders:
                    yield from self._listen(folders, stop)
                    continue
            except FileNotFoundError:
                pass  # A folder has gone since it was seen: they are looked for again.
            except (OSError, RuntimeError) as error:
                raise WatcherFailed(str(error)) from error
            yield False
            stop.wait(self.tick_ms / 1000)

    def _listen(self, armed: dict[str, Look], stop: threading.Event) -> Generator[bool, None, None]:
        """Listen until other folders have to be watched.

        The folders are looked at too: their times tell of what was lost, such as a folder that was
        mounted over.
        """
        step = max(SHORTEST_STEP_MS, self.debounce_ms)
        known, waited, begun = armed, 0, False
        with contextlib.closing(_notices(armed, step, stop)) as notices:
            for told in notices:
                waited += step
                if begun and not told and waited < self.tick_ms:
                    continue
                moved = _look_again(known) != known
                yield moved or bool(told) or not begun
                waited, begun = 0, True
                if moved:
                    known = _look(self.trees)
                    if _names(known) != _names(armed):
                        return


@dataclass(frozen=True, slots=True)
class Polled:
    """Looks at all files again and again; slower, and right everywhere."""

    trees: Sequence[MemoryTree]
    interval_ms: int

    mode: ClassVar[str] = "polled"

    def changes(self, stop: threading.Event) -> Generator[bool, None, None]:
        """Yield hints; where there are many files, looks are rarer."""
        known: dict[str, Look] | None = None
        while not stop.is_set():
            started = time.thread_time()
            found = _look(self.trees, files=True)
            cost = time.thread_time() - started
            seen, known = found != known, found
            yield seen
            wanted = max(self.interval_ms / 1000, cost / LOOK_SHARE)
            stop.wait(min(wanted, max(LONGEST_INTERVAL, self.interval_ms / 1000)))


def choose_watcher(
    trees: Sequence[MemoryTree], *, debounce_ms: int, interval_ms: int, mounts: Path = MOUNTS
) -> Watching:
    """Pick the way that works where the trees are."""
    kinds = {_file_system(tree.root, mounts) for tree in trees}
    if any(kind in SILENT or kind.startswith("fuse.") for kind in kinds):
        return Polled(trees, interval_ms)
    return Notified(trees, debounce_ms)


def _file_system(path: Path, mounts: Path) -> str:
    """Return the kind of file system that a path is on; empty where that is not known."""
    try:
        lines = mounts.read_text("utf-8", "surrogateescape").splitlines()
    except OSError:
        return ""
    best, kind = -1, ""
    for line in lines:
        _, point, found, *_ = [*line.split(" "), "", "", ""]
        place = Path(_OCTAL.sub(lambda sign: chr(int(sign[1], 8)), point))
        # Of two mounts at one place the later one is seen.
        if point and path.is_relative_to(place) and len(place.parts) >= best:
            best, kind = len(place.parts), found
    return kind


def _notices(
    folders: Iterable[str], step: int, stop: threading.Event
) -> Generator[set[FileChange], None, None]:
    """Watch folders; yields what has changed after each step, and nothing where nothing has."""
    from watchfiles import watch

    return watch(
        *folders,
        watch_filter=None,
        debounce=step * LONGEST_BURST,
        step=step,
        stop_event=stop,
        rust_timeout=step,
        yield_on_timeout=True,
        raise_interrupt=False,
        force_polling=False,
        recursive=False,
        ignore_permission_denied=True,
    )


def _names(looks: dict[str, Look]) -> set[tuple[str, int]]:
    return {(path, look[0]) for path, look in looks.items()}


def _look_again(known: dict[str, Look]) -> dict[str, Look]:
    """Scan some folders; missing ones are skipped."""
    found = {}
    for path in known:
        with contextlib.suppress(OSError):
            status = os.lstat(path)
            found[path] = status.st_ino, status.st_mtime_ns, 0
    return found


def _look(trees: Sequence[MemoryTree], *, files: bool = False) -> dict[str, Look]:
    """Scan all folders of some trees, and their files on request."""
    found: dict[str, Look] = {}
    for tree in trees:
        if not tree.root.is_symlink():
            skipped = {name for name in TOP_DIRECTORIES if name not in tree.tops}
            _walk(str(tree.root), skipped, MAX_DEPTH, found, files=files)
    return found


def _walk(
    folder: str, skipped: set[str], depth: int, found: dict[str, Look], *, files: bool
) -> None:
    try:
        status = os.lstat(folder)
        with os.scandir(folder) as entries:
            ordered = [entry for entry in entries if entry.name[0] != "."]
    except OSError:
        return
    found[folder] = status.st_ino, status.st_mtime_ns, 0
    for entry in ordered:
        if entry.is_dir(follow_symlinks=False):
            if depth and entry.name not in skipped:
                _walk(entry.path, set(), depth - 1, found, files=files)
        elif files and entry.name.endswith(SUFFIX):
            with contextlib.suppress(OSError):
                status = entry.stat(follow_symlinks=False)
                found[entry.path] = status.st_ino, status.st_mtime_ns, status.st_size
