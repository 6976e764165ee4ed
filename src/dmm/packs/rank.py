"""Score candidates: evidence, neighbours, folders and what the memory claims.

Evidence is absolute: the similarity of the best window plus what the words of the query prove. A
query whose words are not found leaves the word to the similarity, and the other way round, so no
weight has to be chosen per query. The figures behind the constants are in docs/benchmarks.md.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from dmm.domain.memory import Confidence, Scope
from dmm.index.analysis import names_identifier
from dmm.index.snapshot import CONFIDENCES, SCOPES
from dmm.index.vectors import NO_VECTORS
from dmm.packs import route
from dmm.packs.search import widen
from dmm.packs.sequence import follow_each_other

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Collection, Sequence

    from numpy.typing import NDArray

    from dmm.index.snapshot import Snapshot
    from dmm.packs.assemble import Ranked
    from dmm.packs.search import Found

    Floats = NDArray[np.float32]
    Flags = NDArray[np.bool_]
    Rows = NDArray[np.intp]

WORDS_WEIGHT = 0.25
# To name a file that a memory is about proves as much as to share all words with it.
FILES_WEIGHT = WORDS_WEIGHT
ELSEWHERE_WEIGHT = FILES_WEIGHT / 2
CODE_FROM, CODE_TO, CODE_CUT, CODE_SAMPLE = 0.03, 0.07, 0.9, 20
PREVIOUS_WEIGHT, NEXT_WEIGHT = 0.5, 0.4
SHORT_WORDS = 80
NOISE_RANK = 100
WIDENED_BY, WIDENED_WORDS = 64, 160

QUERY_FLOOR, ITEM_FLOOR = 0.40, 0.20
# A memory that is not cheap to read must be worth so much of the best one.
COSTLY_SHARE, CHEAP_WORDS = 0.4, 40
PRECISE_FLOOR, PRECISE_SHARE = 0.60, 0.80
# So many stay in a pack though the baseline is nearer to the task.
BEST_KEPT = 2

PRIORITY_WEIGHT, CONFIDENCE_WEIGHT, RECENCY_WEIGHT = 0.10, 0.06, 0.04
RECENT_DAYS = 90.0
STALE_FACTOR = 0.8
_TRUST = {Confidence.STABLE: 1.0, Confidence.ACTIVE: 0.8, Confidence.EXPERIMENTAL: 0.5}
_TRUST_OF = np.array([_TRUST.get(word, 0.0) for word in CONFIDENCES], np.float32)


@dataclass(frozen=True, slots=True)
class Ranking:
    """The candidates, their scores and the parts these are made of, all in row order."""

    found: Found
    score: Floats
    relevant: Flags
    parts: dict[str, Floats]
    directories: tuple[tuple[str, float], ...]


def rank(
    snapshot: Snapshot,
    found: Found,
    query: str,
    day: dt.date,
    *,
    named: set[int],
    about: Collection[int] = (),
    elsewhere: Collection[int] = (),
    said: float = 1.0,
    precise: bool = False,
    top_directories: int = 3,
) -> Ranking:
    """Score every candidate; `named` are memories that the query calls by name.

    `about` are those whose files it names, `elsewhere` those about other files. `said` is how much
    its words prove: those of a vague query rank, but what is served must be similar too.
    """
    code = _code_share(snapshot, found, query)
    words_weight = WORDS_WEIGHT * (1 - CODE_CUT * code)
    found = _widened(snapshot, found, named.union(about), words_weight)
    rows = found.rows
    here, there = np.isin(rows, list(about)), np.isin(rows, list(elsewhere))
    files = np.asarray(FILES_WEIGHT * here - ELSEWHERE_WEIGHT * there, np.float32)
    evidence = _evidence(found, words_weight) + files
    raised = evidence + (1 - code) * _neighbours(snapshot, rows, evidence)
    folders = route.score(snapshot, found, raised)
    placed = raised + route.pull(snapshot, found, folders)
    claims = _claims(snapshot, rows, day)
    called = np.isin(rows, list(named))
    parts = _match(found) | {
        "evidence": evidence,
        "neighbours": raised - evidence,
        "directory": placed - raised,
        "named": called.astype(np.float32),
        "claims": claims,
    }
    if about or elsewhere:
        parts["files"] = files
    proved = evidence - (1 - said) * words_weight * _words(found)
    cheap = _shortness(snapshot, rows, CHEAP_WORDS)
    sure = _certain(evidence, said) if precise else _relevant(proved, placed, cheap)
    sure &= _adds(placed, sure, _given(snapshot, found, words_weight))
    return Ranking(
        found=found,
        score=np.asarray(_squash(placed) * claims, np.float32),
        relevant=called | sure,
        parts=parts,
        directories=route.prefer(snapshot, folders, top_directories),
    )


def _widened(snapshot: Snapshot, found: Found, called: Collection[int], weight: float) -> Found:
    """Add what the query calls, and what stands beside the best."""
    found = widen(snapshot, found, np.array(sorted(called), np.intp))
    return widen(snapshot, found, _beside(snapshot, found, _evidence(found, weight)))


def _match(found: Found) -> dict[str, Floats]:
    """Return how well each candidate matches, by similarity and by words."""
    return {
        "similarity": _similarity(found),
        "bm25": found.lexical.bm25[found.rows],
        "coverage": found.lexical.coverage[found.rows],
    }


def _similarity(found: Found) -> Floats:
    """Return the similarities; a memory that waits for its vectors is judged by its words alone."""
    if found.vector is None:
        return np.zeros(len(found.rows), np.float32)
    known = found.similarity[found.rows]
    return np.where(known <= NO_VECTORS, np.float32(0.0), known)


def _words(found: Found) -> Floats:
    return np.asarray(found.lexical.bm25[found.rows] + found.lexical.coverage[found.rows])


def _evidence(found: Found, words_weight: float) -> Floats:
    return np.asarray(_similarity(found) + words_weight * _words(found), np.float32)


def _given(snapshot: Snapshot, found: Found, words_weight: float) -> float:
    """Return how well the best of the baseline matches, which the agent has anyway.

    Ground rules are near to many tasks; what is no nearer than they are is near by chance.
    """
    columns = snapshot.columns
    always = (columns.scope == SCOPES.index(Scope.BASELINE)) & columns.in_force
    rows = np.flatnonzero(always)
    if not len(rows):
        return -np.inf
    if found.vector is not None and snapshot.vectors is not None:
        found.similarity[rows] = snapshot.vectors.similarities(found.vector, rows)
    return float(_evidence(replace(found, rows=rows), words_weight).max())


def _adds(placed: Floats, sure: Flags, given: float) -> Flags:
    """Mark what is nearer to the task than the baseline is, and the best two in any case.

    A ground rule about the very subject must not push the memories about it out of the pack.
    """
    best = np.argsort(-np.where(sure, placed, -np.inf), kind="stable")[:BEST_KEPT]
    nearer = placed >= given
    nearer[best] = True
    return nearer


def _relevant(evidence: Floats, placed: Floats, cheap: Floats) -> Flags:
    """Mark what is worth reading where it stands; if nothing at all stands out, nothing is.

    What a memory must prove grows with what it costs to read, up to a share of the best.
    """
    if not len(evidence) or float(evidence.max()) < QUERY_FLOOR:
        return np.zeros(len(evidence), np.bool_)
    wanted = COSTLY_SHARE * (1 - cheap) * float(placed.max())
    return np.asarray(placed >= np.maximum(ITEM_FLOOR, wanted), np.bool_)


def _certain(evidence: Floats, said: float) -> Flags:
    """Mark what is worth reading even if being wrong costs more than being silent."""
    if said < 1:
        return np.zeros(len(evidence), np.bool_)
    best = float(evidence.max()) if len(evidence) else 0.0
    return np.asarray(evidence >= max(PRECISE_FLOOR, PRECISE_SHARE * best), np.bool_)


def _code_share(snapshot: Snapshot, found: Found, query: str) -> float:
    """Return how much of what the query is nearest to is code, where shared words prove little.

    A query that names an identifier keeps its words: there they prove much.
    """
    if found.vector is None or not len(found.rows) or names_identifier(query):
        return 0.0
    nearest = np.argsort(-found.similarity[found.rows], kind="stable")[:CODE_SAMPLE]
    density = float(snapshot.columns.code_density[found.rows[nearest]].mean())
    return min(1.0, max(0.0, (density - CODE_FROM) / (CODE_TO - CODE_FROM)))


def _beside(snapshot: Snapshot, found: Found, evidence: Floats) -> Rows:
    """Name the short memories written just before and after the best candidates."""
    best = found.rows[np.argsort(-evidence, kind="stable")[:WIDENED_BY]]
    directory = snapshot.columns.directory
    near = np.concatenate([best - 1, best + 1])
    own = np.concatenate([best, best])
    inside = (near >= 0) & (near < len(snapshot))
    near, own = near[inside], own[inside]
    short = snapshot.columns.words[near] <= WIDENED_WORDS
    fit = short & (directory[near] == directory[own])
    near, own = near[fit], own[fit]
    beside = near[follow_each_other(snapshot, np.minimum(near, own), np.maximum(near, own))]
    # Not np.unique: for one call it would load the whole of numpy.ma.
    return np.array(sorted(set(beside.tolist())), np.intp)


def _neighbours(snapshot: Snapshot, rows: Rows, evidence: Floats) -> Floats:
    """Lift short memories beside strong ones: a turn of talk needs the turns around it.

    Only names that are numbered one after the other say that memories belong together: sections of
    one document are sorted by their titles. Pieces of code beside each other tell nothing either.
    """
    if len(rows) < 2:
        return np.zeros(len(rows), np.float32)
    last = min(NOISE_RANK, len(rows)) - 1
    noise = -np.partition(-evidence, last)[last]
    directory = snapshot.columns.directory[rows]
    beside = (rows[1:] - rows[:-1] == 1) & (directory[1:] == directory[:-1])
    near = np.flatnonzero(beside)
    beside[near] = follow_each_other(snapshot, rows[near], rows[near + 1])
    above = np.zeros(len(rows), np.float32)
    below = np.zeros(len(rows), np.float32)
    above[1:] = np.where(beside, PREVIOUS_WEIGHT * (evidence[:-1] - noise), 0.0)
    below[:-1] = np.where(beside, NEXT_WEIGHT * (evidence[1:] - noise), 0.0)
    lift = np.maximum(0.0, np.maximum(above, below))
    return np.asarray(lift * _shortness(snapshot, rows, SHORT_WORDS), np.float32)


def _shortness(snapshot: Snapshot, rows: Rows, words: int) -> Floats:
    """Return 1 for what is much shorter than so many words, near 0 for what is much longer."""
    return np.asarray(1 / (1 + (snapshot.columns.words[rows] / words) ** 2), np.float32)


def _claims(snapshot: Snapshot, rows: Rows, day: dt.date) -> Floats:
    """Weigh what a memory says of itself: priority, confidence, and how new it is."""
    columns = snapshot.columns
    age = np.maximum(0, day.toordinal() - columns.created[rows])
    claims = (
        PRIORITY_WEIGHT * columns.priority[rows]
        + CONFIDENCE_WEIGHT * _TRUST_OF[columns.confidence[rows]]
        + RECENCY_WEIGHT * np.exp(-age / RECENT_DAYS)
    )
    return np.asarray(1 - PRIORITY_WEIGHT - CONFIDENCE_WEIGHT - RECENCY_WEIGHT + claims, np.float32)


def _squash(evidence: Floats) -> Floats:
    """Scale evidence to 0..1; negative values become 0."""
    return np.asarray(1 - np.exp(-1.8 * np.maximum(evidence, 0.0)), np.float32)


def demote(ranked: Sequence[Ranked], rows: set[int]) -> list[Ranked]:
    """Lower the score of memories whose cited code has changed, and sort again."""
    if not rows:
        return list(ranked)
    lowered = [
        one._replace(score=one.score * STALE_FACTOR, parts=one.parts | {"stale": STALE_FACTOR})
        if one.row in rows
        else one
        for one in ranked
    ]
    return sorted(lowered, key=lambda one: -one.score)
