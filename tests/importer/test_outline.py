from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dmm.importer.outline import BlockKind, Section, outline, shift_headings
from dmm.importer.sources import split_lines


def shape(section: Section) -> list[tuple[int, str, list[str]]]:
    return [(s.level, s.title, [b.kind.value for b in s.blocks]) for s in section.walk()]


def test_both_heading_styles_make_the_tree() -> None:
    text = "before\n\nTitle\n=====\n\nintro\n\nPart\n----\n\n### Deep\n\n- a\n\n## Next **one**\n"
    assert shape(outline("a.md", text)) == [
        (0, "", ["paragraph"]),
        (1, "Title", ["paragraph"]),
        (2, "Part", []),
        (3, "Deep", ["list"]),
        (2, "Next one", []),
    ]


def test_every_kind_of_block_is_told_with_its_lines() -> None:
    text = (
        "para\nsecond\n\n- a\n  - b\n- c\n\n1. x\n2. y\n\n```sh\n# not a heading\n```\n\n"
        "| a |\n|---|\n| 1 |\n\n> quote\n\n<!-- note -->\n\n---\n\n    code\n\n[ref]: http://x\n"
    )
    blocks = outline("a.md", text).blocks
    assert [(b.kind.value, b.ref.first_line, b.ref.last_line) for b in blocks] == [
        ("paragraph", 1, 2),
        ("list", 4, 6),
        ("steps", 8, 9),
        ("fence", 11, 13),
        ("table", 15, 17),
        ("quote", 19, 19),
        ("comment", 21, 21),
        ("separator", 23, 23),
        ("code", 25, 25),
        ("paragraph", 27, 27),
    ]
    assert [item.text for item in blocks[1].items] == ["- a\n  - b", "- c"]


def test_a_flat_file_without_headings_is_one_section() -> None:
    tree = outline(".cursorrules", "You are an expert.\n- Use tabs.\n- Be short.")
    assert shape(tree) == [(0, "", ["paragraph", "list"])]


def test_front_matter_is_left_out_and_lines_keep_their_numbers() -> None:
    tree = outline("a.mdc", "---\nname: x\n---\n# T\n\ntext", skip_lines=3)
    assert tree.children[0].line == 4
    assert tree.children[0].blocks[0].ref.first_line == 6


def test_an_unclosed_comment_is_content() -> None:
    assert outline("a.md", "<!-- open\ntext").blocks[0].kind is BlockKind.HTML


@given(st.text(st.sampled_from("#-*>`|=~ \t\n\rab1.<!:[]"), max_size=120))
def test_no_line_of_any_text_is_lost_or_claimed_twice(text: str) -> None:
    lines = split_lines(text)
    tree = outline("a.md", text)
    claimed = [n for block in tree.every_block() for n in block.lines if lines[n - 1].strip()]
    assert len(claimed) == len(set(claimed))
    for block in tree.every_block():
        first, last = block.ref.first_line, block.ref.last_line
        assert block.text == "\n".join(lines[first - 1 : last])
    headings = {n for s in tree.walk() if s.level for n in range(s.line, len(lines) + 1)}
    nowhere = {n for n, line in enumerate(lines, 1) if line.strip()} - set(claimed)
    assert nowhere <= headings


@pytest.mark.parametrize(
    ("text", "by", "moved"),
    [
        ("# A\n\n## B", 2, "### A\n\n#### B"),
        ("A\n=\n\ntext\n\nB\n-\n", 1, "## A\n\ntext\n\n### B\n"),
        ("##### Deep", 3, "###### Deep"),
        ("```\n# code\n```\n> # quote", 2, "```\n# code\n```\n> # quote"),
    ],
)
def test_headings_move_and_nothing_else_does(text: str, by: int, moved: str) -> None:
    assert shift_headings(text, by) == moved
