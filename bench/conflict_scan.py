"""Conflicts in a large project: a scan of everything, and a check after one write.

The memories are files; they are indexed first, with their real vectors. The scan begins with the
index on disk and ends with its records in the ledger. A check follows a changed file whose index is
up to date, in a process that has scanned before.
"""

from __future__ import annotations

import resource
from functools import partial
from typing import TYPE_CHECKING

from bench import clock, projects, rulebooks
from bench.cached import CachedEmbedder
from bench.report import Measure, Part

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from bench.clock import Spent
    from bench.corpora import Text
    from dmm.bootstrap import Dmm
    from dmm.embed.model import Embedder

SIZES: dict[int, float | None] = {1_000: None, 10_000: 60.0}
QUICK = {300: None}
CHECKS = 30
CHECK_MS = 150
MEGABYTE = 1024


def measure(cache: Path, *, quick: bool = False) -> Part:
    """Measure projects of growing size."""
    embedder = CachedEmbedder.open(cache)
    sizes = QUICK if quick else SIZES
    measures = [m for size, bar in sizes.items() for m in _measure_size(embedder, size, bar)]
    remark = f"Check: median and 95th percentile of {CHECKS} single writes, without the indexing."
    return Part("Conflicts", tuple(measures), remark)


def _measure_size(embedder: Embedder, size: int, bar: float | None) -> Iterator[Measure]:
    texts = list(rulebooks.write_memories(size))
    with projects.open_project(lambda: embedder) as dmm:
        projects.write_texts(dmm.root.project, texts)
        dmm.trust_store.trust(dmm.root.folder)
        dmm.indexes.sync()
        told: dict[str, float] = {}
        first = clock.spend(partial(_scan, dmm, told))
        again = clock.spend(partial(_scan, dmm, {}))
        checks = [_check(dmm, text) for text in texts[:: max(1, size // CHECKS)][:CHECKS]]
        dmm.project_ledger.close()
    beside = {"CPU": first.cpu, "again": again.wall, **told}
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / MEGABYTE
    yield Measure(
        f"{size:,} memories: scan, wall s",
        first.wall,
        bar,
        at_most=True,
        beside=beside,
        note=f"peak memory so far {memory:,.0f} MB",
    )
    yield Measure(
        f"{size:,} memories: check after a write, wall ms",
        clock.wall_ms(checks, 0.95),
        CHECK_MS,
        at_most=True,
        beside={"p50": clock.wall_ms(checks), "CPU": clock.cpu_ms(checks)},
        note="95th percentile",
    )


def _scan(dmm: Dmm, told: dict[str, float]) -> None:
    result = dmm.conflicts.scan()
    told |= {"pairs": result.compared, "found": len(result.conflicts)}


def _check(dmm: Dmm, text: Text) -> Spent:
    """Change a memory, index it, and take the time of looking for its conflicts."""
    tree = dmm.root.tree
    tree.replace(text.path, f"{tree.text_of(text.path)}\nThe owners meet on Mondays.\n")
    dmm.indexes.sync()
    return clock.spend(partial(dmm.conflicts.check, [text.path]))
