"""Questions in plain words, taken apart."""

from __future__ import annotations

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dmm.ask.days import Span
from dmm.ask.question import Question, read_question
from dmm.domain.observation import Kind

DAY = dt.date(2026, 11, 15)


def read(text: str) -> Question:
    return read_question(text, DAY)


def test_everything_a_question_says_is_understood() -> None:
    found = read('Which bugs did we fix in src/shop/cart.py last week around "free shipping"?')
    assert found == Question(
        text=found.text,
        words='Which bugs did we fix in src/shop/cart.py around "free shipping"?',
        span=Span(dt.date(2026, 11, 2), dt.date(2026, 11, 8), "last week"),
        kinds=(Kind.BUGFIX,),
        files=("src/shop/cart.py",),
        names=("free shipping",),
        looks_back=True,
    )


@pytest.mark.parametrize(
    ("text", "files"),
    [
        ("what does `src/app.py` do", ("src/app.py",)),
        ("see docs/ and README.md, please", ("docs", "README.md")),
        ("why is the Makefile so long", ("Makefile",)),
        ("all of src/**/*.ts", ("src/**/*.ts",)),
        ("read https://example.org/a/b.html first", ()),
        ("use either and/or", ("and/or",)),
        ("version 1.2 of e.g. the tool", ()),
    ],
)
def test_files_and_folders_are_found(text: str, files: tuple[str, ...]) -> None:
    assert read(text).files == files


@pytest.mark.parametrize(
    ("text", "symbols"),
    [
        ("what calls `Recall.search`?", ("Recall.search",)),
        ("where is find_root() used", ("find_root",)),
        ("RepoIndex and read_question", ("RepoIndex", "read_question")),
        ("parseConfig fails", ("parseConfig",)),
        ("why does GitHub fail", ("GitHub",)),
        ("plain words only", ()),
    ],
)
def test_names_of_code_are_found(text: str, symbols: tuple[str, ...]) -> None:
    assert read(text).symbols == symbols


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("what did we decide about retries", ["decision"]),
        ("what have we learned about caching", ["discovery"]),
        ("which features were added", ["feature"]),
        ("what was renamed", ["change"]),
        ("how are passwords stored", []),
    ],
)
def test_kinds_are_told_by_their_words(text: str, kinds: list[str]) -> None:
    assert [str(kind) for kind in read(text).kinds] == kinds


@pytest.mark.parametrize(
    ("text", "topic"),
    [
        ("What did we do last week?", ""),
        ("give me a summary of yesterday", ""),
        ("Where do I start in this repository?", ""),
        ("Where do I start with retries?", "Where do I start with retries?"),
        ("what did we do about retries last week", "what did we do about retries"),
    ],
)
def test_a_question_for_anything_has_no_topic(text: str, topic: str) -> None:
    assert read(text).topic == topic


def test_a_day_in_quotes_is_a_name() -> None:
    found = read('where is "last week" computed')
    assert found.span is None
    assert found.names == ("last week",)


@given(st.text(max_size=200))
def test_no_text_breaks_it(text: str) -> None:
    found = read(text)
    assert found.text == " ".join(text.split())
