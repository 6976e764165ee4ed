"""Patterns compiled on first use and tried only where they can match.

A text needs few of some two hundred, and a short command must not wait for the others.
"""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

# Where something was found, and what it is.
Span = tuple[int, int, str]

_USES = ("match", "search", "fullmatch", "finditer", "findall")
_tables: dict[str, bytes] = {}


class _Later:
    """A pattern that is compiled by its first use."""

    def __init__(self, source: str) -> None:
        self._source = source

    def __getattr__(self, name: str) -> object:
        compiled = re.compile(self._source)
        for use in _USES:
            setattr(self, use, getattr(compiled, use))
        return getattr(compiled, name)


_later: dict[str, _Later] = {}


def later(source: str) -> re.Pattern[str]:
    """Return a pattern that takes no time until it is used."""
    if source not in _later:
        _later[source] = _Later(source)
    return _later[source]  # type: ignore[return-value]


def match_at(
    source: str, text: str, literals: tuple[str, ...], within: str | None = None
) -> Iterator[re.Match[str]]:
    """Match a pattern only where one of the literals it begins with stands: far less to read."""
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
    """Find the place of a literal."""
    place = text.find(literal)
    while place >= 0:
        yield place
        place = text.find(literal, place + len(literal))


def words_of(text: str, more: str = "") -> set[bytes]:
    """Return the words of a text, of letters and digits and some signs more.

    As bytes they are had in a fifth of the time, and whatever is not ASCII parts them too.
    """
    table = _tables.get(more)
    if table is None:
        kept = {code for code in range(128) if chr(code).isalnum() or chr(code) in more}
        table = _tables[more] = bytes(code if code in kept else 32 for code in range(256))
    return set(text.encode("utf-8", "replace").translate(table).split())
