"""What the index stores about memories and files."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dmm.domain.frozen import frozen

if TYPE_CHECKING:
    import datetime as dt

    from dmm.domain.memory import Citation, Confidence, Scope
    from dmm.errors import MemoryFileError
    from dmm.files.tree import Stamp


@frozen
class IndexedMemory:
    """A memory ready to be found and served; `content` is what a pack shows."""

    path: str
    id: str
    directory: str
    title: str
    content: str
    scope: Scope
    priority: float
    confidence: Confidence
    in_force: bool
    tags: tuple[str, ...]
    token_count: int
    heading_tokens: int
    words: int
    code_density: float
    created: dt.date | None
    expires: dt.date | None
    supersedes: tuple[str, ...]
    related: tuple[str, ...]
    cites: tuple[Citation, ...]
    content_hash: str
    vector_key: str
    aliases: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()


@frozen
class KnownFile:
    """A file as the index last saw it; one that is not a memory is kept with its fault."""

    stamp: Stamp
    content_hash: str
    fault: MemoryFileError | None = None


@frozen
class Terms:
    """The weighted terms of a memory, hashed, in ascending order."""

    hashes: bytes
    weights: bytes
    length: float


@frozen
class Directory:
    """A folder of memories and the words that describe it."""

    path: str
    description: str


@dataclass(slots=True)
class Batch:
    """Changes that become visible together, in one transaction."""

    files: list[KnownFile] = field(default_factory=list)
    memories: list[tuple[IndexedMemory, Terms]] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    vectors: dict[str, bytes] = field(default_factory=dict)
    directories: list[Directory] | None = None
    meta: dict[str, str] = field(default_factory=dict)
