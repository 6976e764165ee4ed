"""Nearest neighbours among memories."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dmm.index.vectors import unpack_vectors

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

BLOCK = 256
FIRST_ROWS = 256
# Less alike than anything can be.
APART = -2.0
DIGITS = 4


class Likeness:
    """One direction for each memory, by number: the average of its windows."""

    def __init__(self, dimensions: int) -> None:
        self._dimensions = dimensions
        self._rows = np.zeros((0, dimensions), np.float32)
        self._held = np.zeros(0, np.bool_)

    def put(self, number: int, windows: bytes) -> None:
        """Add the stored windows of a memory."""
        if number >= len(self._rows):
            self._grow(number + 1)
        self._rows[number] = self._direct(windows)
        self._held[number] = bool(self._rows[number].any())

    def drop(self, number: int) -> None:
        """Forget a memory."""
        if number < len(self._held):
            self._held[number] = False

    def _grow(self, needed: int) -> None:
        size = max(FIRST_ROWS, needed, len(self._rows) * 9 // 8)
        rows, held = np.zeros((size, self._dimensions), np.float32), np.zeros(size, np.bool_)
        rows[: len(self._rows)], held[: len(self._held)] = self._rows, self._held
        self._rows, self._held = rows, held

    def _direct(self, windows: bytes) -> Floats:
        scales, components, _ = unpack_vectors([windows], self._dimensions)
        return _unit((components * scales[:, None]).sum(axis=0))

    def holds(self, number: int) -> bool:
        """Return whether a memory has a direction."""
        return number < len(self._held) and bool(self._held[number])

    def near(self, number: int, wanted: int, floor: float) -> list[tuple[int, float]]:
        """Find the memories most like one of them, best first."""
        held = self.holds(number)
        found = self.near_to(self._rows[number], wanted + 1, floor) if held else []
        return [(other, value) for other, value in found if other != number][:wanted]

    def near_to(self, direction: Floats, wanted: int, floor: float) -> list[tuple[int, float]]:
        """Find the memories that point most nearly in a direction, best first."""
        likeness = np.vecdot(self._rows, direction).round(DIGITS)
        likeness[~self._held] = APART
        above = np.flatnonzero(likeness >= floor)
        order = above[np.lexsort((above, -likeness[above]))[:wanted]]
        return [(int(n), float(likeness[n])) for n in order]

    def to_each(self, number: int, others: Sequence[int]) -> list[float | None]:
        """Return how alike a memory is to each of some others; None where one has no direction."""
        if not self.holds(number):
            return [None] * len(others)
        known = [other for other in others if self.holds(other)]
        values = np.vecdot(self._rows[known], self._rows[number]).round(DIGITS)
        found = dict(zip(known, values.tolist(), strict=True))
        return [found.get(other) for other in others]

    def nearest(self, wanted: int, floor: float) -> Iterator[tuple[int, dict[int, float]]]:
        """Find for every number, in order, those most like it; a block of them at a time."""
        for start in range(0, len(self._rows), BLOCK):
            likeness = self._rows[start : start + BLOCK] @ self._rows.T
            likeness[:, ~self._held] = APART
            own = np.arange(len(likeness))
            likeness[own, start + own] = APART
            likeness[~self._held[start : start + BLOCK]] = APART
            nearest = _largest(likeness, wanted)
            values = np.take_along_axis(likeness, nearest, axis=1).round(DIGITS)
            for at, (others, near) in enumerate(
                zip(nearest.tolist(), values.tolist(), strict=True)
            ):
                found = zip(others, near, strict=True)
                yield start + at, {other: value for other, value in found if value >= floor}


def _largest(values: Floats, wanted: int) -> NDArray[np.intp]:
    if values.shape[1] <= wanted:
        return np.broadcast_to(np.arange(values.shape[1]), values.shape)
    return np.argpartition(values, -wanted, axis=1)[:, -wanted:]


def _unit(vector: Floats) -> Floats:
    norm = float(np.linalg.norm(vector))
    return np.asarray(vector / norm if norm else vector, np.float32)
