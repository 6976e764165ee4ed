"""Tokens of texts that are made of one another: exact, and each line counted once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from dmm.domain.pack import ENTRY_END, entry_heading
from dmm.embed.tokens import TokenCounter
from dmm.importer.counting import count_once
from dmm.index.sync import _last_block

if TYPE_CHECKING:
    from collections.abc import Callable

COUNT = TokenCounter().count
PIECES = ["a word", "Größe", "x.", "...", ")", "`code()`", "-", "# T", "12345", "'s", "\x1f", "🙂"]
texts = st.lists(
    st.sampled_from([*PIECES, " ", "  ", "\n", "\n\n", "\t", "\r", "\xa0", "\u2028"])
    | st.text(max_size=4),
    max_size=14,
).map("".join)


@given(texts)
def test_a_text_counts_as_its_lines_do(text: str) -> None:
    assert count_once(COUNT)(text) == COUNT(text)


@given(texts)
def test_what_a_heading_costs_is_told_by_the_last_line_alone(text: str) -> None:
    content = text.strip() or "x"
    heading = entry_heading("project/a.md", "0.00")
    last = _last_block(content)
    whole = COUNT(heading + content + ENTRY_END) - COUNT(content)
    assert COUNT(heading + last + ENTRY_END) - COUNT(last) == whole


def test_no_line_is_counted_twice(count: Callable[[str], int]) -> None:
    asked: list[str] = []

    def note(text: str) -> int:
        asked.append(text)
        return count(text)

    once = count_once(note)
    body = "# Tests\n\n- Run them.\n- Name them.\n"
    assert once(body) == count(body)
    assert once(f"{body}\n## More\n\n- Run them.\n") == count(f"{body}\n## More\n\n- Run them.\n")
    assert len(asked) == len(set(asked))
