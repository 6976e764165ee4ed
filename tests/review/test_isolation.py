from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dmm.domain.isolation import find_terms


@pytest.mark.parametrize(
    "text",
    [
        "see Acme Corp",
        "see ACME-CORP.",
        "acme_corp_client()",
        "AcmeCorpClient",
        "acme.corp/x",
        "Acme\n> Corp",
        "Ac\u00adme Corp",
        "Ac\u200cm\ufe0fe Corp",
        "Ac<U+200B>me Corp",
        "\uff21cme Corp",
        "acmecorp",
    ],
)
def test_a_term_is_found_however_it_is_spelt(text: str) -> None:
    assert find_terms(text, ["Acme Corp"]) == [("Acme Corp", 1)]


@pytest.mark.parametrize(
    "text", ["acme corporation", "the acme of corp", "tacme corp", "acme\n\n\n\n\ncorp"]
)
def test_a_part_of_another_word_is_no_term(text: str) -> None:
    assert find_terms(text, ["Acme Corp"]) == []


def test_every_term_is_told_with_its_line() -> None:
    text = "first\r\nfalcon here\r\nand Zürich, FALCON\r\n"
    assert find_terms(text, ["zürich", "Falcon", "absent"]) == [
        ("Falcon", 2),
        ("Falcon", 3),
        ("zürich", 3),
    ]


def test_a_term_without_letters_is_passed_over() -> None:
    assert find_terms("-- ++", ["--", ""]) == []


def test_terms_may_hold_signs_of_patterns() -> None:
    assert find_terms("built with c++ and a.b", ["a.b", "(x"]) == [("a.b", 1)]


@given(st.text(max_size=200), st.lists(st.text(max_size=10), max_size=4))
def test_any_text_and_any_terms_can_be_looked_for(text: str, terms: list[str]) -> None:
    for term, line in find_terms(text, terms):
        assert term in terms
        assert 1 <= line <= text.count("\n") + 1


def test_many_near_misses_stay_cheap() -> None:
    started = time.process_time()
    assert find_terms("acme-" * 50_000, ["Acme Corp Holding", "acme acme acme corp"]) == []
    assert time.process_time() - started < 2
