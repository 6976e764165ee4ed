"""Sets of words: written as plain text, or kept in `data/english.txt`."""

from __future__ import annotations

from dmm.reading import part_rows, read_sections, word_set

__all__ = ["ENGLISH", "english", "english_rows", "group_by_word", "word_set"]
ENGLISH = read_sections("english.txt")


def english(name: str) -> frozenset[str]:
    """Return the words of a section of the table."""
    return word_set(" ".join(ENGLISH[name]))


def english_rows(name: str) -> dict[str, list[str]]:
    """Return the rows of a section: what stands before the colon, and the words behind it."""
    return part_rows(ENGLISH[name])


def group_by_word(name: str) -> dict[str, str]:
    """Return the words of a section in rows, each with what its row begins with."""
    return {word: lead for lead, words in english_rows(name).items() for word in words}
