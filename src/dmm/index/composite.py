"""What is embedded of a memory: windows of its text, each under a header that names it."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from dmm.embed.windows import cut_windows

if TYPE_CHECKING:
    from collections.abc import Callable

    from dmm.domain.memory import Memory
    from dmm.index.records import IndexedMemory

VERSION = "composite-1"


def header(memory: Memory | IndexedMemory) -> str:
    """Name a memory in front of each of its windows: title and tags."""
    tags = f" ({', '.join(memory.tags)})" if memory.tags else ""
    return f"{memory.title.replace('_', ' ')}{tags}\n"


def key(memory: Memory, content: str) -> str:
    """Name a memory's vectors by what they are made of."""
    return hashlib.sha256(f"{header(memory)}\0{content}".encode()).hexdigest()[:32]


def cut(memory: IndexedMemory, encode: Callable[[str], list[int]]) -> list[list[int]]:
    """Cut a memory into windows of word pieces; the title is not repeated below its header."""
    body = memory.content.removeprefix(f"# {memory.title}").lstrip()
    return cut_windows(encode(header(memory)), encode(body))
