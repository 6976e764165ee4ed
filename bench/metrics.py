"""How good a ranking is: pure functions of the ranked ids and the ids that answer the question."""

from __future__ import annotations

import math
from itertools import accumulate, takewhile
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

WORDS_PER_TOKEN = 0.75


def recall(ranked: Sequence[str], relevant: Collection[str], depth: int) -> float:
    """Share of the answers among the first `depth`."""
    return len(set(ranked[:depth]) & set(relevant)) / len(relevant)


def reciprocal_rank(ranked: Sequence[str], relevant: Collection[str]) -> float:
    """One over the place of the first answer; 0 where there is none."""
    return next((1 / place for place, id_ in enumerate(ranked, 1) if id_ in relevant), 0.0)


def ndcg(ranked: Sequence[str], relevant: Collection[str], depth: int = 10) -> float:
    """Gain of the answers, discounted by the logarithm of their places, over the best possible."""
    gains = (1 / math.log2(n + 2) for n, id_ in enumerate(ranked[:depth]) if id_ in relevant)
    best = sum(1 / math.log2(n + 2) for n in range(min(depth, len(relevant))))
    return sum(gains) / best


def recall_in_tokens(
    ranked: Sequence[str], relevant: Collection[str], words: Mapping[str, int], budget: int
) -> float:
    """Share of the answers in what fits a budget of tokens, taken in order up to the first miss."""
    spent = accumulate(words[id_] / WORDS_PER_TOKEN for id_ in ranked)
    fitting = sum(1 for _ in takewhile(lambda tokens: tokens <= budget, spent))
    return recall(ranked, relevant, fitting)


def fuse_ranks(rankings: Sequence[Sequence[str]], constant: int = 60) -> list[str]:
    """Fuse rankings with equal weight by the sum of their reciprocal ranks."""
    scores: dict[str, float] = {}
    for ranking in rankings:
        for place, id_ in enumerate(ranking, 1):
            scores[id_] = scores.get(id_, 0.0) + 1 / (constant + place)
    return sorted(scores, key=lambda id_: -scores[id_])


def mean(values: Sequence[float]) -> float:
    """The average; 0 of nothing."""
    return sum(values) / len(values) if values else 0.0


def percentile(values: Sequence[float], share: float) -> float:
    """The value below which a share of the values lies, between neighbours in proportion."""
    ordered = sorted(values)
    place = share * (len(ordered) - 1)
    low = math.floor(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)
