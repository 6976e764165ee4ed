"""Memories called by name: a title or an alias that stands in the query, word for word."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from dmm.index.analysis import STOP_WORDS
from dmm.index.stem import stem

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

SHORTEST_TYPO = 4

_WORD = re.compile(r"[^\W_]+")


class _Name(NamedTuple):
    stems: tuple[str, ...]
    row: int


class NameIndex:
    """The names of all memories, by their first word."""

    def __init__(self, names: Iterable[Iterable[str]] = ()) -> None:
        self._by_first: dict[str, list[_Name]] = {}
        self._by_start: dict[str, set[str]] = {}
        self._stems: dict[str, str] = {}
        for row, own in enumerate(names):
            self.add(row, own)

    def add(self, row: int, names: Iterable[str]) -> None:
        """Add the names of one memory."""
        for name in names:
            self._add(name, row)

    def _add(self, name: str, row: int) -> None:
        words = _words(name)
        if all(word in STOP_WORDS for word in words):
            return
        # The same few words name many memories: each is kept once.
        stems = tuple(self._stems.setdefault(one, one) for one in map(stem, words))
        self._by_first.setdefault(stems[0], []).append(_Name(stems, row))
        for word in words:
            if len(word) >= SHORTEST_TYPO:
                self._by_start.setdefault(word[:2], set()).add(word)

    def find(self, query: str, is_known: Callable[[str], bool]) -> set[int]:
        """Find the memories that a query names; one slip is allowed in a word nobody knows."""
        readings = [self._readings(word, is_known) for word in _words(query)]
        found = set()
        for at, firsts in enumerate(readings):
            for first in firsts:
                for name in self._by_first.get(first, ()):
                    rest = readings[at : at + len(name.stems)]
                    if len(rest) == len(name.stems) and _fits(name.stems, rest):
                        found.add(name.row)
        return found

    def _readings(self, word: str, is_known: Callable[[str], bool]) -> set[str]:
        readings = {stem(word)}
        if len(word) >= SHORTEST_TYPO and not is_known(word):
            meant = self._by_start.get(word[:2], ())
            readings |= {stem(other) for other in meant if is_one_slip(word, other)}
        return readings


def _words(text: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(text)]


def _fits(stems: tuple[str, ...], readings: Sequence[set[str]]) -> bool:
    return all(one in read for one, read in zip(stems, readings, strict=True))


def is_one_slip(word: str, other: str) -> bool:
    """Say whether two words differ by one letter more, less, other, or swapped with the next."""
    if word == other or abs(len(word) - len(other)) > 1:
        return word == other
    at = next((n for n, (a, b) in enumerate(zip(word, other, strict=False)) if a != b), None)
    if at is None:
        return True
    if len(word) != len(other):
        longer, shorter = sorted((word, other), key=len, reverse=True)
        return longer[at + 1 :] == shorter[at:]
    swapped = word[at : at + 2] == other[at : at + 2][::-1] and word[at + 2 :] == other[at + 2 :]
    return word[at + 1 :] == other[at + 1 :] or swapped
