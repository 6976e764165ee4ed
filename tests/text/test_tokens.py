"""Tokens, base forms and amounts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dmm.text.amounts import quantities_of
from dmm.text.lemmas import base_forms
from dmm.text.tokens import Sort, sentences_of, tokens_of


@pytest.mark.parametrize(
    ("word", "base"),
    [
        ("booking", "book"),
        ("booked", "book"),
        ("books", "book"),
        ("committing", "commit"),
        ("stopped", "stop"),
        ("using", "use"),
        ("deletes", "delete"),
        ("caching", "cache"),
        ("queries", "query"),
        ("wrote", "write"),
        ("sent", "send"),
        ("pushes", "push"),
        ("applied", "apply"),
        ("APIs".lower(), "api"),
        ("bookings", "book"),
        ("passes", "pass"),
    ],
)
def test_inflections_have_their_base_among_their_forms(word: str, base: str) -> None:
    assert base in base_forms(word)


@pytest.mark.parametrize(
    ("word", "other"),
    [
        ("evaluate", "eval"),
        ("maintenance", "main"),
        ("string", "str"),
        ("during", "dure"),
        ("process", "proces"),
        ("plane", "plan"),
    ],
)
def test_words_that_merely_look_inflected_keep_their_form(word: str, other: str) -> None:
    assert other not in base_forms(word)


def test_names_are_whole_tokens_and_calls_drop_their_arguments() -> None:
    tokens = tokens_of('Call os.system("rm") via src/legacy/run.py --no-verify in utf-8')
    assert [token.text for token in tokens] == [
        "call",
        "os.system",
        "via",
        "src/legacy/run.py",
        "--no-verify",
        "in",
        "utf-8",
    ]
    assert tokens[1].called
    assert tokens[3].sort is Sort.NAME


def test_parts_of_a_hyphenated_word_know_that_they_are_glued() -> None:
    tokens = tokens_of("force-push safe-eval")
    assert [(token.text, token.glued) for token in tokens] == [
        ("force", False),
        ("push", True),
        ("safe", False),
        ("eval", True),
    ]


@given(st.text(max_size=200))
def test_tokens_lie_in_order_inside_the_original_text(text: str) -> None:
    position = 0
    for token in tokens_of(text):
        assert position <= token.start <= token.end <= len(text)
        position = token.start


@pytest.mark.parametrize(
    ("text", "value", "measure"),
    [
        ("$3,000", "3000", "money:usd"),
        ("3k USD", "3000", "money:usd"),
        ("3.2k dollars", "3200", "money:usd"),
        ("€2.5 million", "2500000", "money:eur"),
        ("30s", "30", "time"),
        ("1 minute", "60", "time"),
        ("two hours", "7200", "time"),
        ("1500 MB", "1500000000", "size"),
        ("10%", "10", "share"),
        ("5 percent", "5", "share"),
        ("8am", "480", "clock"),
        ("6:30 pm", "1110", "clock"),
        ("noon", "720", "clock"),
        ("7 workers", "7", "count"),
    ],
)
def test_amounts_are_read_in_one_unit_per_measure(text: str, value: str, measure: str) -> None:
    (quantity,) = quantities_of(tokens_of(text))
    assert (f"{quantity.value.normalize():f}", quantity.measure) == (value, measure)


def test_a_rate_knows_what_it_is_counted_per() -> None:
    for text in ("$200 per night", "$200 a night", "$200/night"):
        (quantity,) = quantities_of(tokens_of(text))
        assert quantity.per == "night"


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("vendor/lib/conn.go", "file"),
        ("vendor/lib/conn.go", "vendor"),
        ("vendor/lib/conn.go", "vendor/lib"),
        ("tests/test_cart.py", "test"),
        ("release/4.2", "branch"),
        ("$900", "money"),
    ],
)
def test_a_name_also_stands_for_its_kind(text: str, kind: str) -> None:
    (token,) = tokens_of(text)
    assert kind in token.kinds


def test_a_package_with_its_version_stands_for_the_package() -> None:
    (token,) = tokens_of("react@18.2.0")
    assert token.stands_for(frozenset(("react",)))


@pytest.mark.parametrize("name", ["c++", "c#", "f#"])
def test_a_language_named_with_marks_is_one_name(name: str) -> None:
    assert [token.text for token in tokens_of(f"Use {name} here")] == ["use", name, "here"]


def test_a_shortened_title_ends_no_sentence() -> None:
    assert len(sentences_of(tokens_of("Allow Ms. Ortiz in. Close the door."))) == 2
