"""The repository index in memory, ready to search."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dmm.index.derived_file import intact
from dmm.index.lexical import LexicalIndex
from dmm.index.vectors import NO_VECTORS, SCALE, VectorIndex
from dmm.repo import graph
from dmm.repo.mentions import Names
from dmm.repo.records import Kind, Neighbour

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from numpy.typing import NDArray

    from dmm.index.vectors import Floats
    from dmm.repo.store import RepoStore

MOST_NEIGHBOURS = 20
FEWEST_CHANGES = 2
# A term that this share of its files define names with counts fully, another less, down to this.
OFTEN, LEAST = 0.1, 0.2


class RareTerms(LexicalIndex):
    """Keyword search that also tells how rare terms are."""

    def rarities(self, terms: Mapping[str, float]) -> dict[str, float]:
        """Return how rare each term is among all files; one that is nowhere is left out."""
        return {term: self._idf(count) for term, count in self.count(terms).items() if count}

    def count(self, terms: Mapping[str, float]) -> dict[str, int]:
        """Count the files that hold each term."""
        spans = zip(terms, self._spans(terms), strict=True)
        return {term: span.stop - span.start for term, span in spans}


@dataclass(frozen=True, slots=True)
class Snapshot:
    """All files in path order, their keyword indexes, ties and history."""

    generation: int
    ids: tuple[int, ...]
    paths: tuple[str, ...]
    blobs: tuple[str, ...]
    kinds: tuple[Kind, ...]
    terms: RareTerms
    names: RareTerms
    mentioned: Names
    importers: NDArray[np.int32]
    imported: NDArray[np.int32]
    messages: LexicalIndex
    touched: tuple[tuple[int, ...], ...]
    commits: tuple[str, ...]
    meanings: VectorIndex | None
    model: str | None

    def weigh(self, terms: Mapping[str, float]) -> dict[str, float]:
        """Weigh terms by how rare they are and how often files that hold them define such names.

        What code is about is called so in it; the words around it in a question stand in comments.
        """
        held, named = self.terms.count(terms), self.names.count(terms)
        rarities = self.terms.rarities(terms)
        return {
            term: rarity * max(LEAST, min(1.0, named[term] / held[term] / OFTEN))
            for term, rarity in rarities.items()
        }

    def nearest(self, vector: Floats, wanted: int) -> list[int]:
        """List the files whose meaning is nearest, best first."""
        if self.meanings is None:
            return []
        rows, near = self.meanings.nearest(vector, wanted, np.ones(len(self.paths), bool))
        return [int(row) for row in rows[np.lexsort((rows, -near))]]

    def liken(self, vector: Floats, paths: Collection[str]) -> dict[str, float]:
        """Return how near the meaning of some files is, by path."""
        if self.meanings is None:
            return {}
        rows = np.array([row for row, path in enumerate(self.paths) if path in paths], np.intp)
        near = self.meanings.similarities(vector, rows)
        found = zip(rows.tolist(), near.tolist(), strict=True)
        return {self.paths[row]: value for row, value in found if value > NO_VECTORS}

    def changes(
        self, terms: Mapping[str, float], paths: Collection[str], most: int
    ) -> dict[str, list[str]]:
        """Return the commits to some files whose messages are most like a question, by path."""
        if not self.commits:
            return {}
        scores = self.messages.score(terms).bm25
        rows = {row: path for row, path in enumerate(self.paths) if path in paths}
        found: dict[str, list[str]] = {}
        for place in np.argsort(-scores, kind="stable")[: np.count_nonzero(scores > 0)].tolist():
            for path in (rows[row] for row in self.touched[place] if row in rows):
                if len(found.setdefault(path, [])) < most:
                    found[path].append(self.commits[place])
        return found

    def neighbours(self, path: str) -> list[Neighbour]:
        """Return which files a file imports, is imported by, and was changed with."""
        if path not in self.paths:
            return []
        row = self.paths.index(path)
        found = [
            *self._tied("imports", self.imported[self.importers == row]),
            *self._tied("imported by", self.importers[self.imported == row]),
            *self._changed_with(row),
        ]
        return sorted(found, key=lambda one: (one.tie, -one.weight, one.path))

    def _tied(self, tie: str, rows: NDArray[np.int32]) -> list[Neighbour]:
        return [Neighbour(self.paths[row], tie, 1.0) for row in rows.tolist()]

    def _changed_with(self, row: int) -> list[Neighbour]:
        counts = graph.changed_together(self.touched, row)
        total = max(1, sum(row in rows for rows in self.touched))
        often = [(n, other) for other, n in counts.items() if n >= FEWEST_CHANGES]
        best = sorted(often, key=lambda one: (-one[0], self.paths[one[1]]))[:MOST_NEIGHBOURS]
        return [Neighbour(self.paths[o], "changed with", round(n / total, 3)) for n, o in best]


def load(store: RepoStore) -> Snapshot:
    """Read all that searching needs."""
    generation = store.generation()
    rows = list(store.rows())
    paths = tuple(row.path for row in rows)
    known = {path: row for row, path in enumerate(paths)}
    ties = graph.import_ties(paths, [row.imports for row in rows])
    history = [
        (name, files, terms)
        for name, files, terms in store.commits()
        if not known.keys().isdisjoint(files)
    ]
    with intact(store.where):
        return Snapshot(
            generation=generation,
            ids=tuple(row.id for row in rows),
            paths=paths,
            blobs=tuple(row.blob for row in rows),
            kinds=tuple(Kind(row.kind) for row in rows),
            terms=RareTerms(row.terms for row in rows),
            names=RareTerms(row.names for row in rows),
            mentioned=Names(paths),
            importers=np.array([one for one, _ in ties], np.int32),
            imported=np.array([other for _, other in ties], np.int32),
            messages=LexicalIndex(terms for _, _, terms in history),
            touched=tuple(tuple(known[f] for f in files if f in known) for _, files, _ in history),
            commits=tuple(name for name, _, _ in history),
            meanings=_read_meanings([row.meaning or b"" for row in rows]),
            model=store.meta("model"),
        )


def _read_meanings(stored: Sequence[bytes]) -> VectorIndex | None:
    """Read the vectors of all files; one that has none has no bytes."""
    longest = max(map(len, stored), default=0)
    return VectorIndex(stored, longest - SCALE, floats=False) if longest else None
