"""Word lists: sets of names written as plain text, or kept in `data/programs.txt`."""

from __future__ import annotations

from dmm.reading import read_sections
from dmm.reading import word_set as names

__all__ = ["LISTS", "listed", "names"]
LISTS = read_sections("programs.txt")


def listed(name: str) -> frozenset[str]:
    """Return the names of a section of the table."""
    return names(" ".join(LISTS[name]))
