"""Sets of words: written as plain text, or kept in `data/english.txt`."""

from __future__ import annotations

from dmm.reading import read_sections, word_set

__all__ = ["ENGLISH", "english", "word_set"]
ENGLISH = read_sections("english.txt")


def english(name: str) -> frozenset[str]:
    """Return the words of a section of the table."""
    return word_set(" ".join(ENGLISH[name]))
