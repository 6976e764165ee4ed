"""The pairs worth comparing, out of many more that have something in common."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from dmm.conflicts.candidates import in_order
from dmm.domain.conflict import Method

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dmm.conflicts.candidates import Pair

    Rank = tuple[bool, float, int, int]

# Of notes that clash, one pair in twenty is less alike than this.
LEAST_ALIKE = 0.4
# So many times the wanted number are held before the worst are dropped.
HELD = 4


@dataclass(slots=True)
class Shortlist:
    """The best of the pairs that it is offered: linked ones, then those that are most alike.

    Of a million pairs it holds a few thousand at a time.
    """

    most: int
    _held: dict[tuple[int, int], Pair] = field(default_factory=dict)
    _last: Rank | None = None

    def offer(self, pair: Pair) -> None:
        """Take a pair, unless its memories are strangers or enough others are better.

        A pair that was found in several ways is offered once for each.
        """
        place = pair.one, pair.other
        known = self._held.get(place)
        if known is not None:
            self._held[place] = replace(
                pair, methods=in_order(frozenset({*known.methods, *pair.methods}))
            )
            return
        rank = _rank(pair)
        strangers = rank[0] and rank[1] > -LEAST_ALIKE
        if strangers or (self._last is not None and rank > self._last):
            return
        self._held[place] = pair
        if len(self._held) > HELD * max(1, self.most):
            self._drop_worst()

    def least(self) -> float:
        """Return how alike two memories must be that no link joins."""
        if len(self._held) >= self.most:
            self._drop_worst()
        if self._last is None:
            return LEAST_ALIKE
        unlinked, unlike, *_ = self._last
        return max(LEAST_ALIKE, -unlike) if unlinked else math.inf

    def _drop_worst(self) -> None:
        best = self.best()
        self._last = _rank(best[-1]) if best else None
        self._held = {(one.one, one.other): one for one in best}

    def best(self) -> list[Pair]:
        """Return the best pairs, the most promising one first."""
        return sorted(self._held.values(), key=_rank)[: self.most]


def linked(methods: Iterable[Method]) -> bool:
    """Return whether one of two memories names the other."""
    return not {Method.RELATED, Method.SUPERSEDES}.isdisjoint(methods)


def _rank(pair: Pair) -> Rank:
    """Return a sort key; what has no vector may be as alike as anything."""
    alike = 1.0 if pair.likeness is None else pair.likeness
    return not linked(pair.methods), -alike, pair.one, pair.other
