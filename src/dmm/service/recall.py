"""Recall of sessions in three layers: rows to choose from, what stood around one, and all of some.

Everything comes from the ledger: the units are distilled of its events, and their index is brought
up to its newest event at every call. The same ledger gives the same answers on any day.
"""

from __future__ import annotations

import datetime as dt
import heapq
import time
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from dmm.capture.clean import clean
from dmm.domain.observation import Kind, describe_observation
from dmm.domain.pack import QueryRequest
from dmm.domain.text import neutralise, shield
from dmm.errors import IndexBroken, IndexBusy, UsageError
from dmm.index.analysis import analyze
from dmm.index.recall import LOW_TRUST, UnitSyncer, tell
from dmm.index.sync import SyncReport
from dmm.retrieval.retrieve import retrieve
from dmm.service.packs import MAX_QUERY_CHARACTERS
from dmm.service.recalled import Wanted, find_gist, read_wanted

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dmm.config import RetrievalConfig
    from dmm.domain.observation import Observation
    from dmm.embed.model import Embedder
    from dmm.index.snapshot import Snapshot
    from dmm.index.store import IndexStore
    from dmm.index.sync import Progress
    from dmm.service.indexes import Indexes
    from dmm.service.observations import Observations

DEFAULT_LIMIT = 20
MOST_ROWS = 200
MOST_WEAK = 5
MOST_IDS = 100
MOST_AROUND = 100
DEFAULT_AROUND = 5
MOST_FILES_IN_ROW = 3
MOST_SOURCES_IN_ROW = 5
# Whoever asks waits so long for vectors; the words are always up to date.
EMBED_WITHIN = 2.0
NOTHING_YET = (
    "no session is recorded here yet: dmm install connects an agent,"
    " dmm import-sessions reads earlier sessions"
)
NO_SUCH_ID = "search gives the ids, such as obs_17 or msg_12"
NOTHING_LEFT = "no unit passes these filters: leave one out, or widen the dates"
NOTHING_CLEAR = "nothing speaks clearly to these words; these come nearest"
NOTHING_FOUND = (
    "nothing speaks to these words: use others, fewer filters, or no words for the newest"
)


@dataclass(frozen=True, slots=True)
class _View:
    """A snapshot and the unit of each of its rows; None for one that the ledger lacks by now."""

    snapshot: Snapshot
    units: tuple[Observation | None, ...]
    rows: dict[str, int]
    day: dt.date


@dataclass(slots=True)
class Recall:
    """Finds what was said and done in the sessions of one project."""

    observations: Observations
    make_indexes: Callable[[Recall], Indexes]
    settings: RetrievalConfig
    count: Callable[[str], int]
    require_trust: Callable[[], object]
    embed_within: float | None = EMBED_WITHIN
    _indexes: Indexes | None = None
    _view: _View | None = None
    _synced: object = None
    _waiting: int = 0
    _tokens: dict[str, tuple[Observation, int]] = field(default_factory=dict)

    @property
    def indexes(self) -> Indexes:
        """The index of the units, opened with the first search."""
        if self._indexes is None:
            self._indexes = self.make_indexes(self)
        return self._indexes

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
    ) -> dict[str, Any]:
        """Rank the units that speak to a query; without words the newest come first."""
        wanted = read_wanted(kind=kind, file=file, session=session, since=since, until=until)
        _check(limit, "limit", 1, MOST_ROWS)
        words = _words(query)
        self.require_trust()
        found, way, hint = self._find(words, wanted, limit, progress)
        terms = frozenset(analyze(words))
        rows = [self.row(unit, terms) for unit in found]
        told = {"query": words, "results": rows, "retrieval": way}
        return told | self._remarks(hint)

    def _find(
        self, words: str, wanted: Wanted, limit: int, progress: Progress | None
    ) -> tuple[list[Observation], str, str | None]:
        """Give what was found, the way it was found, and what to say about it."""
        units = self.observations.units()
        if not any(map(wanted.admits, units.values())):
            return [], "newest", NOTHING_LEFT if units else NOTHING_YET
        if not words:
            admitted = filter(wanted.admits, units.values())
            return heapq.nlargest(limit, admitted, key=_age), "newest", None
        if found := self._rank(words, wanted, limit, progress):
            return found, self._way(), None
        weak = self._retrieve(words, wanted, min(limit, MOST_WEAK), weak=True)
        return weak, self._way(), NOTHING_CLEAR if weak else NOTHING_FOUND

    def timeline(
        self,
        name: str | None = None,
        query: str | None = None,
        before: int = DEFAULT_AROUND,
        after: int = DEFAULT_AROUND,
    ) -> dict[str, Any]:
        """Tell what stood around a unit, the best match of a query, or else the newest."""
        _check(before, "before", 0, MOST_AROUND)
        _check(after, "after", 0, MOST_AROUND)
        self.require_trust()
        units = list(self.observations.units().values())
        anchor = self._choose(name, _words(query or ""))
        if anchor is None:
            told: dict[str, Any] = {"anchor": None, "results": []}
            hint = NOTHING_YET if not units else NO_SUCH_ID if name else NOTHING_FOUND
            return told | self._remarks(hint)
        line = _in_order(units)
        at = next(place for place, unit in enumerate(line) if unit.id == anchor.id)
        around = line[max(0, at - before) : at + after + 1]
        return {"anchor": anchor.id, "results": [self.row(unit) for unit in around]}

    def _choose(self, name: str | None, words: str) -> Observation | None:
        units = self.observations.units()
        if name:
            return units.get(name)
        if words:
            return next(iter(self._rank(words, Wanted(), 1, None)), None)
        return max(units.values(), key=_age, default=None)

    def get_observations(self, ids: Sequence[str]) -> dict[str, Any]:
        """Give units in full, in the order in which they are named."""
        if not 1 <= len(ids) <= MOST_IDS:
            raise UsageError(f"name from 1 to {MOST_IDS} ids", hint="search gives them")
        self.require_trust()
        found = self.observations.find(ids)
        known = {unit.id for unit in found}
        missing = [name for name in dict.fromkeys(ids) if name not in known]
        told: dict[str, Any] = {"observations": [self._full(unit) for unit in found]}
        return told | ({"missing": missing, "hint": NO_SUCH_ID} if missing else {})

    def release(self) -> None:
        """Let go of what takes up memory; the next call loads it again."""
        self._view = None
        self._tokens.clear()
        if self._indexes is not None:
            self._indexes.release_model()
            self._indexes.release_snapshot()

    def close(self) -> None:
        """Close the index."""
        self._view = None
        if self._indexes is not None:
            self._indexes.close()
            self._indexes = None

    def row(self, unit: Observation, terms: frozenset[str] = frozenset()) -> dict[str, Any]:
        """Describe a unit in a row: enough to choose by, and what the whole would cost."""
        told: dict[str, Any] = {
            "id": unit.id,
            "kind": str(unit.kind),
            "at": unit.at,
            "title": neutralise(find_gist(unit, terms)),
            "session": neutralise(unit.session),
            "tokens": self._cost(unit),
            "sources": list(unit.evidence[:MOST_SOURCES_IN_ROW]),
        }
        if unit.files:
            told["files"] = [neutralise(one) for one in unit.files[:MOST_FILES_IN_ROW]]
        return told | _marked(unit)

    def _full(self, unit: Observation) -> dict[str, Any]:
        described = describe_observation(unit)
        told: dict[str, Any] = {
            name: [_shown(one) for one in value] if isinstance(value, list) else _shown(value)
            for name, value in described.items()
            if name not in ("evidence", "trust")
        }
        told |= {"trust": str(unit.trust), "sources": list(unit.evidence)}
        return told | {"tokens": self._cost(unit), "text": tell(unit)} | _marked(unit)

    def _cost(self, unit: Observation) -> int:
        """Tell the tokens of a unit: as they are in the index, or counted once and kept."""
        view = self._view
        row = None if view is None else view.rows.get(unit.id)
        if view is not None and row is not None and view.units[row] is unit:
            return int(view.snapshot.columns.tokens[row])
        known = self._tokens.get(unit.id)
        if known is None or known[0] is not unit:
            known = self._tokens[unit.id] = unit, self.count(tell(unit))
        return known[1]

    def _rank(
        self, words: str, wanted: Wanted, limit: int, progress: Progress | None
    ) -> list[Observation]:
        if not self.observations.units():
            return []
        self._refresh(progress)
        try:
            return self._retrieve(words, wanted, limit)
        except (IndexBusy, IndexBroken) as error:
            if isinstance(error, IndexBroken):
                self.indexes.mend(error)
            return self._retrieve(words, wanted, limit)

    def _retrieve(
        self, words: str, wanted: Wanted, limit: int, *, weak: bool = False
    ) -> list[Observation]:
        view = self._look()
        only = None
        if wanted != Wanted() or None in view.units:
            only = [unit is not None and wanted.admits(unit) for unit in view.units]
        vector = self.indexes.embed(words)
        # A unit and a decision made of the same event may both be found.
        settings = replace(self.settings, max_candidates=2 * limit)
        found = retrieve(
            view.snapshot,
            QueryRequest(words, explain=weak),
            vector,
            view.day,
            settings,
            self.indexes.is_word,
            only,
        )
        units = (view.units[one.row] for one in (found.others if weak else found.ranked))
        return _once([unit for unit in units if unit is not None])[:limit]

    def _refresh(self, progress: Progress | None) -> None:
        """Bring the index up to the units, unless nothing has happened since the last time."""
        units = self.observations.units()
        current = units is self._synced and not self._waiting
        # Somebody may have removed the index meanwhile.
        if not current or len(self.indexes.snapshot()) != len(units):
            self._synced = units if self.indexes.refresh(progress=progress) else None
            # What is out of date must not be in memory while its successor is loaded.
            self._view = None
            self.indexes.release_snapshot()

    def fill(
        self, store: IndexStore, embedder: Embedder | None, progress: Progress | None
    ) -> SyncReport:
        """Write the units into their index; called under its lock."""
        ends = None if self.embed_within is None else time.monotonic() + self.embed_within
        syncer = UnitSyncer(self.count, embedder, lambda: ends is None or time.monotonic() < ends)
        units = self.observations.units()
        self._waiting = syncer.sync(units.values(), store, progress)
        return SyncReport(total=len(units))

    def _look(self) -> _View:
        snapshot = self.indexes.snapshot()
        if self._view is None or self._view.snapshot is not snapshot:
            held = self.observations.units()
            units = tuple(held.get(one.id) for one in snapshot.places)
            rows = {one.id: row for row, one in enumerate(snapshot.places)}
            # The newest day stands for today: the same ledger is ranked the same on any day.
            day = max((unit.day for unit in units if unit is not None), default="2000-01-01")
            self._view = _View(snapshot, units, rows, dt.date.fromisoformat(day))
        return self._view

    def _way(self) -> str:
        return "hybrid" if self.indexes.embedder() is not None else "keyword"

    def _remarks(self, hint: str | None) -> dict[str, Any]:
        notices = [] if self._indexes is None else list(self._indexes.notices.values())
        if self._waiting:
            notices.append(f"{self._waiting} units wait for their vectors; their words count")
        told: dict[str, Any] = {"notices": notices} if notices else {}
        return told | ({"hint": hint} if hint else {})


def _words(query: str) -> str:
    if len(query) > MAX_QUERY_CHARACTERS:
        what = f"the query has more than {MAX_QUERY_CHARACTERS:,} characters"
        raise UsageError(what, hint="ask in a few words")
    return clean(query).strip()


def _check(number: int, name: str, least: int, most: int) -> None:
    if not least <= number <= most:
        raise UsageError(f"{name} must be from {least} to {most}")


def _marked(unit: Observation) -> dict[str, Any]:
    """Mark what a tool or a stranger said: it tells, it never orders."""
    return {"low_trust": str(unit.trust)} if unit.trust in LOW_TRUST else {}


def _shown(text: object) -> str:
    return shield(neutralise(str(text)))


def _once(units: Sequence[Observation]) -> list[Observation]:
    """Leave out what rests on the very events of something that ranks higher."""
    seen: dict[tuple[int, ...], Observation] = {}
    for unit in units:
        seen.setdefault(unit.evidence, unit)
    return list(seen.values())


def _age(unit: Observation) -> tuple[str, int, str]:
    """Order units by their own time: an import may come long after it."""
    return unit.at, unit.evidence[0], unit.id


def _in_order(units: Sequence[Observation]) -> list[Observation]:
    """Lay out all units in time, session after session, so that each stays in one piece."""
    starts: dict[str, str] = {}
    for unit in units:
        starts[unit.session] = min(starts.get(unit.session, unit.at), unit.at)

    def order(unit: Observation) -> tuple[str, str, int, bool]:
        own = unit.session and starts[unit.session]
        return own or unit.at, unit.session, unit.evidence[0], unit.kind is not Kind.MESSAGE

    return sorted(units, key=order)
