"""Memories that take the place of another one, by their front matter."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dmm.domain.memory import Memory


def supersedes(newer: Memory, older: Memory) -> bool:
    """Whether the front matter of one memory names the other as its predecessor."""
    names = {older.id, older.path, older.name, older.name.removesuffix(".md")}
    return not names.isdisjoint(newer.supersedes)
