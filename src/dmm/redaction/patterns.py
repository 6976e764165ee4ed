"""Patterns compiled on first use and tried only where they can match.

A text needs few of some two hundred, and a short command must not wait for the others.
"""

from __future__ import annotations

import re
from functools import cache

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

# Where something was found, and what it is.
Span = tuple[int, int, str]

_USES = ("match", "search", "fullmatch", "finditer", "findall", "split")


class _Later:
    """A pattern that is compiled by its first use."""

    def __init__(self, source: str) -> None:
        self._source = source

    def __getattr__(self, name: str) -> object:
        compiled = re.compile(self._source)
        for use in _USES:
            setattr(self, use, getattr(compiled, use))
        return getattr(compiled, name)


@cache
def later(source: str) -> re.Pattern[str]:
    """Return a pattern that takes no time until it is used."""
    return _Later(source)  # type: ignore[return-value]  # it has the methods that are used


def match_at(
    source: str, text: str, literals: tuple[str, ...], within: str | None = None
) -> Iterator[re.Match[str]]:
    """Yield the matches of a pattern, tried only at the literals it can begin with."""
    searched = text if within is None else within
    for literal in literals:
        place = searched.find(literal) if literal in searched else -1
        while place >= 0:
            found = later(source).match(text, place)
            if found is not None:
                yield found
            behind = place + len(literal) if found is None else found.end()
            place = searched.find(literal, behind)


def places_of(text: str, literal: str) -> Iterator[int]:
    """Yield the positions of a literal."""
    place = text.find(literal)
    while place >= 0:
        yield place
        place = text.find(literal, place + len(literal))


def words_of(text: str, more: str = "") -> set[bytes]:
    """Return the words of a text: letters, digits and the signs in `more`.

    As bytes they are had in a fifth of the time, and whatever is not ASCII parts them too.
    """
    return set(text.encode("utf-8", "replace").translate(_words_alone(more)).split())


@cache
def _words_alone(more: str) -> bytes:
    kept = {*filter(str.isalnum, map(chr, range(128))), *more}
    return bytes(code if chr(code) in kept else 32 for code in range(256))
