"""Rows of the index file to values and back; the only place that knows the columns."""

from __future__ import annotations

import datetime as dt
import json
from typing import TYPE_CHECKING, Any, NamedTuple

from dmm.domain.memory import Citation, Confidence, Scope
from dmm.errors import MemoryFileError
from dmm.files.tree import Stamp
from dmm.index.records import IndexedMemory, KnownFile

if TYPE_CHECKING:
    from collections.abc import Sequence

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


def write_file(file: KnownFile) -> tuple[Value, ...]:
    """Lay a known file out as a row."""
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


def write_memory(memory: IndexedMemory, terms: Terms) -> tuple[Value, ...]:
    """Lay a memory and its terms out as a row."""
    m = memory
    cites = [[c.path, c.symbol, c.lines, c.hash] for c in m.cites]
    return (
        *(m.path, m.id, m.directory, m.title, m.content, m.scope.value, m.priority),
        *(m.confidence.value, int(m.in_force), json.dumps(m.tags), m.token_count, m.heading_tokens),
        *(m.words, m.code_density),
        m.created.isoformat() if m.created else None,
        m.expires.isoformat() if m.expires else None,
        *(json.dumps(m.supersedes), json.dumps(m.related), json.dumps(cites)),
        *(m.content_hash, m.vector_key, json.dumps(m.aliases)),
        *(terms.hashes, terms.weights, terms.length),
    )


def read_memory(row: Sequence[Any]) -> IndexedMemory:
    """Read a row back as a memory."""
    return IndexedMemory(
        path=row[0],
        id=row[1],
        directory=row[2],
        title=row[3],
        content=row[4],
        scope=Scope(row[5]),
        priority=row[6],
        confidence=Confidence(row[7]),
        in_force=bool(row[8]),
        tags=tuple(json.loads(row[9])),
        token_count=row[10],
        heading_tokens=row[11],
        words=row[12],
        code_density=row[13],
        created=read_day(row[14]),
        expires=read_day(row[15]),
        supersedes=tuple(json.loads(row[16])),
        related=tuple(json.loads(row[17])),
        cites=tuple(_read_cite(*parts) for parts in json.loads(row[18])),
        content_hash=row[19],
        vector_key=row[20],
        aliases=tuple(json.loads(row[21])),
    )


def _read_cite(
    path: str, symbol: str | None, lines: list[int] | None, digest: str | None
) -> Citation:
    return Citation(path, symbol, (lines[0], lines[1]) if lines else None, digest)


def read_day(text: str | None) -> dt.date | None:
    """Read a stored date or time."""
    if text is None:
        return None
    return dt.datetime.fromisoformat(text) if len(text) > 10 else dt.date.fromisoformat(text)
