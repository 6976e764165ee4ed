"""The index file: the only owner of its tables and the only place with their SQL."""

from __future__ import annotations

import contextlib
import json
import zlib
from typing import TYPE_CHECKING, Any

from dmm.errors import IndexBroken, IndexBusy, StorageError
from dmm.files.durable import translated
from dmm.index import rows
from dmm.index.derived_file import EMPTY, DerivedFile, intact
from dmm.index.records import Directory
from dmm.private import make_private_folder
from dmm.storage import sqlite

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    import apsw

    from dmm.errors import MemoryFileError
    from dmm.index.records import Batch, IndexedMemory, KnownFile


_SCHEMA = f"""
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
CREATE TABLE files (
    path TEXT PRIMARY KEY, size INTEGER NOT NULL, mtime_ns INTEGER NOT NULL,
    inode INTEGER NOT NULL, content_hash TEXT NOT NULL,
    fault TEXT, line INTEGER, what TEXT, hint TEXT
) STRICT;
CREATE TABLE memories (
    {", ".join(f"{one.name} {one.kind}" for one in (*rows.MEMORY_COLUMNS, *rows.TERM_COLUMNS))}
) STRICT;
CREATE INDEX memories_by_vector ON memories(vector_key);
CREATE INDEX memories_about_files ON memories(path) WHERE paths <> '[]';
CREATE TABLE vectors (key TEXT PRIMARY KEY, data BLOB NOT NULL) STRICT;
CREATE TABLE directories (path TEXT PRIMARY KEY, description TEXT NOT NULL) STRICT;
"""
_FILES = "SELECT path, size, mtime_ns, inode, content_hash, fault, line, what, hint FROM files"
# Names and marks of the table's own columns are all that is put into these statements.
_COLUMNS = ", ".join(one.name for one in rows.MEMORY_COLUMNS)
_MARKS = ", ".join("?" for _ in (*rows.MEMORY_COLUMNS, *rows.TERM_COLUMNS))
_MEMORIES = f"SELECT {_COLUMNS} FROM memories ORDER BY path"  # noqa: S608
_MEMORY = f"SELECT {_COLUMNS} FROM memories WHERE path = ?"  # noqa: S608
_PUT_MEMORY = f"INSERT OR REPLACE INTO memories VALUES ({_MARKS})"  # noqa: S608
_OUTLINES = _MEMORIES.replace("content,", "'',", 1)
_COUNTED = """
SELECT path, content_hash, token_count FROM memories
WHERE path IN (SELECT value FROM json_each(?))
"""
_LACKING = """
SELECT path FROM memories
WHERE NOT EXISTS (SELECT 1 FROM vectors WHERE key = vector_key) ORDER BY path
"""
_LACKS = f"{_MEMORY} AND NOT EXISTS (SELECT 1 FROM vectors WHERE key = vector_key)"  # noqa: S608
_STATES = """
SELECT path, id, content_hash, EXISTS (SELECT 1 FROM vectors WHERE key = vector_key)
FROM memories ORDER BY path
"""
_WINDOWS = """
SELECT path, data FROM memories LEFT JOIN vectors ON key = vector_key ORDER BY path
"""
_SEARCH_ROWS = """
SELECT path, id, directory, title, scope, priority, confidence, in_force,
    token_count, heading_tokens, words, code_density, created, expires, cites <> '[]',
    vector_key, content_hash, aliases, term_hashes, term_weights, term_length
FROM memories ORDER BY path
"""
_SCOPED_ROWS = """
SELECT path, id, title, priority, content, paths FROM memories
WHERE paths <> '[]' AND in_force AND scope <> 'baseline' ORDER BY path
"""
_SEARCH_ROW = _SEARCH_ROWS.replace("ORDER BY path", "WHERE path = ?")
_PUT_FILE = "INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
_COUNT_ORPHANS = """
SELECT count(*) FROM vectors WHERE key NOT IN (SELECT vector_key FROM memories)
"""
_DROP_ORPHANS = "DELETE FROM vectors WHERE key NOT IN (SELECT vector_key FROM memories)"


def _inode(path: Path) -> str:
    with translated(path, "look at the index"):
        return str(path.stat().st_ino)


def _refuse_linked_logs(path: Path) -> None:
    """Refuse write-ahead logs that are links; they would be read as the index."""
    for suffix in sqlite.LOGS:
        if path.with_name(path.name + suffix).is_symlink():
            raise IndexBroken("its log is a symbolic link", where=str(path))


class IndexStore(DerivedFile):
    """One index file, or one in memory where no file can be written."""

    schema = _SCHEMA
    application = int.from_bytes(b"DMMi")
    # An index with other tables is built again; its user version has 31 bits.
    version = zlib.crc32(_SCHEMA.encode()) >> 1

    def __init__(self, connection: apsw.Connection, where: str, *, writable: bool) -> None:
        super().__init__(connection, where)
        self.writable = writable

    @classmethod
    def open(cls, path: Path) -> IndexStore:
        """Open or create the index file; where it can't be written it may still be read."""
        with translated(path, "look at the index folder"):
            linked = path.is_symlink() or path.parent.is_symlink()
        if linked:
            # What stands behind the link may be anything, and an index is deleted at need.
            hint = "replace the link with the index folder itself, or delete it"
            raise StorageError("the index is a symbolic link", where=str(path), hint=hint)
        _refuse_linked_logs(path)
        try:
            with translated(path.parent, "make the index folder"):
                make_private_folder(path.parent)
            return cls._settled(sqlite.connect(path), path, writable=True)
        except (IndexBroken, IndexBusy):
            raise
        except StorageError as error:
            if not path.exists():
                raise
            try:
                return cls.open_read_only(path)
            except IndexBroken as broken:
                # On a full disk a new file stays empty.
                raise (error if broken.what == EMPTY else broken) from None

    @classmethod
    def open_read_only(cls, path: Path) -> IndexStore:
        """Open an index file to look at it; nothing is written, not even a log."""
        _refuse_linked_logs(path)
        return cls._settled(sqlite.connect_read_only(path), path, writable=False)

    @classmethod
    def _settled(cls, connection: apsw.Connection, path: Path, *, writable: bool) -> IndexStore:
        """Return an index that can be used, or close the file."""
        store = cls(connection, str(path), writable=writable)
        try:
            (store._prepare if writable else store._check)(_inode(path))
        except StorageError:
            store.close()
            raise
        return store

    @classmethod
    def in_memory(cls) -> IndexStore:
        """Make an index that lives as long as the process."""
        store = cls(sqlite.connect(None), sqlite.MEMORY, writable=True)
        store._prepare(sqlite.MEMORY)
        return store

    @property
    def connection(self) -> apsw.Connection:
        """The open file, for whoever keeps tables of their own in it."""
        return self._connection

    def files(self) -> dict[str, KnownFile]:
        """Everything the index knows of files, by path."""
        return {row[0]: rows.read_file(row) for row in self._select(_FILES)}

    def size(self) -> int:
        """Count the memories."""
        return int(next(self._select("SELECT count(*) FROM memories"))[0])

    def stamps(self) -> dict[str, tuple[Any, ...]]:
        """The stamp of every known file by its path, with the kind of its fault, if any."""
        statement = "SELECT path, size, mtime_ns, inode, fault FROM files"
        return {row[0]: row for row in self._select(statement)}

    def stamp(self, path: str) -> tuple[Any, ...] | None:
        """The stamp of one file as `stamps` has it."""
        statement = "SELECT path, size, mtime_ns, inode, fault FROM files WHERE path = ?"
        return next(self._select(statement, path), None)

    def faults(self) -> list[MemoryFileError]:
        """What is wrong with the files that are not memories."""
        known = (rows.read_file(row) for row in self._select(f"{_FILES} WHERE fault IS NOT NULL"))
        return [file.fault for file in known if file.fault is not None]

    def hashes(self) -> dict[str, str]:
        """Return by path which content of each memory the index holds."""
        return dict(self._select("SELECT path, content_hash FROM memories"))

    def memories(self) -> list[IndexedMemory]:
        """All memories, in path order."""
        return [self._read(row) for row in self._select(_MEMORIES)]

    def outlines(self) -> Iterator[IndexedMemory]:
        """All memories without their content, in path order."""
        return (self._read(row) for row in self._select(_OUTLINES))

    def memory(self, path: str) -> IndexedMemory:
        """One memory by its path."""
        row = next(self._select(_MEMORY, path), None)
        if row is None:
            raise IndexBroken(f"no memory {path} in the index", where=self.where)
        return self._read(row)

    def served(self, path: str) -> tuple[str, int, int]:
        """What a pack takes from here: content, its tokens and those of its heading."""
        statement = "SELECT content, token_count, heading_tokens FROM memories WHERE path = ?"
        row = next(self._select(statement, path), None)
        if row is None:
            raise IndexBroken(f"no memory {path} in the index", where=self.where)
        return row[0], row[1], row[2]

    def title(self, path: str) -> str | None:
        """Return the title of a memory; None where there is none at a path."""
        row = next(self._select("SELECT title FROM memories WHERE path = ?", path), None)
        return None if row is None else str(row[0])

    def counted(self, paths: Iterable[str]) -> dict[str, tuple[str, int]]:
        """Return the hash of the counted content and the tokens of those that are here."""
        rows = self._select(_COUNTED, json.dumps(list(paths)))
        return {path: (content_hash, tokens) for path, content_hash, tokens in rows}

    def _read(self, row: tuple[Any, ...]) -> IndexedMemory:
        with intact(self.where):
            return rows.read_memory(row)

    def lacking_vectors(self) -> list[str]:
        """Paths of memories that wait for their vectors."""
        return [row[0] for row in self._select(_LACKING)]

    def lacks_vectors(self, path: str) -> IndexedMemory | None:
        """One memory by its path, if it waits for its vectors."""
        row = next(self._select(_LACKS, path), None)
        return None if row is None else self._read(row)

    def search_rows(self) -> Iterator[rows.SearchRow]:
        """All memories as searching needs them, in path order."""
        for row in self._select(_SEARCH_ROWS):
            yield rows.SearchRow(*row)

    def search_row(self, path: str) -> rows.SearchRow:
        """One memory as searching needs it."""
        return rows.SearchRow(*next(self._select(_SEARCH_ROW, path)))

    def scoped_rows(self) -> list[rows.ScopedRow]:
        """Return the memories in force that say which files they are about, in path order."""
        with intact(self.where):
            return [rows.read_scoped(row) for row in self._select(_SCOPED_ROWS)]

    def states(self) -> Iterator[tuple[str, str, str, bool]]:
        """Path, id and content hash of all memories, and whether each has vectors."""
        for path, id_, content_hash, held in self._select(_STATES):
            yield str(path), str(id_), str(content_hash), bool(held)

    def windows(self) -> Iterator[tuple[str, bytes]]:
        """The vectors of all memories by their paths, in path order; empty if there are none."""
        for path, data in self._select(_WINDOWS):
            yield path, data or b""

    @contextlib.contextmanager
    def reading(self) -> Iterator[None]:
        """Read one state of the index, whatever others write meanwhile."""
        with sqlite.translated(self.where), self._connection:
            yield

    def vector(self, key: str) -> bytes | None:
        """The vectors of one memory."""
        row = next(self._select("SELECT data FROM vectors WHERE key = ?", key), None)
        return None if row is None else row[0]

    def has_vectors(self, key: str) -> bool:
        """Return whether the vectors of one memory are at hand."""
        return next(self._select("SELECT 1 FROM vectors WHERE key = ?", key), None) is not None

    def vectors(self) -> dict[str, bytes]:
        """The vectors of all memories, by their keys."""
        statement = "SELECT key, data FROM vectors WHERE key IN (SELECT vector_key FROM memories)"
        return dict(self._select(statement))

    def vector_keys(self) -> set[str]:
        """Keys of all vectors at hand, also of memories that are gone for now."""
        return {row[0] for row in self._select("SELECT key FROM vectors")}

    def directories(self) -> list[Directory]:
        """All described folders, in path order."""
        statement = "SELECT path, description FROM directories ORDER BY path"
        return [Directory(*row) for row in self._select(statement)]

    def apply(self, batch: Batch) -> None:
        """Make a batch visible, all of it or nothing."""
        with sqlite.transaction(self._connection, self.where) as cursor:
            gone = [(path,) for path in batch.removed]
            cursor.executemany("DELETE FROM files WHERE path = ?", gone)
            cursor.executemany(_PUT_FILE, [rows.write_file(file) for file in batch.files])
            written = [rows.write_memory(memory, terms) for memory, terms in batch.memories]
            cursor.executemany(_PUT_MEMORY, written)
            cursor.executemany(
                "INSERT OR REPLACE INTO vectors VALUES (?, ?)", batch.vectors.items()
            )
            if batch.directories is not None:
                cursor.execute("DELETE FROM directories")
                described = [(d.path, d.description) for d in batch.directories]
                cursor.executemany("INSERT INTO directories VALUES (?, ?)", described)
            self._remember(cursor, batch.meta.items())

    def forget_orphans(self, *, keep: int) -> None:
        """Drop vectors that no memory uses once there are more of them than `keep`."""
        if next(self._select(_COUNT_ORPHANS))[0] > keep:
            with sqlite.transaction(self._connection, self.where) as cursor:
                cursor.execute(_DROP_ORPHANS)

    def scrub(self) -> None:
        """Erase removed content from the file."""
        sqlite.erase_freed(self._connection, self.where)

    def drop_vectors(self) -> None:
        """Drop all vectors: they come from another model."""
        with sqlite.transaction(self._connection, self.where) as cursor:
            cursor.execute("DELETE FROM vectors")
            self._remember(cursor, ())

    def clear(self) -> None:
        """Drop everything: it was made by other rules."""
        with sqlite.transaction(self._connection, self.where) as cursor:
            cursor.execute("DELETE FROM files; DELETE FROM vectors; DELETE FROM directories")
            cursor.execute("DELETE FROM meta WHERE key NOT IN ('generation', 'file')")
            self._remember(cursor, ())
