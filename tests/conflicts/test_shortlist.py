"""Which of many pairs are compared: those that name each other, then those that are most alike."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from dmm.conflicts.candidates import Pair
from dmm.conflicts.shortlist import HELD, LEAST_ALIKE, Shortlist
from dmm.domain.conflict import Method

if TYPE_CHECKING:
    import random

WORDS = (Method.RULES,)


def shortlisted(most: int, *pairs: Pair) -> list[Pair]:
    shortlist = Shortlist(most)
    for pair in pairs:
        shortlist.offer(pair)
    return shortlist.best()


def test_what_is_most_alike_comes_first_and_no_more_is_kept_than_wanted() -> None:
    pairs = [Pair(0, n, WORDS, likeness=0.5 + n / 1_000) for n in range(1, 100)]
    assert shortlisted(3, *pairs) == pairs[:-4:-1]


def test_memories_that_are_far_apart_are_not_compared() -> None:
    near, far = Pair(0, 1, WORDS, LEAST_ALIKE), Pair(0, 2, WORDS, LEAST_ALIKE - 0.01)
    assert shortlisted(9, near, far) == [near]


def test_memories_that_name_each_other_are_compared_before_all_others_however_far_apart() -> None:
    others = [Pair(2, n, WORDS, likeness=0.9) for n in range(3, 3 + 20 * HELD)]
    related = Pair(0, 1, (Method.RELATED,), likeness=0.1)
    assert shortlisted(2, *others, related) == [related, others[0]]


def test_without_vectors_all_that_share_something_are_compared() -> None:
    pairs = [Pair(0, n, WORDS) for n in range(1, 5)]
    assert shortlisted(9, *pairs) == pairs


def test_a_pair_found_twice_is_compared_once_and_told_with_all_methods() -> None:
    found = Pair(0, 1, (Method.SIMILARITY,), 0.6), Pair(0, 1, (Method.TAGS, Method.RULES), 0.6)
    assert shortlisted(9, *found) == [
        Pair(0, 1, (Method.TAGS, Method.SIMILARITY, Method.RULES), 0.6)
    ]


def test_a_full_list_tells_how_alike_others_must_be() -> None:
    shortlist = Shortlist(2)
    assert shortlist.least() == LEAST_ALIKE
    for number, likeness in enumerate([0.9, 0.5, 0.7, 0.6], start=1):
        shortlist.offer(Pair(0, number, WORDS, likeness))
    assert shortlist.least() == 0.7
    for number in (5, 6):
        shortlist.offer(Pair(0, number, (Method.RELATED,), 0.1))
    assert shortlist.least() == math.inf


PLACES = st.tuples(st.integers(0, 9), st.integers(10, 19))
LIKENESS = st.sampled_from([None, 0.1, 0.4, 0.45, 0.5, 0.6, 0.9])
FOUND = st.tuples(LIKENESS, st.sampled_from([WORDS, (Method.SUPERSEDES,)]))


@given(st.dictionaries(PLACES, FOUND, max_size=60), st.integers(1, 4), st.randoms())
def test_the_order_in_which_pairs_are_offered_changes_nothing(
    found: dict[tuple[int, int], tuple[float | None, tuple[Method, ...]]],
    most: int,
    shuffler: random.Random,
) -> None:
    pairs = [Pair(*place, methods, likeness) for place, (likeness, methods) in found.items()]
    first = shortlisted(most, *pairs)
    shuffler.shuffle(pairs)
    assert shortlisted(most, *pairs, *pairs) == first
    assert first == shortlisted(100, *pairs)[:most]
