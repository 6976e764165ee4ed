"""What lifts a memory and what lowers it; the weights themselves are decided by measurement."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from dmm.domain.memory import Confidence
from dmm.index.analysis import weigh_query
from dmm.packs.assemble import Ranked
from dmm.packs.rank import QUERY_FLOOR, STALE_FACTOR, WORDS_WEIGHT, demote, rank
from dmm.packs.search import find
from dmm.packs.sequence import follows

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from tests.packs.conftest import ComparisonSet

    from dmm.packs.rank import Ranking

DAY = dt.date(2026, 1, 31)


def ranking_of(
    corpus: ComparisonSet,
    query: str = "sessions",
    vector: NDArray[np.float32] | None = None,
    *,
    named: set[int] | None = None,
    precise: bool = False,
) -> Ranking:
    snapshot = corpus.snapshot(vectors=vector is not None)
    allowed = np.ones(len(snapshot), np.bool_)
    found = find(snapshot, weigh_query(query), vector, allowed)
    return rank(snapshot, found, query, DAY, named=named or set(), precise=precise)


def test_evidence_is_similarity_plus_what_the_words_prove(
    corpus: ComparisonSet, query_vector: NDArray[np.float32]
) -> None:
    corpus.add("project/a.md", "sessions", near=0.5)
    corpus.add("project/b.md", "other", near=0.7)
    ranking = ranking_of(corpus, "sessions", query_vector)
    parts = ranking.parts
    words = WORDS_WEIGHT * (parts["bm25"] + parts["coverage"])
    assert parts["evidence"] == pytest.approx(parts["similarity"] + words, abs=1e-6)
    assert parts["evidence"][1] == pytest.approx(0.7, abs=0.01)


def test_scores_lie_between_nothing_and_one(
    corpus: ComparisonSet, query_vector: NDArray[np.float32]
) -> None:
    for number, near in enumerate((1.0, 0.5, 0.0, -1.0)):
        corpus.add(f"project/{number}.md", "sessions " * number or "x", near=near)
    ranking = ranking_of(corpus, "sessions", query_vector)
    assert all(0 <= score <= 1 for score in ranking.score)
    assert ranking.score[0] > ranking.score[2] >= ranking.score[3]


def test_if_nothing_stands_out_nothing_is_relevant(
    corpus: ComparisonSet, query_vector: NDArray[np.float32]
) -> None:
    corpus.add("project/a.md", "other", near=QUERY_FLOOR - 0.02)
    assert ranking_of(corpus, "sessions", query_vector).relevant.tolist() == [False]
    corpus.add("project/b.md", "other", near=QUERY_FLOOR + 0.02)
    assert ranking_of(corpus, "sessions", query_vector).relevant.tolist() == [True, True]
    corpus.add("project/c.md", "other", near=0.05)
    relevant = ranking_of(corpus, "sessions", query_vector).relevant
    assert relevant.tolist() == [True, True, False]


def test_what_the_query_calls_by_name_is_always_relevant(
    corpus: ComparisonSet, query_vector: NDArray[np.float32]
) -> None:
    corpus.add("project/a.md", "other", near=0.01)
    corpus.add("project/b.md", "other", near=0.01)
    for precise in (False, True):
        ranking = ranking_of(corpus, "sessions", query_vector, named={1}, precise=precise)
        assert ranking.relevant.tolist() == [False, True]
        assert ranking.parts["named"].tolist() == [0.0, 1.0]


def test_a_name_says_nothing_about_the_memories_beside_it(
    corpus: ComparisonSet, query_vector: NDArray[np.float32]
) -> None:
    corpus.add("project/a.md", "other", near=QUERY_FLOOR - 0.02)
    corpus.add("project/b.md", "other", near=0.1)
    ranking = ranking_of(corpus, "sessions", query_vector, named={1})
    assert ranking.relevant.tolist() == [False, True]


def test_a_precise_query_takes_only_what_is_nearly_as_strong_as_the_best(
    corpus: ComparisonSet, query_vector: NDArray[np.float32]
) -> None:
    for name, near in (("a", 0.9), ("b", 0.8), ("c", 0.65)):
        corpus.add(f"project/{name}.md", "other", near=near)
    ranking = ranking_of(corpus, "sessions", query_vector, precise=True)
    assert ranking.relevant.tolist() == [True, True, False]
    assert ranking_of(corpus, "sessions", query_vector).relevant.all()


@pytest.mark.parametrize(
    ("more", "less"),
    [
        ({"priority": 0.9}, {"priority": 0.1}),
        ({"confidence": Confidence.STABLE}, {"confidence": Confidence.ACTIVE}),
        ({"confidence": Confidence.ACTIVE}, {"confidence": Confidence.EXPERIMENTAL}),
        ({"confidence": Confidence.EXPERIMENTAL}, {"confidence": Confidence.DEPRECATED}),
        ({"created": DAY}, {"created": dt.date(2025, 1, 1)}),
        ({"created": dt.date(2025, 1, 1)}, {"created": None}),
        ({"created": dt.date(2026, 12, 31)}, {"created": dt.date(2026, 1, 1)}),
    ],
)
def test_of_two_equals_the_one_that_claims_more_stands_first(
    more: dict[str, Any], less: dict[str, Any], corpus: ComparisonSet
) -> None:
    corpus.add("project/a.md", "sessions", **less)
    corpus.add("project/b.md", "sessions", **more)
    first, second = ranking_of(corpus).score
    assert 0 < first < second
    assert first > 0.8 * second


def test_a_short_memory_is_lifted_by_a_strong_one_beside_it(
    corpus: ComparisonSet, query_vector: NDArray[np.float32]
) -> None:
    corpus.add("project/talk/1.md", "other", near=0.1, length=20)
    corpus.add("project/talk/2.md", "sessions", near=0.8, length=20)
    corpus.add("project/talk/3.md", "other", near=0.1, length=2000)
    corpus.add("project/tools/4.md", "other", near=0.1, length=20)
    lifts = ranking_of(corpus, "sessions", query_vector).parts["neighbours"]
    assert lifts[0] > 0.1
    assert lifts[1] == 0
    assert 0 <= lifts[2] < 0.01
    assert lifts[3] == 0


def test_memories_that_are_only_sorted_beside_each_other_do_not_lift_each_other(
    corpus: ComparisonSet, query_vector: NDArray[np.float32]
) -> None:
    corpus.add("project/api/common_patterns.md", "other", near=0.1, length=20)
    corpus.add("project/api/end_to_end.md", "sessions", near=0.8, length=20)
    corpus.add("project/api/turn_9.md", "other", near=0.1, length=20)
    assert not ranking_of(corpus, "sessions", query_vector).parts["neighbours"].any()


@pytest.mark.parametrize(
    ("path", "before", "expected"),
    [
        ("talk/turn_7.md", "talk/turn_6.md", True),
        ("talk/000010.md", "talk/000009.md", True),
        ("talk/turn_8.md", "talk/turn_6.md", False),
        ("talk/turn_7.md", "other/turn_6.md", False),
        ("talk/turn_7.md", "talk/turn_6.txt", False),
        ("talk/b.md", "talk/a.md", False),
    ],
)
def test_a_name_follows_the_one_with_the_number_before(
    path: str, before: str, expected: bool
) -> None:
    assert follows(path, before) is expected


def test_what_costs_much_to_read_must_be_worth_much_of_the_best(
    corpus: ComparisonSet, query_vector: NDArray[np.float32]
) -> None:
    corpus.add("project/a.md", "other", near=0.9, length=400)
    corpus.add("project/b.md", "other", near=0.3, length=400)
    corpus.add("project/c.md", "other", near=0.3, length=10)
    corpus.add("project/d.md", "other", near=0.7, length=400)
    relevant = ranking_of(corpus, "lamps", query_vector).relevant
    assert relevant.tolist() == [True, False, True, True]


def test_a_short_memory_beside_a_strong_one_becomes_a_candidate(corpus: ComparisonSet) -> None:
    corpus.add("project/talk/1.md", "other", length=20)
    corpus.add("project/talk/2.md", "sessions", length=20)
    corpus.add("project/tools/3.md", "other", length=20)
    ranking = ranking_of(corpus)
    assert ranking.found.rows.tolist() == [0, 1]


def test_among_code_shared_words_prove_little_unless_an_identifier_is_named(
    corpus: ComparisonSet, query_vector: NDArray[np.float32]
) -> None:
    corpus.add("project/a.md", "open_session sessions", near=0.3, density=0.2)
    corpus.add("project/b.md", "other", near=0.3, density=0.2)
    plain = ranking_of(corpus, "sessions", query_vector)
    named = ranking_of(corpus, "open_session", query_vector)
    assert plain.parts["evidence"][0] - 0.3 < 0.1
    assert named.parts["evidence"][0] - 0.3 > 0.2


def test_an_empty_ranking_is_no_trouble(corpus: ComparisonSet) -> None:
    ranking = ranking_of(corpus)
    assert len(ranking.score) == 0
    assert ranking.directories == ()


def line(row: int, score: float) -> Ranked:
    return Ranked(row, f"project/{row}.md", "T", ("keywords",), {"bm25": 1.0}, score, 9, True)


def test_stale_memories_are_lowered_and_sorted_again() -> None:
    ranked = [line(0, 0.9), line(1, 0.8), line(2, 0.5)]
    assert demote(ranked, set()) == ranked
    lowered = demote(ranked, {0})
    assert [one.row for one in lowered] == [1, 0, 2]
    assert lowered[1].score == pytest.approx(0.9 * STALE_FACTOR)
    assert lowered[1].parts == {"bm25": 1.0, "stale": STALE_FACTOR}
    assert ranked[0].parts == {"bm25": 1.0}
