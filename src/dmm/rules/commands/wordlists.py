"""Word lists: sets of names written as plain text."""

from __future__ import annotations


def names(text: str) -> frozenset[str]:
    """Read the names that a text lists, blanks between them."""
    return frozenset(text.split())
