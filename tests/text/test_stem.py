"""Stems: the inflections of a word share one form, and other words keep theirs."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dmm.text.stem import stem


@pytest.mark.parametrize(
    "words",
    [
        ("retry", "retries", "retried", "retrying"),
        ("index", "indexing", "indexed"),
        ("cache", "caches", "cached", "caching"),
        ("hop", "hopped", "hopping"),
        ("create", "created", "creating"),
        ("class", "classes"),
        ("agree", "agreed"),
        ("enable", "enabled", "enabling"),
    ],
)
def test_inflections_share_a_stem(words: tuple[str, ...]) -> None:
    assert len({stem(word) for word in words}) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("compose", "composition"),
        ("status", "state"),
        ("feed", "fee"),
        ("sing", "s"),
        ("user", "use"),
    ],
)
def test_other_words_keep_their_own(one: str, other: str) -> None:
    assert stem(one) != stem(other)


@pytest.mark.parametrize("word", ["abc", "größen", "v2s", "x_y_zs", ""])
def test_short_foreign_and_mixed_words_stay(word: str) -> None:
    assert stem(word) == word


@given(st.text("abcdeginsy", max_size=12))
def test_a_stem_is_never_empty_nor_longer_than_its_word(word: str) -> None:
    assert bool(stem(word)) == bool(word)
    assert len(stem(word)) <= len(word)
