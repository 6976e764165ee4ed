"""Find candidates by similarity and by keywords."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from dmm.domain.memory import Scope
from dmm.index.snapshot import SCOPES

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from dmm.domain.pack import QueryRequest
    from dmm.index.lexical import LexicalScores
    from dmm.index.snapshot import Snapshot

    Floats = NDArray[np.float32]
    Flags = NDArray[np.bool_]
    Rows = NDArray[np.intp]

LANE = 200


@dataclass(frozen=True, slots=True)
class Found:
    """What a query found: candidate rows in order, and for all memories the scores known so far.

    `signs` is about directories: how much of the query each says of itself.
    """

    rows: Rows
    allowed: Flags
    lexical: LexicalScores
    similarity: Floats
    vector: Floats | None
    by_similarity: Flags
    by_keywords: Flags
    signs: Floats


def eligible(
    snapshot: Snapshot, request: QueryRequest, day: dt.date, only: Sequence[bool] | None = None
) -> Flags:
    """Mark the memories a request may be given; the baseline is given anyway.

    `only` narrows them further, by a flag for each.
    """
    columns = snapshot.columns
    allowed = columns.scope != SCOPES.index(Scope.BASELINE)
    allowed &= columns.expires >= day.toordinal()
    if not request.include_deprecated:
        allowed &= columns.in_force
    if request.scope is not None:
        allowed &= columns.scope == SCOPES.index(request.scope)
    if request.exclude_ephemeral:
        allowed &= columns.scope != SCOPES.index(Scope.EPHEMERAL)
    if only is not None:
        allowed &= np.asarray(only, np.bool_)
    return np.asarray(allowed, np.bool_)


def find(
    snapshot: Snapshot, terms: Mapping[str, float], vector: Floats | None, allowed: Flags
) -> Found:
    """Search both lanes; every candidate of either has the scores of both."""
    lexical = snapshot.lexical.score(terms)
    by_keywords = np.zeros(len(snapshot), np.bool_)
    by_keywords[_best(np.where(allowed, lexical.bm25, np.float32(0.0)))] = True
    by_similarity = np.zeros(len(snapshot), np.bool_)
    similarity = np.full(len(snapshot), -1.0, np.float32)
    if snapshot.vectors is None:
        vector = None
    elif vector is not None:
        near, values = snapshot.vectors.nearest(vector, LANE, allowed)
        by_similarity[near] = True
        similarity[near] = values
    found = Found(
        rows=np.flatnonzero(by_similarity),
        allowed=allowed,
        lexical=lexical,
        similarity=similarity,
        vector=vector,
        by_similarity=by_similarity,
        by_keywords=by_keywords,
        signs=snapshot.signs.score(terms).coverage,
    )
    return widen(snapshot, found, np.flatnonzero(by_keywords))


def widen(snapshot: Snapshot, found: Found, rows: Rows) -> Found:
    """Add allowed memories to the candidates, with the similarity they have."""
    held = np.zeros(len(snapshot), np.bool_)
    held[found.rows] = True
    fresh = rows[found.allowed[rows] & ~held[rows]]
    if not len(fresh):
        return found
    if found.vector is not None and snapshot.vectors is not None:
        found.similarity[fresh] = snapshot.vectors.similarities(found.vector, fresh)
    held[fresh] = True
    return replace(found, rows=np.flatnonzero(held))


def _best(scores: Floats) -> Rows:
    """Pick the rows with the highest positive scores."""
    many = len(scores) > LANE
    rows = np.argpartition(-scores, LANE)[:LANE] if many else np.arange(len(scores))
    return rows[scores[rows] > 0].astype(np.intp)
