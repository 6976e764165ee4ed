"""What the checks would say about a proposal, before it is made."""

from __future__ import annotations

from dmm.domain.frozen import frozen
from dmm.domain.proposal import Check
from dmm.review.examination import Examined


@frozen
class NearMemory:
    """A memory that stands near to what is proposed."""

    path: str
    id: str
    title: str
    similarity: float | None


@frozen
class ClashView:
    """What a memory says against the proposed text, with the sentences that it rests on."""

    path: str
    id: str
    type: str
    confidence: float
    sure: bool
    title: str
    quotes: tuple[str, str]


@frozen
class Preview:
    """The checks of a proposal that nobody has made, its diff, and who would decide."""

    path: str
    operation: str
    trust: str
    checks: tuple[Check, ...]
    diff: tuple[str, ...]
    tier: str
    why: str
    neighbours: tuple[NearMemory, ...]
    conflicts: tuple[ClashView, ...]
    text: str | None
    digest: str


def show_neighbours(examined: Examined) -> tuple[NearMemory, ...]:
    """Return the memories that stand nearest."""
    return tuple(NearMemory(n.path, n.id, n.title, n.similarity) for n in examined.neighbours)


def show_clashes(examined: Examined) -> tuple[ClashView, ...]:
    """Return what clashes with a text."""
    return tuple(
        ClashView(path, name, str(c.type), c.confidence, c.sure, c.description, c.quotes)
        for c, path, name in examined.clashes
    )
