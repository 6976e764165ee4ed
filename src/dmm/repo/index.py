"""The repository index: open, update, search."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from dmm.errors import IndexBroken
from dmm.files.citations import digest
from dmm.files.durable import translated
from dmm.index.derived_file import intact
from dmm.repo import meanings, passages, snapshot, study
from dmm.repo.question import read_question
from dmm.repo.ranking import NEAREST, WEIGHTS, merge, rank
from dmm.repo.records import Evidence, Kind
from dmm.repo.sources import WorkingTree
from dmm.repo.store import RepoStore
from dmm.repo.sync import Run
from dmm.storage.sqlite import LOGS

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence
    from pathlib import Path

    from dmm.embed.model import Embedder, Vectors
    from dmm.repo.meanings import Lacking
    from dmm.repo.ranking import Ranking
    from dmm.repo.records import Neighbour, RepoFile, RepoReport, Symbol
    from dmm.repo.snapshot import Snapshot
    from dmm.repo.sources import Source
    from dmm.repo.sync import Progress

T = TypeVar("T")

NAME = "repo.db"


class RepoIndex:
    """What is known of one repository; the file that holds it can be thrown away at any time."""

    def __init__(self, source: Source, path: Path | None) -> None:
        self.source = source
        self._path = path
        self._store = self._opened()
        self._snapshot: Snapshot | None = None
        self._model = ""

    @classmethod
    def open(cls, project: Path, store: Path | None) -> RepoIndex:
        """Open the knowledge of a project's working tree; without a store it lives in memory."""
        return cls(WorkingTree(project), store)

    def __enter__(self) -> RepoIndex:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._store.close()

    def sync(self, *, now_ns: int | None = None, progress: Progress | None = None) -> RepoReport:
        """Update what is known from the current files."""
        moment = time.time_ns() if now_ns is None else now_ns
        return self._mended(lambda: Run(self.source, self._store, moment, progress).carry_out())

    def find_lacking(self, embedder: Embedder) -> list[Lacking]:
        """List the code without a vector of this model; other vectors no longer count."""
        self._model = meanings.name_model(embedder)

        def look() -> list[Lacking]:
            self._store.choose_model(meanings.name_model(embedder))
            return self._store.lacking()

        return self._mended(look)

    def embed(self, batch: Sequence[Lacking], embedder: Embedder) -> None:
        """Make the vectors of some contents."""
        self._mended(lambda: meanings.embed(batch, self._store, self.source, embedder))

    def liken(self, vector: Vectors, paths: Collection[str]) -> dict[str, float]:
        """Return how near the meaning of some files is to a question, by path."""

        def look() -> dict[str, float]:
            state = self._state()
            with intact(self._store.where):
                return state.liken(vector, paths) if state.model == self._model else {}

        return self._mended(look)

    def search(
        self,
        question: str,
        limit: int = 10,
        under: str | None = None,
        kinds: Collection[Kind] | None = None,
        vector: Vectors | None = None,
    ) -> list[Evidence]:
        """Find the places that bear on a question, best first, at most one in each file.

        With the vector of the question, files near it in meaning are found, too.
        """

        def look() -> list[Evidence]:
            state = self._state()
            asked = read_question(question)
            worth = {
                term: rarity * asked.terms[term]
                for term, rarity in state.terms.rarities(asked.terms).items()
            }
            # Of words that no file has, what is nearest is near to nothing.
            near = self._nearest(vector, state) if worth and _has_meaning(kinds) else []
            ranking = rank(asked, state, self._store, near)
            order = merge(ranking.order(), near) if near else ranking.order()
            inside = f"{under.strip('/')}/" if under and under.strip("/") else ""
            rows = [
                row
                for row in order
                if f"{state.paths[row]}/".startswith(inside)
                and (not kinds or state.kinds[row] in kinds)
            ]
            return [self._evidence(row, ranking, state, worth) for row in rows[:limit]]

        return self._mended(look)

    def rank(self, question: str) -> list[str]:
        """List the paths of all files that bear on a question, best first, without their lines."""

        def look() -> list[str]:
            state = self._state()
            ranking = rank(read_question(question), state, self._store)
            return [state.paths[row] for row in ranking.order()]

        return self._mended(look)

    def changes(self, question: str, paths: Collection[str], most: int) -> dict[str, list[str]]:
        """Return what commits to some files say, of each those most like a question, by path."""

        def look() -> dict[str, list[str]]:
            return self._state().changes(read_question(question).terms, paths, most)

        found = self._mended(look)
        said = self.source.subjects(sorted({one for names in found.values() for one in names}))
        return {path: [said[one] for one in found[path] if one in said] for path in found}

    def weigh(self, question: str) -> dict[str, float]:
        """Return how much each term says of what a question is about; together they say 1."""

        def look() -> dict[str, float]:
            worth = self._state().weigh(read_question(question).terms)
            total = sum(worth.values())
            return {term: value / total for term, value in worth.items()}

        return self._mended(look)

    def find_unknown(self, words: Sequence[str]) -> list[str]:
        """List the words that no file contains; vendored files and lock files don't count."""

        def look() -> list[str]:
            state = self._state()
            own = np.array([kind is not Kind.FOREIGN for kind in state.kinds], bool)
            asked = {word: read_question(word).terms for word in words}
            return [
                word
                for word, terms in asked.items()
                if terms and not state.terms.score(terms).bm25[own].any()
            ]

        return self._mended(look)

    def excerpt(self, evidence: Evidence) -> str | None:
        """Read the lines of a piece of evidence; None where they are no longer as they were."""
        data = self.source.read(evidence.path, evidence.blob)
        lines = [] if data is None else study.lines_of(data)[evidence.start - 1 : evidence.end]
        return "\n".join(lines) if digest(lines) == evidence.hash else None

    def files(self) -> list[RepoFile]:
        """List all files that are indexed: their kinds, languages and lengths."""
        return self._mended(lambda: self._store.files())

    def symbols(self, name: str) -> list[Symbol]:
        """Find all definitions of a name."""
        return self._mended(lambda: self._store.symbols(name))

    def symbols_in(self, path: str) -> list[Symbol]:
        """List all definitions of a file."""
        return self._mended(lambda: self._store.symbols_in(path))

    def neighbours(self, path: str) -> list[Neighbour]:
        """Return which files a file imports, is imported by, and was changed with."""
        return self._mended(lambda: self._state().neighbours(path))

    def _nearest(self, vector: Vectors | None, state: Snapshot) -> list[int]:
        if vector is None or state.model != self._model:
            return []
        with intact(self._store.where):
            return state.nearest(vector, NEAREST)

    def _evidence(
        self, row: int, ranking: Ranking, state: Snapshot, worth: dict[str, float]
    ) -> Evidence:
        path, blob = state.paths[row], state.blobs[row]
        chunks = ranking.chunks.get(row) or [self._store.chunks([state.ids[row]])[0][1]]
        data = self.source.read(path, blob)
        if data is None or study.blob_hash(data) != blob:
            passage = passages.whole(chunks[0])
        else:
            symbols = self._store.symbols_in(path)
            passage = passages.narrow(study.lines_of(data), chunks, symbols, worth, path)
        return Evidence(
            path=path,
            start=passage.start,
            end=passage.end,
            hash=passage.hash,
            blob=blob,
            kind=state.kinds[row],
            score=round(float(ranking.total[row]), 4),
            parts={name: round(float(ranking.signs[name][row]), 4) for name in WEIGHTS},
            symbol=passage.symbol,
        )

    def _state(self) -> Snapshot:
        if self._snapshot is None or self._snapshot.generation != self._store.generation():
            self._snapshot = snapshot.load(self._store)
        return self._snapshot

    def _mended(self, action: Callable[[], T]) -> T:
        """Run an operation; on a damaged file, rebuild it and run again."""
        try:
            return action()
        except IndexBroken:
            self._store.close()
            self._discard()
            self._store = RepoStore.open(self._path)
            self._snapshot = None
            Run(self.source, self._store, time.time_ns()).carry_out()
            return action()

    def _opened(self) -> RepoStore:
        try:
            return RepoStore.open(self._path)
        except IndexBroken:
            self._discard()
            return RepoStore.open(self._path)

    def _discard(self) -> None:
        if self._path is None:
            return
        for suffix in ("", *LOGS):
            target = self._path.with_name(self._path.name + suffix)
            with translated(target, "delete the damaged index"):
                target.unlink(missing_ok=True)


def _has_meaning(kinds: Collection[Kind] | None) -> bool:
    """Return whether files of some kinds have vectors."""
    return not kinds or Kind.SOURCE in kinds or Kind.OTHER in kinds
