"""The inverted index: for each term, the rows that contain it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dmm.index.splice import GONE

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from dmm.index.records import Terms
    from dmm.index.splice import Splice

_HALF = np.uint64(32)
_LOW_BITS = np.uint64(0xFFFFFFFF)


class Postings(NamedTuple):
    """Hashed terms in order, how many memories hold each, and these below each other.

    `lengths` tells for every memory how much text it has.
    """

    terms: NDArray[np.uint32]
    counts: NDArray[np.intp]
    owners: NDArray[np.int32]
    weights: NDArray[np.float16]
    lengths: NDArray[np.float32]

    def spliced(self, splice: Splice, fresh: Iterable[Terms]) -> Postings:
        """Return the postings of other memories: those that stay, and fresh ones."""
        owners, weights, counts = self._without_gone(splice)
        flat = _flatten(fresh)
        order = np.argsort(flat.hashes, kind="stable")
        hashes = flat.hashes[order]
        new = np.setdiff1d(hashes, self.terms)
        terms, counts = _insert(self.terms, counts, new)
        # Behind the others that hold the term.
        at = np.searchsorted(terms, hashes)
        places = np.cumsum(counts)[at] if len(at) else at
        owners = np.insert(owners, places, np.repeat(splice.fresh, flat.counts)[order])
        weights = np.insert(weights, places, flat.weights[order])
        np.add.at(counts, at, 1)
        held = counts > 0
        lengths = splice.carry(self.lengths, flat.lengths)
        return Postings(terms[held], counts[held], owners, weights, lengths)

    def _without_gone(
        self, splice: Splice
    ) -> tuple[NDArray[np.int32], NDArray[np.float16], NDArray[np.intp]]:
        owners, counts = splice.moved[self.owners], self.counts
        if not len(owners) or not (splice.moved == GONE).any():
            return owners, self.weights, counts
        stays = owners != GONE
        starts = np.cumsum(counts) - counts
        counts = np.add.reduceat(stays, starts, dtype=np.intp)
        return owners[stays], self.weights[stays], counts


def gather(documents: Iterable[Terms]) -> Postings:
    """Invert the terms of memories that come one after the other."""
    flat = _flatten(documents)
    # Sorted as one array of numbers, hash before place: several times as quick as an argsort.
    keys = flat.hashes.astype(np.uint64) << _HALF
    keys |= np.arange(len(keys), dtype=np.uint64)
    keys.sort()
    hashes = (keys >> _HALF).astype(np.uint32)
    keys &= _LOW_BITS
    order = keys.view(np.int64)
    begins = np.flatnonzero(np.append(True, hashes[1:] != hashes[:-1])[: len(hashes)])
    owners = np.repeat(np.arange(len(flat.counts), dtype=np.int32), flat.counts)
    return Postings(
        terms=hashes[begins],
        counts=np.diff(begins, append=len(hashes)),
        owners=owners[order],
        weights=flat.weights[order],
        lengths=flat.lengths,
    )


def _insert(
    terms: NDArray[np.uint32], counts: NDArray[np.intp], new: NDArray[np.uint32]
) -> tuple[NDArray[np.uint32], NDArray[np.intp]]:
    """Insert new terms where they belong."""
    places = np.searchsorted(terms, new)
    return np.insert(terms, places, new), np.insert(counts, places, 0)


class _Flat(NamedTuple):
    """The terms of several memories below each other."""

    hashes: NDArray[np.uint32]
    weights: NDArray[np.float16]
    counts: NDArray[np.intp]
    lengths: NDArray[np.float32]


def _flatten(documents: Iterable[Terms]) -> _Flat:
    hashes, weights, counts, lengths = bytearray(), bytearray(), [], []
    for document in documents:
        hashes += document.hashes
        weights += document.weights
        counts.append(len(document.hashes) // 4)
        lengths.append(document.length)
    return _Flat(
        np.frombuffer(hashes, np.uint32),
        np.frombuffer(weights, np.float16),
        np.array(counts, np.intp),
        np.array(lengths, np.float32),
    )
