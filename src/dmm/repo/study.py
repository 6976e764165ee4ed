"""Read one file for the index: terms, chunks, symbols, imports."""

from __future__ import annotations

import hashlib
from collections import Counter
from typing import TYPE_CHECKING

from dmm.files.citations import digest
from dmm.index.analysis import analyze
from dmm.index.lexical import pack_terms
from dmm.repo.imports import find_imports
from dmm.repo.kinds import kind_of, language_of
from dmm.repo.records import Chunk, Content

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from dmm.index.records import Terms
    from dmm.repo.parsing import Parsing

VERSION = "study-3"
CHUNK_LINES = 40
MAX_LINE = 2_000
SNIFFED = 8_000


def is_binary(data: bytes) -> bool:
    """Return whether a file is binary, as Git decides it: by a zero byte near its beginning."""
    return b"\0" in data[:SNIFFED]


def blob_hash(data: bytes) -> str:
    """Name a content as Git names it."""
    head = b"blob %d\0" % len(data)
    return hashlib.sha1(head + data, usedforsecurity=False).hexdigest()


def lines_of(data: bytes) -> list[str]:
    """Cut a file into lines as editors count them; an empty file has one, and it is empty."""
    lines = data.decode("utf-8", "replace").replace("\r\n", "\n").split("\n")
    return lines if lines[-1] or len(lines) == 1 else lines[:-1]


def study(path: str, blob: str, data: bytes, parsing: Parsing) -> Content:
    """Read a file; its symbols are found by another process meanwhile."""
    language = language_of(path)
    parsing.start(language, data)
    lines = lines_of(data)
    named = Counter(analyze(path))
    chunks, counted = _cut(lines, named)
    imports = find_imports(language, "\n".join(lines))
    symbols = parsing.finish()
    names = Counter(term for symbol in symbols for term in analyze(symbol.name))
    return Content(
        path=path,
        blob=blob,
        kind=kind_of(path, data),
        language=language,
        lines=len(lines),
        terms=_pack(counted + named),
        names=_pack(names + named),
        chunks=chunks,
        symbols=symbols,
        imports=imports,
    )


def _cut(lines: Sequence[str], named: Counter[str]) -> tuple[tuple[Chunk, ...], Counter[str]]:
    """Cut lines into chunks; the words of the path belong to every one of them."""
    chunks = []
    whole: Counter[str] = Counter()
    for at in range(0, len(lines), CHUNK_LINES):
        part = lines[at : at + CHUNK_LINES]
        counted = Counter(analyze("\n".join(line[:MAX_LINE] for line in part)))
        whole += counted
        packed = _pack(counted + named)
        chunks.append(Chunk(at + 1, at + len(part), digest(part), packed))
    return tuple(chunks), whole


def _pack(counted: Mapping[str, int]) -> Terms:
    return pack_terms({term: float(count) for term, count in counted.items()})
