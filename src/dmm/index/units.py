"""Recall units in their index file, on disk instead of in memory.

All of it is derived from the ledger; `Reading` says how far, by which rules and for which folder.
"""

from __future__ import annotations

import contextlib
import json
from dataclasses import astuple, dataclass
from typing import TYPE_CHECKING, Any

from dmm.domain.event import Trust
from dmm.domain.observation import Kind, Observation
from dmm.index.derived_file import intact
from dmm.index.recall import digest, place
from dmm.storage import sqlite

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from dmm.index.store import IndexStore

AT_ONCE = 200

# Each open episode stands behind those that were touched before it. The index `units_in_line` lays
# all units out in time: session after session by first moments, each in one piece, turns before
# what they made. `start` is the first moment of a unit's session, or its own where it has none.
_SCHEMA = """
CREATE TABLE IF NOT EXISTS reading (
    one INTEGER PRIMARY KEY CHECK (one = 1), seq INTEGER NOT NULL, hash TEXT NOT NULL,
    redaction INTEGER NOT NULL, rules TEXT NOT NULL, root TEXT NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS units (
    id TEXT PRIMARY KEY, first INTEGER NOT NULL, at TEXT NOT NULL, kind TEXT NOT NULL,
    session TEXT NOT NULL, files TEXT NOT NULL, place TEXT NOT NULL, digest TEXT NOT NULL,
    data TEXT NOT NULL, by_rules TEXT, start TEXT NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS units_in_order ON units(first, id);
CREATE INDEX IF NOT EXISTS units_by_time ON units(at, first, id);
CREATE INDEX IF NOT EXISTS units_by_place ON units(place, digest);
CREATE INDEX IF NOT EXISTS units_by_session ON units(session, at);
CREATE INDEX IF NOT EXISTS units_in_line ON units(start, session, first, kind <> 'message', id);
CREATE TABLE IF NOT EXISTS episodes (
    number INTEGER PRIMARY KEY AUTOINCREMENT, session TEXT NOT NULL UNIQUE, data TEXT NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS retellings (of TEXT PRIMARY KEY, data TEXT NOT NULL) STRICT;
"""
# Units of earlier versions stand in no line; they are made again from the ledger.
_OLD = """
DROP VIEW IF EXISTS line; DROP TABLE IF EXISTS units; DROP TABLE IF EXISTS reading;
DROP TABLE IF EXISTS episodes;
"""
_PUT = "INSERT OR REPLACE INTO units VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
_START = """
UPDATE units SET start = (SELECT min(at) FROM units WHERE session = ?1)
WHERE session = ?1 AND start <> (SELECT min(at) FROM units WHERE session = ?1)
"""
_FIELDS = Observation.__match_args__
_SOME = "SELECT id, data FROM units WHERE id IN (SELECT value FROM json_each(?))"
_SOME_BY_RULES = """
SELECT id, coalesce(by_rules, data) FROM units WHERE id IN (SELECT value FROM json_each(?))
"""
_CHOSEN = """
SELECT id, files FROM units
WHERE (?1 IS NULL OR kind = ?1) AND (?2 IS NULL OR substr(session, 1, length(?2)) = ?2)
    AND (?3 IS NULL OR substr(at, 1, 10) >= ?3) AND (?4 IS NULL OR substr(at, 1, 10) <= ?4)
    AND (?5 OR files <> '[]')
ORDER BY at DESC, first DESC, id DESC LIMIT ?6
"""
_OF_DAY = "SELECT data FROM units WHERE at >= ?1 AND substr(at, 1, 10) = ?1 ORDER BY first, id"
_BEFORE = """
SELECT id FROM units WHERE (start, session, first, kind <> 'message', id) < (
    SELECT start, session, first, kind <> 'message', id FROM units WHERE id = ?1
)
ORDER BY start DESC, session DESC, first DESC, kind <> 'message' DESC, id DESC LIMIT ?2
"""
_FROM = """
SELECT id FROM units WHERE (start, session, first, kind <> 'message', id) >= (
    SELECT start, session, first, kind <> 'message', id FROM units WHERE id = ?1
)
ORDER BY start, session, first, kind <> 'message', id LIMIT ?2
"""
_CHANGED = """
SELECT units.id FROM units LEFT JOIN memories ON path = place
WHERE content_hash IS NOT digest ORDER BY first, units.id
"""
_GONE = "SELECT path FROM memories WHERE path NOT IN (SELECT place FROM units) ORDER BY path"


@dataclass(frozen=True, slots=True)
class Reading:
    """How far a ledger was read: to which event, after which redaction, by whose rules."""

    seq: int = 0
    hash: str = ""
    redaction: int = 0
    rules: str = ""
    root: str = ""


class UnitStore:
    """The units in one index file, with what is needed to go on reading where it was left."""

    def __init__(self, store: IndexStore) -> None:
        self.store = store
        self._connection = store.connection
        if self._is_old():
            with self.writing():
                if self._is_old():
                    self._connection.execute(_OLD)
        with sqlite.translated(store.where):
            self._connection.execute(_SCHEMA)

    def _is_old(self) -> bool:
        columns = {row[0] for row in self._select("SELECT name FROM pragma_table_info('units')")}
        return bool(columns) and "start" not in columns

    def _select(self, statement: str, *bindings: Any) -> list[tuple[Any, ...]]:
        """Read all rows at once: none of them is waiting when somebody writes."""
        with sqlite.translated(self.store.where):
            return list(self._connection.execute(statement, bindings))

    def _change(self, statement: str, rows: Iterable[tuple[Any, ...]]) -> None:
        with sqlite.translated(self.store.where):
            self._connection.executemany(statement, rows)

    @contextlib.contextmanager
    def writing(self) -> Iterator[None]:
        """Write one batch: all of it, or nothing."""
        with sqlite.transaction(self._connection, self.store.where):
            yield

    def reading(self) -> Reading:
        """Return how far the ledger was read."""
        rows = self._select("SELECT seq, hash, redaction, rules, root FROM reading")
        return Reading(*rows[0]) if rows else Reading()

    def note(self, reading: Reading) -> None:
        """Remember how far the ledger was read."""
        statement = "INSERT OR REPLACE INTO reading VALUES (1, ?, ?, ?, ?, ?)"
        self._change(statement, [astuple(reading)])

    def clear(self) -> None:
        """Erase everything; it may have been redacted, so no byte is kept."""
        with sqlite.translated(self.store.where):
            self._connection.execute(
                "DELETE FROM units; DELETE FROM episodes; DELETE FROM retellings;"
                "DELETE FROM reading; INSERT OR REPLACE INTO meta VALUES ('erase', 'due')"
            )

    def put(self, units: Iterable[tuple[Observation, Observation | None]]) -> None:
        """Replace older units; a retold one keeps its original beside it."""
        rows = [(unit.session, _write(unit, by_rules)) for unit, by_rules in units]
        self._change(_PUT, (row for _, row in rows))
        self._change(_START, ((name,) for name in sorted({name for name, _ in rows} - {""})))

    def episodes(self) -> dict[str, str]:
        """Return the stored open episodes by session, the last touched at the end."""
        return dict(self._select("SELECT session, data FROM episodes ORDER BY number"))

    def keep_episodes(self, touched: Mapping[str, str], closed: Iterable[str]) -> None:
        """Keep the episodes that went on, in their order, and drop those that are closed."""
        self._change("DELETE FROM episodes WHERE session = ?", ((one,) for one in closed))
        statement = "INSERT OR REPLACE INTO episodes (session, data) VALUES (?, ?)"
        self._change(statement, touched.items())

    def retellings(self, ids: Iterable[str]) -> dict[str, str]:
        """Return the retellings of some units, as they were kept."""
        statement = "SELECT of, data FROM retellings WHERE of IN (SELECT value FROM json_each(?))"
        return dict(self._select(statement, json.dumps(list(ids))))

    def keep_retellings(self, retellings: Mapping[str, str]) -> None:
        """Keep the newest retelling of each unit."""
        self._change("INSERT OR REPLACE INTO retellings VALUES (?, ?)", retellings.items())

    def retold(self) -> frozenset[str]:
        """Name the units that are told in other words than those of the rules."""
        return frozenset(
            row[0] for row in self._select("SELECT id FROM units WHERE by_rules <> ''")
        )

    def by_rules(self, ids: Iterable[str]) -> dict[str, Observation]:
        """Return some units as the rules made them."""
        rows = self._select(_SOME_BY_RULES, json.dumps(list(ids)))
        return {name: self._read(data) for name, data in rows}

    def find(self, ids: Iterable[str]) -> dict[str, Observation]:
        """Return some units by id."""
        rows = self._select(_SOME, json.dumps(list(ids)))
        return {name: self._read(data) for name, data in rows}

    def count(self) -> int:
        """Count the units."""
        return int(self._select("SELECT count(*) FROM units")[0][0])

    def names(self, kinds: Sequence[Kind] | None = None) -> list[str]:
        """Name all units, or those of some kinds, in the order of their first events."""
        wanted = None if kinds is None else json.dumps([str(kind) for kind in kinds])
        rows = self._select(
            "SELECT id FROM units WHERE ?1 IS NULL OR kind IN (SELECT value FROM json_each(?1))"
            " ORDER BY first, id",
            wanted,
        )
        return [row[0] for row in rows]

    def each(self, ids: Sequence[str]) -> Iterator[Observation]:
        """Yield units in the order named, with few in memory at once."""
        for at in range(0, len(ids), AT_ONCE):
            part = ids[at : at + AT_ONCE]
            found = dict(self._select(_SOME, json.dumps(part)))
            yield from (self._read(found[name]) for name in part if name in found)

    def choose(
        self,
        kind: Kind | None = None,
        session: str | None = None,
        since: str | None = None,
        until: str | None = None,
        *,
        with_files: bool = False,
        limit: int = -1,
    ) -> list[tuple[str, list[str]]]:
        """Name the units that pass, with their files, newest first; days count in whole."""
        named = None if kind is None else str(kind)
        rows = self._select(_CHOSEN, named, session, since, until, not with_files, limit)
        return [(name, json.loads(files)) for name, files in rows]

    def newest_day(self) -> str | None:
        """Return the day of the newest unit."""
        found = self._select("SELECT max(at) FROM units")[0][0]
        return None if found is None else str(found)[:10]

    def of_day(self, day: str) -> list[Observation]:
        """Return the units of a day, in the order of their first events."""
        return [self._read(row[0]) for row in self._select(_OF_DAY, day)]

    def around(self, name: str, before: int, after: int) -> list[str]:
        """Name what stood around a unit: sessions one after the other, each in one piece."""
        earlier = [row[0] for row in self._select(_BEFORE, name, before)]
        return [*reversed(earlier), *(row[0] for row in self._select(_FROM, name, after + 1))]

    def changed(self) -> list[str]:
        """Name the units that their index lacks, or has in another state."""
        return [row[0] for row in self._select(_CHANGED)]

    def gone(self) -> list[str]:
        """Name the places in the index whose units are no more."""
        return [row[0] for row in self._select(_GONE)]

    def _read(self, data: str) -> Observation:
        with intact(self.store.where):
            return _read_unit(*json.loads(data))


def _write(unit: Observation, by_rules: Observation | None) -> tuple[Any, ...]:
    return (
        *(unit.id, unit.evidence[0], unit.at, str(unit.kind), unit.session),
        *(json.dumps(unit.files), place(unit), digest(unit), _dump(unit)),
        *(None if by_rules is None else _dump(by_rules), unit.at),
    )


def _dump(unit: Observation) -> str:
    # Not `astuple`, which copies every text.
    return json.dumps([getattr(unit, one) for one in _FIELDS], separators=(",", ":"))


def _read_unit(*row: Any) -> Observation:
    name, kind, title, narrative, session, at, evidence, trust, actor, facts, files = row
    return Observation(
        name, Kind(kind), title, narrative, session, at, tuple(evidence), Trust(trust), actor,
        tuple(facts), tuple(files),
    )  # fmt: skip
