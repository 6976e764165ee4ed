"""The index in memory: arrays over all memories of one or more trees, ready to be searched."""

from __future__ import annotations

import contextlib
import ctypes
import datetime as dt
import json
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dmm.domain.memory import Confidence, Origin, Scope
from dmm.domain.pack import shown_path
from dmm.index import analysis
from dmm.index.lexical import LexicalIndex, pack_terms
from dmm.index.names import NameIndex
from dmm.index.records import Directory, Terms
from dmm.index.rows import read_day
from dmm.index.store import intact
from dmm.index.vectors import VectorIndex

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from dmm.index.rows import SearchRow
    from dmm.index.store import IndexStore

SCOPES = tuple(Scope)
CONFIDENCES = tuple(Confidence)
NEVER = dt.date.max.toordinal()
UNKNOWN_DAY = 0


@dataclass(frozen=True, slots=True)
class Place:
    """Where a memory of the snapshot comes from."""

    origin: Origin
    path: str
    id: str
    title: str


@dataclass(frozen=True, slots=True)
class Columns:
    """What ranking and filtering need of every memory, one array per property."""

    scope: NDArray[np.int8]
    confidence: NDArray[np.int8]
    priority: NDArray[np.float32]
    in_force: NDArray[np.bool_]
    tokens: NDArray[np.int32]
    words: NDArray[np.int32]
    code_density: NDArray[np.float32]
    directory: NDArray[np.int32]
    created: NDArray[np.int32]
    expires: NDArray[np.int32]
    cited: NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Snapshot:
    """All memories at one moment; rows are in origin and path order.

    `signs` searches the names and descriptions of the directories, in the order of these; `sizes`
    counts their memories. `hidden` are memories of a later tree whose id an earlier one has.
    """

    places: tuple[Place, ...]
    columns: Columns
    directories: tuple[Directory, ...]
    lexical: LexicalIndex
    signs: LexicalIndex
    names: NameIndex
    sizes: NDArray[np.int64]
    vectors: VectorIndex | None
    hidden: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.places)

    def scope_of(self, row: int) -> Scope:
        """The scope of one memory."""
        return SCOPES[int(self.columns.scope[row])]


def take_snapshot(stores: Sequence[tuple[Origin, IndexStore]], dimensions: int | None) -> Snapshot:
    """Load all trees; a memory of a later tree gives way to one with the same id in an earlier."""
    with contextlib.ExitStack() as held:
        for _, store in stores:
            held.enter_context(store.reading())
        held.enter_context(intact(", ".join(store.where for _, store in stores)))
        snapshot = _load(stores, dimensions)
    _give_back()
    return snapshot


def _load(stores: Sequence[tuple[Origin, IndexStore]], dimensions: int | None) -> Snapshot:
    """Read row by row into flat arrays, so that nothing is in memory twice."""
    rows: list[tuple[Origin, SearchRow]] = []
    hidden: list[str] = []
    lexical = LexicalIndex(_walk(stores, rows, hidden))
    described: dict[str, str] = {}
    for _, store in stores:
        described = {d.path: d.description for d in store.directories()} | described
    vectors = None
    if dimensions is not None:
        of = dict(stores)
        blobs = (of[origin].vector(row.vector_key) or b"" for origin, row in rows)
        vectors = VectorIndex(blobs, dimensions)
    names = sorted({row.directory for _, row in rows})
    columns = _columns([row for _, row in rows], {name: n for n, name in enumerate(names)})
    return Snapshot(
        places=tuple(Place(origin, row.path, row.id, row.title) for origin, row in rows),
        columns=columns,
        directories=tuple(Directory(name, described.get(name, "")) for name in names),
        lexical=lexical,
        signs=LexicalIndex([_sign(name, described.get(name, "")) for name in names]),
        names=NameIndex((row.title, *json.loads(row.aliases)) for _, row in rows),
        sizes=np.bincount(columns.directory, minlength=len(names)),
        vectors=vectors,
        hidden=tuple(hidden),
    )


def _walk(
    stores: Sequence[tuple[Origin, IndexStore]],
    rows: list[tuple[Origin, SearchRow]],
    hidden: list[str],
) -> Iterator[Terms]:
    """Pass the terms of every memory on, and keep the rest of its row in `rows`."""
    seen: set[str] = set()
    for origin, store in stores:
        own = set()
        for row in store.search_rows():
            if row.id in seen:
                hidden.append(shown_path(row.path, origin))
            else:
                own.add(row.id)
                rows.append((origin, row._replace(term_hashes=b"", term_weights=b"")))
                yield Terms(row.term_hashes, row.term_weights, row.term_length)
        seen |= own


def _give_back() -> None:
    """Return what loading used to the system; the C library would keep it for later."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).malloc_trim(0)


def _sign(path: str, description: str) -> Terms:
    """What a directory says of itself: the words of its path and of its descriptor."""
    return pack_terms(analysis.count_terms(f"{path.replace('/', ' ')}\n{description}"))


def _columns(rows: Sequence[SearchRow], directories: dict[str, int]) -> Columns:
    scopes = {scope.value: number for number, scope in enumerate(SCOPES)}
    confidences = {word.value: number for number, word in enumerate(CONFIDENCES)}
    return Columns(
        scope=np.array([scopes[row.scope] for row in rows], np.int8),
        confidence=np.array([confidences[row.confidence] for row in rows], np.int8),
        priority=np.array([row.priority for row in rows], np.float32),
        in_force=np.array([row.in_force for row in rows], np.bool_),
        tokens=np.array([row.token_count + row.heading_tokens for row in rows], np.int32),
        words=np.array([row.words for row in rows], np.int32),
        code_density=np.array([row.code_density for row in rows], np.float32),
        directory=np.array([directories[row.directory] for row in rows], np.int32),
        created=np.array([_ordinal(row.created, UNKNOWN_DAY) for row in rows], np.int32),
        expires=np.array([_ordinal(row.expires, NEVER) for row in rows], np.int32),
        cited=np.array([row.cited for row in rows], np.bool_),
    )


def _ordinal(text: str | None, otherwise: int) -> int:
    day = read_day(text)
    return otherwise if day is None else day.toordinal()
