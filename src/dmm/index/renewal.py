"""Update a snapshot from its index, reusing what has not changed."""

from __future__ import annotations

from array import array
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from dmm.domain.pack import shown_path
from dmm.index.snapshot import (
    Columns,
    brief,
    describe_directories,
    find_basis,
    make_columns,
    make_contents,
    make_place,
    make_signs,
    read_names,
    read_terms,
    reading,
    take_snapshot,
)
from dmm.index.splice import GONE, Splice

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from numpy.typing import NDArray

    from dmm.domain.memory import Origin
    from dmm.index.records import Directory
    from dmm.index.rows import SearchRow
    from dmm.index.snapshot import Snapshot, Stores

# Where more than half has changed, to load all is as quick. What is gone leaves its names behind
# until then, so all is loaded anyway once as much has changed as there is.
MOST_CHANGED = 0.5
FEW = 100


def renew_snapshot(
    held: Snapshot | None, stores: Stores, dimensions: int | None, *, floats: bool = True
) -> Snapshot:
    """Return the snapshot of the trees as they are now; the same as one that is loaded whole."""
    if held is not None:
        with reading(stores):
            if held.basis == find_basis(stores, dimensions):
                found = _find(held, stores)
                size = len(found.rows)
                few = found.changed <= max(FEW, MOST_CHANGED * size)
                if few and held.renewed + found.changed <= max(FEW, size):
                    return _splice(held, stores, found)
    return take_snapshot(stores, dimensions, floats=floats)


class _Found(NamedTuple):
    """For each memory of the trees the row where the same one is held, or GONE; and those to read.

    Numbers take a few bytes: this is done again whenever an index has changed.
    """

    rows: array[int]
    fresh: list[tuple[Origin, str]]
    hidden: tuple[str, ...]
    changed: int


def _find(held: Snapshot, stores: Stores) -> _Found:
    rows, fresh, hidden = array("i"), [], []
    seen: set[str] = set()
    for number, (origin, store) in enumerate(stores, start=1):
        known = _Known(held, origin)
        own = set()
        for path, id_, content, embedded in store.states():
            if id_ in seen:
                hidden.append(shown_path(path, origin))
                continue
            if number < len(stores):
                own.add(id_)
            row = known.find(path, content, embedded=embedded)
            rows.append(row)
            if row == GONE:
                fresh.append((origin, path))
        seen |= own
    kept = len(rows) - len(fresh)
    return _Found(rows, fresh, tuple(hidden), max(len(rows), len(held)) - kept)


class _Known:
    """The rows that are held of one tree, gone through once: both sides are in path order."""

    def __init__(self, held: Snapshot, origin: Origin) -> None:
        self._held = held
        of = [row for row, place in enumerate(held.places) if place.origin is origin]
        self._at, self._end = (of[0], of[-1] + 1) if of else (0, 0)

    def find(self, path: str, content: str, *, embedded: bool) -> int:
        """Return the row of a memory that is as it was, else GONE."""
        held = self._held
        while self._at < self._end and held.places[self._at].path < path:
            self._at += 1
        row = self._at
        if row == self._end or held.places[row].path != path:
            return GONE
        if int(held.contents[row]) != brief(content):
            return GONE
        same = held.vectors is None or held.vectors.has_windows(row) == embedded
        return row if same else GONE


def _splice(held: Snapshot, stores: Stores, found: _Found) -> Snapshot:
    places = np.frombuffer(found.rows, np.int32) if found.rows else np.empty(0, np.int32)
    fresh = np.flatnonzero(places == GONE)
    moved = np.full(len(held), GONE, np.int32)
    moved[places[places != GONE]] = np.flatnonzero(places != GONE)
    splice = Splice(moved, fresh.astype(np.int32), len(places))
    of = dict(stores)
    read = [(origin, of[origin].search_row(path)) for origin, path in found.fresh]
    rows = [row for _, row in read]
    directories = describe_directories(stores, _directories(held, splice, rows))
    columns = _carry_columns(held, splice, rows, directories)
    vectors = held.vectors
    if vectors is not None:
        blobs = (of[origin].vector(row.vector_key) or b"" for origin, row in read)
        vectors = vectors.spliced(splice, blobs)
    return replace(
        held,
        places=_carry(splice, held.places, [make_place(*one) for one in read]),
        contents=splice.carry(held.contents, make_contents(rows)),
        columns=columns,
        directories=directories,
        lexical=held.lexical.spliced(splice, map(read_terms, rows)),
        signs=make_signs(directories),
        names=held.names.spliced(splice, map(read_names, rows)),
        sizes=np.bincount(columns.directory, minlength=len(directories)),
        vectors=vectors,
        hidden=found.hidden,
        renewed=held.renewed + found.changed,
    )


def _directories(held: Snapshot, splice: Splice, rows: Sequence[SearchRow]) -> Collection[str]:
    """Name the directories that hold something."""
    stays = held.columns.directory[splice.moved != GONE]
    used = np.flatnonzero(np.bincount(stays, minlength=len(held.directories)))
    return {held.directories[number].path for number in used} | {row.directory for row in rows}


def _carry(splice: Splice, held: tuple[Any, ...], new: list[Any]) -> tuple[Any, ...]:
    return tuple(splice.carry(_objects(held), _objects(new)).tolist())


def _objects(values: Sequence[Any]) -> NDArray[np.object_]:
    """Return values as an object array, also those that numpy would unpack."""
    result = np.empty(len(values), np.object_)
    result[:] = values
    return result


def _carry_columns(
    held: Snapshot, splice: Splice, rows: Sequence[SearchRow], directories: Sequence[Directory]
) -> Columns:
    """Carry the columns over; directories have other numbers now."""
    numbers = {directory.path: number for number, directory in enumerate(directories)}
    renumbered = np.array([numbers.get(one.path, GONE) for one in held.directories], np.int32)
    old = replace(held.columns, directory=renumbered[held.columns.directory])
    new = make_columns(rows, directories)
    names = [field.name for field in fields(Columns)]
    return Columns(**{n: splice.carry(getattr(old, n), getattr(new, n)) for n in names})
