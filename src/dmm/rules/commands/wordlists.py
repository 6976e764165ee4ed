"""Word lists: sets of names written as plain text."""

from __future__ import annotations

from dmm.reading import read_sections


def names(text: str) -> frozenset[str]:
    """Read the names that a text lists, blanks between them."""
    return frozenset(text.split())


LISTS = read_sections("programs.txt")


def listed(name: str) -> frozenset[str]:
    """Read a list of `data/programs.txt`."""
    return names(" ".join(LISTS[name]))
