"""The repository index file: the only owner of its tables and SQL."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from dmm.errors import StorageError
from dmm.files.durable import translated
from dmm.index.derived_file import DerivedFile, intact
from dmm.index.records import Terms
from dmm.private import make_private_folder
from dmm.repo.records import Chunk, Entry, Kind, RepoFile, Symbol
from dmm.storage import sqlite

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from dmm.repo.records import Content

_SCHEMA = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
CREATE TABLE contents (
    id INTEGER PRIMARY KEY, path TEXT NOT NULL, blob TEXT NOT NULL, kind TEXT NOT NULL,
    language TEXT, lines INTEGER NOT NULL, imports TEXT NOT NULL,
    term_hashes BLOB NOT NULL, term_weights BLOB NOT NULL, term_length REAL NOT NULL,
    name_hashes BLOB NOT NULL, name_weights BLOB NOT NULL, name_length REAL NOT NULL,
    UNIQUE (path, blob)
) STRICT;
CREATE TABLE files (
    path TEXT PRIMARY KEY, size INTEGER NOT NULL, mtime_ns INTEGER NOT NULL,
    inode INTEGER NOT NULL, blob TEXT NOT NULL, content INTEGER REFERENCES contents(id)
) STRICT;
CREATE INDEX files_by_content ON files(content);
CREATE TABLE chunks (
    content INTEGER NOT NULL REFERENCES contents(id) ON DELETE CASCADE,
    start INTEGER NOT NULL, end INTEGER NOT NULL, digest TEXT NOT NULL,
    hashes BLOB NOT NULL, weights BLOB NOT NULL, length REAL NOT NULL,
    PRIMARY KEY (content, start)
) STRICT, WITHOUT ROWID;
CREATE TABLE symbols (
    content INTEGER NOT NULL REFERENCES contents(id) ON DELETE CASCADE,
    name TEXT NOT NULL, kind TEXT NOT NULL, start INTEGER NOT NULL, end INTEGER NOT NULL
) STRICT;
CREATE INDEX symbols_by_name ON symbols(name);
CREATE INDEX symbols_by_content ON symbols(content);
CREATE TABLE meanings (
    content INTEGER PRIMARY KEY REFERENCES contents(id) ON DELETE CASCADE, vector BLOB NOT NULL
) STRICT;
CREATE TABLE commits (
    place INTEGER PRIMARY KEY, id TEXT NOT NULL, files TEXT NOT NULL,
    hashes BLOB NOT NULL, weights BLOB NOT NULL, length REAL NOT NULL
) STRICT;
"""
_ROWS = """
SELECT c.id, c.path, c.blob, c.kind, c.language, c.lines, c.imports, c.term_hashes,
    c.term_weights, c.term_length, c.name_hashes, c.name_weights, c.name_length, m.vector
FROM files f JOIN contents c ON c.id = f.content LEFT JOIN meanings m ON m.content = c.id
ORDER BY c.path
"""
# Tests and documents are looked for by their words.
_LACKING = """
SELECT c.id, c.path, c.blob FROM files f JOIN contents c ON c.id = f.content
WHERE f.content NOT IN (SELECT content FROM meanings) AND c.kind IN ('source', 'other')
    AND EXISTS (SELECT 1 FROM symbols s WHERE s.content = c.id)
ORDER BY c.path
"""
# Another process may have dropped the content meanwhile, and its id may be that of another one.
_KEEP = "INSERT OR REPLACE INTO meanings SELECT id, ? FROM contents WHERE id = ? AND blob = ?"
_FILES = """
SELECT c.path, c.kind, c.language, c.lines
FROM files f JOIN contents c ON c.id = f.content ORDER BY c.path
"""
_CHUNKS = """
SELECT content, start, end, digest, hashes, weights, length FROM chunks
WHERE content IN (SELECT value FROM json_each(?)) ORDER BY content, start
"""
_SYMBOLS = """
SELECT s.name, s.kind, s.start, s.end, f.path
FROM symbols s JOIN files f ON f.content = s.content
"""
_NAMED = _SYMBOLS + "WHERE s.name = ? ORDER BY f.path, s.start, s.end"
_INSIDE = _SYMBOLS + "WHERE f.path = ? ORDER BY s.start, s.end, s.name"
_ORPHANS = "FROM contents WHERE id NOT IN (SELECT content FROM files WHERE content IS NOT NULL)"
_PUT_CONTENT = "INSERT INTO contents VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
_PUT_FILE = "INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?, ?, ?)"


class FileRow(NamedTuple):
    """A file as searching needs it."""

    id: int
    path: str
    blob: str
    kind: str
    language: str | None
    lines: int
    imports: tuple[str, ...]
    terms: Terms
    names: Terms
    meaning: bytes | None


class Link(NamedTuple):
    """A listed file and its content; a content of None is one that is not indexed."""

    entry: Entry
    blob: str
    content: int | None


class RepoStore(DerivedFile):
    """One file with what is known of a repository."""

    schema = _SCHEMA
    application = int.from_bytes(b"DMMr")
    version = 2

    @classmethod
    def open(cls, path: Path | None) -> RepoStore:
        """Open or create the file; None makes one in memory."""
        where = inode = sqlite.MEMORY
        if path is not None:
            where = str(path)
            _refuse_links(path)
            with translated(path.parent, "make the index folder"):
                make_private_folder(path.parent)
        store = cls(sqlite.connect(path), where)
        try:
            if path is not None:
                inode = str(path.stat().st_ino)
            store._prepare(inode)
        except StorageError:
            store.close()
            raise
        return store

    def links(self) -> dict[str, Link]:
        """Everything known of the files that are there now, by path."""
        statement = "SELECT path, size, mtime_ns, inode, blob, content FROM files"
        return {row[0]: Link(Entry(*row[:4]), row[4], row[5]) for row in self._select(statement)}

    def find(self, path: str, blob: str) -> int | None:
        """Find a content that was studied before."""
        statement = "SELECT id FROM contents WHERE path = ? AND blob = ?"
        row = next(self._select(statement, path, blob), None)
        return None if row is None else int(row[0])

    def apply(
        self,
        *,
        links: Iterable[Link],
        contents: Iterable[tuple[Entry, Content]],
        gone: Iterable[str],
    ) -> None:
        """Make changes visible together, all of them or none."""
        with sqlite.transaction(self._connection, self.where) as cursor:
            cursor.executemany("DELETE FROM files WHERE path = ?", [(path,) for path in gone])
            made = [(e, c.blob, self._put(cursor, c)) for e, c in contents]
            for entry, blob, content in (*links, *made):
                row = (entry.path, entry.size, entry.mtime_ns, entry.inode, blob, content)
                cursor.execute(_PUT_FILE, row)
            self._remember(cursor, ())

    def _put(self, cursor: Any, content: Content) -> int:
        """Write a content, unless another process has done so meanwhile."""
        found = self.find(content.path, content.blob)
        if found is not None:
            return found
        about = (content.path, content.blob, content.kind.value, content.language, content.lines)
        packed = (*_unpack(content.terms), *_unpack(content.names))
        cursor.execute(_PUT_CONTENT, (*about, json.dumps(content.imports), *packed))
        row = int(self._connection.last_insert_rowid())
        cursor.executemany(
            "INSERT INTO chunks VALUES (?, ?, ?, ?, ?, ?, ?)",
            [(row, c.start, c.end, c.digest, *_unpack(c.terms)) for c in content.chunks],
        )
        cursor.executemany(
            "INSERT INTO symbols VALUES (?, ?, ?, ?, ?)",
            [(row, s.name, s.kind, s.start, s.end) for s in content.symbols],
        )
        return row

    def rows(self) -> Iterator[FileRow]:
        """All files as searching needs them, in path order."""
        for row in self._select(_ROWS):
            with intact(self.where):
                imports = tuple(map(str, json.loads(row[6])))
            id_, path, blob, kind, language, lines = row[:6]
            terms, names = Terms(*row[7:10]), Terms(*row[10:13])
            yield FileRow(id_, path, blob, kind, language, lines, imports, terms, names, row[13])

    def files(self) -> list[RepoFile]:
        """All files that are indexed, in path order."""
        with intact(self.where):
            return [RepoFile(r[0], Kind(r[1]), r[2], r[3]) for r in self._select(_FILES)]

    def chunks(self, contents: Sequence[int]) -> list[tuple[int, Chunk]]:
        """The chunks of some contents, in the order of contents and lines."""
        found = self._select(_CHUNKS, json.dumps(list(contents)))
        return [(row[0], Chunk(row[1], row[2], row[3], Terms(*row[4:7]))) for row in found]

    def symbols(self, name: str) -> list[Symbol]:
        """All definitions of a name."""
        return [Symbol(*row) for row in self._select(_NAMED, name)]

    def symbols_in(self, path: str) -> list[Symbol]:
        """All definitions of a file, in the order of its lines."""
        return [Symbol(*row) for row in self._select(_INSIDE, path)]

    def choose_model(self, identity: str) -> None:
        """Drop the vectors of another model."""
        if self.meta("model") != identity:
            with sqlite.transaction(self._connection, self.where) as cursor:
                cursor.execute("DELETE FROM meanings")
                self._remember(cursor, [("model", identity)])

    def lacking(self) -> list[tuple[int, str, str]]:
        """The contents of code without a vector: id, path and blob, in path order."""
        return [(row[0], row[1], row[2]) for row in self._select(_LACKING)]

    def keep_meanings(self, vectors: Iterable[tuple[tuple[int, str, str], bytes]]) -> None:
        """Write the vectors of some contents that lacked them."""
        rows = [(vector, content, blob) for (content, _, blob), vector in vectors]
        with sqlite.transaction(self._connection, self.where) as cursor:
            cursor.executemany(_KEEP, rows)
            self._remember(cursor, ())

    def commits(self) -> list[tuple[str, tuple[str, ...], Terms]]:
        """The commits known: their names, the files each touched, the terms of its message."""
        statement = "SELECT id, files, hashes, weights, length FROM commits ORDER BY place"
        with intact(self.where):
            found = self._select(statement)
            return [(r[0], tuple(json.loads(r[1])), Terms(*r[2:5])) for r in found]

    def replace_commits(
        self, head: str, commits: Iterable[tuple[str, Sequence[str], Terms]]
    ) -> None:
        """Keep another history instead of the one known."""
        written = [
            (place, name, json.dumps(list(files)), *_unpack(terms))
            for place, (name, files, terms) in enumerate(commits)
        ]
        with sqlite.transaction(self._connection, self.where) as cursor:
            cursor.execute("DELETE FROM commits")
            cursor.executemany("INSERT INTO commits VALUES (?, ?, ?, ?, ?, ?)", written)
            self._remember(cursor, [("head", head)])

    def forget_orphans(self, *, keep: int) -> None:
        """Drop contents that no file has once there are more of them than `keep`."""
        if next(self._select(f"SELECT count(*) {_ORPHANS}"))[0] > keep:
            with sqlite.transaction(self._connection, self.where) as cursor:
                cursor.execute(f"DELETE {_ORPHANS}")

    def clear(self, rules: str) -> None:
        """Drop everything: it was made by other rules."""
        with sqlite.transaction(self._connection, self.where) as cursor:
            cursor.execute("DELETE FROM files; DELETE FROM contents; DELETE FROM commits")
            cursor.execute("DELETE FROM meta WHERE key NOT IN ('generation', 'file')")
            self._remember(cursor, [("rules", rules)])


def _unpack(terms: Terms) -> tuple[bytes, bytes, float]:
    return terms.hashes, terms.weights, terms.length


def _refuse_links(path: Path) -> None:
    """What stands behind a link may be anything, and this file is deleted at need."""
    logs = (path.with_name(path.name + suffix) for suffix in sqlite.LOGS)
    with translated(path, "look at the index folder"):
        linked = any(one.is_symlink() for one in (path, path.parent, *logs))
    if linked:
        hint = "replace the link with the index folder itself, or delete it"
        raise StorageError("the index is a symbolic link", where=str(path), hint=hint)
