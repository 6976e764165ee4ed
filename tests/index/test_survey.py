"""A first look at unread files: what a query is about comes first."""

from __future__ import annotations

import pytest

from dmm.files.tree import Stamp
from dmm.index import survey as survey_module
from dmm.index.analysis import weigh_query
from dmm.index.lexical import LexicalIndex, Unread, pack_terms
from dmm.index.survey import Survey


def look(query: str, **files: str) -> Survey:
    survey = Survey(tuple(weigh_query(query)))
    for name, text in files.items():
        survey.look(name, text.encode())
    return survey


def test_files_that_hold_more_and_rarer_words_come_first() -> None:
    survey = look(
        "how do we retry a payment at the gateway",
        none="Nothing of that kind.",
        one="A payment, a payment, and once more a payment.",
        two="The payment is retried.",
        all="Retry a payment at the gateway.",
        other="One payment.",
    )
    assert survey.choose(3) == ["all", "two", "one"]
    assert "none" not in survey.choose(9)


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("retries of the policy", "RETRY_POLICY = 3"),
        ("policies", "one policy"),
        ("configured", "Configures the rest."),
        ("größe", "Die größe zählt."),
        ("api", "the API, of course"),
        ("CI", "in CI only"),
        ("codes", "all the code"),
        ("retry_policy", "see retry policy"),
    ],
)
def test_words_are_found_in_any_inflection_and_case(query: str, text: str) -> None:
    assert look(query, found=text).choose(1) == ["found"]


@pytest.mark.parametrize(
    ("query", "text"), [("go", "gone"), ("ci", "science"), ("lock", "a padlock")]
)
def test_a_short_word_is_a_whole_word_and_every_word_is_found_by_its_beginning(
    query: str, text: str
) -> None:
    assert look(query, other=text).choose(1) == []


def test_files_named_after_the_query_are_looked_at_first_and_then_the_newest() -> None:
    stamps = [
        Stamp("project/old.md", 1, 10, 1),
        Stamp("project/gateway/old.md", 1, 5, 2),
        Stamp("project/gateway/retry.md", 1, 1, 3),
        Stamp("project/new.md", 1, 20, 4),
    ]
    assert Survey(tuple(weigh_query("retry the gateway"))).order(stamps) == [
        "project/gateway/retry.md",
        "project/gateway/old.md",
        "project/new.md",
        "project/old.md",
    ]


def test_a_word_of_every_fourth_file_is_no_longer_looked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(survey_module, "SAMPLE", 4)
    survey = look("common rare", a="common", b="common", c="common", d="common rare")
    survey.look("e", b"common common common")
    survey.look("f", b"rare")
    assert survey.choose(2) == ["f", "d"]
    unread = survey.unread(100, [])
    assert (unread.holding["common"], round(unread.holding["rar"])) == (100, 33)


def test_the_rarest_word_is_looked_for_however_common_it_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(survey_module, "SAMPLE", 2)
    survey = look("one two", a="one two", b="one two")
    survey.look("c", b"one two")
    assert "c" in survey.choose(3)


def test_nothing_asked_finds_nothing() -> None:
    assert look("the and of", a="the and of").choose(5) == []
    assert Survey(()).unread(7, []) == Unread(7, {})


def test_what_is_indexed_by_now_is_not_counted_twice() -> None:
    survey = look("retry", a="retry", b="retry", c="other", d="other")
    assert survey.unread(2, ["a", "b"]).holding == {"retri": 0.0}
    assert survey.unread(4, []).holding == {"retri": 2.0}


def test_words_are_as_rare_as_among_all_files_while_few_are_indexed() -> None:
    chosen = [pack_terms({"retri": 1.0}), pack_terms({"retri": 1.0, "gatewai": 1.0})]
    index = LexicalIndex(chosen)
    query = {"retri": 1.0, "gatewai": 1.0, "nowher": 1.0}
    alone = index.score(query).coverage
    amid = index.amid(Unread(998, {"retri": 0.0, "gatewai": 8.0})).score(query).coverage
    # Two of two hold the word, which would be worth nothing; two of a thousand are rare.
    assert alone[0] < 0.1
    assert amid[0] > 0.3
    assert index.score(query).coverage.tolist() == alone.tolist()
