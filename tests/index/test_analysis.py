"""Text into terms: what people type and what code is called meet in the same terms."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dmm.index import analysis


def test_the_same_word_in_another_form_is_the_same_term() -> None:
    assert analysis.analyze("Retries") == analysis.analyze("retry")
    assert analysis.analyze("indexing") == analysis.analyze("INDEX")


def test_an_identifier_gives_its_parts_and_itself() -> None:
    for name in ("parse_config_file", "parseConfigFile", "ParseConfigFile"):
        terms = set(analysis.analyze(name))
        assert set(analysis.analyze("parse config file")) < terms
        assert name.lower() in terms


def test_stop_words_are_no_terms_but_parts_of_identifiers_count() -> None:
    assert analysis.analyze("what is the of and to") == []
    assert "is_valid" in analysis.analyze("is_valid")


def test_words_of_other_scripts_are_terms() -> None:
    assert {"größe", "世界", "привет"} <= set(analysis.analyze("Größe 世界 привет"))


def test_punctuation_is_no_term() -> None:
    assert analysis.analyze("... --- !!! ___ `'\"") == []


def test_the_clitic_of_a_word_does_not_count() -> None:
    assert analysis.analyze("the server's port") == analysis.analyze("server port")


@given(st.text())
def test_any_text_gives_terms_that_are_neither_empty_nor_in_capitals(text: str) -> None:
    for term in analysis.analyze(text):
        assert term
        assert term == term.lower() or not term.isascii()


@given(st.text(), st.text())
def test_the_terms_of_two_paragraphs_are_those_of_each(first: str, second: str) -> None:
    together = analysis.analyze(f"{first}\n\n{second}")
    assert together == analysis.analyze(first) + analysis.analyze(second)


def test_a_term_of_a_query_counts_once() -> None:
    weights = analysis.weigh_query("retry the retry of retries")
    assert list(weights.values()) == [1.0]


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("how do we retry", False),
        ("parse_config fails", True),
        ("parseConfig fails", True),
        ("dmm.files.tree", True),
        ("call retry()", True),
        ("src/dmm", True),
        ("std::vector", True),
    ],
)
def test_a_query_that_names_code_is_recognised(query: str, code: bool) -> None:
    assert analysis.names_identifier(query) is code


def test_program_text_is_denser_in_signs_than_prose() -> None:
    prose = analysis.code_density("Retry a failed call three times, then give up.")
    program = analysis.code_density("def f(x): return {k: v[0] for k, v in x.items()}")
    assert prose < program
    assert analysis.code_density(" \n") == 0.0


def test_endless_underscores_are_read_at_once() -> None:
    assert analysis.analyze("_" * 200_000 + " retry_count " + "_" * 200_000) == [
        "retri",
        "count",
        "retry_count",
    ]
