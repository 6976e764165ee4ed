"""Recall past sessions in three layers: rows, surroundings, full text.

Everything comes from the ledger: the units are distilled of its events, and their index is brought
up to its newest event at every call. The same ledger gives the same answers on any day.
"""

from __future__ import annotations

import datetime as dt
import time
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import TYPE_CHECKING, TypeVar

from dmm.domain.memory import Origin
from dmm.domain.pack import QueryRequest
from dmm.domain.text import neutralise, shield
from dmm.errors import IndexBroken, IndexBusy, UsageError
from dmm.index.analysis import analyze
from dmm.index.recall import LOW_TRUST, digest, place, tell
from dmm.index.sync import SyncReport
from dmm.index.unit_sync import UnitSyncer
from dmm.packs.retrieve import retrieve
from dmm.packs.service import MAX_QUERY_CHARACTERS
from dmm.recall.format import Wanted, find_gist, read_wanted
from dmm.recall.results import Row, Searched, Timeline, Unit, Units
from dmm.redaction.clean import clean

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from dmm.config import RetrievalConfig
    from dmm.domain.observation import Observation
    from dmm.embed.model import Embedder
    from dmm.index.service import Indexes
    from dmm.index.snapshot import Snapshot
    from dmm.index.store import IndexStore
    from dmm.index.sync import Progress
    from dmm.index.units import UnitStore
    from dmm.observations.service import Observations
    from dmm.observations.service import Units as Kept

T = TypeVar("T")
DEFAULT_LIMIT = 20
MOST_ROWS = 200
MOST_WEAK = 5
MOST_IDS = 100
MOST_AROUND = 100
DEFAULT_AROUND = 5
MOST_COUNTED = 1_000
MOST_FILES_IN_ROW = 3
MOST_SOURCES_IN_ROW = 5
# Whoever asks waits so long for vectors; the words are always up to date.
EMBED_WITHIN = 2.0
NOTHING_YET = (
    "no session is recorded here yet: dmm install connects an agent,"
    " dmm import-sessions reads earlier sessions"
)
NO_DAY = "2000-01-01"
NO_SUCH_ID = "search gives the ids, such as obs_17 or msg_12"
NOTHING_LEFT = "no unit passes these filters: leave one out, or widen the dates"
NOTHING_CLEAR = "nothing clearly matches these words; these are the nearest"
NOTHING_FOUND = "nothing matches these words: use others, fewer filters, or no words for the newest"


@dataclass(slots=True)
class Recall:
    """Finds what was said and done in the sessions of one project.

    `followed` says that somebody else embeds a backlog; then nobody who asks waits for it.
    """

    observations: Observations
    indexes: Indexes
    settings: RetrievalConfig
    count: Callable[[str], int]
    require_trust: Callable[[], object]
    embed_within: float | None = EMBED_WITHIN
    followed: bool = False
    waiting: int = 0
    _synced: tuple[str, int] | None = None
    _tokens: dict[str, int] = field(default_factory=dict)

    def search(
        self,
        query: str,
        *,
        kind: str | None = None,
        file: str | None = None,
        session: str | None = None,
        since: str | None = None,
        until: str | None = None,
        limit: int = DEFAULT_LIMIT,
        progress: Progress | None = None,
    ) -> Searched:
        """Rank the units that speak to a query; without words the newest come first."""
        wanted = read_wanted(kind=kind, file=file, session=session, since=since, until=until)
        _check(limit, "limit", 1, MOST_ROWS)
        words = _words(query)
        self.require_trust()
        found, way, hint = self._mended(lambda: self._find(words, wanted, limit, progress))
        terms = frozenset(analyze(words))
        return Searched(words, self._rows(found, terms), way, self._notices(), hint)

    def _find(
        self, words: str, wanted: Wanted, limit: int, progress: Progress | None
    ) -> tuple[list[Observation], str, str]:
        """Return what was found, the way it was found, and what to say about it."""
        units = self.observations.units()
        kept = units.kept
        if not wanted.choose(kept, 1):
            return [], "newest", NOTHING_LEFT if units else NOTHING_YET
        if not words:
            return list(kept.each(wanted.choose(kept, limit))), "newest", ""
        if found := self._rank(units, words, wanted, limit, progress):
            return found, self._way(), ""
        weak = self._retrieve(words, wanted, min(limit, MOST_WEAK), weak=True)
        return weak, self._way(), NOTHING_CLEAR if weak else NOTHING_FOUND

    def timeline(
        self,
        name: str | None = None,
        query: str | None = None,
        before: int = DEFAULT_AROUND,
        after: int = DEFAULT_AROUND,
    ) -> Timeline:
        """Return what surrounds a unit, the best match of a query, or the newest."""
        _check(before, "before", 0, MOST_AROUND)
        _check(after, "after", 0, MOST_AROUND)
        self.require_trust()
        words = _words(query or "")
        return self._mended(lambda: self._tell_around(name, words, before, after))

    def _tell_around(self, name: str | None, words: str, before: int, after: int) -> Timeline:
        anchor = self._choose(name, words)
        kept = self.observations.units().kept
        if anchor is None:
            found = NO_SUCH_ID if name else NOTHING_FOUND
            hint = found if kept.count() else NOTHING_YET
            return Timeline(None, (), self._notices(), hint)
        around = list(kept.each(kept.around(anchor, before, after)))
        return Timeline(anchor, self._rows(around))

    def _choose(self, name: str | None, words: str) -> str | None:
        """Name the unit that a timeline is about."""
        units = self.observations.units()
        if name:
            return name if name in units else None
        if words:
            return next((unit.id for unit in self._rank(units, words, Wanted(), 1, None)), None)
        return next(iter(Wanted().choose(units.kept, 1)), None)

    def get_observations(self, ids: Sequence[str]) -> Units:
        """Return units in full, in the order in which they are named."""
        if not 1 <= len(ids) <= MOST_IDS:
            raise UsageError(f"name from 1 to {MOST_IDS} ids", hint="search gives them")
        self.require_trust()
        found = self._mended(lambda: self.observations.find(ids))
        known = {unit.id for unit in found}
        missing = tuple(name for name in dict.fromkeys(ids) if name not in known)
        units = tuple(self._full(unit, tokens) for unit, tokens in self._costs(found))
        return Units(units, missing, NO_SUCH_ID if missing else "")

    def _mended(self, answer: Callable[[], T]) -> T:
        """Answer; where the index turns out to be damaged, once more when it is built anew."""
        try:
            return answer()
        except IndexBroken as error:
            self.indexes.fix(error, self._fill)
            return answer()

    def release(self) -> None:
        """Release memory; the next call loads it again."""
        self._tokens.clear()
        self.indexes.release_model()
        self.indexes.release_snapshot()

    def _rows(
        self, units: Sequence[Observation], terms: frozenset[str] = frozenset()
    ) -> tuple[Row, ...]:
        """Return units in rows."""
        return tuple(
            Row(
                id=unit.id,
                kind=str(unit.kind),
                at=unit.at,
                title=neutralise(find_gist(unit, terms)),
                session=neutralise(unit.session),
                tokens=tokens,
                sources=unit.evidence[:MOST_SOURCES_IN_ROW],
                files=tuple(neutralise(one) for one in unit.files[:MOST_FILES_IN_ROW]),
                low_trust=_mark(unit),
            )
            for unit, tokens in self._costs(units)
        )

    def _full(self, unit: Observation, tokens: int) -> Unit:
        return Unit(
            id=_shown(unit.id),
            kind=_shown(unit.kind),
            title=_shown(unit.title),
            narrative=_shown(unit.narrative),
            facts=tuple(map(_shown, unit.facts)),
            files=tuple(map(_shown, unit.files)),
            session=_shown(unit.session),
            at=_shown(unit.at),
            actor=_shown(unit.actor),
            trust=str(unit.trust),
            sources=unit.evidence,
            tokens=tokens,
            text=tell(unit),
            low_trust=_mark(unit),
        )

    def _costs(self, units: Sequence[Observation]) -> Iterator[tuple[Observation, int]]:
        """Return units with their tokens: as they are in the index, or counted once and kept."""
        store = self.indexes.store(Origin.PROJECT) if units else None
        known = {} if store is None else store.counted(map(place, units))
        for unit in units:
            own, (counted, tokens) = digest(unit), known.get(place(unit), ("", 0))
            yield unit, tokens if counted == own else self._cost(unit, own)

    def _cost(self, unit: Observation, own: str) -> int:
        if own not in self._tokens:
            if len(self._tokens) >= MOST_COUNTED:
                self._tokens.clear()
            self._tokens[own] = self.count(tell(unit))
        return self._tokens[own]

    def _rank(
        self, units: Kept, words: str, wanted: Wanted, limit: int, progress: Progress | None
    ) -> list[Observation]:
        if not units:
            return []
        self._refresh(units, progress)
        try:
            return self._retrieve(words, wanted, limit)
        except IndexBusy:
            return self._retrieve(words, wanted, limit)

    def _retrieve(
        self, words: str, wanted: Wanted, limit: int, *, weak: bool = False
    ) -> list[Observation]:
        kept = self.observations.units().kept
        snapshot = self.indexes.snapshot(self._fill)
        # The newest day counts as today, so the same ledger is ranked the same on any day.
        day = dt.date.fromisoformat(kept.newest_day() or NO_DAY)
        # A unit and a decision made of the same event may both be found.
        settings = replace(self.settings, max_candidates=2 * limit)
        found = retrieve(
            snapshot,
            QueryRequest(words, explain=weak),
            self.indexes.embed(words),
            day,
            settings,
            self.indexes.is_word,
            _only(snapshot, kept, wanted),
        )
        rows = (one.row for one in (found.others if weak else found.ranked))
        units = kept.each([snapshot.places[row].id for row in rows])
        return list(islice(_once(units), limit))

    def _refresh(self, units: Kept, progress: Progress | None) -> None:
        """Update the index from the units, unless nothing changed."""
        state = self._state(units)
        current = state == self._synced and (self.followed or not self.waiting)
        # Somebody may have removed the index meanwhile.
        if not current or len(self.indexes.snapshot(self._fill)) != len(units):
            done = self.indexes.refresh(progress=progress, fill=self._fill)
            self._synced = None if done is None else self._state(units)

    def _state(self, units: Kept) -> tuple[str, int]:
        """Return what the index rests on, and its own state: another process may add vectors."""
        return units.kept.reading().hash, units.kept.store.generation()

    def catch_up(self, progress: Progress | None = None) -> None:
        """Embed all units that wait; others may write to the index in between."""
        self.require_trust()
        self._mended(lambda: self._refresh(self.observations.units(), progress))
        while self.waiting and self._synced is not None:
            self._refresh(self.observations.units(), progress)

    def _fill(
        self, store: IndexStore, embedder: Embedder | None, progress: Progress | None
    ) -> SyncReport:
        """Write the units into their index; called under its lock."""
        ends = None if self.embed_within is None else time.monotonic() + self.embed_within
        syncer = UnitSyncer(
            self.count,
            embedder,
            lambda: ends is None or time.monotonic() < ends,
            backlog=not self.followed,
        )
        kept = self.observations.units().kept
        if kept.store is not store:
            return SyncReport()
        self.waiting = syncer.sync(kept, progress)
        return SyncReport(total=kept.count())

    def _way(self) -> str:
        return "hybrid" if self.indexes.embedder() is not None else "keyword"

    def _notices(self) -> tuple[str, ...]:
        waiting = f"{self.waiting} units have no vectors yet and are found by words only"
        return (*self.indexes.notices.values(), *([waiting] if self.waiting else []))


def _words(query: str) -> str:
    if len(query) > MAX_QUERY_CHARACTERS:
        what = f"the query has more than {MAX_QUERY_CHARACTERS:,} characters"
        raise UsageError(what, hint="ask in a few words")
    return clean(query).strip()


def _check(number: int, name: str, least: int, most: int) -> None:
    if not least <= number <= most:
        raise UsageError(f"{name} must be from {least} to {most}")


def _mark(unit: Observation) -> str:
    return str(unit.trust) if unit.trust in LOW_TRUST else ""


def _shown(text: object) -> str:
    return shield(neutralise(str(text)))


def _only(snapshot: Snapshot, kept: UnitStore, wanted: Wanted) -> list[bool] | None:
    """Mark the rows that may be found; None where all may, as is usual."""
    if wanted == Wanted() and len(snapshot) == kept.count():
        return None
    admitted = frozenset(wanted.choose(kept))
    return [one.id in admitted for one in snapshot.places]


def _once(units: Iterable[Observation]) -> Iterator[Observation]:
    """Leave out what rests on the very events of something that ranks higher."""
    seen: set[tuple[int, ...]] = set()
    for unit in units:
        if unit.evidence not in seen:
            seen.add(unit.evidence)
            yield unit
