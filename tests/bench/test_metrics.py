from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench import metrics


def test_recall_is_the_share_of_the_answers_within_the_depth() -> None:
    assert metrics.recall(["a", "b", "c"], {"a", "c"}, 2) == 0.5


def test_the_reciprocal_rank_looks_at_the_first_answer_only() -> None:
    assert metrics.reciprocal_rank(["x", "a", "b"], {"a", "b"}) == 0.5
    assert metrics.reciprocal_rank(["x"], {"a"}) == 0.0


def test_a_perfect_ranking_has_the_full_gain_and_a_late_answer_less() -> None:
    assert metrics.ndcg(["a", "b", "x"], {"a", "b"}) == 1.0
    assert metrics.ndcg(["x", "a"], {"a"}) == pytest.approx(1 / math.log2(3))


def test_a_budget_of_tokens_ends_at_the_first_text_that_does_not_fit() -> None:
    words = {"a": 75, "long": 750, "b": 3}
    assert metrics.recall_in_tokens(["a", "long", "b"], {"a", "b"}, words, 200) == 0.5


def test_fusing_prefers_what_both_rankings_hold() -> None:
    assert metrics.fuse_ranks([["a", "b"], ["b", "c"]]) == ["b", "a", "c"]


def test_the_percentile_lies_between_its_neighbours() -> None:
    assert metrics.percentile([3.0, 1.0, 2.0, 4.0], 0.5) == 2.5
    assert metrics.percentile([7.0], 0.95) == 7.0


@given(
    st.lists(st.sampled_from("abcdefgh"), unique=True),
    st.sets(st.sampled_from("abcdefgh"), min_size=1),
)
def test_every_metric_lies_between_none_and_all(ranked: list[str], relevant: set[str]) -> None:
    words = dict.fromkeys("abcdefgh", 30)
    scores = [
        metrics.recall(ranked, relevant, 5),
        metrics.reciprocal_rank(ranked, relevant),
        metrics.ndcg(ranked, relevant),
        metrics.recall_in_tokens(ranked, relevant, words, 100),
    ]
    assert all(0.0 <= score <= 1.0 + 1e-12 for score in scores)
