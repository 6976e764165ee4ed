"""Similarity search: a memory is as similar as its best window.

Rows are multiplied with `np.vecdot`: it stays on this thread, where the threads of a BLAS library
would cost several milliseconds of waiting on a busy machine.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dmm.index.splice import GONE, Splice, find_runs

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    Floats = NDArray[np.float32]
    Rows = NDArray[np.intp]
    # All scales, all components below each other, windows per memory.
    Windows = tuple[Floats, NDArray[np.int8], NDArray[np.intp]]

EXACT_LIMIT = 20_000
SHORTLIST = 600
BLOCK = 8_192
FARTHEST = 1_000
FLOATS_AT_ONCE = 1_024
# Copying windows to compare them pays off up to one in so many.
FEW = 3
NO_VECTORS = -1.0
# Bytes before the components of one window.
SCALE = 4


def pack_vectors(vectors: Floats) -> bytes:
    """Store the windows of one memory as bytes: a scale each, then their components in 8 bits."""
    scales = np.abs(vectors).max(axis=1, keepdims=True, initial=1e-9) / 127
    small = np.rint(vectors / scales).astype(np.int8)
    return bytes(scales.astype(np.float32).tobytes() + small.tobytes())


def unpack_vectors(blobs: Iterable[bytes], dimensions: int) -> Windows:
    """Read stored windows: all scales, all components below each other, windows per memory."""
    scales, components, counts = bytearray(), bytearray(), []
    for blob in blobs:
        count = len(blob) // (SCALE + dimensions)
        scales += blob[: SCALE * count]
        components += blob[SCALE * count :]
        counts.append(count)
    return (
        np.frombuffer(scales, np.float32),
        np.frombuffer(components, np.int8).reshape(-1, dimensions),
        np.array(counts, np.intp),
    )


class VectorIndex:
    """The windows of all memories.

    Up to EXACT_LIMIT windows every one is compared. Above, the signs of the components choose a
    short list first: 48 bytes a window instead of 384, with a recall of 98 to 99 %. With `floats`
    they are held as such too, in 1,536 bytes a window: comparing all then takes a quarter of the
    time.
    """

    def __init__(
        self,
        blobs: Iterable[bytes],
        dimensions: int,
        windows: Windows | None = None,
        *,
        floats: bool = True,
    ) -> None:
        windows = unpack_vectors(blobs, dimensions) if windows is None else windows
        self._scales, self._components, counts = windows
        self._offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.intp)
        self._owners = np.repeat(np.arange(len(counts), dtype=np.int32), counts)
        self._exact = len(self._components) <= EXACT_LIMIT
        self._with_floats = floats
        self._held: Floats | None = None
        self._signs: list[NDArray[np.uint64]] = []
        if not self._exact:
            self._signs = _sign_blocks(self._components)
        elif floats:
            self._held = self._components * self._scales[:, None]

    def __len__(self) -> int:
        return len(self._components)

    @property
    def counts(self) -> NDArray[np.intp]:
        """How many windows each memory has."""
        return np.diff(self._offsets)

    def has_windows(self, row: int) -> bool:
        """Return whether a memory has any."""
        return bool(self._offsets[row] != self._offsets[row + 1])

    def spliced(self, splice: Splice, blobs: Iterable[bytes]) -> VectorIndex:
        """Return the windows of other memories: those that stay, and fresh ones."""
        scales, components, fresh = unpack_vectors(blobs, self._components.shape[1])
        counts = splice.carry(self.counts, fresh)
        starts = np.cumsum(counts) - counts
        stays = splice.moved != GONE
        old = find_runs(self._offsets[:-1][stays], self.counts[stays])
        places = find_runs(starts[splice.moved[stays]], self.counts[stays])
        windows = Splice(
            _invert(old, places, len(self)),
            find_runs(starts[splice.fresh], fresh).astype(np.int32),
            int(counts.sum()),
        )
        return VectorIndex(
            (),
            self._components.shape[1],
            (
                windows.carry(self._scales, scales),
                windows.carry(self._components, components),
                counts,
            ),
            floats=self._with_floats,
        )

    def nearest(
        self, query: Floats, wanted: int, allowed: NDArray[np.bool_]
    ) -> tuple[Rows, Floats]:
        """Find the most similar of the allowed memories, in row order, with their similarities."""
        best = np.full(len(allowed), -2.0, np.float32)
        if self._exact:
            windows = np.flatnonzero(allowed[self._owners])
        else:
            windows = self._shortlist(query, max(SHORTLIST, 3 * wanted), allowed)
        if self._exact and len(windows) * FEW > len(self):
            # Comparing all is cheaper than to copy many of them first.
            values = self._compare_all(query)[windows]
        else:
            values = self._compare(query, windows)
        np.maximum.at(best, self._owners[windows], values)
        rows = np.flatnonzero(best > -2.0)
        if len(rows) > wanted:
            rows = np.sort(rows[np.argpartition(-best[rows], wanted)[:wanted]])
        if self._exact:
            return rows, best[rows]
        # The short list may hold a window of a memory and miss a better one.
        return rows, self.similarities(query, rows)

    def similarities(self, query: Floats, rows: Rows) -> Floats:
        """Compute the similarity of given memories; one without windows gets -1."""
        starts = self._offsets[rows]
        counts = self._offsets[rows + 1] - starts
        result = np.full(len(rows), NO_VECTORS, np.float32)
        held = np.flatnonzero(counts)
        if len(held):
            bounds = np.concatenate([[0], np.cumsum(counts[held])])
            shifts = np.repeat(starts[held] - bounds[:-1], counts[held])
            windows = np.arange(bounds[-1]) + shifts
            result[held] = np.maximum.reduceat(self._compare(query, windows), bounds[:-1])
        return result

    def centre(self, row: int) -> Floats:
        """Average one memory's windows into one direction; zeros without windows."""
        span = slice(self._offsets[row], self._offsets[row + 1])
        total = (self._components[span] * self._scales[span, None]).sum(axis=0)
        norm = float(np.linalg.norm(total))
        return np.asarray(total / norm if norm else total, np.float32)

    def coverage(self, one: int, other: int) -> float:
        """Return how near the farthest window of a memory is to another, taken the better way."""
        spans = (slice(self._offsets[row], self._offsets[row + 1]) for row in (one, other))
        mine, theirs = (self._components[span] * self._scales[span, None] for span in spans)
        likeness = mine @ theirs.T
        if not likeness.size:
            return 0.0
        return float(max(likeness.max(axis=1).min(), likeness.max(axis=0).min()))

    def _compare_all(self, query: Floats) -> Floats:
        """Compare every window, block by block where they are not held as floats."""
        if self._held is not None:
            return np.asarray(np.vecdot(self._held, query), np.float32)
        spans = (slice(at, at + FLOATS_AT_ONCE) for at in range(0, len(self), FLOATS_AT_ONCE))
        return np.concatenate([np.vecdot(self._floats(span), query) for span in spans])

    def _compare(self, query: Floats, windows: Rows) -> Floats:
        if self._exact:
            floats = self._floats(windows) if self._held is None else self._held[windows]
            return np.asarray(np.vecdot(floats, query), np.float32)
        components = self._components[windows].astype(np.float32)
        return np.asarray(np.vecdot(components, query) * self._scales[windows], np.float32)

    def _floats(self, windows: Rows | slice) -> Floats:
        return np.multiply(self._components[windows], self._scales[windows, None], dtype=np.float32)

    def _shortlist(self, query: Floats, wanted: int, allowed: NDArray[np.bool_]) -> Rows:
        """Choose the windows worth an exact comparison."""
        distance = self._distances(query)
        if np.count_nonzero(allowed) * 2 < len(allowed):
            # A narrow filter comes first, or it would leave too little of the short list.
            distance[~allowed[self._owners]] = FARTHEST
        limit = int(np.searchsorted(np.cumsum(np.bincount(distance)), wanted))
        chosen = np.flatnonzero(distance <= min(limit, FARTHEST - 1))
        return chosen[allowed[self._owners[chosen]]]

    def _distances(self, query: Floats) -> NDArray[np.uint16]:
        """Count for every window the components whose sign differs from the query's."""
        signs = np.packbits(query > 0).view(np.uint64)[:, None]
        parts = [
            np.add.reduce(np.bitwise_count(block ^ signs), axis=0, dtype=np.uint16)
            for block in self._signs
        ]
        return np.concatenate(parts)


def _invert(old: Rows, places: Rows, size: int) -> NDArray[np.int32]:
    """Return for each of so many old windows where it goes."""
    moved = np.full(size, GONE, np.int32)
    moved[old] = places
    return moved


def _sign_blocks(components: NDArray[np.int8]) -> list[NDArray[np.uint64]]:
    """Pack the signs into words, word by word for a block of windows that fits the CPU's cache."""
    blocks = (components[at : at + BLOCK] for at in range(0, len(components), BLOCK))
    words = (np.packbits(block > 0, axis=1).view(np.uint64) for block in blocks)
    return [np.ascontiguousarray(block.T) for block in words]
