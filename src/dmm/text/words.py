"""Sets of words: written as plain text, or kept in `data/english.txt`."""

from __future__ import annotations

from dmm.reading import part_rows, read_sections, word_set

__all__ = ["ENGLISH", "english", "english_rows", "group_by_word", "word_set"]
ENGLISH = read_sections("english.txt")


def english(name: str) -> frozenset[str]:
    """Return the words of a section of the table."""
    return word_set(" ".join(ENGLISH[name]))


def english_rows(name: str) -> dict[str, list[str]]:
    """Return the rows of a section: the text before the colon, and the words after it."""
    return part_rows(ENGLISH[name])


def group_by_word(name: str) -> dict[str, str]:
    """Return each word of a section with the heads of its rows."""
    return {word: lead for lead, words in english_rows(name).items() for word in words}
