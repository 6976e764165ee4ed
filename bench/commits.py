"""The files of a commit, as the repository index reads a working tree; nothing is checked out."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dmm.repo import git
from dmm.repo.records import Commit, Entry
from dmm.repo.sources import MAX_BYTES, kept, read_log, read_subjects

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path


@dataclass(slots=True)
class CommitTree:
    """The files of one commit, read from Git's objects; nothing is checked out."""

    root: Path
    commit: str
    _reader: git.ObjectReader | None = None
    _blobs: dict[str, str] = field(default_factory=dict)

    def entries(self) -> list[Entry]:
        """List all files of the commit in path order."""
        listed = git.text(self.root, "ls-tree", "-r", "-l", "-z", "--full-tree", self.commit) or ""
        entries = {}
        for row in listed.split("\0"):
            about, _, path = row.partition("\t")
            mode, _, rest = about.partition(" ")
            _, _, named = rest.partition(" ")
            blob, _, size = named.partition(" ")
            if mode.startswith("100"):
                length = size.strip()
                entries[path] = Entry(path, int(length) if length.isdigit() else 0, blob=blob)
        self._blobs = {path: entry.blob or "" for path, entry in entries.items()}
        return [entries[path] for path in kept(entries)]

    def subjects(self, commits: Collection[str]) -> dict[str, str]:
        """Return the first lines of some commits."""
        return read_subjects(self.root, commits)

    def read(self, path: str, blob: str | None = None, /) -> bytes | None:
        """Read one file of the commit; None where the repository does not hold its content."""
        wanted = blob or self._blobs.get(path)
        if wanted is None:
            return None
        if self._reader is None:
            self._reader = git.ObjectReader(self.root)
        data = self._reader.read(wanted)
        return None if data is None or len(data) > MAX_BYTES else data

    def head(self) -> str | None:
        """Name the commit itself."""
        return self.commit

    def commits(self, limit: int) -> list[Commit]:
        """List the commits that led here, the newest first."""
        return read_log(self.root, self.commit, limit)

    def close(self) -> None:
        """Stop the parsing process."""
        if self._reader is not None:
            self._reader.close()
            self._reader = None
