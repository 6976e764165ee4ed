"""Find nearly equal word sets without comparing all pairs.

Two sets whose overlap is at least a given share have a word in common among the first few of each,
if both are put in one order; the rarest first makes these few words tell the most apart.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

T = TypeVar("T")


@dataclass(slots=True)
class Rarity:
    """The number of compared sets that contain each word."""

    uses: Counter[str] = field(default_factory=Counter)

    @classmethod
    def of(cls, sets: Iterable[Collection[str]]) -> Rarity:
        """Count the words of all sets."""
        uses: Counter[str] = Counter()
        for words in sets:
            uses.update(words)
        return cls(uses)

    def first(self, words: Collection[str], overlap: float) -> list[str]:
        """Return the words of which any set with this much overlap has at least one."""
        ordered = sorted(words, key=lambda word: (self.uses[word], word))
        return ordered[: len(ordered) - math.ceil(overlap * len(ordered) - 1e-9) + 1]


@dataclass(slots=True)
class Alike(Generic[T]):
    """An index of things by their words; `find` returns similar ones in insertion order."""

    rarity: Rarity
    overlap: float
    _by_word: dict[str, list[tuple[int, T]]] = field(default_factory=dict)
    _bare: list[tuple[int, T]] = field(default_factory=list)

    def put(self, number: int, thing: T, words: Collection[str]) -> None:
        """Add a thing with its words; it may be added again with other words."""
        if not words:
            self._bare.append((number, thing))
        for word in self.rarity.first(words, self.overlap):
            self._by_word.setdefault(word, []).append((number, thing))

    def find(self, words: Collection[str]) -> list[tuple[int, T]]:
        """Return the things, by number, whose words may overlap enough; some may not."""
        if not words:
            return self._bare
        found: dict[int, T] = {}
        for word in self.rarity.first(words, self.overlap):
            found.update(self._by_word.get(word, ()))
        return sorted(found.items(), key=lambda one: one[0])
