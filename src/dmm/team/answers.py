"""What a search of the team's server answers."""

from __future__ import annotations

from dataclasses import dataclass

DEFAULT_RESULTS, MOST_RESULTS = 10, 50
# How many other projects a laptop can name.
MOST_OTHERS = 200


@dataclass(frozen=True, slots=True)
class Hit:
    """A passage that was found, and its receipt: who said it where, and why it was found."""

    rank: int
    team: str
    project: str
    seq: int
    type: str
    writer: str
    name: str
    at: str
    text: str
    lanes: tuple[str, ...]
    words: tuple[str, ...]
    similarity: float
    bm25: float
    coverage: float
    score: float


@dataclass(frozen=True, slots=True)
class Answer:
    """What was found, best first, in which projects, and how many events are not indexed yet."""

    results: tuple[Hit, ...]
    projects: tuple[str, ...]
    behind: int
