"""Candidates come from two lanes, and each has the scores of both."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from dmm.domain.memory import Scope
from dmm.domain.pack import QueryRequest
from dmm.packs.search import LANE, eligible, find, widen

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from tests.packs.conftest import ComparisonSet

    from dmm.index.snapshot import Snapshot
    from dmm.packs.search import Found

DAY = dt.date(2026, 1, 31)


def everything(snapshot: Snapshot) -> NDArray[np.bool_]:
    return np.ones(len(snapshot), np.bool_)


def paths(snapshot: Snapshot, found: Found) -> list[str]:
    return [snapshot.places[row].path for row in found.rows]


@pytest.mark.parametrize(
    ("options", "allowed"),
    [
        ({}, {"agent/a.md", "ephemeral/today.md", "global/g.md", "project/p.md"}),
        ({"exclude_ephemeral": True}, {"agent/a.md", "global/g.md", "project/p.md"}),
        ({"scope": Scope.GLOBAL}, {"global/g.md"}),
        ({"scope": Scope.BASELINE}, set()),
        (
            {"scope": Scope.PROJECT, "include_deprecated": True},
            {"deprecated/d.md", "project/p.md"},
        ),
    ],
)
def test_a_request_may_be_given(
    options: dict[str, Any], allowed: set[str], corpus: ComparisonSet
) -> None:
    for path in ("baseline/b.md", "global/g.md", "agent/a.md", "project/p.md"):
        corpus.add(path)
    corpus.add("ephemeral/today.md", expires=DAY)
    corpus.add("ephemeral/gone.md", expires=DAY - dt.timedelta(days=1))
    corpus.add("deprecated/d.md", scope="project", in_force=False)
    snapshot = corpus.snapshot()
    flags = eligible(snapshot, QueryRequest("x", **options), DAY)
    assert {snapshot.places[row].path for row in np.flatnonzero(flags)} == allowed


def test_each_candidate_has_the_scores_of_both_lanes(
    corpus: ComparisonSet, query_vector: NDArray[np.float32]
) -> None:
    corpus.add("project/both.md", "sessions are rows", near=0.6)
    corpus.add("project/near.md", "something else", near=0.5)
    corpus.add("project/word.md", "sessions", near=-0.2)
    snapshot = corpus.snapshot()
    found = find(snapshot, {"session": 1.0}, query_vector, everything(snapshot))
    assert paths(snapshot, found) == ["project/both.md", "project/near.md", "project/word.md"]
    assert found.similarity == pytest.approx([0.6, 0.5, -0.2], abs=0.01)
    assert found.by_similarity.tolist() == [True, True, True]
    assert found.by_keywords.tolist() == [True, False, True]
    assert found.lexical.bm25[1] == 0


def test_without_a_vector_words_alone_find(
    corpus: ComparisonSet, query_vector: NDArray[np.float32]
) -> None:
    corpus.add("project/near.md", "something else", near=0.5)
    corpus.add("project/word.md", "sessions", near=0.2)
    for vectors, vector in ((True, None), (False, query_vector)):
        snapshot = corpus.snapshot(vectors=vectors)
        found = find(snapshot, {"session": 1.0}, vector, everything(snapshot))
        assert paths(snapshot, found) == ["project/word.md"]
        assert found.vector is None


def test_what_is_not_allowed_is_found_by_neither_lane(
    corpus: ComparisonSet, query_vector: NDArray[np.float32]
) -> None:
    corpus.add("project/a.md", "sessions", near=0.9)
    corpus.add("project/b.md", "sessions", near=0.5)
    snapshot = corpus.snapshot()
    allowed = np.array([False, True])
    found = find(snapshot, {"session": 1.0}, query_vector, allowed)
    assert paths(snapshot, found) == ["project/b.md"]
    assert paths(snapshot, widen(snapshot, found, np.array([0, 1]))) == ["project/b.md"]


def test_each_lane_brings_its_best(
    corpus: ComparisonSet, query_vector: NDArray[np.float32]
) -> None:
    for number in range(LANE + 60):
        text = "sessions " * (1 + number) if number < LANE + 30 else "other"
        corpus.add(f"project/{number:03d}.md", text, near=number / 400)
    snapshot = corpus.snapshot()
    found = find(snapshot, {"session": 1.0}, query_vector, everything(snapshot))
    assert np.count_nonzero(found.by_keywords) == LANE
    assert np.count_nonzero(found.by_similarity) == LANE
    assert found.by_similarity[65:].all()  # stored in 8 bits, the nearest places may swap
    held = found.rows
    assert set(held) == set(np.flatnonzero(found.by_keywords | found.by_similarity))
    expected = [row / 400 for row in held]
    assert found.similarity[held] == pytest.approx(expected, abs=0.01)


def test_a_widened_search_knows_the_similarity_of_the_new(
    corpus: ComparisonSet, query_vector: NDArray[np.float32]
) -> None:
    corpus.add("project/a.md", "sessions")
    corpus.add("project/b.md", "other")
    snapshot = corpus.snapshot()
    found = find(snapshot, {"session": 1.0}, query_vector, everything(snapshot))
    assert paths(snapshot, found) == ["project/a.md"]
    wider = widen(snapshot, found, np.array([1]))
    assert paths(snapshot, wider) == ["project/a.md", "project/b.md"]
    assert wider.similarity.tolist() == [-1.0, -1.0]
    assert widen(snapshot, wider, np.array([0, 1])) is wider


def test_an_empty_index_gives_nothing(
    corpus: ComparisonSet, query_vector: NDArray[np.float32]
) -> None:
    snapshot = corpus.snapshot()
    found = find(snapshot, {"session": 1.0}, query_vector, everything(snapshot))
    assert len(found.rows) == 0
