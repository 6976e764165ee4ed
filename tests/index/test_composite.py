"""What is embedded of a memory: its windows, each under its title and tags."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dmm.embed.wordpiece import CLS, SEP
from dmm.files import markdown
from dmm.index import composite

if TYPE_CHECKING:
    from tests.conftest import MemoryText

    from dmm.domain.memory import Memory


def read(text: str) -> Memory:
    return markdown.parse("project/a.md", text).memory


def test_the_key_follows_title_tags_and_content_alone(memory_text: MemoryText) -> None:
    memory = read(memory_text())
    key = composite.key(memory, memory.body)
    assert key == composite.key(
        read(memory_text(priority="0.9", created="2026-01-01")), memory.body
    )
    other_place = markdown.parse("project/x/b.md", memory_text()).memory
    assert key == composite.key(other_place, memory.body)
    assert key != composite.key(memory, memory.body + "!")
    assert key != composite.key(read(memory_text(tags="[http]")), memory.body)
    assert key != composite.key(read(memory_text(title="Other")), memory.body)


def test_the_header_names_title_and_tags(memory_text: MemoryText) -> None:
    assert composite.header(read(memory_text())) == "Retry policy (http, retry)\n"
    assert composite.header(read(memory_text(tags="[]"))) == "Retry policy\n"
    assert (CLS, SEP) == (101, 102)
