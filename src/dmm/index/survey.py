"""Search files that are not indexed yet for the words of a query.

It reads raw bytes and counts words by how they begin, a hundred times as quickly as indexing. So a
query over a large new tree indexes first what it is about, and knows how rare its words are.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from dmm.index.lexical import K1, B, Unread

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from dmm.files.tree import Stamp

SHORTEST_START = 3
# After so many files it is known which words are in every fourth of them: they choose nothing.
SAMPLE = 1_000
COMMON = 0.25
_WORD = frozenset((*b"abcdefghijklmnopqrstuvwxyz0123456789", *range(128, 256)))
# Letters in lower case, all that is no part of a word as a space.
_FOLD = bytes(code if code in _WORD else 32 for code in bytes(range(256)).lower())


def _needle(term: str) -> bytes:
    """Write a term as it begins a word in folded text; a short one has to be the whole word."""
    if len(term) < SHORTEST_START:
        return f" {term} ".encode("utf-8", "replace")
    # The stem of `policy` and `policies` is `polici`.
    return f" {term.removesuffix('i')}".encode("utf-8", "replace")


@dataclass(slots=True)
class Survey:
    """Counts the words of a query in files that are shown to it one by one."""

    terms: tuple[str, ...]
    seen: int = 0
    _needles: dict[int, bytes] = field(default_factory=dict)
    _holding: list[int] = field(default_factory=list)
    _dropped: dict[int, float] = field(default_factory=dict)
    _hits: dict[str, tuple[int, tuple[int, ...]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._needles = {number: _needle(term) for number, term in enumerate(self.terms)}
        self._holding = [0] * len(self.terms)

    def order(self, stamps: Collection[Stamp]) -> list[str]:
        """Return in which order to look: what is named after the query first, then the newest."""
        newest = [stamp.path for stamp in sorted(stamps, key=lambda one: -one.mtime_ns)]
        named = self._count_in_names(newest)
        rest = (path for path in newest if path not in named)
        return [*sorted(named, key=lambda path: -named[path]), *rest]

    def _count_in_names(self, paths: Sequence[str]) -> Counter[str]:
        """Count the words in each path; all paths are searched as one text, which is quicker."""
        names = [path.encode("utf-8", "replace") for path in paths]
        ends = np.cumsum([len(name) + 1 for name in names])
        text = b"\n".join(names).translate(_FOLD)
        found: Counter[str] = Counter()
        for needle in self._needles.values():
            hits = np.array([hit.start() for hit in re.finditer(needle, text)], np.intp)
            numbers = set(np.searchsorted(ends, hits, side="right").tolist())
            found.update(paths[number] for number in sorted(numbers))
        return found

    def look(self, path: str, data: bytes) -> None:
        """Count the words in one file."""
        folded = b" %b " % data.translate(_FOLD)
        counts = {number: folded.count(needle) for number, needle in self._needles.items()}
        self.seen += 1
        if any(counts.values()):
            for number, found in counts.items():
                self._holding[number] += found > 0
            every = tuple(counts.get(number, 0) for number in range(len(self.terms)))
            self._hits[path] = len(data), every
        if self.seen == SAMPLE:
            self._drop_common()

    def _drop_common(self) -> None:
        rarest = min(self._needles, key=self._holding.__getitem__)
        for number in list(self._needles):
            share = self._holding[number] / self.seen
            if share > COMMON and number != rarest:
                del self._needles[number]
                self._dropped[number] = share

    def choose(self, most: int) -> list[str]:
        """Name the files that fit best by the words counted, best first."""
        if not self._hits:
            return []
        paths = sorted(self._hits)
        sizes = np.array([self._hits[path][0] for path in paths], np.float32)
        counts = np.array([self._hits[path][1] for path in paths], np.float32)
        holding = np.array(self._expected(self.seen), np.float32)
        rarity = np.log1p((self.seen - holding + 0.5) / (holding + 0.5))
        norms = K1 * (1 - B + B * sizes / sizes.mean())
        scores = (rarity * counts / (counts + norms[:, None])).sum(axis=1)
        best = np.argsort(-scores, kind="stable")[:most]
        return [paths[row] for row in best]

    def unread(self, files: int, indexed: Collection[str]) -> Unread:
        """Return how many files are left unread and how many of them hold each term.

        `indexed` were looked at here and are counted by the index from now on.
        """
        rows: Sequence[tuple[int, ...]] = [
            self._hits[path][1] for path in indexed if path in self._hits
        ]
        expected = self._expected(files + len(indexed))
        return Unread(
            files,
            {
                term: max(0.0, expected[number] - sum(row[number] > 0 for row in rows))
                for number, term in enumerate(self.terms)
            },
        )

    def _expected(self, files: int) -> list[float]:
        """Estimate for each term how many of so many files hold it, from those that were seen."""
        return [
            files * self._dropped.get(number, found / self.seen if self.seen else 0.0)
            for number, found in enumerate(self._holding)
        ]
