"""Score the candidates: evidence, neighbours, the pull of directories, what the memory claims.

Evidence is absolute: the similarity of the best window plus what the words of the query prove. A
query whose words are not found leaves the word for the similarity, and the other way round, so no
weight has to be chosen per query. The figures behind the constants are in docs/benchmarks.md.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from dmm.domain.memory import Confidence
from dmm.index.analysis import names_identifier
from dmm.index.snapshot import CONFIDENCES
from dmm.retrieval import route

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from dmm.index.snapshot import Snapshot
    from dmm.retrieval.assemble import Ranked
    from dmm.retrieval.search import Found

    Floats = NDArray[np.float32]

WORDS_WEIGHT = 0.25
CODE_FROM, CODE_TO, CODE_CUT, CODE_SAMPLE = 0.03, 0.07, 0.9, 20
PREVIOUS_WEIGHT, NEXT_WEIGHT = 0.5, 0.4
SHORT_WORDS = 80
NOISE_RANK = 100

QUERY_FLOOR = 0.45
ITEM_FLOOR = 0.30

PRIORITY_WEIGHT = 0.10
CONFIDENCE_WEIGHT = 0.06
RECENCY_WEIGHT = 0.04
RECENT_DAYS = 90.0
STALE_FACTOR = 0.8
_TRUST = {Confidence.STABLE: 1.0, Confidence.ACTIVE: 0.8, Confidence.EXPERIMENTAL: 0.5}
_TRUST_OF = np.array([_TRUST.get(word, 0.0) for word in CONFIDENCES], np.float32)


@dataclass(frozen=True, slots=True)
class Ranking:
    """The candidates' scores and the parts they are made of, in the order of the candidates."""

    score: Floats
    relevant: NDArray[np.bool_]
    parts: dict[str, Floats]
    directories: tuple[tuple[str, float], ...]


def rank(
    snapshot: Snapshot, found: Found, query: str, day: dt.date, *, top_directories: int
) -> Ranking:
    """Score every candidate."""
    columns, rows = snapshot.columns, found.rows
    similarity = np.zeros(len(rows), np.float32) if found.dense is None else found.dense
    words = found.bm25 + found.coverage
    words_weight = WORDS_WEIGHT * (1 - CODE_CUT * _code_share(snapshot, found, query))
    evidence = similarity + words_weight * words
    raised = evidence + _neighbours(snapshot, rows, evidence)
    pull = route.pull(columns.directory[rows], raised)
    claims = _claims(snapshot, rows, day)
    score = _squash(raised + pull) * claims
    relevant = evidence >= ITEM_FLOOR
    if not len(evidence) or float(evidence.max()) < QUERY_FLOOR:
        relevant[:] = False
    parts = {
        "similarity": similarity,
        "bm25": found.bm25,
        "coverage": found.coverage,
        "evidence": evidence,
        "neighbours": raised - evidence,
        "directory": pull,
        "claims": claims,
    }
    preferred = route.prefer(snapshot, rows, raised, top_directories)
    return Ranking(score.astype(np.float32), relevant, parts, preferred)


def _code_share(snapshot: Snapshot, found: Found, query: str) -> float:
    """Say how much of what the query is nearest to is code, where shared words prove little.

    A query that names an identifier keeps its words: there they prove much.
    """
    if found.dense is None or not len(found.rows) or names_identifier(query):
        return 0.0
    nearest = np.argsort(-found.dense, kind="stable")[:CODE_SAMPLE]
    density = float(snapshot.columns.code_density[found.rows[nearest]].mean())
    return min(1.0, max(0.0, (density - CODE_FROM) / (CODE_TO - CODE_FROM)))


def _neighbours(snapshot: Snapshot, rows: NDArray[np.intp], evidence: Floats) -> Floats:
    """Lift short memories beside strong ones: a turn of talk needs the turns around it."""
    if len(rows) < 2:
        return np.zeros(len(rows), np.float32)
    noise = -np.partition(-evidence, min(NOISE_RANK, len(rows)) - 1)[min(NOISE_RANK, len(rows)) - 1]
    directory = snapshot.columns.directory[rows]
    beside = (rows[1:] - rows[:-1] == 1) & (directory[1:] == directory[:-1])
    above = np.zeros(len(rows), np.float32)
    below = np.zeros(len(rows), np.float32)
    above[1:] = np.where(beside, PREVIOUS_WEIGHT * (evidence[:-1] - noise), 0.0)
    below[:-1] = np.where(beside, NEXT_WEIGHT * (evidence[1:] - noise), 0.0)
    shortness = 1 / (1 + (snapshot.columns.words[rows] / SHORT_WORDS) ** 2)
    return np.asarray(np.maximum(0.0, np.maximum(above, below)) * shortness, np.float32)


def _claims(snapshot: Snapshot, rows: NDArray[np.intp], day: dt.date) -> Floats:
    """Weigh what a memory says of itself: priority, confidence, and how new it is."""
    columns = snapshot.columns
    age = np.maximum(0, day.toordinal() - columns.created[rows])
    recency = np.exp(-age / RECENT_DAYS)
    claims = (
        PRIORITY_WEIGHT * columns.priority[rows]
        + CONFIDENCE_WEIGHT * _TRUST_OF[columns.confidence[rows]]
        + RECENCY_WEIGHT * recency
    )
    return np.asarray(1 - PRIORITY_WEIGHT - CONFIDENCE_WEIGHT - RECENCY_WEIGHT + claims, np.float32)


def _squash(evidence: Floats) -> Floats:
    """Bring evidence into 0 to 1 without changing its order."""
    return np.asarray(1 - np.exp(-1.8 * np.maximum(evidence, 0.0)), np.float32)


def demote(ranked: Sequence[Ranked], rows: set[int]) -> list[Ranked]:
    """Lower the score of memories whose cited code has changed, and sort again."""
    if not rows:
        return list(ranked)
    lowered = [
        replace(one, score=one.score * STALE_FACTOR, parts=one.parts | {"stale": STALE_FACTOR})
        if one.row in rows
        else one
        for one in ranked
    ]
    return sorted(lowered, key=lambda one: -one.score)
