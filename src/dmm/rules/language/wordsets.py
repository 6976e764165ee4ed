"""Sets of words written as plain text."""

from __future__ import annotations


def word_set(text: str) -> frozenset[str]:
    """The words of a text, divided at white space."""
    return frozenset(text.split())
