"""Find rules of two sources that may conflict: different numbers or opposite demands."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dmm.importer.bearing import statements
from dmm.importer.likeness import Alike, Rarity
from dmm.importer.merge import placed_blocks
from dmm.importer.wording import Wording
from dmm.text.words import word_set

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Sequence

    from dmm.importer.outline import Section
    from dmm.importer.sources import SourceLines, SourceRef

    # A demand with the memory it ends in.
    _Placed = tuple[str, "_Demand"]

_ALIKE = 0.7
_LEAST_WORDS = 2
_LEAST_SOURCES = 2
_NUMBER = re.compile(r"[<>=≤≥$€£]*\d[\d.,:]*(ms|[smhdkMG]|[KMG]i?B|%)?")
_DENIALS = word_set("not avoid without forbidden prohibited forbid deny disable")
_JOINTS = word_set("for in on at by from to into with within via per of")


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two places that may contradict each other, and the memories that they become."""

    one: SourceRef
    other: SourceRef
    memories: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Demand:
    """A sentence as words, numbers and polarity; only equally binding sentences are compared."""

    ref: SourceRef
    words: frozenset[str]
    numbers: tuple[str, ...]
    denied: bool
    bound: Hashable

    def contradicts(self, other: _Demand) -> bool:
        either = self.words | other.words
        if len(self.words & other.words) < max(_LEAST_WORDS, _ALIKE * len(either)):
            return False
        if self.denied != other.denied:
            return self.numbers == other.numbers
        return self.numbers != other.numbers and len(self.numbers) == len(other.numbers)


def find_conflicts(
    trees: Sequence[tuple[Section, tuple[str, ...]]], lines: SourceLines
) -> tuple[Conflict, ...]:
    """Compare the rules of each topic's folder, given the lines that each memory comes from."""
    if len(trees) < _LEAST_SOURCES:
        return ()
    found: dict[Hashable, list[tuple[str, _Demand]]] = {}
    for demand in (demand for tree, globs in trees for demand in _demands(tree, globs)):
        for path in lines.memories_at(demand.ref):
            kin = (path.rpartition("/")[0], demand.bound)
            found.setdefault(kin, []).append((path, demand))
    conflicts = (
        Conflict(one.ref, other.ref, tuple(dict.fromkeys((here, there))))
        for demands in found.values()
        for (here, one), (there, other) in _near_pairs(demands)
        if one.contradicts(other)
    )
    return tuple(dict.fromkeys(conflicts))


def _near_pairs(demands: Sequence[tuple[str, _Demand]]) -> Iterator[tuple[_Placed, _Placed]]:
    """Return pairs of demands with similar words, ordered by the first, then the second."""
    rarity = Rarity.of(demand.words for _, demand in demands)
    alike: Alike[_Placed] = Alike(rarity, _ALIKE)
    pairs: list[tuple[int, int]] = []
    for number, placed in enumerate(demands):
        words = placed[1].words
        if len(words) >= _LEAST_WORDS:
            near = alike.find(words)
            pairs += ((n, number) for n, (_, one) in near if one.ref.path != placed[1].ref.path)
            alike.put(number, placed, words)
    for one, other in sorted(pairs):
        yield demands[one], demands[other]


def _demands(tree: Section, globs: tuple[str, ...]) -> Iterator[_Demand]:
    placed = ((b, place) for blocks, place in placed_blocks(tree, globs) for b in blocks)
    said = ((text, block.ref, place) for block, place in placed for text in statements(block.text))
    for text, ref, place in said:
        wording = Wording.of(text)
        numbers = tuple(filter(_NUMBER.fullmatch, wording.guarded))
        others = set(wording.guarded) - set(numbers) - _DENIALS - _JOINTS
        yield _Demand(
            ref=ref,
            words=frozenset(wording.words),
            numbers=numbers,
            denied=bool(_DENIALS & {*wording.guarded, *wording.words}),
            bound=(frozenset(others), place.guards, place.subjects),
        )
