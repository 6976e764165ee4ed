"""The embedded text of a memory: windows, each with a naming header."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from dmm.embed.windows import cut_windows
from dmm.index.records import Batch
from dmm.index.vectors import pack_vectors

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from dmm.domain.memory import Memory
    from dmm.embed.model import Embedder
    from dmm.index.records import IndexedMemory
    from dmm.index.store import IndexStore

VERSION = "composite-2"


def header(memory: Memory | IndexedMemory) -> str:
    """Name a memory in front of each of its windows: title and tags."""
    tags = f" ({', '.join(memory.tags)})" if memory.tags else ""
    return f"{memory.title.replace('_', ' ')}{tags}\n"


def key(memory: Memory, content: str) -> str:
    """Name a memory's vectors by what they are made of."""
    return hashlib.sha256(f"{header(memory)}\0{content}".encode()).hexdigest()[:32]


def cut(memory: IndexedMemory, encode: Callable[[str], list[int]]) -> list[list[int]]:
    """Cut a memory into windows of word pieces; the title is not repeated below its header."""
    body = memory.content.removeprefix(f"# {memory.title}").lstrip()
    return cut_windows(encode(header(memory)), encode(body))


def embed(windows: Mapping[str, list[list[int]]], embedder: Embedder) -> dict[str, bytes]:
    """Embed the windows of some memories, and pack the vectors of each under its key."""
    vectors = embedder.embed_windows([window for cut in windows.values() for window in cut])
    packed: dict[str, bytes] = {}
    start = 0
    for name, own in windows.items():
        packed[name] = pack_vectors(vectors[start : start + len(own)])
        start += len(own)
    return packed


def refresh_identity(store: IndexStore, rules: str, embedder: Embedder | None) -> bool:
    """Drop vectors and terms of another model or of other rules.

    Say whether everything had to be forgotten.
    """
    others = store.meta("rules") not in (None, rules)
    if others:
        store.clear()
    if embedder is not None and store.meta("model") not in (None, embedder.identity):
        store.drop_vectors()
    meta = {"rules": rules} | ({"model": embedder.identity} if embedder is not None else {})
    if any(store.meta(name) != value for name, value in meta.items()):
        store.apply(Batch(meta=meta))
    return others
