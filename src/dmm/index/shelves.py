"""A memory tree with its index file, which can be rebuilt at any time."""

from __future__ import annotations

import contextlib
import hashlib
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dmm.errors import DmmError, MemoryFileError, PathRefused, StorageError
from dmm.index.store import IndexStore
from dmm.storage.sqlite import LOGS

if TYPE_CHECKING:
    from pathlib import Path

    from dmm.domain.memory import Origin
    from dmm.files.tree import MemoryTree


@dataclass(slots=True)
class Shelf:
    """One tree of memories and the file of its index."""

    origin: Origin
    tree: MemoryTree
    path: Path
    store: IndexStore | None = None
    inode: int | None = None
    lock: str = "index.lock"

    @property
    def replaced(self) -> bool:
        """Whether somebody removed the file, or built it anew: what is open is no longer it."""
        return self.inode not in (None, _inode(self.path))

    def has(self, path: str) -> bool:
        """Whether the file of a memory still exists."""
        return os.path.lexists(self.tree.root / path)

    def holds(self, path: str, content_hash: str) -> bool:
        """Whether the file of a memory still holds what was indexed."""
        try:
            found = self.tree.read(path)
        except (MemoryFileError, PathRefused):
            return False
        return hashlib.sha256(found).hexdigest() == content_hash

    def open(self) -> IndexStore:
        """Open the file of the index, or make it."""
        _refuse_links(self.path)
        self.store = IndexStore.open(self.path)
        self.inode = _inode(self.path)
        return self.store

    def hold_in_memory(self) -> IndexStore:
        """Drop a file."""
        self.store, self.inode = IndexStore.in_memory(), None
        return self.store

    def start_over(self) -> IndexStore:
        """Recreate the index; everything in it comes from the files."""
        self.close()
        try:
            for suffix in ("", *LOGS):
                self.path.with_name(self.path.name + suffix).unlink(missing_ok=True)
            return self.open()
        except (OSError, StorageError):
            return self.hold_in_memory()

    def close(self) -> None:
        """Close the file of the index."""
        if self.store is not None:
            with contextlib.suppress(DmmError):
                self.store.close()
        self.store = self.inode = None


def _inode(path: Path) -> int:
    try:
        return path.stat().st_ino
    except OSError:
        return -1


def _refuse_links(path: Path) -> None:
    """Refuse an index that a cloned repository would have us write somewhere else."""
    if path.resolve() != path:
        hint = "make the index folder a real folder inside .dmm"
        raise StorageError("the path contains a symbolic link", where=str(path), hint=hint)
