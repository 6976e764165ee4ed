"""A snapshot brought up to its index: what has not changed is taken over, the rest is read."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from dmm.domain.pack import shown_path
from dmm.index.snapshot import (
    Columns,
    describe_directories,
    find_basis,
    make_columns,
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
    """Give the snapshot of the trees as they are now; the same as one that is loaded whole."""
    if held is not None:
        with reading(stores):
            if held.basis == find_basis(stores, dimensions):
                found = _find(held, stores)
                size = len(found.memories)
                few = found.changed <= max(FEW, MOST_CHANGED * size)
                if few and held.renewed + found.changed <= max(FEW, size):
                    return _splice(held, stores, found)
    return take_snapshot(stores, dimensions, floats=floats)


class _Found(NamedTuple):
    """All memories of the trees, each with the row where the same one is held, or GONE."""

    memories: list[tuple[Origin, str, int]]
    hidden: tuple[str, ...]
    changed: int


def _find(held: Snapshot, stores: Stores) -> _Found:
    known = {(place.origin, place.path): row for row, place in enumerate(held.places)}
    windows = None if held.vectors is None else held.vectors.counts.tolist()

    def find(origin: Origin, path: str, content: str, *, embedded: bool) -> int:
        row = known.get((origin, path), GONE)
        if row == GONE or held.contents[row] != content:
            return GONE
        return row if windows is None or bool(windows[row]) == embedded else GONE

    memories: list[tuple[Origin, str, int]] = []
    hidden: list[str] = []
    seen: set[str] = set()
    for origin, store in stores:
        own = set()
        for path, id_, content, embedded in store.states():
            if id_ in seen:
                hidden.append(shown_path(path, origin))
                continue
            own.add(id_)
            memories.append((origin, path, find(origin, path, content, embedded=embedded)))
        seen |= own
    kept = sum(old != GONE for _, _, old in memories)
    return _Found(memories, tuple(hidden), max(len(memories), len(held)) - kept)


def _splice(held: Snapshot, stores: Stores, found: _Found) -> Snapshot:
    places = np.array([old for _, _, old in found.memories], np.int32)
    fresh = np.flatnonzero(places == GONE)
    moved = np.full(len(held), GONE, np.int32)
    moved[places[places != GONE]] = np.flatnonzero(places != GONE)
    splice = Splice(moved, fresh.astype(np.int32), len(places))
    of = dict(stores)
    read = [
        (origin, of[origin].search_row(path)) for origin, path, old in found.memories if old == GONE
    ]
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
        contents=_carry(splice, held.contents, [row.content_hash for row in rows]),
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
    """Hold values in an array as they are, also those that numpy would take for arrays."""
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
