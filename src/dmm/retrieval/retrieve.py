"""Retrieval as one step: which memories speak to a request, best first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dmm.domain.pack import shown_path
from dmm.index.analysis import weigh_query
from dmm.retrieval.assemble import Ranked
from dmm.retrieval.rank import rank
from dmm.retrieval.search import eligible, find

if TYPE_CHECKING:
    import datetime as dt

    from numpy.typing import NDArray

    from dmm.config import RetrievalConfig
    from dmm.domain.pack import QueryRequest
    from dmm.index.snapshot import Snapshot
    from dmm.retrieval.rank import Ranking
    from dmm.retrieval.search import Found


@dataclass(frozen=True, slots=True)
class Retrieval:
    """The candidates in rank order, and the directories that were preferred."""

    ranked: list[Ranked]
    directories: tuple[tuple[str, float], ...]
    considered: int


def retrieve(
    snapshot: Snapshot,
    request: QueryRequest,
    vector: NDArray[np.float32] | None,
    day: dt.date,
    settings: RetrievalConfig,
) -> Retrieval:
    """Find and rank the candidates of a request; without a vector the keywords decide alone."""
    allowed = eligible(snapshot, request, day)
    found = find(snapshot, weigh_query(request.query), vector, allowed)
    ranking = rank(snapshot, found, request.query, day, top_directories=settings.top_k_directories)
    order = np.argsort(-ranking.score.round(6), kind="stable")
    if not request.explain:
        # Only an explained answer needs the lines of those that can't be served anyway.
        order = order[ranking.relevant[order]][: settings.max_candidates]
    ranked = list(_lines(snapshot, found, ranking, order))
    return Retrieval(ranked, ranking.directories, len(found.rows))


def _lines(
    snapshot: Snapshot, found: Found, ranking: Ranking, order: NDArray[np.intp]
) -> list[Ranked]:
    """Give each candidate its own line of figures."""
    rows = found.rows[order].tolist()
    parts = {name: part[order].tolist() for name, part in ranking.parts.items()}
    scores, relevant = ranking.score[order].tolist(), ranking.relevant[order].tolist()
    tokens = snapshot.columns.tokens[found.rows[order]].tolist()
    near, word = found.by_similarity[order].tolist(), found.by_keywords[order].tolist()
    return [
        Ranked(
            row=row,
            path=shown_path(snapshot.places[row].path, snapshot.places[row].origin),
            title=snapshot.places[row].title,
            lanes=(("similarity",) if near[n] else ()) + (("keywords",) if word[n] else ()),
            parts={name: values[n] for name, values in parts.items()},
            score=scores[n],
            tokens=tokens[n],
            relevant=relevant[n],
        )
        for n, row in enumerate(rows)
    ]
