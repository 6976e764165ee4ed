"""Rank files for a question by several signals with measured weights."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dmm.index.lexical import K1, B, hash_term
from dmm.repo.records import Kind

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from dmm.repo.question import Question
    from dmm.repo.records import Chunk
    from dmm.repo.snapshot import Snapshot
    from dmm.repo.store import RepoStore

    Floats = NDArray[np.float64]

# What a sign counts; all of them lie between 0 and 1. Fitted and rounded, and checked by leaving
# one repository after the other out. Whole files only choose whose chunks are looked at: beside
# the chunks they add nothing, nor do files changed together or files of one folder.
WEIGHTS = {"chunks": 4.0, "names": 1.0, "mention": 0.5, "imported": 1.25, "history": 0.2}
NAMES_OF_IMPORTER = 0.3
CANDIDATES = 200
# The files nearest to the question in meaning are candidates beside these.
NEAREST = 200
# Added to each place when orders are merged, so that the first two places differ little.
EVEN = 20
BEST_CHUNKS = (1.0, 0.5, 0.25)
BEST_COMMITS = 30
OF_KIND = {
    Kind.SOURCE: 1.0,
    Kind.TEST: 0.6,
    Kind.DOCUMENT: 0.6,
    Kind.OTHER: 0.6,
    Kind.FOREIGN: 0.3,
}


@dataclass(frozen=True, slots=True)
class Ranking:
    """The signs of every file, their sum, and the best chunks of those that came into question."""

    signs: dict[str, Floats]
    total: Floats
    chunks: dict[int, list[Chunk]]

    def order(self) -> list[int]:
        """Rows of all files that have any sign, best first; equal ones in path order."""
        rows = np.lexsort((np.arange(len(self.total)), -self.total))
        return [row for row in rows.tolist() if self.total[row] > 0]


def rank(
    question: Question, snapshot: Snapshot, store: RepoStore, also: Sequence[int] = ()
) -> Ranking:
    """Rank all files for a question; the chunks of `also` are looked at in any case."""
    if not snapshot.paths:
        return Ranking({}, np.zeros(0), {})
    weights = _kind_weights(question, snapshot)
    whole = _even(snapshot.terms.score(question.terms).bm25 * weights)
    names = _even(snapshot.names.score(question.terms).bm25 * weights)
    mention = np.zeros(len(weights))
    for row, weight in snapshot.mentioned.find(question).items():
        mention[row] = weight
    rows = np.argsort(-(whole + names + mention), kind="stable")[:CANDIDATES].tolist()
    rows = list(dict.fromkeys((*rows, *also)))
    scored, best = _score_chunks(question.terms, rows, snapshot, store)
    chunks = _even(scored * weights)
    signs = {
        "chunks": chunks,
        "names": names,
        "mention": mention,
        "imported": _imported(_even(chunks + whole + NAMES_OF_IMPORTER * names), snapshot),
        "history": _even(_history(question.terms, snapshot) * weights),
    }
    total = sum((weight * signs[name] for name, weight in WEIGHTS.items()), np.zeros(len(weights)))
    return Ranking(signs, total / sum(WEIGHTS.values()), best)


def merge(*orders: Sequence[int]) -> list[int]:
    """Merge orders into one: what is far up in one, or in several, comes first."""
    worth: dict[int, float] = {}
    for order in orders:
        for place, row in enumerate(order):
            worth[row] = worth.get(row, 0.0) + 1 / (EVEN + place)
    return sorted(worth, key=lambda row: (-worth[row], row))


def _kind_weights(question: Question, snapshot: Snapshot) -> Floats:
    of_kind = dict(OF_KIND)
    if question.about_tests:
        of_kind[Kind.TEST] = 1.0
    if question.about_documents:
        of_kind[Kind.DOCUMENT] = 1.0
    return np.array([of_kind[kind] for kind in snapshot.kinds])


def _even(scores: NDArray[np.floating]) -> Floats:
    """Scale scores to 0..1."""
    most = float(scores.max())
    return scores.astype(np.float64) / most if most > 0 else scores.astype(np.float64)


def _imported(base: Floats, snapshot: Snapshot) -> Floats:
    """Files that relevant ones import may hold the matter; tests import a bit of everything."""
    reached = np.zeros(len(base))
    tests = np.array([kind is Kind.TEST for kind in snapshot.kinds])
    counted = ~tests[snapshot.importers]
    importers, imported = snapshot.importers[counted], snapshot.imported[counted]
    np.maximum.at(reached, imported, base[importers] ** 2)
    return reached


def _history(terms: Mapping[str, float], snapshot: Snapshot) -> Floats:
    """Files that were changed by commits whose messages are like the question."""
    found = np.zeros(len(snapshot.paths))
    if not snapshot.touched:
        return found
    scores = snapshot.messages.score(terms).bm25
    for place in np.argsort(-scores, kind="stable")[:BEST_COMMITS].tolist():
        rows = snapshot.touched[place]
        found[list(rows)] += float(scores[place]) / max(1, len(rows)) ** 0.5
    return found


def _score_chunks(
    terms: Mapping[str, float], rows: Sequence[int], snapshot: Snapshot, store: RepoStore
) -> tuple[Floats, dict[int, list[Chunk]]]:
    """Score the chunks of some files: the best ones count, and are where evidence is looked for."""
    row_of = {snapshot.ids[row]: row for row in rows}
    found = store.chunks(sorted(row_of))
    values = chunk_scores([chunk for _, chunk in found], terms, snapshot.terms.rarities(terms))
    by_row: dict[int, list[tuple[float, int, Chunk]]] = {}
    for (content, chunk), value in zip(found, values.tolist(), strict=True):
        by_row.setdefault(row_of[content], []).append((-value, chunk.start, chunk))
    scored = np.zeros(len(snapshot.paths))
    best = {}
    for row, chunks in by_row.items():
        chunks.sort(key=lambda one: one[:2])
        best[row] = [chunk for _, _, chunk in chunks[: len(BEST_CHUNKS)]]
        pairs = zip(chunks, BEST_CHUNKS, strict=False)
        scored[row] = sum(-value * share for (value, _, _), share in pairs)
    return scored, best


def chunk_scores(
    chunks: Sequence[Chunk], terms: Mapping[str, float], rarities: Mapping[str, float]
) -> Floats:
    """Score chunks by BM25 with the rarities of the whole repository."""
    if not chunks or not rarities:
        return np.zeros(len(chunks))
    wanted = sorted((hash_term(term), terms[term] * rarity) for term, rarity in rarities.items())
    keys = np.array([key for key, _ in wanted], np.uint32)
    worth = np.array([value for _, value in wanted])
    hashes = np.frombuffer(b"".join(chunk.terms.hashes for chunk in chunks), np.uint32)
    counts = np.frombuffer(b"".join(chunk.terms.weights for chunk in chunks), np.float16)
    sizes = [len(chunk.terms.hashes) // 4 for chunk in chunks]
    owners = np.repeat(np.arange(len(chunks)), sizes)
    places = np.minimum(np.searchsorted(keys, hashes), len(keys) - 1)
    known = keys[places] == hashes
    owners, places, found = owners[known], places[known], counts[known].astype(np.float64)
    lengths = np.array([chunk.terms.length for chunk in chunks])
    norms = K1 * (1 - B + B * lengths / (lengths.mean() or 1.0))
    gains = worth[places] * (K1 + 1) * found / (found + norms[owners])
    return np.bincount(owners, gains, len(chunks)).astype(np.float64)
