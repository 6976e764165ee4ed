"""The tables of names, words and usages in `data/secrets.txt`."""

from __future__ import annotations

from dmm.reading import read_sections

_SECTIONS = read_sections("secrets.txt")
USAGES = tuple(_SECTIONS["usages"])
READERS = tuple(_SECTIONS["readers"])


def listed(name: str) -> tuple[str, ...]:
    """Return the words of a section."""
    return tuple(" ".join(_SECTIONS[name]).split())


def prefixes_of(name: str) -> tuple[tuple[str, str, int], ...]:
    """Return each prefix of a section with its label and the least length of what follows."""
    rows = (row.split() for row in _SECTIONS[name])
    return tuple((prefix, label, int(least)) for label, least, *given in rows for prefix in given)
