"""Markdown becomes a tree: never HTML, an unsafe address or an exception, and nothing is lost."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dmm.domain.plain import to_plain
from dmm.http.nodes import LONGEST, Node, read_nodes

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

KINDS = {
    *("p", "h", "ul", "ol", "li", "quote", "code", "pre", "text", "em", "strong", "s", "a"),
    *("br", "hr", "table", "tr", "th", "td"),
}
PIECES = st.sampled_from(
    [
        *(
            "word ",
            "Zoë ",
            "日本 ",
            "\n",
            "\n\n",
            "# ",
            "> ",
            "- ",
            "1. ",
            "7) ",
            "    ",
            "\t",
            "`",
        ),
        *("```\n", "~~~py\n", "*", "**", "~~", "_", "[a](", "](", ")", "![x](", "[r]: /u 't'\n"),
        *("http://a.b/c", "https://é.example", "javascript:alert(1)", "data:text/html,x", "//x.y"),
        *("<b>", "<script>alert(1)</script>", "<http://x.y>", "<!-- c -->", "&amp;", "&#106;"),
        *(
            "| a | b |\n|---|---|\n| 1 | 2 | 3 |\n",
            "---\n",
            "===\n",
            "\\",
            "\u202e",
            "\u200b",
            "\0",
        ),
    ]
)
WORDS = re.compile(r"[^\W_]+")


def walk(nodes: Sequence[Node]) -> Iterator[Node]:
    for one in nodes:
        yield one
        yield from walk(one.c)


def shown(nodes: Sequence[Node]) -> str:
    """All that a page would show."""
    parts = []
    for one in nodes:
        numbers = [str(one.level + n) for n in range(len(one.c))] if one.t == "ol" else []
        parts += [one.v, one.lang, one.href, *numbers, shown(one.c)]
    return "\n".join(parts)


@given(st.lists(PIECES | st.text(max_size=20), max_size=40).map("".join))
@example(">" * 500 + "deep")
@example("- " * 200 + "deep")
@example("[" * 3_000 + "x")
@example("*" * 3_000 + "x")
@example("x" * (LONGEST + 1))
@example("[a](JaVaScRiPt:alert(1)) [b](\x01javascript:x) [c](http://a\u202eb)")
@example("| a |\n|---|\n| 1 | lost |\n")
def test_no_text_makes_html_an_unsafe_address_or_an_exception_and_none_is_lost(text: str) -> None:
    nodes = read_nodes(text)
    for one in walk(nodes):
        assert one.t in KINDS
        assert not (one.c and one.v)
        if one.t == "a":
            assert one.href.lower().startswith(("http://", "https://"))
            assert one.href.isprintable()
        else:
            assert one.href == ""
    told = shown(nodes)
    for character in set(filter(str.isalnum, text)):
        assert told.count(character) >= text.count(character)


@given(st.lists(st.text("abcXYZ äß世 ,;", min_size=1, max_size=30), max_size=8).map("\n\n".join))
def test_every_word_of_plain_text_is_kept_in_its_order(text: str) -> None:
    told = " ".join(one.v for one in walk(read_nodes(text)) if one.t in ("text", "pre"))
    assert WORDS.findall(told) == WORDS.findall(text)


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("", []),
        ("A *b* `c`", [("p", "A ", ("em", "b"), " ", ("code", "c"))]),
        ("## Two", [("h", "Two")]),
        ("- a\n- b", [("ul", ("li", "a"), ("li", "b"))]),
        ("> q", [("quote", ("p", "q"))]),
        ("```py\nx = 1\n```", [("pre", "x = 1\n")]),
        ("<b>x</b>", [("p", "<b>x</b>")]),
        ("a &amp; b", [("p", "a &amp; b")]),
        ("![alt](http://x/y.png)", [("p", "[image: alt, http://x/y.png]")]),
        ("[up](../x.md)", [("p", "up", " (../x.md)")]),
        ("~~old~~", [("p", ("s", "old"))]),
        ("| a |\n|---|\n| 1 |", [("table", ("tr", ("th", "a")), ("tr", ("td", "1")))]),
    ],
)
def test_a_text_has_the_tree_that_a_reader_expects(text: str, tree: list[object]) -> None:
    def brief(one: Node) -> object:
        if one.t == "text":
            return one.v
        return (one.t, one.v) if one.v else (one.t, *map(brief, one.c))

    assert [brief(one) for one in read_nodes(text)] == tree


def test_a_link_to_the_web_is_one_and_empty_fields_are_left_out() -> None:
    (paragraph,) = read_nodes("[here](https://example.org/a?b=c)")
    assert to_plain(paragraph) == {
        "t": "p",
        "c": [
            {"t": "a", "c": [{"t": "text", "v": "here"}], "href": "https://example.org/a?b=c"},
        ],
    }


def test_a_list_keeps_its_first_number_and_code_its_language() -> None:
    listed, code = read_nodes("3. three\n4. four\n\n```sh\nls\n```")
    assert (listed.level, code.lang) == (3, "sh")
