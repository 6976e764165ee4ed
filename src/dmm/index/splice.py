"""Map the rows of one snapshot to the next: kept, removed and new."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Rows = NDArray[np.int32]

GONE = -1


@dataclass(frozen=True, slots=True)
class Splice:
    """`moved` tells the new row of each old memory, or GONE; `fresh` are the rows of new ones."""

    moved: Rows
    fresh: Rows
    size: int

    def carry(self, held: NDArray[Any], new: NDArray[Any]) -> NDArray[Any]:
        """Return a column: old values at their new rows, and new ones."""
        result = np.empty((self.size, *held.shape[1:]), held.dtype)
        stays = self.moved != GONE
        result[self.moved[stays]] = held[stays]
        result[self.fresh] = new
        return result


def find_runs(starts: NDArray[np.intp], counts: NDArray[np.intp]) -> NDArray[np.intp]:
    """List every place of several runs, each told by its start and its length."""
    ends = np.cumsum(counts)
    shifts: NDArray[np.intp] = np.repeat(starts - (ends - counts), counts)
    return shifts + np.arange(len(shifts))
