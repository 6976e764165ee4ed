"""The tables of a ledger file, their statements, and rows as events."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from dmm.domain.event import Event
from dmm.errors import LedgerBroken
from dmm.eventlog.upcast import upcast

if TYPE_CHECKING:
    from dmm.eventlog.upcast import Upcasts

SCHEMA_VERSION = 1
APPLICATION_ID = 0x444D4D4C  # "DMML"

# The highest number that SQLite knows.
NO_END = (1 << 63) - 1

# REPLACE deletes without asking the trigger on DELETE, so the one on INSERT has to refuse it.
SCHEMA = """
CREATE TABLE events (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    type TEXT NOT NULL,
    version INTEGER NOT NULL,
    at TEXT NOT NULL,
    actor TEXT NOT NULL,
    source TEXT NOT NULL,
    trust TEXT NOT NULL,
    session TEXT,
    caused_by INTEGER,
    refs TEXT NOT NULL,
    payload TEXT,
    payload_hash TEXT NOT NULL,
    hash TEXT NOT NULL
) STRICT;
CREATE INDEX events_by_type ON events(type, seq);
CREATE TRIGGER events_are_only_appended BEFORE INSERT ON events
WHEN NEW.seq IS NOT (SELECT coalesce(max(seq), 0) + 1 FROM events)
    OR EXISTS (SELECT 1 FROM events WHERE id = NEW.id)
BEGIN SELECT RAISE(ABORT, 'events are only appended'); END;
CREATE TRIGGER events_are_never_deleted BEFORE DELETE ON events
BEGIN SELECT RAISE(ABORT, 'events are never deleted'); END;
CREATE TRIGGER events_are_never_changed BEFORE UPDATE ON events
WHEN NEW.payload IS NOT NULL OR NEW.seq IS NOT OLD.seq OR NEW.id IS NOT OLD.id
    OR NEW.type IS NOT OLD.type OR NEW.version IS NOT OLD.version OR NEW.at IS NOT OLD.at
    OR NEW.actor IS NOT OLD.actor OR NEW.source IS NOT OLD.source OR NEW.trust IS NOT OLD.trust
    OR NEW.session IS NOT OLD.session OR NEW.caused_by IS NOT OLD.caused_by
    OR NEW.refs IS NOT OLD.refs OR NEW.payload_hash IS NOT OLD.payload_hash
    OR NEW.hash IS NOT OLD.hash
    OR NOT EXISTS (
        SELECT 1 FROM events
        WHERE type = 'PayloadRedacted' AND json_extract(payload, '$.seq') = OLD.seq
    )
BEGIN SELECT RAISE(ABORT, 'events are never changed'); END;
CREATE TABLE snapshots (
    seq INTEGER PRIMARY KEY, hash TEXT NOT NULL, code TEXT NOT NULL, state BLOB NOT NULL
) STRICT;
"""
BETWEEN = """
SELECT seq, id, type, version, at, actor, source, trust, session, caused_by, refs, payload, hash
FROM events WHERE seq > ?1 AND seq <= ?2 ORDER BY seq
"""
OF_TYPES = """
SELECT seq, id, type, version, at, actor, source, trust, session, caused_by, refs, payload, hash
FROM events
WHERE seq > ?1 AND seq <= ?2 AND type IN (SELECT value FROM json_each(?3))
    AND (?4 IS NULL OR instr(payload, ?4)) ORDER BY seq
"""
OUTLINES = """
SELECT seq, id, type, version, at, actor, source, trust, session, caused_by, refs,
    CASE WHEN type IN (SELECT value FROM json_each(?3)) THEN payload END, hash
FROM events WHERE seq > ?1 AND seq <= ?2 ORDER BY seq
"""
# The conditions of `latest`; with one on the type, its index is read backwards.
LATEST = """
SELECT seq, id, type, version, at, actor, source, trust, session, caused_by, refs, payload, hash
FROM events WHERE seq > ? AND seq < ?{more} ORDER BY seq DESC LIMIT ?
"""
# When the first and the last event happened that were not brought in from an earlier time.
SPAN = """
SELECT (SELECT at FROM events WHERE source != 'import' ORDER BY seq LIMIT 1),
    (SELECT at FROM events WHERE source != 'import' ORDER BY seq DESC LIMIT 1)
"""
# Where the time of a log passes a moment, by halves: a log is as good as sorted by time.
FIRST_SINCE = """
WITH RECURSIVE search(low, high) AS (
    SELECT ?2, ?3
    UNION ALL
    SELECT iif(e.at < ?1, e.seq, low), iif(e.at < ?1, high, e.seq)
    FROM search JOIN events e ON e.seq = (low + high) / 2 WHERE high - low > 1
)
SELECT high FROM search WHERE high - low <= 1
"""
# Looking for the words first spares the reading of nearly all payloads.
STOPS = """
SELECT seq FROM events WHERE type = 'DecisionBlocked' AND seq > ?1 AND seq <= ?2
UNION ALL
SELECT seq FROM events WHERE type = 'ToolRequested' AND seq > ?1 AND seq <= ?2
    AND instr(payload, '"status":"deny"') AND json_valid(payload)
    AND json_extract(payload, '$.verdict.status') = 'deny'
ORDER BY seq
"""
ONE = """
SELECT seq, id, type, version, at, actor, source, trust, session, caused_by, refs, payload, hash
FROM events WHERE seq = ?
"""
BY_ID = """
SELECT seq, id, type, version, at, actor, source, trust, session, caused_by, refs, payload, hash
FROM events WHERE id = ?
"""
RAW = """
SELECT seq, id, type, version, at, actor, source, trust, session, caused_by, refs, payload,
    payload_hash, hash
FROM events WHERE seq > ?1 AND seq <= ?2 ORDER BY seq
"""
FIRST = """
SELECT seq, id, type, version, at, actor, source, trust, session, caused_by, refs, payload_hash
FROM events WHERE seq = 1
"""
SESSIONS = "SELECT DISTINCT session FROM events WHERE source = ? AND session IS NOT NULL"
HEAD = "SELECT seq, hash FROM events ORDER BY seq DESC LIMIT 1"
LAST_REDACTION = "SELECT coalesce(max(seq), 0) FROM events WHERE type = 'PayloadRedacted'"
APPEND = "INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
BLANK = "UPDATE events SET payload = NULL WHERE seq = ?"
SNAPSHOTS_BEFORE = """
SELECT s.seq, s.hash, s.state FROM snapshots s JOIN events e ON e.seq = s.seq AND e.hash = s.hash
WHERE s.seq <= ?1 AND s.code = ?2 ORDER BY s.seq DESC
"""
SNAPSHOTS = "SELECT seq, hash, state FROM snapshots WHERE code = ? ORDER BY seq"
# A payload may have been blanked since the state was folded; then the state is not kept. One that
# stands there already stays, also if it is wrong: it shows that somebody changed it.
KEEP_SNAPSHOT = """
INSERT INTO snapshots
SELECT ?1, hash, ?2, ?3 FROM events
WHERE seq = ?1 AND ?4 = (
    SELECT coalesce(max(seq), 0) FROM events WHERE type = 'PayloadRedacted'
)
ON CONFLICT(seq) DO UPDATE SET hash = excluded.hash, code = excluded.code, state = excluded.state
WHERE code != excluded.code
"""
DROP_SNAPSHOTS = "DELETE FROM snapshots WHERE seq >= ?"
HASH_OF = "SELECT hash FROM events WHERE seq = ?"
EXTENT = """
SELECT (SELECT coalesce(max(seq), 0) FROM events),
    coalesce((SELECT hash FROM events WHERE seq = ?), ''), (SELECT count(*) FROM events)
"""
MADE = "SELECT type, name, sql FROM sqlite_schema ORDER BY type, name"
# An event of some types with the hash before it: enough to prove each by itself.
LINKS = """
SELECT e.seq, e.id, e.type, e.version, e.at, e.actor, e.source, e.trust, e.session, e.caused_by,
    e.refs, e.payload, e.payload_hash, e.hash, p.hash
FROM events e LEFT JOIN events p ON p.seq = e.seq - 1
WHERE e.seq > ?1 AND e.seq <= ?2 AND e.type IN (SELECT value FROM json_each(?3)) ORDER BY e.seq
"""
# A ledger that was moved takes no more events, also from a process that still has it open.
MOVED = """
CREATE TRIGGER IF NOT EXISTS ledger_has_moved BEFORE INSERT ON events
BEGIN SELECT RAISE(ABORT, 'the ledger has moved'); END
"""
UNMOVED = "DROP TRIGGER IF EXISTS ledger_has_moved"


_DECODE = json.JSONDecoder().raw_decode


def _read(text: str) -> Any:
    """Read JSON; what was written here has no space around it that would have to be looked for."""
    value, end = _DECODE(text)
    return value if end == len(text) else json.loads(text)


def read_event(row: tuple[Any, ...], upcasts: Upcasts) -> Event:
    """Read a row as an event, in the newest form that is known of its type."""
    try:
        references = tuple(_read(row[10])) if row[10] != "[]" else ()
        payload = None if row[11] is None else _read(row[11])
    except (ValueError, TypeError, RecursionError) as error:
        hint = "dmm ledger verify shows whether it was edited"
        raise LedgerBroken(f"event {row[0]} can't be read: {error}", hint=hint) from error
    fields: tuple[Any, ...] = (*row[:10], references, payload, row[12])
    event = Event(*fields)
    return upcast(event, upcasts) if event.type in upcasts else event
