"""Sentences of prose, and the marks of Markdown around them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dmm.text.prose import (
    paragraphs_of,
    split_sentences,
    straighten,
    strip_bullet,
    strip_emphasis,
    strip_item,
)

# "We: Redis" and "Cache: an hour", in Russian.
REDIS, CACHE = "\u041c\u044b Redis", "\u041a\u044d\u0448 \u0447\u0430\u0441"


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("Never push. Always test!", ["Never push.", "Always test!"]),
        ("Use tools, e.g. Make. Then go on.", ["Use tools, e.g. Make.", "Then go on."]),
        ("Run `a. B` first. Then stop.", ["Run `a. B` first.", "Then stop."]),
        ("**Do not push.** Ask first.", ["**Do not push.**", "Ask first."]),
        ("Wait 1.5 s. 3 tries are enough.", ["Wait 1.5 s.", "3 tries are enough."]),
        ("See v2. it is newer.", ["See v2. it is newer."]),
        ("Éviter npm. Éviter yarn.", ["Éviter npm.", "Éviter yarn."]),
        ("Keep it. Änderungen folgen. ähnlich.", ["Keep it.", "Änderungen folgen. ähnlich."]),
        (f"{REDIS}. {CACHE}.", [f"{REDIS}.", f"{CACHE}."]),
        ("Never edit dist/ etc. Use `make`.", ["Never edit dist/ etc.", "Use `make`."]),
        ("The answer is no. Ask first.", ["The answer is no.", "Ask first."]),
        ("See no. 5 of the list. Go on.", ["See no. 5 of the list.", "Go on."]),
        ("Use React vs. Vue here.", ["Use React vs. Vue here."]),
        ("", []),
    ],
)
def test_a_paragraph_is_cut_where_its_sentences_end(text: str, sentences: list[str]) -> None:
    assert split_sentences(text) == sentences


@given(st.text(alphabet="ab.!? `*AB'\n"))
def test_sentences_lose_nothing_but_blanks(text: str) -> None:
    assert "".join("".join(split_sentences(text)).split()) == "".join(text.split())


def test_a_bullet_goes_and_the_box_of_a_task_stays_unless_the_whole_item_is_meant() -> None:
    assert strip_bullet("- [x] done") == "[x] done"
    assert strip_item("  - [x] done") == "done"
    assert strip_item("> quoted") == "quoted"
    assert strip_bullet("> quoted") == "> quoted"
    assert strip_bullet("12) twelve") == "twelve"
    assert strip_item("-no item") == "-no item"


def test_emphasis_goes_and_code_keeps_its_stars() -> None:
    assert strip_emphasis("**never** push _here_, only `a*b*c`") == "never push here, only `a*b*c`"
    assert strip_emphasis("snake_case_name") == "snake_case_name"


def test_typographic_marks_become_plain_ones() -> None:
    typeset = (
        "don\N{RIGHT SINGLE QUOTATION MARK}t \N{LEFT DOUBLE QUOTATION MARK}a"
        "\N{NON-BREAKING HYPHEN}b\N{RIGHT DOUBLE QUOTATION MARK}"
    )
    assert straighten(typeset) == 'don\'t "a-b"'
    assert len(straighten(typeset)) == len(typeset)


def test_paragraphs_and_items_come_with_their_line_and_without_code_and_headings() -> None:
    text = "# Title\nOne goes\non.\n- an item\n  goes on\n- [ ] a task\n```\ncode\n```\n> last"
    assert list(paragraphs_of(text)) == [
        (2, "One goes\non."),
        (4, "an item\ngoes on"),
        (6, "a task"),
        (10, "last"),
    ]
    assert list(paragraphs_of("#hashtag first", 7)) == [(7, "#hashtag first")]
    assert list(paragraphs_of("```\nnever closed")) == []
