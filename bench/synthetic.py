"""Memories in any number: texts drawn word by word by Zipf's law, vectors drawn around real ones.

The words are those of the model's vocabulary, which is ordered by frequency. Every directory has
topics; a topic has words of its own and a centre, which is the real vector of some of its text. So
questions made of the words of a topic find similar memories among many dissimilar ones.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bench import projects
from dmm.domain.memory import Confidence, Scope
from dmm.embed.model import DATA
from dmm.index.records import IndexedMemory
from dmm.index.vectors import pack_vectors

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from dmm.bootstrap import Dmm
    from dmm.embed.model import Embedder

    Floats = NDArray[np.float32]

DIRECTORIES = 40
TOPICS = 200
TOPIC_WORDS = 120
TOPIC_SHARE = 0.35
TITLE_WORDS = 4
COMMON_WORDS = 300
LENGTHS = (200, 320)
WINDOWS = (3, 6)
SPREAD, WINDOW_SPREAD = 0.8, 0.5
SEED = 20260101


@dataclass(frozen=True, slots=True)
class World:
    """What all memories are drawn from."""

    words: NDArray[np.str_]
    chances: Floats
    topics: NDArray[np.intp]
    centres: Floats


def make_world(embedder: Embedder) -> World:
    """Choose the topics and embed a text of each."""
    rng = np.random.default_rng(SEED)
    words = np.array(_vocabulary())
    chances = np.cumsum(1 / np.arange(3, len(words) + 3, dtype=np.float64))
    topics = rng.integers(COMMON_WORDS, len(words), (TOPICS, TOPIC_WORDS))
    samples = [" ".join(words[topic[:60]]) for topic in topics]
    centres = np.stack([embedder.embed_query(sample) for sample in samples])
    return World(words, (chances / chances[-1]).astype(np.float32), topics, centres)


def _vocabulary() -> list[str]:
    lines = (DATA / "vocab.txt").read_text("utf-8").splitlines()
    return [line for line in lines if line.isascii() and line.isalpha() and len(line) > 1]


def fill(dmm: Dmm, world: World, size: int) -> None:
    """Put so many memories into the index of a project."""
    store = projects.open_store(dmm)
    rng = np.random.default_rng(SEED + size)
    for at in range(0, size, projects.BATCH):
        numbers = range(at, min(at + projects.BATCH, size))
        drawn = [_draw(world, rng, number) for number in numbers]
        projects.make_files(dmm, (memory for memory, _ in drawn))
        projects.put(store, [memory for memory, _ in drawn], [blob for _, blob in drawn])


def _draw(world: World, rng: np.random.Generator, number: int) -> tuple[IndexedMemory, bytes]:
    topic = int(rng.integers(TOPICS))
    words = draw_topic_words(world, rng, topic, int(rng.integers(*LENGTHS)))
    title = " ".join(world.words[rng.choice(world.topics[topic], TITLE_WORDS)])
    vectors = _draw_vectors(world.centres[topic], rng, int(rng.integers(*WINDOWS)))
    memory = _record(f"area_{topic % DIRECTORIES:02d}", number, title.capitalize(), words)
    return memory, pack_vectors(vectors)


def draw_words(world: World, rng: np.random.Generator, length: int) -> list[str]:
    """Draw the words of a text about some topic."""
    return draw_topic_words(world, rng, int(rng.integers(TOPICS)), length)


def draw_topic_words(world: World, rng: np.random.Generator, topic: int, length: int) -> list[str]:
    """Draw the words of a text about one topic."""
    common = np.searchsorted(world.chances, rng.random(length, np.float32))
    own = world.topics[topic][rng.integers(0, TOPIC_WORDS, length)]
    chosen = np.where(rng.random(length) < TOPIC_SHARE, own, common)
    return [str(word) for word in world.words[np.minimum(chosen, len(world.words) - 1)]]


def _draw_vectors(centre: Floats, rng: np.random.Generator, count: int) -> Floats:
    middle = to_unit(centre + SPREAD * to_unit(rng.standard_normal(centre.shape)))
    noise = rng.standard_normal((count, len(centre)))
    return to_unit(middle + WINDOW_SPREAD * to_unit(noise))


def to_unit(vectors: NDArray[np.floating]) -> Floats:
    """Scale vectors to length one."""
    return np.asarray(vectors / np.linalg.norm(vectors, axis=-1, keepdims=True), np.float32)


def _record(directory: str, number: int, title: str, words: list[str]) -> IndexedMemory:
    content = f"# {title}\n\n{' '.join(words)}."
    path = f"project/{directory}/memory_{number:06d}.md"
    digest = hashlib.sha256(content.encode()).hexdigest()
    return IndexedMemory(
        path=path,
        id=f"mem_2026_01_01_{number:06d}",
        directory=f"project/{directory}",
        title=title,
        content=content,
        scope=Scope.PROJECT,
        priority=0.5,
        confidence=Confidence.ACTIVE,
        in_force=True,
        tags=tuple(title.lower().split()[:2]),
        token_count=round(len(words) * 1.2),
        heading_tokens=20,
        words=len(words),
        code_density=0.0,
        created=None,
        expires=None,
        supersedes=(),
        related=(),
        cites=(),
        content_hash=digest,
        vector_key=digest[:32],
    )


def ask(world: World, count: int) -> Iterator[str]:
    """Make questions of the words of the topics."""
    rng = np.random.default_rng(SEED - 1)
    for _ in range(count):
        topic = world.topics[int(rng.integers(TOPICS))]
        a, b, c, d, e = (str(word) for word in world.words[rng.choice(topic, 5, replace=False)])
        yield f"how should we {a} the {b} of {c} when {d} and {e} change"
