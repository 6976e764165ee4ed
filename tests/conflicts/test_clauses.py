"""Sentences cut into clauses, and the words and places in them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dmm.conflicts.clauses import Part, clauses_of
from dmm.conflicts.places import scopes_in
from dmm.conflicts.vocabulary import concept_of
from dmm.conflicts.words import words_of


def parts(sentence: str, part: Part) -> list[str]:
    clauses = clauses_of(words_of(sentence))
    return [" ".join(word.text for word in clause.words(part)) for clause in clauses]


def test_the_two_ends_of_between_stay_in_one_clause() -> None:
    sentence = "Calls between the shop and the bank are signed"
    assert parts(sentence, Part.MAIN) == ["calls between the shop and the bank are signed"]


def test_which_gives_a_reason_only_after_a_comma() -> None:
    assert parts("The job which runs first wins", Part.REASON) == [""]
    assert parts("Use Redis, which is fast", Part.REASON) == ["is fast"]


@pytest.mark.parametrize(
    ("sentence", "reason"),
    [
        ("Use Redis because it is fast", "it is fast"),
        ("Use Redis so that reads are fast", "reads are fast"),
        ("Use Redis since the disk is slow", "the disk is slow"),
        ("Use Redis as the disk is slow", "disk is slow"),
        ("Use Redis due to the slow disk", "the slow disk"),
    ],
)
def test_a_reason_is_told_from_the_claim(sentence: str, reason: str) -> None:
    assert parts(sentence, Part.REASON) == [reason]


@pytest.mark.parametrize(
    ("sentence", "claims"),
    [
        ("In the shop app, do not cache pages", ["in the shop app , do not cache pages"]),
        ("Views are not cached, use the index", ["views are not cached", "use the index"]),
        ("Rows, use by use, are cached", ["rows , use by use , are cached"]),
        ("To avoid lag, cache the page", [" cache the page"]),
        ("Features such as locks do not work", ["features do not work"]),
        ("Jobs lock rows and must not wait", ["jobs lock rows", "must not wait"]),
        ("The job opens it and clears the log", ["the job opens it", "clears the log"]),
        ("Prices and totals are in cents", ["prices and totals are in cents"]),
    ],
)
def test_where_a_claim_begins(sentence: str, claims: list[str]) -> None:
    assert [text.strip() for text in parts(sentence, Part.MAIN)] == [c.strip() for c in claims]


def test_a_condition_ends_where_the_main_clause_begins() -> None:
    sentence = "When a key is missing the page does not fail"
    assert parts(sentence, Part.CONDITION) == ["a key is missing"]
    assert parts(sentence, Part.MAIN) == ["the page does not fail"]


@pytest.mark.parametrize("sentence", ["Use Redis since the migration", "Use Redis as the cache"])
def test_a_time_or_a_role_is_no_reason(sentence: str) -> None:
    assert parts(sentence, Part.REASON) == [""]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("halt", "stop"),
        ("refuse", "reject"),
        ("repeat", "retry"),
        ("hits", "results"),
        ("permitted", "allowed"),
        ("banned", "prohibited"),
        ("configuration", "setting"),
    ],
)
def test_words_of_one_meaning_share_a_concept(one: str, other: str) -> None:
    assert concept_of(one) == concept_of(other)


@pytest.mark.parametrize("word", ["option", "setup", "preference"])
def test_an_option_or_a_setup_is_no_configuration(word: str) -> None:
    assert concept_of(word) != concept_of("config")


@pytest.mark.parametrize(
    "sentence", ["Traffic passes a load balancer", "Remove every print statement"]
)
def test_a_word_that_only_looks_like_a_place_is_none(sentence: str) -> None:
    assert scopes_in(words_of(sentence)) == {}


def test_a_kind_of_test_or_timeout_is_a_place() -> None:
    assert scopes_in(words_of("Load tests run at night")) == {"test-level": frozenset({"load"})}
    assert scopes_in(words_of("The idle timeout is long")) == {"timeout-kind": frozenset({"idle"})}


@given(st.text(max_size=200))
def test_any_text_can_be_cut(text: str) -> None:
    clauses_of(words_of(text))
