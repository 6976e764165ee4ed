"""Which passages are near to a query: vectors as bytes in a table, compared one by one.

This is exact, and the same on every database. PostgreSQL with pgvector has a way of its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dmm.index.windows import compare

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from dmm.team.chain import LogName
    from dmm.team.database import Row, Rows, Spot

# So many windows are in memory at once, however many a project has.
AT_ONCE = 2_000
ADD = "INSERT INTO passage_vector VALUES (?, ?, ?, ?, ?)"
CLEAR = "DELETE FROM {table} WHERE team_id = ? AND project_id = ?"
DROP = f"{CLEAR} AND seq IN ({{places}})"
PAGE = """
SELECT seq, part, vector FROM passage_vector
WHERE team_id = ? AND project_id = ? AND (seq, part) > (?, ?) ORDER BY seq, part LIMIT ?
"""
CHOSEN = """
SELECT project_id, seq, vector FROM passage_vector
WHERE team_id = ? AND (project_id, seq) IN (VALUES {places})
"""


class TableVectors:
    """Vectors in a table of their own."""

    table: str

    def drop(self, rows: Rows, log: LogName, seqs: Sequence[int]) -> None:
        """Forget those of passages."""
        rows(DROP.format(table=self.table, places=fill("?", seqs)), *log, *seqs)

    def clear(self, rows: Rows, log: LogName) -> None:
        """Forget those of a project."""
        rows(CLEAR.format(table=self.table), *log)


class StoredVectors(TableVectors):
    """Vectors as bytes; every one of the projects is read and compared."""

    name, table = "bytes", "passage_vector"

    def add(self, rows: Rows, log: LogName, seq: int, windows: Sequence[bytes]) -> None:
        """Keep those of a passage."""
        for part, window in enumerate(windows):
            rows(ADD, *log, seq, part, window)

    def nearest(
        self, rows: Rows, team: str, projects: Mapping[str, int], query: bytes, most: int
    ) -> dict[Spot, float]:
        """Find the most similar passages of projects, of which each has so many windows."""
        best: dict[Spot, float] = {}
        for project in projects:
            for page in _turn_pages(rows, team, project):
                # A passage that falls out here comes back only by a window that is nearer.
                found = keep_best(_compare(query, page), best)
                best = choose(found, most)
        return best

    def similarities(
        self, rows: Rows, team: str, spots: Sequence[Spot], query: bytes
    ) -> dict[Spot, float]:
        """Return how similar given passages are."""
        found = rows(CHOSEN.format(places=fill("(?, ?)", spots)), team, *flatten(spots))
        return keep_best(_compare(query, found))

    def settle(self, log: LogName, windows: int, size: int) -> None:
        """Do nothing: all are compared, however many there are."""


def fill(place: str, values: Sequence[object]) -> str:
    """Repeat a place for values, for a statement."""
    return ", ".join([place] * len(values))


def flatten(spots: Iterable[Spot]) -> list[str | int]:
    """List the values of spots in a row."""
    return [value for spot in spots for value in spot]


def keep_best(
    found: Iterable[tuple[str, int, float]], before: Mapping[Spot, float] | None = None
) -> dict[Spot, float]:
    """Return the similarity of each passage: that of its best window."""
    best = dict(before or {})
    for project, seq, value in found:
        spot = project, seq
        best[spot] = max(value, best.get(spot, -1.0))
    return best


def choose(similarity: Mapping[Spot, float], most: int) -> dict[Spot, float]:
    """Return the most similar passages, the best first."""
    order = sorted(similarity, key=lambda spot: (-similarity[spot], spot))[:most]
    return {spot: similarity[spot] for spot in order}


def _turn_pages(rows: Rows, team: str, project: str) -> Iterator[list[Row]]:
    """Yield the windows of a project in pages."""
    seq = part = -1
    while found := rows(PAGE, team, project, seq, part, AT_ONCE):
        seq, part = int(found[-1][0]), int(found[-1][1])
        yield [(project, one[0], one[2]) for one in found]
        if len(found) < AT_ONCE:
            return


def _compare(query: bytes, found: Sequence[Row]) -> Iterator[tuple[str, int, float]]:
    values = compare(query, [bytes(window) for _, _, window in found])
    for (project, seq, _), value in zip(found, values, strict=True):
        yield str(project), int(seq), value
