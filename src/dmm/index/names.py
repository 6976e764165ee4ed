"""Memories named in the query by title or alias."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from dmm.index.analysis import STOP_WORDS
from dmm.index.splice import GONE
from dmm.text.stem import stem

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import NDArray

    from dmm.index.splice import Splice

SHORTEST_TYPO = 4

_WORD = re.compile(r"[^\W_]+")


class _Table:
    """All names that were ever entered, each with a number, by their first word.

    A name of one word stands by itself, as written: by its stem any request to test something
    would call "Testing". It only grows, and is shared by the indexes that come of one another.
    """

    def __init__(self) -> None:
        self.stems: list[tuple[str, ...]] = []
        self.by_first: dict[str, list[int]] = {}
        self.alone: dict[str, list[int]] = {}
        self.by_start: dict[str, set[str]] = {}
        self._words: set[str] = set()
        self._kept: dict[str, str] = {}

    def enter(self, names: Iterable[tuple[int, Iterable[str]]]) -> NDArray[np.int32]:
        """Add names and return their rows; stop words alone name nothing."""
        rows = []
        for row, own in names:
            for name in own:
                words = _words(name)
                if not STOP_WORDS.issuperset(words):
                    self._enter(words)
                    rows.append(row)
        return np.array(rows, np.int32)

    def _enter(self, words: list[str]) -> None:
        # The same few words name many memories: each is kept once.
        stems = tuple(self._kept.setdefault(one, one) for one in map(stem, words))
        # Others may be looking for names at this moment: a number is told once it has its name.
        self.stems.append(stems)
        group, first = (self.by_first, stems[0]) if len(words) > 1 else (self.alone, words[0])
        group.setdefault(first, []).append(len(self.stems) - 1)
        for word in words:
            if word not in self._words and len(word) >= SHORTEST_TYPO:
                self._words.add(word)
                self.by_start.setdefault(word[:2], set()).add(word)


class NameIndex:
    """The names of all memories: for each of the table the row it stands for, if any."""

    def __init__(
        self,
        names: Iterable[Iterable[str]] = (),
        table: _Table | None = None,
        rows: NDArray[np.int32] | None = None,
    ) -> None:
        self._table = table or _Table()
        self._rows = self._table.enter(enumerate(names)) if rows is None else rows

    def spliced(self, splice: Splice, names: Iterable[Iterable[str]]) -> NameIndex:
        """Return the names of other memories: of those that stay, and of fresh ones."""
        # Another index of this table may have entered names that are none of these memories.
        rows = np.full(len(self._table.stems), GONE, np.int32)
        # The last place, -1, stands for what was gone before.
        rows[: len(self._rows)] = np.append(splice.moved, np.int32(GONE))[self._rows]
        fresh = self._table.enter(zip(splice.fresh.tolist(), names, strict=True))
        return NameIndex(table=self._table, rows=np.append(rows, fresh))

    def find(self, query: str, is_known: Callable[[str], bool]) -> set[int]:
        """Find the memories that a query names; one slip is allowed in a word nobody knows."""
        meant = [self._meant(word, is_known) for word in _words(query)]
        alone = (self._table.alone.get(word, ()) for word in set().union(*meant))
        found = {self._row(number) for numbers in alone for number in numbers}
        readings = [set(map(stem, words)) for words in meant]
        for at, firsts in enumerate(readings):
            for first in firsts:
                for number in self._table.by_first.get(first, ()):
                    stems = self._table.stems[number]
                    rest = readings[at : at + len(stems)]
                    if len(rest) == len(stems) and _fits(stems, rest):
                        found.add(self._row(number))
        return found - {GONE}

    def _row(self, number: int) -> int:
        return int(self._rows[number]) if number < len(self._rows) else GONE

    def _meant(self, word: str, is_known: Callable[[str], bool]) -> set[str]:
        if len(word) < SHORTEST_TYPO or is_known(word):
            return {word}
        others = tuple(self._table.by_start.get(word[:2], ()))
        return {word, *(other for other in others if is_one_slip(word, other))}


def _words(text: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(text)]


def _fits(stems: tuple[str, ...], readings: Sequence[set[str]]) -> bool:
    return all(one in read for one, read in zip(stems, readings, strict=True))


def is_one_slip(word: str, other: str) -> bool:
    """Return whether two words differ by one letter more, less, other, or swapped with the next."""
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
