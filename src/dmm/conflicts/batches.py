"""Comparing in batches: what a process needs for some pairs, and what it finds.

A batch carries only what the process does not hold yet: a memory that nobody has read, or what was
read of it, packed. What it reads it gives back packed, so that each memory is read once.
"""

from __future__ import annotations

import pickle
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dmm.conflicts.compare import compare, read_memory

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Mapping

    from dmm.conflicts.readings import Reading
    from dmm.domain.conflict import Clash
    from dmm.domain.memory import Memory


# Two memories to compare, by number, how alike they are, and whether none is nearer to either.
Task = tuple[int, int, float | None, bool]


@dataclass(frozen=True, slots=True)
class Batch:
    """Tasks, what is new to the process for them, and what it may forget."""

    tasks: tuple[Task, ...]
    texts: Mapping[int, Memory]
    packed: Mapping[int, bytes]
    gone: tuple[int, ...]
    today: dt.date


@dataclass(frozen=True, slots=True)
class Answer:
    """The clashes of a batch by the place of their task, and what was read for it, packed."""

    clashes: tuple[tuple[int, Clash], ...]
    packed: Mapping[int, bytes]


def work(batch: Batch, held: dict[int, Reading]) -> Answer:
    """Compare the pairs of a batch; `held` is what this process knows of memories."""
    for number in batch.gone:
        del held[number]
    held |= {number: unpack(packed) for number, packed in batch.packed.items()}
    fresh = {number: read_memory(memory) for number, memory in batch.texts.items()}
    held |= fresh
    clashes = []
    for place, (one, other, likeness, nearest) in enumerate(batch.tasks):
        readings = held[one], held[other]
        clash = compare(*readings, likeness=likeness, today=batch.today, nearest=nearest)
        if clash is not None:
            clashes.append((place, clash))
    return Answer(tuple(clashes), {number: pack(reading) for number, reading in fresh.items()})


def pack(reading: Reading) -> bytes:
    """Put what was read of a memory into few bytes; a tenth of what it takes as objects."""
    return pickle.dumps(reading, pickle.HIGHEST_PROTOCOL)


def unpack(packed: bytes) -> Reading:
    """Take out again what was packed: ten times quicker than reading the memory."""
    reading: Reading = pickle.loads(packed)  # noqa: S301 - packed by us, never kept in a file
    return reading
