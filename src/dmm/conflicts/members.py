"""The memories that are compared with one another, as the index holds them."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING

from dmm.domain.frozen import frozen
from dmm.domain.memory import Memory, Origin, Status
from dmm.domain.pack import shown_path
from dmm.index.records import IndexedMemory

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dmm.domain.conflict import Clash, Method
    from dmm.index.store import IndexStore

# What the index keeps of a memory under the same name.
_KEPT = {one.name for one in fields(Memory)} & {one.name for one in fields(IndexedMemory)}


@frozen
class Member:
    """One memory in force and the tree that it comes from."""

    origin: Origin
    memory: Memory

    @property
    def place(self) -> tuple[bool, str]:
        """The sort key: the project's memories first, by path."""
        return self.origin is not Origin.PROJECT, self.memory.path

    @property
    def shown(self) -> str:
        """Its path as packs show it."""
        return shown_path(self.memory.path, self.origin)


@frozen
class Found:
    """Two members that contradict each other, and the methods that found the pair."""

    one: Member
    other: Member
    clash: Clash
    methods: tuple[Method, ...]


def fetch_memories(store: IndexStore, paths: list[str], held: int) -> Iterator[IndexedMemory]:
    """Read memories from the index: one by one, or all at once if most are wanted."""
    if len(paths) * 2 < held:
        yield from (store.memory(path) for path in paths)
        return
    wanted = set(paths)
    yield from (one for one in store.memories() if one.path in wanted)


def memory_of(known: IndexedMemory) -> Memory:
    """Rebuild the memory from its row in the index."""
    kept = {name: getattr(known, name) for name in _KEPT}
    return Memory(body=known.content, status=Status.ACTIVE, **kept)
