"""The content of an index file, read without opening it for writing."""

from __future__ import annotations

import contextlib
import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from dmm.errors import IndexBroken, StorageError
from dmm.files.durable import translated
from dmm.index.derived_file import EMPTY
from dmm.index.store import IndexStore

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from dmm.index.records import IndexedMemory, KnownFile
    from dmm.index.shelves import Shelf

IN_USE = "another process has it open; the newest changes are not counted here"
Usability = Literal["ready", "not built", "broken", "unreadable"]


@dataclass(frozen=True, slots=True)
class Content:
    """What an index file holds, or why that can't be said."""

    state: Usability = "not built"
    note: str | None = None
    generation: int = 0
    model: str | None = None
    files: dict[str, KnownFile] = field(default_factory=dict)
    memories: dict[str, IndexedMemory] = field(default_factory=dict)
    lacking: int = 0


def peek(shelf: Shelf) -> Content:
    """Read an index without opening it for writing."""
    try:
        with _opened(shelf) as store:
            return Content() if store is None else _read(store, _note(shelf))
    except IndexBroken as error:
        if _note(shelf):
            # Its first page may still be in the log.
            return Content("unreadable", _note(shelf))
        if error.what == EMPTY:
            return Content()
        return Content("broken", f"{error.what}; the next query rebuilds it")
    except StorageError as error:
        return Content("unreadable", str(error))


@contextlib.contextmanager
def _opened(shelf: Shelf) -> Iterator[IndexStore | None]:
    if shelf.store is not None:
        yield shelf.store
        return
    where = str(shelf.path)
    with translated(shelf.path, "look at the index"):
        there = shelf.path.is_file()
        linked = shelf.path.is_symlink() or shelf.path.parent.is_symlink()
    if linked:
        raise StorageError("the index is a symbolic link", where=where)
    if not there:
        yield None
        return
    with contextlib.closing(IndexStore.open_read_only(shelf.path)) as store:
        yield store


def count_memories(shelf: Shelf) -> int:
    """Count the memories in an index; none where it can't be read."""
    try:
        with _opened(shelf) as store:
            return 0 if store is None else store.size()
    except StorageError:
        return 0


def _note(shelf: Shelf) -> str | None:
    """Return what a look from outside can't see: changes that are still in the write-ahead log."""
    log = shelf.path.with_name(f"{shelf.path.name}-wal")
    if shelf.store is None and size_of(log):
        return IN_USE
    return None


def _read(store: IndexStore, note: str | None) -> Content:
    return Content(
        "ready",
        note,
        store.generation(),
        store.meta("model"),
        store.files(),
        {memory.path: memory for memory in store.outlines()},
        len(store.lacking_vectors()),
    )


def size_of(path: Path) -> int:
    """Return the size of a file; 0 where there is none."""
    try:
        return path.stat().st_size
    except OSError:
        return 0


def can_write(path: Path) -> bool:
    """Return whether the index could be written, without trying."""
    try:
        folder = next(parent for parent in path.parents if parent.exists())
        there = path.exists()
    except OSError:
        return False
    places = [folder, path] if there else [folder]
    return folder.is_dir() and all(os.access(place, os.W_OK) for place in places)
