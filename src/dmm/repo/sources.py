"""Where files come from: the working tree."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Protocol

from dmm.repo import git
from dmm.repo.records import Commit, Entry
from dmm.repo.walk import walk

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable
    from pathlib import Path

MAX_BYTES = 1_000_000
MAX_FILES = 200_000
MAX_TOUCHED = 20
OWN_FOLDER = ".dmm"

_LIST = ("ls-files", "-z", "--cached", "--others", "--exclude-standard")
_LOG = ("log", "--no-merges", "--name-only", "--no-renames", "--relative", "-z")
_SUBJECTS = ("log", "--no-walk=unsorted", "--ignore-missing", "--format=%H %s", "--end-of-options")
_FORMAT = "--format=%x01%H%x02%s%n%b%x03"
_READ = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)


class Source(Protocol):
    """A tree of files, and the history that led to it where one is known."""

    def entries(self) -> list[Entry]:
        """List all files in path order."""

    def read(self, path: str, blob: str | None = None, /) -> bytes | None:
        """Read one file; None if it is not a regular file of ordinary size."""

    def head(self) -> str | None:
        """Name the commit the tree stands on."""

    def commits(self, limit: int) -> list[Commit]:
        """List the last commits, the newest first."""

    def subjects(self, commits: Collection[str]) -> dict[str, str]:
        """Return the first lines of some commits; those that are not known are left out."""


@dataclass(frozen=True, slots=True)
class WorkingTree:
    """The files of a folder: those Git tracks, and new ones that it does not ignore."""

    root: Path

    def entries(self) -> list[Entry]:
        """List all files in path order; only regular files are listed."""
        found = [self._look(path) for path in self.paths()]
        return [entry for entry in found if entry is not None]

    def paths(self) -> list[str]:
        """List the paths of all files in order."""
        listed = git.text(self.root, *_LIST)
        return kept(walk(self.root) if listed is None else (p for p in listed.split("\0") if p))

    def _look(self, path: str) -> Entry | None:
        try:
            status = os.lstat(self.root / path)
        except (OSError, ValueError):
            return None
        if not stat.S_ISREG(status.st_mode):
            return None
        return Entry(path, status.st_size, status.st_mtime_ns, status.st_ino)

    def read(self, path: str, _blob: str | None = None, /) -> bytes | None:
        """Read one file of the folder, never through a link."""
        try:
            parent = (self.root / path).parent
            if parent.resolve() != self.root.resolve() / PurePosixPath(path).parent:
                return None
            descriptor = os.open(self.root / path, _READ)
            with os.fdopen(descriptor, "rb") as file:
                regular = stat.S_ISREG(os.fstat(descriptor).st_mode)
                data = file.read(MAX_BYTES + 1) if regular else b""
        except (OSError, ValueError):
            return None
        return data if regular and len(data) <= MAX_BYTES else None

    def head(self) -> str | None:
        """Name the commit that is checked out."""
        found = git.text(self.root, "rev-parse", "--verify", "--quiet", "HEAD")
        return None if found is None else found.strip()

    def commits(self, limit: int) -> list[Commit]:
        """List the last commits, the newest first."""
        return read_log(self.root, "HEAD", limit)

    def subjects(self, commits: Collection[str]) -> dict[str, str]:
        """Return the first lines of some commits; those that are not known are left out."""
        return read_subjects(self.root, commits)


def kept(paths: Iterable[str]) -> list[str]:
    """Leave out DMM's own folder and names that can't be shown; order the rest."""
    fitting = (p for p in paths if not p.startswith(f"{OWN_FOLDER}/") and p.isprintable())
    return sorted(set(fitting))[:MAX_FILES]


def read_log(folder: Path, commit: str, limit: int) -> list[Commit]:
    """Read the log; a commit that touches very many files ties none of them together."""
    told = git.ask(folder, *_LOG, f"-n{limit}", _FORMAT, commit)
    found = []
    for record in (told or b"").decode("utf-8", "replace").split("\x01")[1:]:
        head, _, rest = record.partition("\x03")
        name, _, message = head.partition("\x02")
        files = tuple(sorted({path.strip("\n") for path in rest.split("\0")} - {""}))
        if 0 < len(files) <= MAX_TOUCHED:
            found.append(Commit(name, message.strip(), files))
    return found


def read_subjects(folder: Path, commits: Collection[str]) -> dict[str, str]:
    """Read the first lines of some commits."""
    told = git.ask(folder, *_SUBJECTS, *commits) if commits else None
    lines = (told or b"").decode("utf-8", "replace").splitlines()
    return {name: subject for name, _, subject in (line.partition(" ") for line in lines)}
