"""Projects to measure: a real .dmm folder whose index holds the texts of a collection."""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from dmm.bootstrap import Dmm, open_dmm
from dmm.domain.memory import Confidence, Origin, Scope
from dmm.domain.pack import ENTRY_END, entry_heading
from dmm.embed.tokens import TokenCounter
from dmm.files.tree import Stamp
from dmm.index import analysis, composite
from dmm.index.lexical import pack_terms
from dmm.index.records import Batch, IndexedMemory, KnownFile
from dmm.index.store import IndexStore
from dmm.index.vectors import pack_vectors

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from bench.corpora import Text
    from dmm.embed.model import Embedder

BATCH = 1_000
WRITTEN = 1_767_225_600  # 2026-01-01
FRONT_MATTER = """---
id: mem_2026_01_01_{number:06d}
tags: [{tags}]
scope: {scope}
priority: 0.5
confidence: active
status: active
created: 2026-01-01
---

"""
BASELINE = {
    "identity.md": "# Identity\n\nA web shop in Python with a PostgreSQL database.\n",
    "hard_constraints.md": "# Hard constraints\n\n- Never log personal data.\n- Ask first.\n",
}


@contextlib.contextmanager
def open_project(load_model: Callable[[], Embedder], *, baseline: bool = False) -> Iterator[Dmm]:
    """Make an empty project in a temporary folder, away from the user's own memories."""
    with tempfile.TemporaryDirectory(prefix="dmm-bench-") as name:
        folder = Path(name) / "project"
        (folder / ".dmm" / "memory").mkdir(parents=True)
        if baseline:
            write_baseline(folder)
        dmm = open_dmm(override=folder, home=Path(name), load_model=load_model)
        try:
            yield dmm
        finally:
            dmm.indexes.close()


def write_baseline(folder: Path) -> None:
    """Write two small files that every pack contains."""
    for number, (name, body) in enumerate(BASELINE.items()):
        _write(folder, f"baseline/{name}", number, "", body)


def write_texts(folder: Path, texts: Iterable[Text]) -> None:
    """Write texts as memory files."""
    for number, text in enumerate(texts, start=1_000):
        _write(folder, text.path, number, ", ".join(text.tags), text.content)


def _write(folder: Path, path: str, number: int, tags: str, body: str) -> None:
    file = folder / ".dmm" / "memory" / path
    file.parent.mkdir(parents=True, exist_ok=True)
    head = FRONT_MATTER.format(number=number, tags=tags, scope=path.partition("/")[0])
    file.write_text(f"{head}{body}\n", "utf-8")
    # Syncing distrusts the stamps of files that were written a moment ago.
    os.utime(file, (WRITTEN, WRITTEN))


def open_store(dmm: Dmm) -> IndexStore:
    """Give the index of the project itself."""
    store = dmm.indexes.store(Origin.PROJECT)
    if store is None:
        raise LookupError("the project has no index")
    return store


def fill(dmm: Dmm, memories: Iterable[IndexedMemory], embedder: Embedder) -> None:
    """Put memories with their terms and vectors into an index in memory, as syncing does."""
    shelf = dmm.indexes.shelves[0]
    shelf.store = store = IndexStore.in_memory()
    rest = iter(memories)
    while batch := list(islice(rest, BATCH)):
        make_files(dmm, batch)
        cuts = [composite.cut(memory, embedder.encode) for memory in batch]
        vectors = embedder.embed_windows([window for cut in cuts for window in cut])
        blobs = []
        start = 0
        for cut in cuts:
            blobs.append(pack_vectors(vectors[start : start + len(cut)]))
            start += len(cut)
        put(store, batch, blobs)


def make_files(dmm: Dmm, memories: Iterable[IndexedMemory]) -> None:
    """Make an empty file for each memory: what has none is not served; texts are in the index."""
    root = dmm.indexes.shelves[0].tree.root
    for memory in memories:
        file = root / memory.path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()


def put(store: IndexStore, memories: Sequence[IndexedMemory], blobs: Sequence[bytes]) -> None:
    """Put one batch of memories with their packed vectors into an index."""
    store.apply(
        Batch(
            files=[KnownFile(Stamp(m.path, 0, 0, 0), m.content_hash) for m in memories],
            memories=[(memory, pack_terms(analysis.weigh(memory))) for memory in memories],
            vectors={m.vector_key: blob for m, blob in zip(memories, blobs, strict=True)},
        )
    )


def record(
    text: Text,
    *,
    count: Callable[[str], int],
    scope: Scope = Scope.PROJECT,
    in_force: bool = True,
    related: tuple[str, ...] = (),
) -> IndexedMemory:
    """Make of a text what syncing makes of a file with that text."""
    content = text.content
    path = f"{scope}/{text.path.partition('/')[2]}"
    tokens = count(content)
    digest = hashlib.sha256(f"{text.title}\0{text.tags}\0{content}\0{path}".encode()).hexdigest()
    return IndexedMemory(
        path=path,
        id=text.id,
        directory=path.rpartition("/")[0],
        title=text.title,
        content=content,
        scope=scope,
        priority=0.5,
        confidence=Confidence.ACTIVE,
        in_force=in_force,
        tags=text.tags,
        token_count=tokens,
        heading_tokens=count(entry_heading(path, "0.00") + content + ENTRY_END) - tokens,
        words=len(content.split()),
        code_density=analysis.code_density(content),
        created=None,
        expires=None,
        supersedes=(),
        related=related,
        cites=(),
        content_hash=digest,
        vector_key=digest[:32],
        aliases=text.aliases,
    )


def counter() -> Callable[[str], int]:
    """Give the product's token counter."""
    return TokenCounter().count
