"""Where the memories of a snapshot come from, kept as bytes: many small texts would cost thrice."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from operator import index
from typing import TYPE_CHECKING, SupportsIndex, overload

if TYPE_CHECKING:
    from dmm.domain.memory import Origin

PARTS = 3


@dataclass(frozen=True, slots=True)
class Place:
    """Where a memory of the snapshot comes from."""

    origin: Origin
    path: str
    id: str
    title: str


class Places(Sequence[Place]):
    """The places of all rows; each is made when it is asked for."""

    def __init__(self) -> None:
        self._text = bytearray()
        self._ends = array("Q")
        self._origins: list[Origin] = []
        self._starts = array("Q")

    def add(self, origin: Origin, path: str, name: str, title: str) -> None:
        """Add the place of the next row; rows come tree by tree."""
        if not self._origins or self._origins[-1] is not origin:
            self._origins.append(origin)
            self._starts.append(len(self))
        for part in (path, name, title):
            self._text += part.encode("utf-8", "surrogatepass")
            self._ends.append(len(self._text))

    def __len__(self) -> int:
        return len(self._ends) // PARTS

    @overload
    def __getitem__(self, row: SupportsIndex) -> Place: ...

    @overload
    def __getitem__(self, row: slice) -> tuple[Place, ...]: ...

    def __getitem__(self, row: SupportsIndex | slice) -> Place | tuple[Place, ...]:
        if isinstance(row, slice):
            return tuple(map(self._make, range(len(self))[row]))
        return self._make(range(len(self))[index(row)])

    def _make(self, row: int) -> Place:
        first = PARTS * row
        start = self._ends[first - 1] if first else 0
        parts = []
        for end in self._ends[first : first + PARTS]:
            parts.append(self._text[start:end].decode("utf-8", "surrogatepass"))
            start = end
        tree = sum(begin <= row for begin in self._starts) - 1
        return Place(self._origins[tree], *parts)
