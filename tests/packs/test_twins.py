"""Near-duplicates are told by the direction of their vectors."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from dmm.packs.assemble import Ranked
from dmm.packs.twins import find_pairs, find_twin

if TYPE_CHECKING:
    from tests.packs.conftest import ComparisonSet


def line(row: int) -> Ranked:
    return Ranked(row, f"project/{row}.md", "T", ("keywords",), {}, 0.5, 9, True)


@pytest.fixture
def three(corpus: ComparisonSet) -> ComparisonSet:
    corpus.add("project/a.md", near=1.0)
    corpus.add("project/b.md", near=0.97)
    corpus.add("project/c.md", near=0.2)
    corpus.add("project/without_vectors.md")
    return corpus


def test_the_most_alike_of_the_included_is_the_twin(three: ComparisonSet) -> None:
    twin = find_twin(three.snapshot(), 0.9)
    a, b, c, without = map(line, range(4))
    assert twin(b, []) is None
    assert twin(b, [c, a]) is a
    assert twin(c, [a, b]) is None
    assert twin(without, [a, b, c]) is None
    assert twin(a, [without]) is None


def test_the_threshold_decides(three: ComparisonSet) -> None:
    assert find_twin(three.snapshot(), 0.98)(line(1), [line(0)]) is None
    assert find_twin(three.snapshot(), 0.96)(line(1), [line(0)]) == line(0)


def test_without_vectors_nothing_is_a_twin(three: ComparisonSet) -> None:
    snapshot = three.snapshot(vectors=False)
    assert find_twin(snapshot, 0.0)(line(1), [line(0)]) is None
    assert find_pairs(snapshot, 0.0) == []


def test_pairs_are_listed_most_alike_first(three: ComparisonSet) -> None:
    three.add("project/z.md", near=[0.2, 0.2])
    pairs = find_pairs(three.snapshot(), 0.9)
    assert [(left, right) for left, right, _ in pairs] == [(2, 4), (0, 1)]
    assert [likeness for _, _, likeness in pairs] == pytest.approx([1.0, 0.97], abs=0.01)


def test_texts_that_only_point_the_same_way_as_a_whole_are_no_pair(corpus: ComparisonSet) -> None:
    corpus.add("project/a.md", near=[1.0, -0.5])
    corpus.add("project/between.md", near=0.5)
    corpus.add("project/more.md", near=[1.0, -0.5, -0.5])
    pairs = find_pairs(corpus.snapshot(), 0.8)
    assert [(left, right) for left, right, _ in pairs] == [(0, 2)]


def test_an_empty_index_has_no_pairs(corpus: ComparisonSet) -> None:
    assert find_pairs(corpus.snapshot(), 0.9) == []
