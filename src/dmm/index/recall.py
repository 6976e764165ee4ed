"""Units of recall → an index of their own, so that they are found and ranked as memories are.

A folder is a session: its turns stand in the order in which they were said, and what was distilled
of them follows. Vectors come last and newest first, so a large import can be searched by its words
while it waits for them.
"""

from __future__ import annotations

import datetime as dt
import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dmm.domain.event import Trust
from dmm.domain.memory import Confidence, Scope
from dmm.domain.observation import Kind
from dmm.domain.text import neutralise, shield
from dmm.files.tree import Stamp
from dmm.index import analysis, composite
from dmm.index.lexical import pack_terms
from dmm.index.records import Batch, IndexedMemory, KnownFile

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from dmm.domain.observation import Observation
    from dmm.embed.model import Embedder
    from dmm.index.store import IndexStore

    Progress = Callable[[int, int], None]
    Count = Callable[[str], int]

VERSION = "recall-1"
BATCH = 500
EMBEDDED_AT_ONCE = 16
# Of a very long message its beginning is searched; all of it is shown.
LONGEST_SEARCHED = 8_000
ORPHANS_KEPT = 2_000
LOW_TRUST = (Trust.TOOL, Trust.THIRD_PARTY)
# As questions write them; the words of a locale would make another index on another machine.
MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July"),
    *("August", "September", "October", "November", "December"),
)


def tell(unit: Observation) -> str:
    """Write a unit out in full, safe to show; this is what its tokens are counted of."""
    lead = f"[{spoken_day(unit.day)}] "
    if unit.kind is Kind.MESSAGE:
        return _safe(f"{lead}{unit.actor}: {unit.narrative}")
    return _safe(f"{lead}{unit.title}\n{_body(unit)}")


def spoken_day(day: str) -> str:
    """Write a day with the name of its month, as questions do: 31 January 2026."""
    try:
        read = dt.date.fromisoformat(day)
    except ValueError:
        return day
    return f"{read.day} {MONTHS[read.month - 1]} {read.year}"


def _body(unit: Observation) -> str:
    told = [unit.narrative]
    told += [f"- {fact}" for fact in unit.facts if fact not in unit.narrative]
    if unit.files:
        told.append(f"Files: {', '.join(unit.files)}")
    return "\n".join(told)


def _safe(text: str) -> str:
    return shield(neutralise(text).strip()).encode("utf-8", "replace").decode()


def place(unit: Observation) -> str:
    """Name the place of a unit in the index: turns beside turns, in the order of the session."""
    lane = "m" if unit.kind is Kind.MESSAGE else "o"
    return f"{unit.session}/{lane}{unit.evidence[0]:015d}"


def digest(unit: Observation) -> str:
    """Tell one state of a unit from another."""
    told = (
        *(unit.id, unit.kind, unit.title, unit.narrative, unit.session, unit.at, unit.actor),
        *(unit.trust, *unit.facts, "", *unit.files),
    )
    return hashlib.sha256("\0".join(told).encode("utf-8", "replace")).hexdigest()


def to_record(unit: Observation, count: Count) -> IndexedMemory:
    """Make of a unit what the index keeps; a message has no title beside its own words."""
    message = unit.kind is Kind.MESSAGE
    title = "" if message else _safe(unit.title)
    full = tell(unit)
    searched = full if message else _safe(f"[{spoken_day(unit.day)}] {_body(unit)}")
    searched = searched[:LONGEST_SEARCHED]
    key = hashlib.sha256(f"{VERSION}\0{title}\0{searched}".encode()).hexdigest()
    return IndexedMemory(
        path=place(unit),
        id=unit.id,
        directory=unit.session,
        title=title,
        content=searched,
        scope=Scope.PROJECT,
        priority=0.5,
        confidence=Confidence.EXPERIMENTAL if unit.trust in LOW_TRUST else Confidence.ACTIVE,
        in_force=True,
        tags=(),
        token_count=count(full),
        heading_tokens=0,
        words=len(searched.split()),
        code_density=analysis.code_density(searched),
        created=_read_day(unit.day),
        expires=None,
        supersedes=(),
        related=(),
        cites=(),
        content_hash=digest(unit),
        vector_key=key[:32],
    )


def _read_day(day: str) -> dt.date | None:
    try:
        return dt.date.fromisoformat(day)
    except ValueError:
        return None


@dataclass(frozen=True, slots=True)
class UnitSyncer:
    """Brings an index up to the units; `going_on` says whether there is time for more vectors."""

    count: Count
    embedder: Embedder | None
    going_on: Callable[[], bool] = lambda: True

    def sync(
        self, units: Iterable[Observation], store: IndexStore, progress: Progress | None = None
    ) -> int:
        """Write what is new or other than before, and tell how many units wait for vectors."""
        composite.refresh_identity(store, f"{VERSION}/{analysis.VERSION}", self.embedder)
        wanted = {place(unit): unit for unit in units}
        known = store.hashes()
        removed = sorted(known.keys() - wanted.keys())
        changed = [unit for path, unit in wanted.items() if known.get(path) != digest(unit)]
        for at in range(0, max(len(changed), len(removed)), BATCH):
            self._write(changed[at : at + BATCH], removed[at : at + BATCH], store)
        waiting = self._embed(wanted, store, progress or (lambda _done, _of: None))
        self._clean_up(store, len(wanted))
        return waiting

    def _clean_up(self, store: IndexStore, size: int) -> None:
        """Forget old vectors; what left the ledger was most likely blanked, so no byte stays."""
        due = store.meta("erase") == "due"
        store.forget_orphans(keep=0 if due else max(ORPHANS_KEPT, size))
        if due:
            store.scrub()
            store.apply(Batch(meta={"erase": "done"}))

    def _write(self, units: list[Observation], removed: list[str], store: IndexStore) -> None:
        records = [to_record(unit, self.count) for unit in units]
        store.apply(
            Batch(
                files=[KnownFile(Stamp(one.path, 0, 0, 0), one.content_hash) for one in records],
                memories=[(one, pack_terms(analysis.weigh(one))) for one in records],
                removed=removed,
                meta={"erase": "due"} if removed else {},
            )
        )

    def _embed(
        self, wanted: Mapping[str, Observation], store: IndexStore, progress: Progress
    ) -> int:
        lacking = store.lacking_vectors()
        if self.embedder is None:
            return 0
        newest = sorted(lacking, key=lambda path: -wanted[path].evidence[0])
        done = 0
        while done < len(newest) and (done == 0 or self.going_on()):
            batch = newest[done : done + EMBEDDED_AT_ONCE]
            memories = [store.memory(path) for path in batch]
            cuts = {one.vector_key: composite.cut(one, self.embedder.encode) for one in memories}
            store.apply(Batch(vectors=composite.embed(cuts, self.embedder)))
            done += len(batch)
            progress(done, len(newest))
        return len(newest) - done
