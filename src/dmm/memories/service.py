"""Index and map a project's memories."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dmm.domain.memory import Origin
from dmm.index.hurry import Hurry
from dmm.memories.manifest import write_manifest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dmm.files.roots import Root
    from dmm.index.service import Indexes
    from dmm.index.sync import Progress, SyncReport

# How long to wait for another process that is indexing; it lets others in after each part.
PATIENCE = 10.0


@dataclass(frozen=True, slots=True)
class Memories:
    """What can be done with all memories at once."""

    root: Root
    indexes: Indexes

    def reindex(self, *, full: bool = False, progress: Progress | None = None) -> SyncReport:
        """Update the index and the manifest from the files, or raise."""
        report = self.indexes.sync(full=full, progress=progress, patience=PATIENCE)
        self._map()
        return report

    def follow(self, paths: Sequence[str]) -> SyncReport:
        """Index the files just written, and others as time allows; update the manifest."""
        hurry = Hurry(self.indexes.allowance, paths=paths, clock=self.indexes.clock)
        report = self.indexes.sync(hurry=hurry, patience=PATIENCE)
        self._map()
        return report

    def _map(self) -> None:
        store = self.indexes.store(Origin.PROJECT)
        if store is not None:
            write_manifest(self.root, store)
