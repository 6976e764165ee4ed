"""All memories in brief, held in memory until the index changes."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from dmm.domain.pack import shown_path

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from dmm.domain.memory import Citation, Origin
    from dmm.index.records import IndexedMemory
    from dmm.index.service import Indexes


class Listed(NamedTuple):
    """One memory in brief; `tokens` counts its content and its heading."""

    path: str
    id: str
    title: str
    scope: str
    tokens: int
    tags: tuple[str, ...]
    priority: float
    in_force: bool
    cites: tuple[Citation, ...]

    @property
    def folder(self) -> str:
        """The folder it is in."""
        return self.path.rpartition("/")[0]


@dataclass(frozen=True, slots=True)
class FolderRow:
    """A folder with the memories right in it."""

    path: str
    count: int
    tokens: int


@dataclass(frozen=True)
class Catalogue:
    """All memories of a project and of the user's own tree, in the order of their paths."""

    memories: tuple[Listed, ...]

    @cached_property
    def folders(self) -> tuple[FolderRow, ...]:
        """The folders, in the order of their paths."""
        counts, tokens = Counter[str](), Counter[str]()
        for one in self.memories:
            counts[one.folder] += 1
            tokens[one.folder] += one.tokens
        return tuple(FolderRow(path, counts[path], tokens[path]) for path in sorted(counts))

    @cached_property
    def tokens(self) -> int:
        """The tokens of all memories in force."""
        return sum(one.tokens for one in self.memories if one.in_force)

    @cached_property
    def in_force(self) -> int:
        """How many memories are in force."""
        return sum(one.in_force for one in self.memories)

    @cached_property
    def _texts(self) -> tuple[str, ...]:
        """The path, title and tags of each memory, for looking up words."""
        return tuple(" ".join((one.path, one.title, *one.tags)).casefold() for one in self.memories)

    def find(self, words: Sequence[str]) -> list[Listed]:
        """List the memories whose path, title or tags hold all of some words."""
        texts = self._texts
        rows: Iterable[int] = range(len(texts))
        for word in map(str.casefold, words):
            rows = [row for row in rows if word in texts[row]]
        return [self.memories[row] for row in rows]

    @cached_property
    def by_folder(self) -> dict[str, list[Listed]]:
        """The memories right in each folder."""
        found: dict[str, list[Listed]] = {}
        for one in self.memories:
            found.setdefault(one.folder, []).append(one)
        return found

    @cached_property
    def by_path(self) -> dict[str, Listed]:
        """The memories by their paths."""
        return {one.path: one for one in self.memories}


@dataclass(slots=True)
class Catalogues:
    """Reads the catalogue again only when an index has changed."""

    indexes: Indexes
    _held: tuple[tuple[tuple[int | None, int], ...], Catalogue] | None = field(
        default=None, repr=False
    )

    def current(self) -> Catalogue:
        """Return the catalogue of the index as it stands; one that was never built is built."""
        state = self._state()
        if not any(generation for _, generation in state):
            self.indexes.refresh()
            state = self._state()
        if self._held is None or self._held[0] != state:
            self._held = state, Catalogue(tuple(self._read()))
        return self._held[1]

    def _state(self) -> tuple[tuple[int | None, int], ...]:
        """Return which index files there are and how far each is; a new file counts anew."""
        shelves = self.indexes.shelves
        stores = [self.indexes.store(shelf.origin) for shelf in shelves]
        counts = [0 if store is None else store.generation() for store in stores]
        return tuple(zip((shelf.inode for shelf in shelves), counts, strict=True))

    def _read(self) -> Iterator[Listed]:
        for shelf in self.indexes.shelves:
            store = self.indexes.store(shelf.origin)
            for one in () if store is None else store.outlines():
                yield _list(shelf.origin, one)


def _list(origin: Origin, one: IndexedMemory) -> Listed:
    return Listed(
        shown_path(one.path, origin),
        one.id,
        one.title,
        one.scope.value,
        one.token_count + one.heading_tokens,
        one.tags,
        one.priority,
        one.in_force,
        one.cites,
    )
