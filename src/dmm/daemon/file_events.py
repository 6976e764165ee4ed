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
    from collections.abc import Generator, Sequence

    from watchfiles._rust_notify import RustNotify

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
# A burst is told after its last change, or after this many quiet spans at the latest.
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
            notifier = _arm(list(folders)) if folders else None
            if notifier is None:
                yield False
                stop.wait(self.tick_ms / 1000)
                continue
            with notifier:
                yield from self._listen(notifier, folders, stop)

    def _listen(
        self, notifier: RustNotify, armed: dict[str, Look], stop: threading.Event
    ) -> Generator[bool, None, None]:
        """Listen until other folders have to be watched.

        The folders are looked at too: their times tell of what was lost, such as a folder that was
        mounted over.
        """
        yield True
        known, step = armed, max(SHORTEST_STEP_MS, self.debounce_ms)
        while not stop.is_set():
            told = notifier.watch(step * LONGEST_BURST, step, self.tick_ms, stop)
            moved = _look_again(known) != known
            yield moved or isinstance(told, set)
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
    """Tell the kind of file system that a path is on; empty where that is not known."""
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


def _arm(folders: list[str]) -> RustNotify | None:
    """Begin to watch; None where a folder has gone in the meantime."""
    from watchfiles._rust_notify import RustNotify

    try:
        return RustNotify(folders, False, False, 0, False, True)
    except FileNotFoundError:
        return None
    except (OSError, RuntimeError) as error:
        raise WatcherFailed(str(error)) from error


def _names(looks: dict[str, Look]) -> set[tuple[str, int]]:
    return {(path, look[0]) for path, look in looks.items()}


def _look_again(known: dict[str, Look]) -> dict[str, Look]:
    """Look at some folders; those that have gone are left out."""
    found = {}
    for path in known:
        with contextlib.suppress(OSError):
            status = os.lstat(path)
            found[path] = status.st_ino, status.st_mtime_ns, 0
    return found


def _look(trees: Sequence[MemoryTree], *, files: bool = False) -> dict[str, Look]:
    """Look at all folders of some trees, and at their files if wanted."""
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
