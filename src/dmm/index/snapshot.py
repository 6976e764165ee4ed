"""The index in memory: arrays over all memories, ready to search."""

from __future__ import annotations

import contextlib
import ctypes
import datetime as dt
import json
import sys
from typing import TYPE_CHECKING

import numpy as np

from dmm.domain.frozen import frozen
from dmm.domain.memory import Confidence, Origin, Scope
from dmm.domain.pack import shown_path
from dmm.index import analysis
from dmm.index.derived_file import intact
from dmm.index.lexical import LexicalIndex, pack_terms
from dmm.index.names import NameIndex
from dmm.index.records import Directory, Terms
from dmm.index.rows import read_day
from dmm.index.vectors import VectorIndex

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from numpy.typing import NDArray

    from dmm.index.rows import SearchRow
    from dmm.index.store import IndexStore

    Stores = Sequence[tuple[Origin, IndexStore]]

SCOPES = tuple(Scope)
CONFIDENCES = tuple(Confidence)
NEVER = dt.date.max.toordinal()
UNKNOWN_DAY = 0


@frozen
class Place:
    """Where a memory of the snapshot comes from."""

    origin: Origin
    path: str
    id: str
    title: str


@frozen
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


@frozen
class Snapshot:
    """All memories at one moment; rows are in origin and path order.

    `contents` tells by the start of its hash which content of each file a row was made of. `signs`
    searches the names and descriptions of the directories, in the order of these; `sizes` counts
    their memories. `hidden` are memories of a later tree whose id an earlier one has. `basis` is
    what rows depend on beside the files; `renewed` counts the rows replaced since all were loaded.
    """

    places: tuple[Place, ...]
    contents: NDArray[np.uint64]
    columns: Columns
    directories: tuple[Directory, ...]
    lexical: LexicalIndex
    signs: LexicalIndex
    names: NameIndex
    sizes: NDArray[np.int64]
    vectors: VectorIndex | None
    hidden: tuple[str, ...] = ()
    basis: tuple[str | None, ...] = ()
    renewed: int = 0

    def __len__(self) -> int:
        return len(self.places)

    def scope_of(self, row: int) -> Scope:
        """The scope of one memory."""
        return SCOPES[int(self.columns.scope[row])]

    @property
    def memory_tokens(self) -> int:
        """The tokens of all memories in force: what loading every one of them would take."""
        return int(self.columns.tokens[self.columns.in_force].sum())


def take_snapshot(stores: Stores, dimensions: int | None, *, floats: bool = True) -> Snapshot:
    """Load all trees; a memory of a later tree gives way to one with the same id in an earlier."""
    with reading(stores):
        snapshot = _load(stores, dimensions, floats=floats)
    _give_back()
    return snapshot


@contextlib.contextmanager
def reading(stores: Stores) -> Iterator[None]:
    """Read one state of all trees; implausible content counts as damage."""
    with contextlib.ExitStack() as held:
        for _, store in stores:
            held.enter_context(store.reading())
        held.enter_context(intact(", ".join(store.where for _, store in stores)))
        yield


def find_basis(stores: Stores, dimensions: int | None) -> tuple[str | None, ...]:
    """Name what rows depend on beside their files: the indexes, their rules and their models."""
    parts = ((s.where, s.meta("rules"), s.meta("model")) for _, s in stores)
    return (str(dimensions), *(part for own in parts for part in own))


def _load(stores: Stores, dimensions: int | None, *, floats: bool) -> Snapshot:
    """Read row by row into flat arrays, so that nothing is in memory twice."""
    rows: list[tuple[Origin, SearchRow]] = []
    hidden: list[str] = []
    lexical = LexicalIndex(_walk(stores, rows, hidden))
    vectors = None
    if dimensions is not None:
        vectors = VectorIndex(_walk_windows(stores, hidden), dimensions, floats=floats)
    directories = describe_directories(stores, {row.directory for _, row in rows})
    columns = make_columns([row for _, row in rows], directories)
    return Snapshot(
        places=tuple(make_place(origin, row) for origin, row in rows),
        contents=make_contents([row for _, row in rows]),
        columns=columns,
        directories=directories,
        lexical=lexical,
        signs=make_signs(directories),
        names=NameIndex(read_names(row) for _, row in rows),
        sizes=np.bincount(columns.directory, minlength=len(directories)),
        vectors=vectors,
        hidden=tuple(hidden),
        basis=find_basis(stores, dimensions),
    )


def _walk(
    stores: Stores, rows: list[tuple[Origin, SearchRow]], hidden: list[str]
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
                yield read_terms(row)
        seen |= own


def _walk_windows(stores: Stores, hidden: Sequence[str]) -> Iterator[bytes]:
    """Pass the vectors of every memory on that is not hidden."""
    left_out = frozenset(hidden)
    for origin, store in stores:
        for path, windows in store.windows():
            if not left_out or shown_path(path, origin) not in left_out:
                yield windows


def make_place(origin: Origin, row: SearchRow) -> Place:
    """Return where the memory of a row comes from."""
    return Place(origin, row.path, row.id, row.title)


def make_contents(rows: Sequence[SearchRow]) -> NDArray[np.uint64]:
    """Return which content each row was made of."""
    return np.array([brief(row.content_hash) for row in rows], np.uint64)


def brief(digest: str) -> int:
    """Return the start of a hash, enough to tell two contents of one file apart."""
    return int(digest[:16] or "0", 16)


def read_terms(row: SearchRow) -> Terms:
    """Return the terms of a row."""
    return Terms(row.term_hashes, row.term_weights, row.term_length)


def read_names(row: SearchRow) -> tuple[str, ...]:
    """Return all names of a memory: title and aliases."""
    return (row.title, *json.loads(row.aliases)) if row.aliases != "[]" else (row.title,)


def describe_directories(stores: Stores, names: Collection[str]) -> tuple[Directory, ...]:
    """Return directories with what is said of them; an earlier tree is believed first."""
    described: dict[str, str] = {}
    for _, store in stores:
        described = {d.path: d.description for d in store.directories()} | described
    return tuple(Directory(name, described.get(name, "")) for name in sorted(names))


def _give_back() -> None:
    """Return what loading used to the system; the C library would keep it for later."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).malloc_trim(0)


def make_signs(directories: Sequence[Directory]) -> LexicalIndex:
    """Index what directories say of themselves: the words of their paths and descriptors."""
    told = (f"{one.path.replace('/', ' ')}\n{one.description}" for one in directories)
    return LexicalIndex([pack_terms(analysis.count_terms(text)) for text in told])


def make_columns(rows: Sequence[SearchRow], directories: Sequence[Directory]) -> Columns:
    """Return rows as columns; a directory is a number."""
    scopes = {scope.value: number for number, scope in enumerate(SCOPES)}
    confidences = {word.value: number for number, word in enumerate(CONFIDENCES)}
    folders = {directory.path: number for number, directory in enumerate(directories)}
    return Columns(
        scope=np.array([scopes[row.scope] for row in rows], np.int8),
        confidence=np.array([confidences[row.confidence] for row in rows], np.int8),
        priority=np.array([row.priority for row in rows], np.float32),
        in_force=np.array([row.in_force for row in rows], np.bool_),
        tokens=np.array([row.token_count + row.heading_tokens for row in rows], np.int32),
        words=np.array([row.words for row in rows], np.int32),
        code_density=np.array([row.code_density for row in rows], np.float32),
        directory=np.array([folders[row.directory] for row in rows], np.int32),
        created=np.array([_ordinal(row.created, UNKNOWN_DAY) for row in rows], np.int32),
        expires=np.array([_ordinal(row.expires, NEVER) for row in rows], np.int32),
        cited=np.array([row.cited for row in rows], np.bool_),
    )


def _ordinal(text: str | None, otherwise: int) -> int:
    day = read_day(text)
    return otherwise if day is None else day.toordinal()
