"""Speed of recall: ten thousand turns in the ledger, searched warm and right after a new event."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from bench import clock, synthetic
from bench.report import Measure
from dmm.domain.event import Draft, EventType, Trust
from dmm.embed.model import Embedder

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from bench.synthetic import World
    from dmm.bootstrap import Dmm

UNITS = 10_000
IN_SESSION = 50
LENGTHS = (15, 60)
WARM_UP = 5
QUESTIONS = 50
NEW = 10
VISIBLE_WITHIN = 5_000.0


class Drawn(Embedder):
    """The model for questions; turns get vectors by chance, for ten thousand take minutes."""

    def __init__(self, embedder: Embedder) -> None:
        self.identity = f"drawn/{embedder.identity}"
        self.dimensions = embedder.dimensions
        self.max_pieces = embedder.max_pieces
        self._embedder = embedder
        self._rng = np.random.default_rng(synthetic.SEED)

    def encode(self, text: str) -> list[int]:
        """Cut a text into its pieces."""
        return self._embedder.encode(text)

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """Embed a question in earnest."""
        return self._embedder.embed_query(text)

    def embed_windows(self, windows: Sequence[Sequence[int]]) -> NDArray[np.float32]:
        """Draw a direction for each window; a single one is embedded in earnest."""
        if len(windows) == 1:
            return self._embedder.embed_windows(windows)
        drawn = self._rng.standard_normal((len(windows), self.dimensions))
        return np.asarray(drawn / np.linalg.norm(drawn, axis=1, keepdims=True), np.float32)


def measure(dmm: Dmm, embedder: Embedder) -> Iterator[Measure]:
    """Measure a first search, warm ones, and ones that follow a new event at once.

    The project has a drawn past, and the embedder is the model without a cache.
    """
    world = synthetic.make_world(embedder)
    rng = np.random.default_rng(synthetic.SEED)
    dmm.project_ledger.log.extend(_turn(world, rng, number) for number in range(UNITS))
    questions = list(synthetic.ask(world, WARM_UP + QUESTIONS + NEW + 1))
    first = clock.spend(partial(dmm.recall.search, questions.pop()))
    warm = [clock.spend(partial(dmm.recall.search, one)) for one in questions[NEW:]][WARM_UP:]
    bare = [clock.spend(partial(embedder.embed_query, one)) for one in questions[NEW:]][WARM_UP:]
    fresh = []
    for number, question in enumerate(questions[:NEW]):
        dmm.project_ledger.log.extend([_turn(world, rng, UNITS + number)])
        fresh.append(clock.spend(partial(dmm.recall.search, question)))
    label = f"search, {UNITS:,} units"
    note = f"the first took {first.wall:.1f} s: distil, index and load, without real vectors"
    beside = {"bare p50": clock.wall_ms(bare), "p95": clock.wall_ms(warm, 0.95)}
    yield Measure(f"{label}: p50, ms", clock.wall_ms(warm), beside=beside, note=note)
    beside = {"bare p50": clock.wall_ms(bare), "p95": clock.wall_ms(fresh, 0.95)}
    name = "from event to visible: p50, ms"
    yield Measure(name, clock.wall_ms(fresh), VISIBLE_WITHIN, at_most=True, beside=beside)


def _turn(world: World, rng: np.random.Generator, number: int) -> Draft:
    words = synthetic.draw_words(world, rng, int(rng.integers(*LENGTHS)))
    asks = number % 2 == 0
    return Draft(
        EventType.USER_MESSAGE_RECEIVED if asks else EventType.TURN_ENDED,
        {"text": " ".join(words)},
        id=f"turn-{number}",
        at=f"2026-01-{1 + number // 500 % 28:02d}T10:00:00.000+00:00",
        actor="claude-code",
        source="hook",
        trust=Trust.USER if asks else Trust.AGENT,
        session=f"session-{number // IN_SESSION:05d}",
    )
