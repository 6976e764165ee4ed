"""Search what teams have shared: by words and by similarity, within the projects one may read.

Evidence is that of the local search: the similarity of the best window plus what the words prove.
The words are read in stages: those that few passages hold find candidates, and the others only
score what was found.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import accumulate, groupby
from typing import TYPE_CHECKING

from dmm.index.analysis import analyze, content_words, weigh_query
from dmm.index.lexical import K1, B, hash_term
from dmm.index.windows import embed_words
from dmm.packs.rank import ITEM_FLOOR, QUERY_FLOOR, WORDS_WEIGHT
from dmm.team.answers import Answer, Hit
from dmm.team.indexed import AT_ONCE, Extent
from dmm.team.nearness import fill, flatten

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from dmm.team.chain import LogName
    from dmm.team.database import Row, Rows, Spot
    from dmm.team.indexed import TeamIndex

# So many are taken of each way to be scored in full.
CANDIDATES = 50
# The rarest words of a query find candidates, as long as they are in so few passages together.
MOST_POSTINGS = 5_000

EXTENTS = """
SELECT project.project_id, project.seq, indexing.seq, version, passages, length, windows
FROM project LEFT JOIN indexing ON indexing.team_id = project.team_id
    AND indexing.project_id = project.project_id
WHERE project.team_id = ? AND project.project_id IN ({places})
"""
HOLDING = """
SELECT term, count(*) FROM posting
WHERE team_id = ? AND project_id IN ({projects}) AND term IN ({terms}) GROUP BY term
"""
POSTINGS = """
SELECT posting.project_id, posting.seq, term, weight, length FROM posting
JOIN passage ON passage.team_id = posting.team_id AND passage.project_id = posting.project_id
    AND passage.seq = posting.seq
WHERE posting.team_id = ? AND posting.project_id IN ({projects}) AND term IN ({terms})
ORDER BY term, posting.project_id, posting.seq DESC LIMIT ?
"""
WEIGHTS = """
SELECT project_id, seq, term, weight FROM posting
WHERE team_id = ? AND term IN ({terms}) AND (project_id, seq) IN (VALUES {spots})
"""
PASSAGES = """
SELECT passage.project_id, passage.seq, type, passage.writer, name, at, text, length FROM passage
JOIN writer ON writer.team_id = passage.team_id AND writer.project_id = passage.project_id
    AND writer.writer = passage.writer
WHERE passage.team_id = ? AND (passage.project_id, passage.seq) IN (VALUES {spots})
"""


@dataclass(frozen=True, slots=True)
class _Query:
    vector: bytes
    terms: Mapping[int, str]
    # As they are written, each with its terms.
    words: Mapping[str, frozenset[str]]

    @classmethod
    def of(cls, text: str, vector: bytes) -> _Query:
        terms = {hash_term(term): term for term in weigh_query(text)}
        return cls(vector, terms, {one: frozenset(analyze(one)) for one in content_words(text)})


@dataclass(frozen=True, slots=True)
class _Words:
    """How rare each term of a query is in some projects, and how long a passage is there."""

    rarity: Mapping[int, float]
    mean: float
    held: Mapping[int, int]

    def score(self, found: Mapping[int, int], length: int) -> tuple[float, float]:
        """Return BM25 and coverage of a passage, free of the query's length."""
        total = sum(self.rarity.values())
        if not total:
            return 0.0, 0.0
        norm = K1 * (1 - B + B * length / self.mean)
        bm25 = sum(self.rarity[term] * (K1 + 1) * n / (n + norm) for term, n in found.items())
        return bm25 / total, sum(self.rarity[term] for term in found) / total


def find(index: TeamIndex, logs: Collection[LogName], text: str, most: int) -> Answer:
    """Search some projects; whoever calls says which ones may be read."""
    embedder = index.load()
    query = _Query.of(text, embed_words(embedder, text))
    version = index.version(embedder)
    hits: list[Hit] = []
    behind = 0
    for team, named in groupby(sorted(set(logs)), key=lambda log: log[0]):
        projects = [project for _, project in named]
        _catch_up(index, team, projects, version)
        with index.database.reading(team) as rows:
            extents, missing = _read_extents(rows, team, projects, version)
            behind += sum(missing.values())
            hits += _find_in_team(index, rows, team, extents, query)
    best = max((one.score for one in hits), default=0.0)
    kept = [one for one in hits if one.score >= ITEM_FLOOR] if best >= QUERY_FLOOR else []
    kept.sort(key=lambda one: (-one.score, one.team, one.project, -one.seq))
    ranked = (replace(one, rank=place) for place, one in enumerate(kept[:most], 1))
    return Answer(tuple(ranked), tuple(sorted("/".join(log) for log in set(logs))), behind)


def _catch_up(index: TeamIndex, team: str, projects: Sequence[str], version: str) -> None:
    """Index what little is missing, so that what was just shared is found."""
    with index.database.reading(team) as rows:
        _, missing = _read_extents(rows, team, projects, version)
    left = AT_ONCE
    for project, behind in missing.items():
        if 0 < behind <= left:
            left -= behind
            index.update((team, project))


def _read_extents(
    rows: Rows, team: str, projects: Sequence[str], version: str
) -> tuple[dict[str, Extent], dict[str, int]]:
    """Return how much of projects is indexed, where anything is, and how many events are not."""
    found = rows(EXTENTS.format(places=fill("?", projects)), team, *projects)
    known = {row[0]: Extent(*row[2:]) if row[3] == version else Extent() for row in found}
    missing = {project: seq - known[project].seq for project, seq, *_ in found}
    return {project: one for project, one in known.items() if one.passages}, missing


def _find_in_team(
    index: TeamIndex, rows: Rows, team: str, extents: Mapping[str, Extent], query: _Query
) -> list[Hit]:
    projects = list(extents)
    if not projects:
        return []
    words = _read_words(rows, team, extents, query)
    windows = {project: one.windows for project, one in extents.items()}
    near = index.vectors.nearest(rows, team, windows, query.vector, CANDIDATES)
    spots = sorted({*near, *_find_by_words(rows, team, projects, words)})
    if not spots:
        return []
    others = [spot for spot in spots if spot not in near]
    if others:
        near |= index.vectors.similarities(rows, team, others, query.vector)
    weights = _read_weights(rows, team, words, spots)
    found = rows(PASSAGES.format(spots=fill("(?, ?)", spots)), team, *flatten(spots))
    return [_judge(team, row, query, words, weights, near) for row in found]


def _read_words(rows: Rows, team: str, extents: Mapping[str, Extent], query: _Query) -> _Words:
    """Count in how many passages each term of the query is."""
    size = sum(one.passages for one in extents.values())
    mean = sum(one.length for one in extents.values()) / size or 1.0
    held = dict.fromkeys(query.terms, 0)
    if held:
        projects = list(extents)
        places = {"projects": fill("?", projects), "terms": fill("?", tuple(held))}
        held |= {
            int(term): int(count)
            for term, count in rows(HOLDING.format(**places), team, *projects, *held)
        }
    # More may be indexed between the two reads than the first has counted.
    rarity = {term: math.log1p(max(0.0, (size - n + 0.5) / (n + 0.5))) for term, n in held.items()}
    return _Words(rarity, mean, held)


def _find_by_words(rows: Rows, team: str, projects: Sequence[str], words: _Words) -> list[Spot]:
    """Find passages by the rarest of the words; the others say too little to be looked for."""
    known = sorted((n, term) for term, n in words.held.items() if n)
    sums = list(accumulate(n for n, _ in known))
    rare = [term for (_, term), so_far in zip(known, sums, strict=True) if so_far <= MOST_POSTINGS]
    rare = rare or [term for _, term in known[:1]]
    if not rare:
        return []
    places = {"projects": fill("?", projects), "terms": fill("?", rare)}
    found: dict[Spot, dict[int, int]] = {}
    lengths: dict[Spot, int] = {}
    statement = POSTINGS.format(**places)
    for project, seq, term, weight, length in rows(
        statement, team, *projects, *rare, MOST_POSTINGS
    ):
        found.setdefault((project, int(seq)), {})[int(term)] = int(weight)
        lengths[project, int(seq)] = int(length)
    score = {spot: sum(words.score(held, lengths[spot])) for spot, held in found.items()}
    return sorted(score, key=lambda spot: (-score[spot], spot))[:CANDIDATES]


def _read_weights(
    rows: Rows, team: str, words: _Words, spots: Sequence[Spot]
) -> dict[Spot, dict[int, int]]:
    """Read how often candidates hold each term of the query."""
    known = [term for term, n in words.held.items() if n]
    weights: dict[Spot, dict[int, int]] = {spot: {} for spot in spots}
    if known:
        places = {"terms": fill("?", known), "spots": fill("(?, ?)", spots)}
        found = rows(WEIGHTS.format(**places), team, *known, *flatten(spots))
        for project, seq, term, weight in found:
            weights[project, int(seq)][int(term)] = int(weight)
    return weights


def _judge(
    team: str,
    row: Row,
    query: _Query,
    words: _Words,
    weights: Mapping[Spot, Mapping[int, int]],
    near: Mapping[Spot, float],
) -> Hit:
    project, seq, kind, writer, name, at, text, length = row
    spot = project, int(seq)
    bm25, coverage = words.score(weights[spot], int(length))
    similarity = max(0.0, near.get(spot, 0.0))
    return Hit(
        rank=0,
        team=team,
        project=project,
        seq=int(seq),
        type=kind,
        writer=writer,
        name=name,
        at=at,
        text=text,
        lanes=("similarity",) * (similarity >= ITEM_FLOOR) + ("keywords",) * bool(weights[spot]),
        words=_spell_words(query, weights[spot]),
        similarity=round(similarity, 4),
        bm25=round(bm25, 4),
        coverage=round(coverage, 4),
        score=round(similarity + WORDS_WEIGHT * (bm25 + coverage), 4),
    )


def _spell_words(query: _Query, found: Iterable[int]) -> tuple[str, ...]:
    """Return the words of a query that a passage holds, as the query writes them."""
    terms = {query.terms[term] for term in found}
    return tuple(word for word, own in query.words.items() if own & terms)
