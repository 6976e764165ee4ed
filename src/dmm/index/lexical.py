"""Keyword search: BM25 over weighted terms, held as sorted arrays."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dmm.index.postings import gather
from dmm.index.records import Terms

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray

    from dmm.index.postings import Postings
    from dmm.index.splice import Splice

    Floats = NDArray[np.float32]

K1 = 1.5
B = 0.75


@dataclass(frozen=True, slots=True)
class LexicalScores:
    """How well every memory matches a query by its words, free of the query's length.

    `bm25` is BM25 over the sum of the query's rarities, `coverage` the share of that sum whose
    terms the memory contains; `unknown` are terms that no memory contains.
    """

    bm25: Floats
    coverage: Floats
    unknown: frozenset[str]


def pack_terms(weights: Mapping[str, float]) -> Terms:
    """Hash weighted terms for storing; two terms that share a hash count as one."""
    hashes = np.array([hash_term(term) for term in weights], np.uint32)
    values = np.fromiter(weights.values(), np.float32, len(weights))
    order = np.argsort(hashes, kind="stable")
    length = float(values.sum())
    return Terms(hashes[order].tobytes(), values[order].astype(np.float16).tobytes(), length)


def hash_term(term: str) -> int:
    """Hash a term the same way on every machine."""
    return zlib.crc32(term.encode())


@dataclass(frozen=True, slots=True)
class Unread:
    """Files that are not indexed yet: how many, and about how many of them hold each term."""

    files: int
    holding: Mapping[str, float]


_NONE = Unread(0, {})


class LexicalIndex:
    """An inverted index over the terms of all memories."""

    def __init__(
        self,
        documents: Iterable[Terms] = (),
        postings: Postings | None = None,
        unread: Unread = _NONE,
    ) -> None:
        self._postings = gather(documents) if postings is None else postings
        self.unread = unread
        self._ends = np.cumsum(self._postings.counts)
        lengths = self._postings.lengths
        mean = float(lengths.mean()) if len(lengths) else 1.0
        self._norms = (K1 * (1 - B + B * lengths / (mean or 1.0))).astype(np.float32)

    def amid(self, unread: Unread) -> LexicalIndex:
        """Return this index with the rarity that terms have among the unread files too."""
        return LexicalIndex(postings=self._postings, unread=unread)

    def spliced(self, splice: Splice, fresh: Iterable[Terms]) -> LexicalIndex:
        """Return the index of other memories: those that stay, and fresh ones."""
        return LexicalIndex(postings=self._postings.spliced(splice, fresh))

    def score(self, terms: Mapping[str, float]) -> LexicalScores:
        """Score every memory against the weighted terms of a query."""
        held = self._postings
        bm25 = np.zeros(len(held.lengths), np.float32)
        coverage = np.zeros(len(held.lengths), np.float32)
        total = 0.0
        unknown = set()
        for (term, weight), span in zip(terms.items(), self._spans(terms), strict=True):
            containing = span.stop - span.start + self.unread.holding.get(term, 0.0)
            rarity = weight * self._idf(containing)
            total += rarity
            if span.start == span.stop:
                unknown.add(term)
                continue
            rows = held.owners[span]
            found = held.weights[span].astype(np.float32)
            bm25[rows] += rarity * (K1 + 1) * found / (found + self._norms[rows])
            coverage[rows] += rarity
        if total:
            bm25 /= total
            coverage /= total
        return LexicalScores(bm25, coverage, frozenset(unknown))

    def _spans(self, terms: Mapping[str, float]) -> list[slice]:
        """Look up where the memories that contain each term are listed."""
        hashes = np.array([hash_term(term) for term in terms], np.uint32)
        places = np.searchsorted(self._postings.terms, hashes).tolist()
        return [self._span(at, value) for at, value in zip(places, hashes.tolist(), strict=True)]

    def _span(self, at: int, value: int) -> slice:
        terms, counts, *_ = self._postings
        if at == len(terms) or int(terms[at]) != value:
            return slice(0, 0)
        end = int(self._ends[at])
        return slice(end - int(counts[at]), end)

    def _idf(self, containing: float) -> float:
        size = len(self._norms) + self.unread.files
        return float(np.log1p((size - containing + 0.5) / (containing + 0.5)))
