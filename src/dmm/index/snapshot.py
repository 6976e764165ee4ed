"""The index in memory: arrays over all memories of one or more trees, ready to be searched."""

from __future__ import annotations

import contextlib
import ctypes
import datetime as dt
import json
import sys
from array import array
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from dmm.domain.memory import Confidence, Scope
from dmm.domain.pack import shown_path
from dmm.index import analysis
from dmm.index.lexical import LexicalIndex, pack_terms
from dmm.index.names import NameIndex
from dmm.index.places import Places
from dmm.index.records import Directory, Terms
from dmm.index.rows import read_day
from dmm.index.store import intact
from dmm.index.vectors import VectorIndex

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from dmm.domain.memory import Origin
    from dmm.index.rows import SearchRow
    from dmm.index.store import IndexStore

SCOPES = tuple(Scope)
CONFIDENCES = tuple(Confidence)
# The columns with the kinds of their numbers, as the module `array` names them.
NUMBERS = {
    "scope": "b",
    "confidence": "b",
    "priority": "f",
    "in_force": "b",
    "tokens": "i",
    "words": "i",
    "code_density": "f",
    "directory": "i",
    "created": "i",
    "expires": "i",
    "cited": "b",
}
_SCOPES = {scope.value: number for number, scope in enumerate(SCOPES)}
_CONFIDENCES = {word.value: number for number, word in enumerate(CONFIDENCES)}
NEVER = dt.date.max.toordinal()
UNKNOWN_DAY = 0


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

    places: Places
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
    rows = _Rows()
    lexical = LexicalIndex(rows.walk(stores))
    described: dict[str, str] = {}
    for _, store in stores:
        described = {d.path: d.description for d in store.directories()} | described
    vectors = None
    if dimensions is not None:
        vectors = VectorIndex(rows.walk_vectors(stores), dimensions)
    names = sorted(rows.directories)
    columns = rows.columns(names)
    return Snapshot(
        places=rows.places,
        columns=columns,
        directories=tuple(Directory(name, described.get(name, "")) for name in names),
        lexical=lexical,
        signs=LexicalIndex([_sign(name, described.get(name, "")) for name in names]),
        names=rows.names,
        sizes=np.bincount(columns.directory, minlength=len(names)),
        vectors=vectors,
        hidden=tuple(shown_path(path, origin) for origin, path in rows.hidden),
    )


class _Rows:
    """The rows of all trees, gathered as they are read: a number takes a few bytes, no object."""

    def __init__(self) -> None:
        self.places = Places()
        self.names = NameIndex()
        self.directories: dict[str, int] = {}
        self.hidden: dict[tuple[Origin, str], None] = {}
        self._numbers: dict[str, array[Any]] = {n: array(kind) for n, kind in NUMBERS.items()}

    def walk(self, stores: Sequence[tuple[Origin, IndexStore]]) -> Iterator[Terms]:
        """Pass the terms of every memory on, and keep what else is needed of its row."""
        seen: set[str] = set()
        for number, (origin, store) in enumerate(stores, start=1):
            own = set()
            for row in store.search_rows():
                if row.id in seen:
                    self.hidden[origin, row.path] = None
                    continue
                if number < len(stores):
                    own.add(row.id)
                self._take(origin, row)
                yield Terms(row.term_hashes, row.term_weights, row.term_length)
            seen |= own

    def _take(self, origin: Origin, row: SearchRow) -> None:
        self.names.add(len(self.places), (row.title, *json.loads(row.aliases)))
        self.places.add(origin, row.path, row.id, row.title)
        values = (
            *(_SCOPES[row.scope], _CONFIDENCES[row.confidence], row.priority, row.in_force),
            *(row.token_count + row.heading_tokens, row.words, row.code_density),
            self.directories.setdefault(row.directory, len(self.directories)),
            *(_ordinal(row.created, UNKNOWN_DAY), _ordinal(row.expires, NEVER), row.cited),
        )
        for numbers, value in zip(self._numbers.values(), values, strict=True):
            numbers.append(value)

    def walk_vectors(self, stores: Sequence[tuple[Origin, IndexStore]]) -> Iterator[bytes]:
        """Pass the vectors of the same memories on, in the same order."""
        for origin, store in stores:
            for path, blob in store.search_vectors():
                if (origin, path) not in self.hidden:
                    yield blob or b""

    def columns(self, names: Sequence[str]) -> Columns:
        """Give the columns; directories are numbered in the order of their names."""
        found = {name: np.frombuffer(one, one.typecode) for name, one in self._numbers.items()}
        order = {name: number for number, name in enumerate(names)}
        numbers = np.array([order[name] for name in self.directories], np.int32)
        return Columns(
            scope=found["scope"],
            confidence=found["confidence"],
            priority=found["priority"],
            in_force=found["in_force"].astype(np.bool_),
            tokens=found["tokens"],
            words=found["words"],
            code_density=found["code_density"],
            directory=numbers[found["directory"]] if len(numbers) else found["directory"],
            created=found["created"],
            expires=found["expires"],
            cited=found["cited"].astype(np.bool_),
        )


def _give_back() -> None:
    """Return what loading used to the system; the C library would keep it for later."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).malloc_trim(0)


def _sign(path: str, description: str) -> Terms:
    """What a directory says of itself: the words of its path and of its descriptor."""
    return pack_terms(analysis.count_terms(f"{path.replace('/', ' ')}\n{description}"))


def _ordinal(text: str | None, otherwise: int) -> int:
    day = read_day(text)
    return otherwise if day is None else day.toordinal()
