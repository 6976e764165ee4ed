"""The memories of a project: brought into the index and mapped for orientation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dmm.domain.memory import Origin
from dmm.service.manifests import write_manifest

if TYPE_CHECKING:
    from dmm.files.roots import Root
    from dmm.index.sync import Progress, SyncReport
    from dmm.service.indexes import Indexes


@dataclass(frozen=True, slots=True)
class Memories:
    """What can be done with all memories at once."""

    root: Root
    indexes: Indexes

    def reindex(self, *, full: bool = False, progress: Progress | None = None) -> SyncReport:
        """Bring the index and the manifest up to the files, or raise."""
        report = self.indexes.sync(full=full, progress=progress)
        store = self.indexes.store(Origin.PROJECT)
        if store is not None:
            write_manifest(self.root, store)
        return report
