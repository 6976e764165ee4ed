"""Memories called by name: word for word, with one slip; several words in any inflection."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dmm.index.names import NameIndex, is_one_slip

NAMES = NameIndex([["Retry policy", "backoff"], ["Index locks"], [], ["", "API"]])


def known(_: str) -> bool:
    return True


def unknown(_: str) -> bool:
    return False


@pytest.mark.parametrize(
    ("query", "rows"),
    [
        ("what is our retry policy?", {0}),
        ("Retry Policies of the API", {0, 3}),
        ("policy to retry", set()),
        ("retry", set()),
        ("exponential backoff and index lock", {0, 1}),
        ("index", set()),
        ("api", {3}),
        ("", set()),
    ],
)
def test_a_name_is_found_as_its_words_stand_in_the_query(query: str, rows: set[int]) -> None:
    assert NAMES.find(query, known) == rows


def test_a_name_of_one_word_is_called_as_it_is_written() -> None:
    names = NameIndex([["Testing"], ["Exceptions"], ["Testing of pages"]])
    assert names.find("test my knowledge, and check the exception", known) == set()
    assert names.find("Testing with exceptions", known) == {0, 1}
    assert names.find("tests of a page, or test of the pages", known) == set()
    assert names.find("test of page objects", known) == {2}
    assert names.find("excetions", unknown) == {1}


def test_one_slip_is_forgiven_in_a_word_that_nobody_knows() -> None:
    assert NAMES.find("our rerty polcy", unknown) == {0}
    assert NAMES.find("our rerty polcy", known) == set()
    assert NAMES.find("apj", unknown) == set()


@pytest.mark.parametrize(
    ("word", "other", "slip"),
    [
        ("retry", "retry", True),
        ("retry", "rerty", True),
        ("retry", "retr", True),
        ("retry", "retrys", True),
        ("retry", "rxtry", True),
        ("retry", "rxtrx", False),
        ("retry", "ret", False),
        ("retry", "rtye", False),
        ("retry", "yrter", False),
    ],
)
def test_one_slip_is_a_letter_more_less_other_or_swapped(word: str, other: str, slip: bool) -> None:
    assert is_one_slip(word, other) is slip


letters = st.text("abcd", min_size=1, max_size=6)


@given(letters, letters)
def test_a_slip_looks_the_same_from_both_sides(word: str, other: str) -> None:
    assert is_one_slip(word, other) is is_one_slip(other, word)


@given(letters, st.data())
def test_every_single_slip_is_recognised(word: str, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(word) - 1))
    letter = data.draw(st.sampled_from("abcd"))
    assert is_one_slip(word, word[:at] + letter + word[at:])
    assert is_one_slip(word, word[:at] + word[at + 1 :])
    assert is_one_slip(word, word[:at] + letter + word[at + 1 :])
    assert is_one_slip(word, word[:at] + word[at : at + 2][::-1] + word[at + 2 :])
