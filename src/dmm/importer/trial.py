"""A typical pack of planned memories, compiled in a temporary folder."""

from __future__ import annotations

import statistics
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from dmm.domain.memory import Origin
from dmm.domain.pack import QueryRequest
from dmm.files import markdown
from dmm.files.consents import without_consents
from dmm.files.roots import NAME, Root
from dmm.index.shelves import Shelf
from dmm.packs.baselines import Baselines
from dmm.packs.service import Packs

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Callable, Sequence

    from dmm.config import RetrievalConfig
    from dmm.importer.memories import PlannedMemory
    from dmm.index.service import Indexes

SAMPLE = 15
# Each memory takes the model a twentieth of a second.
MOST_TRIED = 100


@dataclass(frozen=True, slots=True)
class Trial:
    """What a pack of memories would cost before they are written."""

    settings: RetrievalConfig
    indexes: Indexes
    count: Callable[[str], int]
    today: Callable[[], dt.date]

    def measure(self, planned: Sequence[PlannedMemory]) -> int | None:
        """Measure a typical pack: the planned memories asked for by some of their own titles.

        Among many memories there is enough for any pack, so it is taken to be as large as it may.
        """
        if not planned:
            return None
        if len(planned) > MOST_TRIED:
            return self.settings.default_budget
        with tempfile.TemporaryDirectory(prefix="dmm-import-") as folder:
            root = Root(Path(folder) / NAME)
            for one in planned:
                root.tree.create(one.memory.path, markdown.render(one.memory))
            packs = self._trial(root)
            step = max(1, len(planned) // SAMPLE)
            titles = [one.memory.title for one in planned[::step]][:SAMPLE]
            packs.indexes.sync()
            sizes = [self._size(packs, title) for title in titles]
            packs.indexes.close()
        return int(statistics.median(sizes))

    def _trial(self, root: Root) -> Packs:
        shelf = Shelf(Origin.PROJECT, root.tree, root.folder / "index" / "embeddings.db")
        indexes = self.indexes.beside(shelf)
        baselines = Baselines(root, self.count, without_consents(root.folder))
        return Packs(root, self.settings, indexes, baselines, self.count, self.today)

    def _size(self, packs: Packs, title: str) -> int:
        request = QueryRequest(title, self.settings.default_budget, self.settings.baseline_budget)
        return packs.query(request, refresh=False).pack.total_tokens
