"""The tables of `team.db`, and how those of earlier versions become them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dmm.team.chain import Checkpoint

if TYPE_CHECKING:
    from dmm.team.database import Row

SCHEMA_VERSION = 3
ENTRY = """
    writer TEXT NOT NULL, wseq INTEGER NOT NULL, id TEXT NOT NULL UNIQUE, type TEXT NOT NULL,
    at TEXT NOT NULL, salt TEXT NOT NULL, payload TEXT NOT NULL, whash TEXT NOT NULL,
    signature TEXT NOT NULL"""
# Earlier builds of this version had none, and need none.
INDEX = "CREATE INDEX IF NOT EXISTS event_of_writer ON event (writer, wseq)"
INDEXED = "SELECT 1 FROM sqlite_schema WHERE name = 'event_of_writer'"
SCHEMA = f"""
CREATE TABLE membership (
    writer TEXT NOT NULL, since INTEGER NOT NULL, taken INTEGER NOT NULL, mark TEXT NOT NULL,
    sent INTEGER NOT NULL, head INTEGER NOT NULL, hash TEXT NOT NULL, signature TEXT NOT NULL,
    unsent TEXT NOT NULL, unreceived TEXT NOT NULL, offered INTEGER NOT NULL DEFAULT 0,
    unproven INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE TABLE outbox ({ENTRY}, PRIMARY KEY (wseq)) STRICT;
CREATE TABLE event (seq INTEGER PRIMARY KEY, hash TEXT NOT NULL,{ENTRY}) STRICT;
{INDEX};
"""
# By the version that is left behind.
UPGRADES = {
    1: "ALTER TABLE membership ADD COLUMN offered INTEGER NOT NULL DEFAULT 0",
    2: "ALTER TABLE membership ADD COLUMN unproven INTEGER NOT NULL DEFAULT 0",
}
# Why the last exchange failed, in each direction.
READ_FAULT = {
    "unsent": "SELECT unsent FROM membership",
    "unreceived": "SELECT unreceived FROM membership",
}
WRITE_FAULT = {
    "unsent": "UPDATE membership SET unsent = ?",
    "unreceived": "UPDATE membership SET unreceived = ?",
}
MEMBERSHIP = """
SELECT writer, since, sent, unproven, head, hash, signature, unsent, unreceived FROM membership
"""
JOIN = "INSERT INTO membership VALUES (?1, ?2, ?2, '', 0, 0, ?3, '', '', '', 0, 0)"
FIELDS = "writer, wseq, id, type, at, salt, payload, whash, signature"
EVENTS = f"SELECT seq, hash, {FIELDS} FROM event WHERE seq > ? ORDER BY seq LIMIT ?"  # noqa: S608 - constants
UNSENT = f"SELECT {FIELDS} FROM outbox WHERE wseq > ? ORDER BY wseq LIMIT ?"  # noqa: S608 - constants
LAST = "SELECT wseq, whash FROM outbox ORDER BY wseq DESC LIMIT 1"
# How many own entries the server holds for certain, and how many it may hold.
HELD = """
SELECT max(sent, coalesce((SELECT max(wseq) FROM event WHERE event.writer = ?1), 0)) FROM membership
"""
SENT = f"SELECT max(offered, ({HELD})) FROM membership"  # noqa: S608 - constants
HASH_OF = "SELECT whash FROM outbox WHERE wseq = ?"
# How many events there are up to one, and its hash.
EXTENT = "SELECT count(*), coalesce(max(iif(seq = ?1, hash, '')), '') FROM event WHERE seq <= ?1"
KNOWN = "SELECT 1 FROM event WHERE id = ?1 UNION SELECT 1 FROM outbox WHERE id = ?1"
# What an earlier membership sent is in the log alone.
FIND_SHARED = """
SELECT id, wseq <= sent FROM outbox, membership WHERE id IN (SELECT value FROM json_each(?1))
UNION SELECT id, 1 FROM event WHERE id IN (SELECT value FROM json_each(?1))
ORDER BY 2
"""
ADD_MEMBERSHIP = "INSERT INTO membership VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
# What the log says about the passkeys of a laptop's user, up to a signed end.
PASSKEYS = """
SELECT payload FROM event
WHERE writer = ? AND type = ? AND json_extract(payload, '$.writer') = ?
    AND seq <= (SELECT head FROM membership)
ORDER BY seq
"""
PROVED = f"""
SELECT type, payload FROM outbox WHERE instr(payload, '"proof":') AND wseq <= ({HELD})
"""  # noqa: S608 - constants
WITHDRAW = "UPDATE membership SET offered = min(offered, ?), unproven = unproven + ?"
TAKE = "UPDATE membership SET taken = ?, mark = ?, unproven = unproven + ?"
ROLE = """
SELECT json_extract(payload, '$.role') FROM event
WHERE writer = ? AND type IN (?, ?) AND json_extract(payload, '$.writer') = ?
ORDER BY seq DESC LIMIT 1
"""
ADD_OUT = "INSERT INTO outbox VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
ADD_EVENT = "INSERT INTO event VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"


@dataclass(frozen=True, slots=True)
class Membership:
    """How far a laptop is: since which event it shares, entries sent, the log it has seen.

    `unproven` decisions stay here: no passkey has confirmed what others would be told. `fault` says
    why entries are no longer sent or received.
    """

    writer: str
    since: int
    sent: int
    unproven: int
    head: Checkpoint
    fault: str


def read_membership(row: Row) -> Membership:
    """Read how far a laptop is out of a row; the faults of both ways are put in one line."""
    writer, since, sent, unproven, head, hash_, signature, *faults = row
    fault = "; ".join(dict.fromkeys(one for one in faults if one))
    return Membership(writer, since, sent, unproven, Checkpoint(head, hash_, signature), fault)
