"""Index recall units, so that they are ranked like memories.

Vectors come last and newest first, so a large import can be searched by its words while it waits
for them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dmm.files.tree import Stamp
from dmm.index import analysis, composite
from dmm.index.lexical import pack_terms
from dmm.index.recall import VERSION, first_of, to_record
from dmm.index.records import Batch, KnownFile

if TYPE_CHECKING:
    from collections.abc import Callable

    from dmm.embed.model import Embedder
    from dmm.index.recall import Count
    from dmm.index.store import IndexStore
    from dmm.index.units import UnitStore

    Progress = Callable[[int, int], None]

BATCH = 500
EMBEDDED_AT_ONCE = 16
ORPHANS_KEPT = 2_000


@dataclass(frozen=True, slots=True)
class UnitSyncer:
    """Brings an index up to its units; `going_on` says whether there is time for more vectors.

    Where `backlog` is false, more than one batch of them is left to somebody else.
    """

    count: Count
    embedder: Embedder | None
    going_on: Callable[[], bool] = lambda: True
    backlog: bool = True

    def sync(self, units: UnitStore, progress: Progress | None = None) -> int:
        """Write what is new or other than before, and tell how many units wait for vectors."""
        store = units.store
        composite.refresh_identity(store, f"{VERSION}/{analysis.VERSION}", self.embedder)
        removed, changed = units.gone(), units.changed()
        for at in range(0, max(len(changed), len(removed)), BATCH):
            self._write(units, changed[at : at + BATCH], removed[at : at + BATCH])
        waiting = self._embed(store, progress or (lambda _done, _of: None))
        self._clean_up(store, units.count())
        return waiting

    def _write(self, units: UnitStore, changed: list[str], removed: list[str]) -> None:
        records = [to_record(unit, self.count) for unit in units.each(changed)]
        units.store.apply(
            Batch(
                files=[KnownFile(Stamp(one.path, 0, 0, 0), one.content_hash) for one in records],
                memories=[(one, pack_terms(analysis.weigh(one))) for one in records],
                removed=removed,
                meta={"erase": "due"} if removed else {},
            )
        )

    def _embed(self, store: IndexStore, progress: Progress) -> int:
        lacking = store.lacking_vectors()
        if self.embedder is None:
            return 0
        if not self.backlog and len(lacking) > EMBEDDED_AT_ONCE:
            return len(lacking)
        newest = sorted(lacking, key=lambda path: -first_of(path))
        done = 0
        while done < len(newest) and (done == 0 or self.going_on()):
            batch = newest[done : done + EMBEDDED_AT_ONCE]
            memories = [store.memory(path) for path in batch]
            cuts = {one.vector_key: composite.cut(one, self.embedder.encode) for one in memories}
            store.apply(Batch(vectors=composite.embed(cuts, self.embedder)))
            done += len(batch)
            progress(done, len(newest))
        return len(newest) - done

    def _clean_up(self, store: IndexStore, size: int) -> None:
        """Erase old vectors; what left the ledger was probably redacted."""
        due = store.meta("erase") == "due"
        store.forget_orphans(keep=0 if due else max(ORPHANS_KEPT, size))
        if due:
            store.scrub()
            store.apply(Batch(meta={"erase": "done"}))
