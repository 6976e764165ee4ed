"""Made-up pairs of project notes: values, tools, policies, states, places, and opposed opinions."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from tools.pairs.facts import Facts
from tools.pairs.opinions import Opinions
from tools.pairs.rows import Row, write_rows

if TYPE_CHECKING:
    from collections.abc import Callable

    from tools.pairs.writer import Made


class Maker(Facts, Opinions):
    """Makes pairs of all kinds."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self._kinds: list[tuple[Callable[[], Made], int]] = [
            (self.value, 26),
            (self.tool, 22),
            (self.policy, 18),
            (self.need, 6),
            (self.state, 12),
            (self.place, 6),
            (self.topic, 30),
        ]

    def pair(self) -> Row:
        """Return one pair, with or without titles, in either order."""
        makers, weights = zip(*self._kinds, strict=True)
        titles, bodies, label = self._split(self._chance.choices(makers, weights)[0]())
        texts = [self._dress(title, body) for title, body in zip(titles, bodies, strict=True)]
        if self._chance.random() < 0.5:
            texts.reverse()
        return Row(texts[0], texts[1], "note", (label,), "made")

    @staticmethod
    def _split(made: Made) -> tuple[tuple[str, str], tuple[str, str], str]:
        return (made[0], made[2]), (made[1], made[3]), made[4]


def main() -> None:
    """Write so many pairs, each once."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=80_000)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--out", type=Path, required=True, help="file to write")
    options = parser.parse_args()
    maker = Maker(options.seed)
    rows: dict[Row, None] = {}
    while len(rows) < options.count:
        row = maker.pair()
        if row.one != row.other:
            rows[row] = None
    print(write_rows(options.out, rows), "pairs")


if __name__ == "__main__":
    main()
