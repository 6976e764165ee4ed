"""Rows of the index file to values and back; the only place that knows the columns."""

from __future__ import annotations

import datetime as dt
import json
from typing import TYPE_CHECKING, Any, NamedTuple

from dmm.domain.memory import Citation, Confidence, Scope
from dmm.domain.pack import digest_text
from dmm.errors import MemoryFileError
from dmm.files.tree import Stamp
from dmm.index.records import IndexedMemory, KnownFile

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dmm.index.records import Terms

    Value = str | int | float | bytes | None


class SearchRow(NamedTuple):
    """The columns that searching needs, without the content."""

    path: str
    id: str
    directory: str
    title: str
    scope: str
    priority: float
    confidence: str
    in_force: int
    token_count: int
    heading_tokens: int
    words: int
    code_density: float
    created: str | None
    expires: str | None
    cited: int
    vector_key: str
    content_hash: str
    aliases: str
    term_hashes: bytes
    term_weights: bytes
    term_length: float


class ScopedRow(NamedTuple):
    """A memory that says which files it is about; `digest` names the content that is served."""

    path: str
    id: str
    title: str
    priority: float
    digest: str
    globs: tuple[str, ...]


def write_file(file: KnownFile) -> tuple[Value, ...]:
    """Return a known file as a row."""
    stamp, fault = file.stamp, file.fault
    head = (stamp.path, stamp.size, stamp.mtime_ns, stamp.inode, file.content_hash)
    if fault is None:
        return (*head, None, None, None, None)
    return (*head, fault.fault, fault.line, fault.what, fault.hint)


def read_file(row: Sequence[Any]) -> KnownFile:
    """Read a row back as a known file."""
    path, size, mtime_ns, inode, content_hash, kind, line, what, hint = row
    fault = None if kind is None else MemoryFileError(path, kind, what, line=line, hint=hint)
    return KnownFile(Stamp(path, size, mtime_ns, inode), content_hash, fault)


def read_scoped(row: Sequence[Any]) -> ScopedRow:
    """Read a row back as a scoped memory."""
    path, id_, title, priority, content, globs = row
    return ScopedRow(path, id_, title, priority, digest_text(content), tuple(json.loads(globs)))


class Column(NamedTuple):
    """A column of the memories' table, named as the field of an `IndexedMemory` that it holds."""

    name: str
    kind: str
    write: Callable[[Any], Value] = lambda value: value
    read: Callable[[Any], Any] = lambda value: value


def _list_column(name: str) -> Column:
    return Column(name, "TEXT NOT NULL", json.dumps, lambda text: tuple(json.loads(text)))


def _day_column(name: str) -> Column:
    return Column(name, "TEXT", lambda day: day.isoformat() if day else None, read_day)


def _write_cites(cites: Sequence[Citation]) -> str:
    return json.dumps([[one.path, one.symbol, one.lines, one.hash] for one in cites])


def _read_cites(text: str) -> tuple[Citation, ...]:
    return tuple(_read_cite(*parts) for parts in json.loads(text))


def _read_cite(
    path: str, symbol: str | None, lines: list[int] | None, digest: str | None
) -> Citation:
    return Citation(path, symbol, (lines[0], lines[1]) if lines else None, digest)


def read_day(text: str | None) -> dt.date | None:
    """Read a stored date or time."""
    if text is None:
        return None
    return dt.datetime.fromisoformat(text) if len(text) > 10 else dt.date.fromisoformat(text)


MEMORY_COLUMNS = (
    Column("path", "TEXT PRIMARY KEY REFERENCES files(path) ON DELETE CASCADE"),
    Column("id", "TEXT NOT NULL"),
    Column("directory", "TEXT NOT NULL"),
    Column("title", "TEXT NOT NULL"),
    Column("content", "TEXT NOT NULL"),
    Column("scope", "TEXT NOT NULL", lambda scope: str(scope.value), Scope),
    Column("priority", "REAL NOT NULL"),
    Column("confidence", "TEXT NOT NULL", lambda one: str(one.value), Confidence),
    Column("in_force", "INTEGER NOT NULL", int, bool),
    _list_column("tags"),
    Column("token_count", "INTEGER NOT NULL"),
    Column("heading_tokens", "INTEGER NOT NULL"),
    Column("words", "INTEGER NOT NULL"),
    Column("code_density", "REAL NOT NULL"),
    _day_column("created"),
    _day_column("expires"),
    _list_column("supersedes"),
    _list_column("related"),
    Column("cites", "TEXT NOT NULL", _write_cites, _read_cites),
    Column("content_hash", "TEXT NOT NULL"),
    Column("vector_key", "TEXT NOT NULL"),
    _list_column("aliases"),
    _list_column("paths"),
)
TERM_COLUMNS = (
    Column("term_hashes", "BLOB NOT NULL"),
    Column("term_weights", "BLOB NOT NULL"),
    Column("term_length", "REAL NOT NULL"),
)


def write_memory(memory: IndexedMemory, terms: Terms) -> tuple[Value, ...]:
    """Return a memory and its terms as a row."""
    written = (column.write(getattr(memory, column.name)) for column in MEMORY_COLUMNS)
    return (*written, terms.hashes, terms.weights, terms.length)


def read_memory(row: Sequence[Any]) -> IndexedMemory:
    """Read a row back as a memory."""
    pairs = zip(MEMORY_COLUMNS, row, strict=True)
    return IndexedMemory(**{column.name: column.read(value) for column, value in pairs})
