"""Word pieces are the ones the model was trained on; the ids come from the reference tokenizer."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dmm.embed.model import DATA
from dmm.embed.wordpiece import UNK, WordPiece

WORDS = WordPiece((DATA / "vocab.txt").read_text(encoding="utf-8").splitlines())


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("", []),
        (" \t\r\n ", []),
        ("Never edit a migration.", [2196, 10086, 1037, 9230, 1012]),
        ("unaffable", [14477, 20961, 3468]),
        ("embeddings", [7861, 8270, 4667, 2015]),
        ("snake_case(x)!=y", [7488, 1035, 2553, 1006, 1060, 1007, 999, 1027, 1061]),
    ],
)
def test_plain_text_becomes_the_reference_pieces(text: str, pieces: list[int]) -> None:
    assert WORDS.encode(text) == pieces


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("The café's naïve résumé", [1996, 7668, 1005, 1055, 15743, 13746]),
        ("e\u0301te\u0301", [3802, 2063]),
        ("\u0130stanbul", [9960]),
        ("\u039f\u0394\u039f\u03a3", [1169, 29722, 29730, 29733]),
        ("\u201cquoted\u201d \u2013 dash\u2026", [1523, 9339, 1524, 1516, 11454, 1529]),
        ("\u2028x\u3000y", [1060, 1061]),
    ],
)
def test_accents_case_and_typography_are_folded(text: str, pieces: list[int]) -> None:
    assert WORDS.encode(text) == pieces


def test_each_ideograph_is_a_word_and_hangul_falls_apart_into_letters() -> None:
    hangul = [1469, 30006, 30021, 29991, 30014, 30020, 29999, 30008]
    assert WORDS.encode("東京 한국어") == [1879, 1755, *hangul]


def test_an_emoji_is_an_unknown_word_even_if_this_python_does_not_know_it() -> None:
    assert WORDS.encode("\U0001f44d") == [UNK]
    assert WORDS.encode("\U0001fae8 hi") == [UNK, 7632]


def test_control_characters_vanish_in_ascii_and_in_other_text() -> None:
    assert WORDS.encode("a\x0cb\tc\x00d") == [11113, 3729]
    assert WORDS.encode("a\x0cb\tc\x00d\u200b\ufffd\ud800") == [11113, 3729]


def test_names_of_control_marks_are_ordinary_text() -> None:
    assert WORDS.encode("[CLS]") == [1031, 18856, 2015, 1033]


def test_a_word_of_more_than_100_characters_is_one_unknown_piece() -> None:
    assert WORDS.encode("x" * 100) == [22038, *[20348] * 49]
    assert WORDS.encode("x" * 101) == [UNK]
    assert WORDS.encode("x" * 5_000_000 + " edit") == [UNK, 10086]


def test_a_limit_cuts_the_pieces_and_nothing_else() -> None:
    text = "unaffable embeddings"
    assert WORDS.encode(text, limit=5) == WORDS.encode(text)[:5]
    assert WORDS.encode(text, limit=500) == WORDS.encode(text)


def test_another_vocabulary_is_refused() -> None:
    with pytest.raises(ValueError, match="not the BERT uncased vocabulary"):
        WordPiece(["[PAD]", "[UNK]", "word"])


@given(st.text(alphabet=st.characters(codec="ascii")))
def test_the_quick_way_for_ascii_agrees_with_the_general_way(text: str) -> None:
    assert WORDS.encode(text + " é") == [*WORDS.encode(text), 1041]


@given(st.text(), st.text())
def test_texts_apart_give_the_same_pieces_as_texts_joined_by_a_space(one: str, two: str) -> None:
    assert WORDS.encode(f"{one} {two}") == WORDS.encode(one) + WORDS.encode(two)
