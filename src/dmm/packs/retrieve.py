"""Retrieve the memories relevant to a request, best first."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import compress, product
from typing import TYPE_CHECKING

import numpy as np

from dmm.domain.pack import shown_path
from dmm.domain.receipt_payload import MOST_EXCLUDED
from dmm.index.analysis import content_words, names_identifier, weigh_query
from dmm.packs.assemble import Ranked
from dmm.packs.rank import rank
from dmm.packs.scoped import Aim
from dmm.packs.search import eligible, find
from dmm.text.stem import stem

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Callable, Collection, Sequence

    from numpy.typing import NDArray

    from dmm.config import RetrievalConfig
    from dmm.domain.pack import QueryRequest
    from dmm.index.snapshot import Place, Snapshot
    from dmm.packs.rank import Ranking

# So many common words say what a request is about; a rare one says as much as two of them.
WORDS_NEEDED = 3
RARE_WORD = 2
NO_AIM = Aim()


def weigh_words(
    query: str, is_common: Callable[[str], bool], unknown: Collection[str] = ()
) -> float:
    """Return how much the words of a query prove, from 0 to 1: those of "fix it" fit everything.

    `unknown` are terms that no memory has: what a query is about may be just that.
    """
    if names_identifier(query):
        return 1.0
    words = [word for word in content_words(query) if stem(word) not in unknown][:WORDS_NEEDED]
    said = sum(1 if is_common(word) else RARE_WORD for word in words)
    return min(1.0, said / WORDS_NEEDED)


@dataclass(frozen=True, slots=True)
class Retrieval:
    """The candidates in rank order, and the directories that were preferred.

    `ranked` may be served; `others` are too weak or too many: the best, or all to be explained.
    """

    ranked: list[Ranked]
    others: list[Ranked]
    directories: tuple[tuple[str, float], ...]
    considered: int


def retrieve(
    snapshot: Snapshot,
    request: QueryRequest,
    vector: NDArray[np.float32] | None,
    day: dt.date,
    settings: RetrievalConfig,
    is_word: Callable[[str], bool],
    only: Sequence[bool] | None = None,
    aim: Aim = NO_AIM,
    is_common: Callable[[str], bool] | None = None,
) -> Retrieval:
    """Find and rank the candidates of a request; without a vector the keywords decide alone.

    `is_word` knows common words, which are never taken for a slip in writing a name. `only` has a
    flag for each memory that may be found, `aim` are those about the files the request names and
    those about others. `is_common` knows words that fit many requests; without it, words prove all.
    """
    allowed = eligible(snapshot, request, day, only)
    found = find(snapshot, weigh_query(request.query), vector, allowed)
    said = 1.0
    if is_common is not None:
        said = weigh_words(request.query, is_common, found.lexical.unknown)
    ranking = rank(
        snapshot,
        found,
        request.query,
        day,
        named=snapshot.names.find(
            request.query, lambda word: stem(word) not in found.lexical.unknown or is_word(word)
        ),
        said=said,
        about=_rows(snapshot, aim.about),
        elsewhere=_rows(snapshot, aim.elsewhere),
        precise=request.precise,
        top_directories=settings.top_k_directories,
    )
    order = np.argsort(-ranking.score.round(6), kind="stable")
    served = order[ranking.relevant[order]][: settings.max_candidates]
    others = order[~np.isin(order, served)][: None if request.explain else MOST_EXCLUDED]
    return Retrieval(
        ranked=_lines(snapshot, ranking, served, explain=request.explain),
        others=_lines(snapshot, ranking, others, explain=request.explain),
        directories=ranking.directories,
        considered=len(ranking.found.rows),
    )


def _rows(snapshot: Snapshot, places: Collection[Place]) -> list[int]:
    return [n for n, place in enumerate(snapshot.places) if place in places] if places else []


def _lines(
    snapshot: Snapshot, ranking: Ranking, order: NDArray[np.intp], *, explain: bool
) -> list[Ranked]:
    """Return one line of figures per candidate, with the parts on request."""
    found = ranking.found
    rows = found.rows[order].tolist()
    parts: list[dict[str, float]] = [{}] * len(rows)
    if explain:
        columns = [part[order].tolist() for part in ranking.parts.values()]
        parts = [
            dict(zip(ranking.parts, values, strict=True)) for values in zip(*columns, strict=True)
        ]
    figures = zip(
        rows,
        parts,
        ranking.score[order].tolist(),
        snapshot.columns.tokens[rows].tolist(),
        ranking.relevant[order].tolist(),
        found.by_similarity[rows].tolist(),
        found.by_keywords[rows].tolist(),
        ranking.parts["named"][order].tolist(),
        strict=True,
    )
    return [
        Ranked(
            row,
            shown_path(place.path, place.origin),
            place.title,
            _LANES[near, word, named > 0],
            own,
            score,
            tokens,
            relevant,
        )
        for row, own, score, tokens, relevant, near, word, named in figures
        for place in (snapshot.places[row],)
    ]


def _name_lanes(*taken: bool) -> tuple[str, ...]:
    """Name the ways that led to a candidate; one that only stands beside others has no own."""
    ways = ("similarity", "keywords", "name")
    return tuple(compress(ways, taken)) or ("neighbours",)


_LANES = {taken: _name_lanes(*taken) for taken in product((False, True), repeat=3)}
