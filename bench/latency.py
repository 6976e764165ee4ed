"""Latency: a warm query through the service, as a multiple of embedding the bare question.

The whole way is included: baseline, search, ranking, reading the contents, rendering, and writing
the last pack. Query and bare embedding take turns, so both meet the same load.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from bench import clock, projects, synthetic
from bench.report import Measure, Part
from dmm.domain.pack import QueryRequest
from dmm.embed.model import Embedder

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bench.synthetic import World

BARS: dict[int, float | None] = {100: None, 1_000: None, 10_000: 3.0, 100_000: 8.0}
WARM_UP = 20
QUESTIONS = 100


def measure() -> Part:
    """Measure projects of growing size."""
    embedder = Embedder.load()
    world = synthetic.make_world(embedder)
    measures = [m for size in BARS for m in _measure_size(world, embedder, size)]
    remark = "Times in ms. Ratio: p50 of the query over p50 of embed_query of the same question."
    return Part("Latency of a warm query", tuple(measures), remark)


def _measure_size(world: World, embedder: Embedder, size: int) -> Iterator[Measure]:
    with projects.open_project(lambda: embedder, baseline=True) as dmm:
        synthetic.fill(dmm, world, size)
        load = clock.spend(dmm.indexes.snapshot)
        queries, bare = [], []
        for number, question in enumerate(synthetic.ask(world, WARM_UP + QUESTIONS)):
            request = QueryRequest(question)
            asked = clock.spend(partial(dmm.packs.query, request, refresh=False))
            alone = clock.spend(partial(embedder.embed_query, question))
            if number >= WARM_UP:
                queries.append(asked)
                bare.append(alone)
    note = f"loading the index took {load.cpu:.2f} s of CPU"
    for kind, take in (("CPU", clock.cpu_ms), ("wall", clock.wall_ms)):
        yield Measure(
            f"{size:,} memories, {kind}: ratio",
            take(queries) / take(bare),
            BARS[size] if kind == "CPU" else None,
            at_most=True,
            digits=2,
            beside={
                "bare p50": take(bare),
                "query p50": take(queries),
                "query p95": take(queries, 0.95),
            },
            note=note,
        )
        note = ""
