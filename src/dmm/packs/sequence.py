"""Memories that were written one after the other, by the numbers in their names."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from dmm.index.snapshot import Snapshot

_NUMBERED = re.compile(r"(.*?)(\d{1,18})(\D*)")


def follows(path: str, before: str) -> bool:
    """Say whether a path is another one with the next number: turn_7.md after turn_6.md."""
    own, other = _NUMBERED.fullmatch(path), _NUMBERED.fullmatch(before)
    if own is None or other is None:
        return False
    return own[1] == other[1] and own[3] == other[3] and int(own[2]) == int(other[2]) + 1


def follow_each_other(
    snapshot: Snapshot, before: NDArray[np.intp], after: NDArray[np.intp]
) -> NDArray[np.bool_]:
    """Mark the pairs of rows of which the second is named as the continuation of the first."""
    places = snapshot.places
    pairs = zip(before.tolist(), after.tolist(), strict=True)
    return np.fromiter(
        (follows(places[two].path, places[one].path) for one, two in pairs), np.bool_, len(before)
    )
