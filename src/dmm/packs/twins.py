"""Near-duplicates: memories whose vectors nearly coincide."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dmm.index.snapshot import Snapshot
    from dmm.packs.assemble import Ranked


# Long texts on one subject point the same way without saying the same. Of copies with a
# paragraph more, nineteen in twenty have a counterpart this near for each part of the original.
COVERED = 0.85


def find_twin(
    snapshot: Snapshot, threshold: float
) -> Callable[[Ranked, Sequence[Ranked]], Ranked | None]:
    """Prepare the search for an included memory that says nearly the same as a candidate."""
    vectors = snapshot.vectors
    if vectors is None:
        return lambda _candidate, _included: None
    centres: dict[int, np.ndarray[tuple[int, ...], np.dtype[np.float32]]] = {}

    def centre(row: int) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
        if row not in centres:
            centres[row] = vectors.centre(row)
        return centres[row]

    def twin(candidate: Ranked, included: Sequence[Ranked]) -> Ranked | None:
        if not included:
            return None
        mine = centre(candidate.row)
        likeness = np.vecdot(np.stack([centre(other.row) for other in included]), mine)
        best = int(likeness.argmax())
        return included[best] if likeness[best] >= threshold else None

    return twin


def find_pairs(snapshot: Snapshot, threshold: float) -> list[tuple[int, int, float]]:
    """List all pairs of memories that are alike as a whole and part by part, most alike first."""
    vectors = snapshot.vectors
    if vectors is None or not len(snapshot):
        return []
    centres = np.stack([vectors.centre(row) for row in range(len(snapshot))])
    pairs = []
    for row in range(len(centres) - 1):
        likeness = np.vecdot(centres[row + 1 :], centres[row])
        pairs += [
            (row, row + 1 + int(other), float(likeness[other]))
            for other in np.flatnonzero(likeness >= threshold)
            if vectors.coverage(row, row + 1 + int(other)) >= min(threshold, COVERED)
        ]
    return sorted(pairs, key=lambda pair: (-round(pair[2], 4), pair[0], pair[1]))
