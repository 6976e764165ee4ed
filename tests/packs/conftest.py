"""A small index made by hand: every memory has exactly the words and the vector a test gives."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import pytest

from dmm.domain.memory import Confidence, Origin, Scope
from dmm.files.tree import Stamp
from dmm.index import analysis
from dmm.index.lexical import pack_terms
from dmm.index.records import Batch, Directory, IndexedMemory, KnownFile
from dmm.index.snapshot import take_snapshot
from dmm.index.store import IndexStore
from dmm.index.vectors import pack_vectors

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from dmm.index.snapshot import Snapshot

DIMENSIONS = 8


def towards(*parts: float) -> NDArray[np.float32]:
    """Make a unit vector that begins with these components."""
    vector = np.zeros(DIMENSIONS, np.float32)
    vector[: len(parts)] = parts
    rest = 1 - float(vector @ vector)
    if rest > 0:
        vector[-1] = rest**0.5
    return vector


@dataclass(slots=True)
class ComparisonSet:
    """Memories that become a snapshot."""

    store: IndexStore = field(default_factory=IndexStore.in_memory)
    count: int = 0

    def add(
        self,
        path: str,
        text: str = "words",
        *,
        near: float | Sequence[float] | None = None,
        scope: str | None = None,
        priority: float = 0.5,
        confidence: Confidence = Confidence.ACTIVE,
        in_force: bool = True,
        created: dt.date | None = None,
        expires: dt.date | None = None,
        title: str | None = None,
        tokens: int = 100,
        density: float = 0.0,
        length: int = 300,
    ) -> None:
        """Add a memory; `near` is its similarity to the query, or several for as many windows."""
        self.count += 1
        memory = IndexedMemory(
            path=path,
            id=f"mem_2026_01_01_{self.count:03d}",
            directory=path.rpartition("/")[0],
            title=title or f"Untitled {self.count}",
            content=text,
            scope=Scope(scope or path.partition("/")[0]),
            priority=priority,
            confidence=confidence,
            in_force=in_force,
            tags=(),
            token_count=tokens,
            heading_tokens=0,
            words=length,
            code_density=density,
            created=created,
            expires=expires,
            supersedes=(),
            related=(),
            cites=(),
            content_hash="",
            vector_key=path,
            aliases=(),
        )
        batch = Batch(files=[KnownFile(Stamp(path, 1, 1, 1), "")])
        batch.memories.append((memory, pack_terms(analysis.count_terms(text))))
        if near is not None:
            values = [near] if isinstance(near, int | float) else near
            batch.vectors[path] = pack_vectors(np.stack([towards(value) for value in values]))
        self.store.apply(batch)

    def describe(self, **folders: str) -> None:
        """Give folders descriptors; two underscores stand for a slash."""
        told = [Directory(name.replace("__", "/"), text) for name, text in folders.items()]
        self.store.apply(Batch(directories=told))

    def snapshot(self, *, vectors: bool = True) -> Snapshot:
        return take_snapshot([(Origin.PROJECT, self.store)], DIMENSIONS if vectors else None)


@pytest.fixture
def corpus() -> Iterator[ComparisonSet]:
    corpus = ComparisonSet()
    yield corpus
    corpus.store.close()


@pytest.fixture
def query_vector() -> NDArray[np.float32]:
    return towards(1.0)
