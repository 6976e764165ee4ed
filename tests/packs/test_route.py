"""Directories pull by their best memory and by what they say; large ones pull less."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from dmm.index.analysis import weigh_query
from dmm.packs import route
from dmm.packs.search import find

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from tests.packs.conftest import ComparisonSet

    from dmm.index.snapshot import Snapshot
    from dmm.packs.search import Found


def looked_up(
    corpus: ComparisonSet, query: str, vector: NDArray[np.float32]
) -> tuple[Snapshot, Found, NDArray[np.float32]]:
    snapshot = corpus.snapshot()
    found = find(snapshot, weigh_query(query), vector, np.ones(len(snapshot), np.bool_))
    folders = route.score(snapshot, found, found.similarity[found.rows])
    return snapshot, found, folders


def test_the_folder_of_the_best_pulls_and_no_other_is_shut(
    corpus: ComparisonSet, query_vector: NDArray[np.float32]
) -> None:
    corpus.add("project/auth/a.md", near=0.8)
    corpus.add("project/auth/b.md", near=0.1)
    corpus.add("project/jobs/c.md", near=0.5)
    snapshot, found, folders = looked_up(corpus, "nothing", query_vector)
    pulls = route.pull(snapshot, found, folders)
    assert pulls[0] == pulls[1] == 0
    assert -0.5 < pulls[2] < -0.1


def test_the_preferred_folders_are_named_best_first(
    corpus: ComparisonSet, query_vector: NDArray[np.float32]
) -> None:
    for folder, near in (("a", 0.2), ("b", 0.9), ("c", 0.5)):
        corpus.add(f"project/{folder}/x.md", near=near)
    snapshot, _, folders = looked_up(corpus, "nothing", query_vector)
    assert [path for path, _ in route.prefer(snapshot, folders, 2)] == ["project/b", "project/c"]
    assert len(route.prefer(snapshot, folders, 9)) == 3


@pytest.mark.parametrize("query", ["payments", "money of customers"])
def test_a_folder_pulls_by_its_path_and_its_description(
    query: str, corpus: ComparisonSet, query_vector: NDArray[np.float32]
) -> None:
    corpus.add("project/auth/a.md", near=0.4)
    corpus.add("project/payments/b.md", near=0.4)
    corpus.describe(project__payments="Money of customers.")
    snapshot, _, folders = looked_up(corpus, query, query_vector)
    (best, score), (_, other) = route.prefer(snapshot, folders, 2)
    assert best == "project/payments"
    assert score > other


def test_a_large_folder_pulls_less(
    corpus: ComparisonSet, query_vector: NDArray[np.float32]
) -> None:
    corpus.add("project/best/a.md", near=0.9)
    corpus.add("project/small/b.md", near=0.3)
    for number in range(60):
        corpus.add(f"project/large/{number:02d}.md", near=0.3)
    snapshot, found, folders = looked_up(corpus, "nothing", query_vector)
    pulls = dict(zip(found.rows.tolist(), route.pull(snapshot, found, folders), strict=True))
    rows = {place.path: row for row, place in enumerate(snapshot.places)}
    small, large = rows["project/small/b.md"], rows["project/large/00.md"]
    assert pulls[small] < pulls[large] < 0


def test_no_candidates_pull_nothing(
    corpus: ComparisonSet, query_vector: NDArray[np.float32]
) -> None:
    corpus.add("project/a.md", "word")
    snapshot, found, folders = looked_up(corpus, "nothing", query_vector)
    assert len(route.pull(snapshot, found, folders)) == 0
    assert route.prefer(snapshot, folders, 3) == ()
