"""Repository records: files, symbols, commits, evidence."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dmm.index.records import Terms


class Kind(StrEnum):
    """What a file is for, told by its path and its first lines."""

    SOURCE = "source"
    TEST = "test"
    DOCUMENT = "document"
    OTHER = "other"
    FOREIGN = "foreign"  # vendored, generated or minified: nobody here wrote it


@dataclass(frozen=True, slots=True)
class Entry:
    """A file as its tree lists it; `blob` is known at once where Git has it."""

    path: str
    size: int
    mtime_ns: int = 0
    inode: int = 0
    blob: str | None = None


@dataclass(frozen=True, slots=True)
class Symbol:
    """Something a file defines, and the lines of its definition."""

    name: str
    kind: str
    start: int
    end: int
    path: str = ""


@dataclass(frozen=True, slots=True)
class Chunk:
    """A run of lines with its terms; `digest` is the hash of the lines as citations take it."""

    start: int
    end: int
    digest: str
    terms: Terms


@dataclass(frozen=True, slots=True)
class Content:
    """Everything the index keeps of one file's content."""

    path: str
    blob: str
    kind: Kind
    language: str | None
    lines: int
    terms: Terms
    names: Terms
    chunks: tuple[Chunk, ...]
    symbols: tuple[Symbol, ...]
    imports: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RepoFile:
    """A file of the repository as the index knows it."""

    path: str
    kind: Kind
    language: str | None
    lines: int


@dataclass(frozen=True, slots=True)
class Commit:
    """A change of the past: its message and the files it touched."""

    id: str
    message: str
    files: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Evidence:
    """A place in the repository that bears on a question; `parts` say what the score is made of."""

    path: str
    start: int
    end: int
    hash: str
    blob: str
    kind: Kind
    score: float
    parts: dict[str, float]
    symbol: str | None = None


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A file that has to do with another one, and how: imports, imported by, changed with."""

    path: str
    tie: str
    weight: float


@dataclass(frozen=True, slots=True)
class RepoReport:
    """What one run over the repository found and did."""

    files: int = 0
    indexed: int = 0
    removed: int = 0
    skipped: int = 0
    commits: int = 0
    unparsed: tuple[str, ...] = field(default=())
