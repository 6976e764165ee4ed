"""Files that a question names: by path, stack trace or module."""

from __future__ import annotations

import posixpath
from collections import defaultdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dmm.repo.question import Question

MOST_MEANT = 3


class Names:
    """The files of a repository by their last names."""

    def __init__(self, paths: Sequence[str]) -> None:
        self._parts = [path.split("/") for path in paths]
        self._by_name: dict[str, list[int]] = defaultdict(list)
        self._by_stem: dict[str, list[int]] = defaultdict(list)
        for row, parts in enumerate(self._parts):
            self._by_name[parts[-1]].append(row)
            self._by_stem[parts[-1].partition(".")[0]].append(row)

    def find(self, question: Question) -> dict[int, float]:
        """Weigh the files a question names; a name that fits several is shared among them."""
        found: dict[int, float] = defaultdict(float)
        for rows in self._meant(question):
            if 0 < len(rows) <= MOST_MEANT:
                for row in rows:
                    found[row] += 1 / len(rows)
        return {row: min(1.0, weight) for row, weight in found.items()}

    def _meant(self, question: Question) -> Iterator[list[int]]:
        for path in question.files:
            parts = posixpath.normpath(path).split("/")
            yield self._longest(parts, self._by_name.get(parts[-1], []))
        for name in question.dotted:
            yield self._module(name.strip(".").split("."))

    def _longest(self, parts: list[str], rows: list[int]) -> list[int]:
        """Choose the files that share most of a path's end."""
        shared = {row: _shared(self._parts[row], parts) for row in rows}
        best = max(shared.values(), default=0)
        return [row for row, count in shared.items() if count == best]

    def _module(self, parts: list[str]) -> list[int]:
        """Find a module whose whole dotted path stands in the name; the longest one counts."""
        for length in range(len(parts), 1, -1):
            rows = self._by_stem.get(parts[length - 1], [])
            folders = parts[: length - 1]
            fitting = [r for r in rows if self._parts[r][-length:-1] == folders]
            if fitting:
                return fitting
        return []


def _shared(one: list[str], other: list[str]) -> int:
    count = 0
    for left, right in zip(reversed(one), reversed(other), strict=False):
        if left != right:
            break
        count += 1
    return count
