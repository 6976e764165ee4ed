"""Index content in memory, shared by all who have the same files open."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable
    from pathlib import Path

    from dmm.index.snapshot import Snapshot


@dataclass(slots=True)
class _Place:
    """Where the snapshot of some index files is kept, and who waits for it."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    state: Hashable = None
    snapshot: Snapshot | None = None


@dataclass(slots=True)
class Loaded:
    """Snapshots in memory: one of each set of index files, for all who have these files open."""

    _places: dict[tuple[Path, ...], _Place] = field(default_factory=dict)

    def take(
        self,
        files: tuple[Path, ...],
        state: Hashable,
        renew: Callable[[Snapshot | None], Snapshot],
    ) -> Snapshot:
        """Return the snapshot of a state of files; whoever comes first renews it for the others."""
        place = self._places.setdefault(files, _Place())
        with place.lock:
            if place.snapshot is None or place.state != state:
                place.snapshot = renew(place.snapshot)
                place.state = state
            return place.snapshot

    def held(self, files: tuple[Path, ...]) -> Snapshot | None:
        """Return what is in memory of some files, of whatever state."""
        place = self._places.get(files)
        return None if place is None else place.snapshot

    def drop(self, files: tuple[Path, ...]) -> None:
        """Release the snapshot of some files."""
        self._places.pop(files, None)
