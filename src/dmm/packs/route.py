"""Folders as a prior: a folder counts as much as its best memory.

What its path and its descriptor say adds a little; a large folder pulls less, for being in it says
less. Never a filter: a filter was measured to lose what lies elsewhere.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from dmm.index.snapshot import Snapshot
    from dmm.packs.search import Found

    Floats = NDArray[np.float32]

DIRECTORY_WEIGHT = 0.7
LARGE_DIRECTORY = 50
SIGN_WEIGHT = 0.1


def score(snapshot: Snapshot, found: Found, evidence: Floats) -> Floats:
    """Score every folder by its best candidate and by what it says of itself."""
    best = np.full(len(snapshot.directories), -np.inf, np.float32)
    np.maximum.at(best, snapshot.columns.directory[found.rows], evidence)
    return best + SIGN_WEIGHT * found.signs


def pull(snapshot: Snapshot, found: Found, folders: Floats) -> Floats:
    """Lower every candidate by how far its folder lies below the best folder."""
    if not len(found.rows):
        return np.empty(0, np.float32)
    own = snapshot.columns.directory[found.rows]
    weight = DIRECTORY_WEIGHT / np.sqrt(1 + snapshot.sizes[own] / LARGE_DIRECTORY)
    return np.asarray(weight * (folders[own] - folders.max()), np.float32)


def prefer(snapshot: Snapshot, folders: Floats, most: int) -> tuple[tuple[str, float], ...]:
    """Name the folders that pull most, best first."""
    order = np.argsort(-folders, kind="stable")[:most]
    found = [int(n) for n in order if np.isfinite(folders[n])]
    return tuple((snapshot.directories[n].path, float(folders[n])) for n in found)
