"""Find candidates: the most similar memories and the best keyword matches, with both scores."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dmm.domain.memory import Scope
from dmm.index.snapshot import SCOPES

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from dmm.domain.pack import QueryRequest
    from dmm.index.snapshot import Snapshot

    Floats = NDArray[np.float32]
    Flags = NDArray[np.bool_]
    Rows = NDArray[np.intp]

LANE = 200


@dataclass(frozen=True, slots=True)
class Found:
    """The candidates of one query, one array per property; `dense` is None without a model."""

    rows: Rows
    dense: Floats | None
    bm25: Floats
    coverage: Floats
    by_similarity: Flags
    by_keywords: Flags
    known: float


def eligible(snapshot: Snapshot, request: QueryRequest, day: dt.date) -> Flags:
    """Mark the memories a request may be given; the baseline is given anyway."""
    columns = snapshot.columns
    allowed = columns.scope != SCOPES.index(Scope.BASELINE)
    allowed &= columns.expires >= day.toordinal()
    if not request.include_deprecated:
        allowed &= columns.in_force
    if request.scope is not None:
        allowed &= columns.scope == SCOPES.index(request.scope)
    if request.exclude_ephemeral:
        allowed &= columns.scope != SCOPES.index(Scope.EPHEMERAL)
    return np.asarray(allowed, np.bool_)


def find(
    snapshot: Snapshot, terms: Mapping[str, float], vector: Floats | None, allowed: Flags
) -> Found:
    """Search both lanes and give every candidate of either the scores of both."""
    lexical = snapshot.lexical.score(terms)
    by_keywords = np.zeros(len(snapshot), np.bool_)
    by_keywords[_best(np.where(allowed, lexical.bm25, np.float32(0.0)))] = True
    by_similarity = np.zeros(len(snapshot), np.bool_)
    similarity = np.full(len(snapshot), -1.0, np.float32)
    searched = vector is not None and snapshot.vectors is not None
    if vector is not None and snapshot.vectors is not None:
        near, values = snapshot.vectors.nearest(vector, LANE, allowed)
        by_similarity[near] = True
        similarity[near] = values
        rest = np.flatnonzero(by_keywords & ~by_similarity)
        similarity[rest] = snapshot.vectors.similarities(vector, rest)
    rows = np.flatnonzero(by_keywords | by_similarity)
    return Found(
        rows=rows,
        dense=similarity[rows] if searched else None,
        bm25=lexical.bm25[rows],
        coverage=lexical.coverage[rows],
        by_similarity=by_similarity[rows],
        by_keywords=by_keywords[rows],
        known=lexical.known,
    )


def _best(scores: Floats) -> Rows:
    """Pick the rows with the highest positive scores."""
    many = len(scores) > LANE
    rows = np.argpartition(-scores, LANE)[:LANE] if many else np.arange(len(scores))
    return rows[scores[rows] > 0].astype(np.intp)
