"""What DMM is compared with: full-text search with OR, similarity alone, and their equal fusion."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import apsw
import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from bench.corpora import Text
    from dmm.index.snapshot import Snapshot

DEPTH = 1_000
_WORD = re.compile(r"\w+")


class FullText:
    """SQLite's FTS5 with its Porter stemmer: any word of the question, ordered by bm25()."""

    def __init__(self, texts: Sequence[Text]) -> None:
        self._ids = [text.id for text in texts]
        self._connection = apsw.Connection(":memory:")
        self._connection.execute(
            "CREATE VIRTUAL TABLE texts USING fts5(content, tokenize='porter unicode61')"
        )
        rows = [(n, " ".join([t.content, *t.tags, *t.aliases])) for n, t in enumerate(texts)]
        with self._connection:
            self._connection.executemany("INSERT INTO texts(rowid, content) VALUES (?, ?)", rows)

    def rank(self, question: str, depth: int = DEPTH) -> list[str]:
        """List the ids of the best texts."""
        words = dict.fromkeys(_WORD.findall(question.lower()))
        if not words:
            return []
        terms = " OR ".join(f'"{word}"' for word in words)
        found = self._connection.execute(
            "SELECT rowid FROM texts WHERE texts MATCH ? ORDER BY bm25(texts) LIMIT ?",
            (terms, depth),
        )
        return [self._ids[row[0]] for row in found]


def rank_by_similarity(
    snapshot: Snapshot, vector: NDArray[np.float32], depth: int = DEPTH
) -> list[str]:
    """List the ids of the memories by their best window alone."""
    if snapshot.vectors is None:
        return []
    similarities = snapshot.vectors.similarities(vector, np.arange(len(snapshot), dtype=np.intp))
    order = np.argsort(-similarities, kind="stable")[:depth]
    return [snapshot.places[row].id for row in order]
