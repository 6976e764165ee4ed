"""Sets of words written as running text."""

from __future__ import annotations


def vocabulary(text: str) -> frozenset[str]:
    """Return the words of a text as a set."""
    return frozenset(text.split())


def phrases(text: str) -> frozenset[str]:
    """Return the phrases of a text, parted by commas, as a set."""
    return frozenset(" ".join(part.split()) for part in text.split(","))
