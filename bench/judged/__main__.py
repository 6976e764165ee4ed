"""Score every judged table and print one page: python -m bench.judged; a missed floor fails."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from bench import growth, report
from bench.cached import CachedEmbedder
from bench.judged import calls, decisions, pairs, texts

if TYPE_CHECKING:
    from collections.abc import Iterator


def main() -> int:
    """Print the page; return 1 where a floor is missed."""
    missed = []
    for part in _parts():
        print(report.render(part), flush=True)
        missed += [f"{part.title}, {one.name}" for one in part.measures if one.reached is False]
    print("\n".join(["Missed:", *missed]) if missed else "Every floor is held.")
    return 1 if missed else 0


def _parts() -> Iterator[report.Part]:
    yield pairs.measure(CachedEmbedder.open(report.CACHE))
    yield decisions.measure()
    yield calls.measure()
    yield texts.measure()
    yield growth.measure()


if __name__ == "__main__":
    sys.exit(main())
