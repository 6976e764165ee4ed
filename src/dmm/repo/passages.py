"""The lines of a chunk that match a question, and their definition."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from dmm.files.citations import digest
from dmm.index.analysis import analyze

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from dmm.repo.records import Chunk, Symbol

WINDOW = 8
LONGEST = 60
SHOWN = 24
LONG = 500

_CONTAINERS = frozenset(("class", "interface", "module", "type"))


class Passage(NamedTuple):
    """A range of lines, its hash, and the symbol it belongs to."""

    start: int
    end: int
    hash: str
    symbol: str | None


def whole(chunk: Chunk) -> Passage:
    """The chunk as it is, where its file can't be read any more."""
    return Passage(chunk.start, chunk.end, chunk.digest, None)


def narrow(
    lines: Sequence[str], chunk: Chunk, symbols: Sequence[Symbol], worth: Mapping[str, float]
) -> Passage:
    """Find the densest lines of a chunk; a definition of fair length around them is taken whole."""
    at = chunk.start + _densest(lines[chunk.start - 1 : chunk.end], worth)
    around = [s for s in symbols if s.start <= at <= s.end and s.kind != "constant"]
    inner = min(around, key=lambda s: (s.end - s.start, s.start), default=None)
    first, last = (1, len(lines)) if inner is None else (inner.start, min(inner.end, len(lines)))
    if last - first >= LONGEST:
        middle = max(first, at - SHOWN // 3)
        first, last = middle, min(last, middle + SHOWN - 1)
    elif inner is None:
        first, last = chunk.start, min(chunk.end, len(lines))
    return Passage(first, last, digest(lines[first - 1 : last]), _qualified(inner, around))


def _densest(lines: Sequence[str], worth: Mapping[str, float]) -> int:
    """Find the best line of the few lines that together hold the most of what is asked."""
    held = [set(analyze(line[:LONG])) & worth.keys() for line in lines]
    windows = [set().union(*held[at : at + WINDOW]) for at in range(len(held))]
    start = _best([_sum(window, worth) for window in windows])
    return start + _best([_sum(terms, worth) for terms in held[start : start + WINDOW]])


def _sum(terms: set[str], worth: Mapping[str, float]) -> float:
    return math.fsum(worth[term] for term in terms)


def _best(values: Sequence[float]) -> int:
    return max(range(len(values)), key=lambda at: (values[at], -at), default=0)


def _qualified(inner: Symbol | None, around: Sequence[Symbol]) -> str | None:
    if inner is None:
        return None
    outer = [s for s in around if s is not inner and s.kind in _CONTAINERS and s.end >= inner.end]
    names = [s.name for s in sorted(outer, key=lambda s: s.start - s.end)]
    return ".".join((*names[-1:], inner.name))
