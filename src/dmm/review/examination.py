"""Run every check on a proposal against the current memory."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING

from dmm.domain.frozen import frozen
from dmm.domain.memory import Origin
from dmm.errors import DmmError, MemoryFileError
from dmm.files import markdown
from dmm.index.likeness import direction, nearest, nearest_by_words
from dmm.lru import LruCache
from dmm.review.checks import run_checks
from dmm.review.surroundings import Neighbour, Surroundings

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Callable, Sequence

    from dmm.config import Config
    from dmm.domain.conflict import Clash
    from dmm.domain.memory import Memory
    from dmm.domain.proposal import Check, Proposal
    from dmm.index.service import Indexes
    from dmm.index.snapshot import Snapshot
    from dmm.index.vectors import Floats
    from dmm.packs.baselines import Baselines

    Clashes = Sequence[tuple[Clash, str, str]]

NEIGHBOURS = 8
# A proposal is looked at again and again until it is decided; a vector takes 1.5 KB.
MOST_KEPT = 64


@frozen
class Examined:
    """What the checks said, the memories nearest to the proposed one, and what clashes with it."""

    checks: tuple[Check, ...]
    neighbours: tuple[Neighbour, ...]
    clashes: Clashes = ()


@frozen
class Examination:
    """Examines the proposals of one project."""

    config: Config
    indexes: Indexes
    baselines: Baselines
    count: Callable[[str], int]
    today: Callable[[], dt.date]
    find_clashes: Callable[[Memory, Floats | None], Clashes]
    _directions: LruCache[Floats] = field(default_factory=lambda: LruCache(MOST_KEPT))

    def examine(
        self,
        proposal: Proposal,
        others: Sequence[Proposal],
        *,
        secrets: Sequence[str] = (),
        tainted: str | None = None,
    ) -> Examined:
        """Run all checks; `others` are the proposals that wait beside this one."""
        self.indexes.refresh()
        snapshot = self.indexes.snapshot()
        own = frozenset(edit.path for edit in proposal.edits)
        memory = _memory_of(proposal)
        towards = None if memory is None else self._direction(memory)
        neighbours = () if memory is None else self._neighbours(memory, towards, snapshot, own)
        clashes = [] if memory is None else self.find_clashes(memory, towards)
        around = Surroundings(
            count=self.count,
            today=self.today(),
            validation=self.config.validation,
            governance=self.config.governance,
            baseline_budget=self.config.retrieval.baseline_budget,
            baseline_tokens=self.baselines.compile().tokens,
            ids={p.id: p.path for p in snapshot.places if p.origin is Origin.PROJECT},
            neighbours=neighbours,
            clashes=tuple(one for one in clashes if one[1] not in own),
            others=tuple(others),
            secrets=tuple(secrets),
            tainted=tainted,
        )
        return Examined(run_checks(proposal, around), neighbours, around.clashes)

    def _direction(self, memory: Memory) -> Floats | None:
        """Return where a memory points; None without a model, or where it fails this moment."""
        embedder = self.indexes.embedder()
        if embedder is None:
            return None
        made_of = embedder.identity, memory.title, memory.tags, memory.body
        known = self._directions.find(*made_of)
        if known is not None:
            return known
        try:
            return self._directions.keep(direction(memory, embedder), *made_of)
        except DmmError:
            # The model fails this moment; what needs none of it still holds.
            return None

    def _neighbours(
        self, memory: Memory, towards: Floats | None, snapshot: Snapshot, own: frozenset[str]
    ) -> tuple[Neighbour, ...]:
        day = self.today()
        rows: Sequence[tuple[int, float | None]] = ()
        try:
            if towards is not None:
                rows = nearest(snapshot, towards, day, NEIGHBOURS, own)
            elif self.indexes.embedder() is None:
                text = f"{memory.title}\n{memory.body}"
                found = nearest_by_words(snapshot, text, day, NEIGHBOURS, own)
                rows = [(row, None) for row in found]
            return tuple(self._neighbour(snapshot, row, value) for row, value in rows)
        except DmmError:
            # An index that changes this moment; the checks that need no neighbours still hold.
            return ()

    def _neighbour(self, snapshot: Snapshot, row: int, similarity: float | None) -> Neighbour:
        place = snapshot.places[row]
        known = self.indexes.memory(place)
        return Neighbour(
            path=place.path,
            id=place.id,
            title=place.title,
            body=known.content,
            tags=known.tags,
            scope=known.scope,
            similarity=similarity,
        )


def _memory_of(proposal: Proposal) -> Memory | None:
    """Read the memory that would be there afterwards, where it is one and in force."""
    if proposal.text is None:
        return None
    try:
        memory = markdown.parse(proposal.path, proposal.text).memory
    except MemoryFileError:
        return None
    return memory if memory.in_force else None
