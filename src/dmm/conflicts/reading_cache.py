"""What was read of memories, by number: some at hand, all others packed into few bytes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dmm.conflicts.batches import pack, unpack
from dmm.lru import LruCache

if TYPE_CHECKING:
    from collections.abc import Callable

    from dmm.conflicts.readings import Reading
    from dmm.domain.memory import Memory

AT_HAND = 500
PAUSE_EVERY = 100
# A proposal is looked at again and again until it is decided; packed it takes some 14 KB.
MOST_PROPOSED = 32


@dataclass(slots=True)
class Readings:
    """Readings that are kept until their memory changes."""

    _open: dict[int, Reading] = field(default_factory=dict)
    _packed: dict[int, bytes] = field(default_factory=dict)
    _proposed: LruCache[bytes] = field(default_factory=lambda: LruCache(MOST_PROPOSED))

    def find(self, number: int) -> Reading | None:
        """Give what was read of a memory, if it was."""
        known = self._open.get(number)
        if known is None and number in self._packed:
            known = self._open[number] = unpack(self._packed[number])
        return known

    def packed(self, number: int) -> bytes | None:
        """Give the same as bytes, for another process."""
        if number in self._open and number not in self._packed:
            self._packed[number] = pack(self._open[number])
        return self._packed.get(number)

    def put(self, number: int, reading: Reading) -> None:
        """Keep what was read of a memory."""
        self._open[number] = reading
        self._packed.pop(number, None)

    def put_packed(self, number: int, packed: bytes) -> None:
        """Keep what another process has read."""
        self._packed[number] = packed
        self._open.pop(number, None)

    def find_proposed(self, memory: Memory) -> Reading | None:
        """Give what was read of a memory before it had a number, if that was lately."""
        packed = self._proposed.find(memory)
        return None if packed is None else unpack(packed)

    def keep_proposed(self, reading: Reading) -> None:
        """Keep for a while what was read of a memory that has no number yet."""
        self._proposed.keep(pack(reading), reading.memory)

    def drop(self, number: int) -> None:
        """Forget a memory."""
        self._open.pop(number, None)
        self._packed.pop(number, None)

    def clear(self) -> None:
        """Forget all."""
        self._open.clear()
        self._packed.clear()

    def trim(self, pause: Callable[[], None] | None = None) -> None:
        """Pack what is at hand but for the last; `pause` is called again and again meanwhile."""
        for place, number in enumerate(list(self._open)[: max(0, len(self._open) - AT_HAND)]):
            if pause is not None and place % PAUSE_EVERY == 0:
                pause()
            self.packed(number)
            del self._open[number]
