"""Compare a memory that is not indexed yet with those that are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dmm.embed.windows import cut_windows
from dmm.index.analysis import count_terms
from dmm.index.composite import header

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Collection

    from numpy.typing import NDArray

    from dmm.domain.memory import Memory
    from dmm.embed.model import Embedder
    from dmm.index.snapshot import Snapshot
    from dmm.index.vectors import Floats


def direction(memory: Memory, embedder: Embedder) -> Floats:
    """Average the windows of a memory into the one direction that it points in."""
    body = memory.body.removeprefix(f"# {memory.title}").lstrip()
    windows = cut_windows(embedder.encode(header(memory)), embedder.encode(body))
    total = embedder.embed_windows(windows).sum(axis=0)
    norm = float(np.linalg.norm(total))
    return np.asarray(total / norm if norm else total, np.float32)


def nearest(
    snapshot: Snapshot, vector: Floats, day: dt.date, limit: int, leave_out: Collection[str] = ()
) -> list[tuple[int, float]]:
    """List the rows of the most similar memories in force, best first, with their similarity."""
    if snapshot.vectors is None or not len(snapshot):
        return []
    allowed = _allowed(snapshot, day, leave_out)
    rows, values = snapshot.vectors.nearest(vector, limit, allowed)
    order = np.lexsort((rows, -values))
    return [(int(rows[n]), float(values[n])) for n in order]


def nearest_by_words(
    snapshot: Snapshot, text: str, day: dt.date, limit: int, leave_out: Collection[str] = ()
) -> list[int]:
    """List the rows of the memories that share most words with a text; needs no model."""
    if not len(snapshot):
        return []
    scores = snapshot.lexical.score(count_terms(text)).bm25
    scores = np.where(_allowed(snapshot, day, leave_out), scores, np.float32(0.0))
    order = np.argsort(-scores, kind="stable")[:limit]
    return [int(row) for row in order if scores[row] > 0]


def _allowed(snapshot: Snapshot, day: dt.date, leave_out: Collection[str]) -> NDArray[np.bool_]:
    allowed = snapshot.columns.in_force & (snapshot.columns.expires >= day.toordinal())
    if leave_out:
        kept = [place.path not in leave_out for place in snapshot.places]
        allowed = allowed & np.array(kept, np.bool_)
    return np.asarray(allowed, np.bool_)
