"""Directories as a prior: the better the best memory of a folder, the more the folder pulls.

Never a filter: a filter was measured to lose what lies elsewhere.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from dmm.index.snapshot import Snapshot

    Floats = NDArray[np.float32]

DIRECTORY_WEIGHT = 0.5


def pull(directory: NDArray[np.int32], evidence: Floats) -> Floats:
    """Lower every candidate by how far its folder's best lies below the best of all."""
    if not len(evidence):
        return evidence
    best = _best(directory, evidence)
    return np.asarray(DIRECTORY_WEIGHT * (best[directory] - evidence.max()), np.float32)


def prefer(
    snapshot: Snapshot, rows: NDArray[np.intp], evidence: Floats, most: int
) -> tuple[tuple[str, float], ...]:
    """Name the folders that pull most, best first."""
    if not len(rows):
        return ()
    best = _best(snapshot.columns.directory[rows], evidence)
    order = np.argsort(-best, kind="stable")[:most]
    return tuple(
        (snapshot.directories[n].path, float(best[n])) for n in order if np.isfinite(best[n])
    )


def _best(directory: NDArray[np.int32], evidence: Floats) -> Floats:
    best = np.full(int(directory.max()) + 1, -np.inf, np.float32)
    np.maximum.at(best, directory, evidence)
    return best
