"""The index of a project on the server: a projection of its log, which can be deleted at any time.

It is filled a few events at a time, beside the log and never in the transaction of a push.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dmm.errors import ModelUnavailable, TeamError
from dmm.index.analysis import VERSION as ANALYSIS
from dmm.index.analysis import count_terms
from dmm.index.lexical import hash_term
from dmm.index.windows import embed_text
from dmm.team.chain import Placed
from dmm.team.nearness import CLEAR, fill
from dmm.team.passages import VERSION, fold_passages
from dmm.team.stored import HEAD, PAGE

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from dmm.embed.model import Embedder
    from dmm.team.chain import LogName
    from dmm.team.database import Database, Rows, Vectors
    from dmm.team.passages import Passage

# So many events are indexed in one go; a stop of the server waits for no more of them.
AT_ONCE = 32
BEGIN = "INSERT INTO indexing VALUES (?, ?, 0, ?, 0, 0, 0) ON CONFLICT DO NOTHING"
STATE = """
SELECT seq, version, passages, length, windows FROM indexing WHERE team_id = ? AND project_id = ?
"""
# Setting a row to what it is takes its lock, as with a push.
LOCK = """
UPDATE indexing SET seq = seq WHERE team_id = ? AND project_id = ?
RETURNING seq, version, passages, length, windows
"""
MOVE = """
UPDATE indexing SET seq = ?, passages = ?, length = ?, windows = ?
WHERE team_id = ? AND project_id = ?
"""
ADD = "INSERT INTO passage VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
ADD_POSTINGS = "INSERT INTO posting VALUES {places}"
DROP = """
DELETE FROM passage WHERE team_id = ? AND project_id = ? AND key IN ({places})
RETURNING seq, text, length, windows
"""
DROP_POSTINGS = """
DELETE FROM posting WHERE team_id = ? AND project_id = ? AND term IN ({places}) AND seq = ?
"""
RESET = """
UPDATE indexing SET seq = 0, version = ?, passages = 0, length = 0, windows = 0
WHERE team_id = ? AND project_id = ?
"""
FORGET = "DELETE FROM indexing WHERE team_id = ? AND project_id = ?"
# Vectors as bytes are left over where pgvector came later.
TABLES = ("passage", "posting", "passage_vector")


@dataclass(frozen=True, slots=True)
class Extent:
    """How far an index is: the last event it holds, and how much there is of it."""

    seq: int = 0
    version: str = ""
    passages: int = 0
    length: int = 0
    windows: int = 0

    def plus(self, passages: int, length: int, windows: int) -> Extent:
        """Return it with so much more."""
        sums = (self.passages + passages, self.length + length, self.windows + windows)
        return Extent(self.seq, self.version, *sums)


@dataclass(frozen=True, slots=True)
class TeamIndex:
    """The indexes of all projects of a server."""

    database: Database
    model: Callable[[], Embedder]

    @property
    def vectors(self) -> Vectors:
        """Where the vectors are."""
        return self.database.vectors

    def load(self) -> Embedder:
        """Return the embedding model; TeamError where the server has none that runs."""
        try:
            return self.model()
        except ModelUnavailable as error:
            hint = "on the server: reinstall dynamic-markdown-memory"
            raise TeamError("model", f"the server can't search: {error}", hint=hint) from error

    def version(self, embedder: Embedder) -> str:
        """Name all that an index depends on; one of another version is made anew."""
        return f"{VERSION}/{ANALYSIS}/{embedder.identity}/{self.vectors.name}"

    def update(self, log: LogName, most: int = AT_ONCE) -> int:
        """Index the next events of a project; return how many are left after them."""
        embedder = self.load()
        version = self.version(embedder)
        with self.database.transaction(log[0]) as rows:
            extent = self._open(rows, log, version)
            head = rows(HEAD, *log)
            end = int(head[0][0]) if head else 0
            found = rows(PAGE, *log, extent.seq, end, most)
        if not found:
            return 0
        changes = fold_passages(map(Placed.read, found))
        # Outside of any transaction: this is what takes the time.
        windows = {
            one.seq: embed_text(embedder, one.text) for one in changes.values() if one is not None
        }
        last = int(found[-1][0])
        with self.database.transaction(log[0]) as rows:
            now = read_extent(rows(LOCK, *log))
            if now != extent:
                # Somebody else was quicker.
                return max(0, end - now.seq)
            extent = self._apply(rows, log, now, changes, windows)
            counts = (extent.passages, extent.length, extent.windows)
            rows(MOVE, last, *counts, *log)
        return end - last

    def settle(self, log: LogName) -> None:
        """Prepare for the size of a project; this may take minutes, so no search does it."""
        with self.database.transaction(log[0]) as rows:
            extent = read_extent(rows(STATE, *log))
        self.vectors.settle(log, extent.windows, self.load().dimensions)

    def fill(self, log: LogName) -> Extent:
        """Index a project to the end of its log; return how far that is."""
        while self.update(log):
            continue
        self.settle(log)
        with self.database.transaction(log[0]) as rows:
            return read_extent(rows(STATE, *log))

    def delete(self, log: LogName) -> None:
        """Delete the index of a project."""
        with self.database.transaction(log[0]) as rows:
            _hold(rows, log)
            self._clear(rows, log)
            rows(FORGET, *log)

    def _clear(self, rows: Rows, log: LogName) -> None:
        self.vectors.clear(rows, log)
        for table in TABLES:
            rows(CLEAR.format(table=table), *log)

    def _open(self, rows: Rows, log: LogName, version: str) -> Extent:
        """Read how far an index is; one of another version is deleted first."""
        found = read_extent(rows(STATE, *log))
        if found.version == version:
            return found
        found = _hold(rows, log, version)
        if found.version == version:
            # Somebody else was quicker.
            return found
        self._clear(rows, log)
        rows(RESET, version, *log)
        return Extent(version=version)

    def _apply(
        self,
        rows: Rows,
        log: LogName,
        before: Extent,
        changes: Mapping[str, Passage | None],
        windows: Mapping[int, Sequence[bytes]],
    ) -> Extent:
        """Write changes; return how much there is then."""
        extent = before
        drop = DROP.format(places=fill("?", tuple(changes)))
        gone = rows(drop, *log, *changes) if changes else []
        if gone:
            self.vectors.drop(rows, log, [int(row[0]) for row in gone])
        for seq, text, length, parts in gone:
            terms = sorted(set(map(hash_term, count_terms(str(text)))))
            if terms:
                rows(DROP_POSTINGS.format(places=fill("?", terms)), *log, *terms, seq)
            extent = extent.plus(-1, -int(length), -int(parts))
        for one in changes.values():
            if one is not None:
                parts = windows[one.seq]
                self.vectors.add(rows, log, one.seq, parts)
                extent = extent.plus(1, _add(rows, log, one, len(parts)), len(parts))
        return extent


def read_extent(found: Sequence[tuple[object, ...]]) -> Extent:
    """Read the row of a project; there is none before its index was begun."""
    if not found:
        return Extent()
    seq, version, *more = found[0]
    return Extent(int(str(seq)), str(version), *(int(str(one)) for one in more))


def _hold(rows: Rows, log: LogName, version: str = "") -> Extent:
    """Lock the row of a project, made where there is none; nobody else changes its index then."""
    while not (found := rows(LOCK, *log)):
        rows(BEGIN, *log, version)
    return read_extent(found)


def _add(rows: Rows, log: LogName, one: Passage, windows: int) -> int:
    """Add a passage and its terms; return how many terms it has."""
    weights: Counter[int] = Counter()
    for term, count in count_terms(one.text).items():
        weights[hash_term(term)] += int(count)
    length = weights.total()
    rows(ADD, *log, one.seq, one.key, one.type, one.writer, one.at, one.text, length, windows)
    values: list[str | int] = []
    for hashed, weight in weights.items():
        values += (*log, hashed, one.seq, weight)
    if values:
        rows(ADD_POSTINGS.format(places=fill("(?, ?, ?, ?, ?)", tuple(weights))), *values)
    return length
