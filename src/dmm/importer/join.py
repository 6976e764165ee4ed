"""Join memories into one markdown file that can be imported again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dmm.domain.memory import DEPRECATED_DIRECTORY, Memory, Scope
from dmm.importer.marks import write_mark
from dmm.importer.outline import heading_line, outline, shift_headings

if TYPE_CHECKING:
    from collections.abc import Sequence

_ORDER = (*Scope, DEPRECATED_DIRECTORY)


def join(memories: Sequence[Memory], *, title: str, include_deprecated: bool = False) -> str:
    """Return all memories as one text: by scope, then by path; deprecated ones only on request."""
    shelves: dict[str, list[Memory]] = {str(shelf): [] for shelf in _ORDER}
    for memory in sorted(memories, key=lambda m: m.path):
        shelves[str(memory.scope) if memory.in_force else DEPRECATED_DIRECTORY].append(memory)
    if not include_deprecated:
        shelves[DEPRECATED_DIRECTORY] = []
    parts = [heading_line(1, title)]
    for shelf, found in shelves.items():
        if found:
            parts.append(heading_line(2, shelf.capitalize()))
            parts += (_entry(memory) for memory in found)
    return "\n\n".join(parts) + "\n"


def _entry(memory: Memory) -> str:
    title, text = _without_title(memory)
    head = f"{heading_line(3, title)}\n{write_mark(memory)}"
    return f"{head}\n\n{shift_headings(text, 2, least=4)}" if text else head


def _without_title(memory: Memory) -> tuple[str, str]:
    """Strip the first heading of a body if it is the title."""
    body = memory.body.strip("\n")
    tree = outline(memory.path, body)
    match tree.blocks, tree.children:
        case (), (first, *_) if first.level == 1:
            lines = body.split("\n")
            setext = len(lines) > first.line and not lines[first.line - 1].lstrip().startswith("#")
            rest = "\n".join(lines[first.line + setext :])
            return first.heading, rest.strip("\n")
    return memory.title, body
