"""Keyword search: BM25 over weighted terms, held as sorted arrays."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dmm.index.records import Terms

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray

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


class LexicalIndex:
    """An inverted index over the terms of all memories."""

    def __init__(self, documents: Iterable[Terms]) -> None:
        hash_bytes, weight_bytes, counts, lengths = bytearray(), bytearray(), [], []
        for document in documents:
            hash_bytes += document.hashes
            weight_bytes += document.weights
            counts.append(len(document.hashes) // 4)
            lengths.append(document.length)
        self._size = len(counts)
        hashes = np.frombuffer(hash_bytes, np.uint32)
        owners = np.repeat(np.arange(self._size, dtype=np.int32), counts)
        order = np.argsort(hashes, kind="stable")
        self._owners = owners[order]
        self._weights = np.frombuffer(weight_bytes, np.float16)[order]
        self._terms, self._starts = np.unique(hashes[order], return_index=True)
        self._ends = np.append(self._starts[1:], len(hashes))
        sizes = np.array(lengths, np.float32)
        mean = float(sizes.mean()) if self._size else 1.0
        self._norms = (K1 * (1 - B + B * sizes / (mean or 1.0))).astype(np.float32)

    def score(self, terms: Mapping[str, float]) -> LexicalScores:
        """Score every memory against the weighted terms of a query."""
        bm25 = np.zeros(self._size, np.float32)
        coverage = np.zeros(self._size, np.float32)
        total = 0.0
        unknown = set()
        for (term, weight), span in zip(terms.items(), self._spans(terms), strict=True):
            rarity = weight * self._idf(span.stop - span.start)
            total += rarity
            if span.start == span.stop:
                unknown.add(term)
                continue
            rows = self._owners[span]
            found = self._weights[span].astype(np.float32)
            bm25[rows] += rarity * (K1 + 1) * found / (found + self._norms[rows])
            coverage[rows] += rarity
        if total:
            bm25 /= total
            coverage /= total
        return LexicalScores(bm25, coverage, frozenset(unknown))

    def _spans(self, terms: Mapping[str, float]) -> list[slice]:
        """Look up where the memories that contain each term are listed."""
        hashes = np.array([hash_term(term) for term in terms], np.uint32)
        places = np.searchsorted(self._terms, hashes).tolist()
        return [self._span(at, value) for at, value in zip(places, hashes.tolist(), strict=True)]

    def _span(self, at: int, value: int) -> slice:
        if at == len(self._terms) or int(self._terms[at]) != value:
            return slice(0, 0)
        return slice(int(self._starts[at]), int(self._ends[at]))

    def _idf(self, containing: int) -> float:
        return float(np.log1p((self._size - containing + 0.5) / (containing + 0.5)))
