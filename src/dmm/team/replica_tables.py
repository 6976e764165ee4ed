"""The tables of `team.db`, and how those of earlier versions become them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dmm.team.chain import Entry, Placed

if TYPE_CHECKING:
    from collections.abc import Sequence

SCHEMA_VERSION = 2
ENTRY = """
    writer TEXT NOT NULL, wseq INTEGER NOT NULL, id TEXT NOT NULL UNIQUE, type TEXT NOT NULL,
    at TEXT NOT NULL, salt TEXT NOT NULL, payload TEXT NOT NULL, whash TEXT NOT NULL,
    signature TEXT NOT NULL"""
SCHEMA = f"""
CREATE TABLE membership (
    writer TEXT NOT NULL, since INTEGER NOT NULL, taken INTEGER NOT NULL, mark TEXT NOT NULL,
    sent INTEGER NOT NULL, head INTEGER NOT NULL, hash TEXT NOT NULL, signature TEXT NOT NULL,
    unsent TEXT NOT NULL, unreceived TEXT NOT NULL, offered INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE TABLE outbox ({ENTRY}, PRIMARY KEY (wseq)) STRICT;
CREATE TABLE event (seq INTEGER PRIMARY KEY, hash TEXT NOT NULL,{ENTRY}) STRICT;
"""
# By the version that is left behind.
UPGRADES = {1: "ALTER TABLE membership ADD COLUMN offered INTEGER NOT NULL DEFAULT 0"}
# Why the last exchange failed, in each direction.
READ_FAULT = {
    "unsent": "SELECT unsent FROM membership",
    "unreceived": "SELECT unreceived FROM membership",
}
WRITE_FAULT = {
    "unsent": "UPDATE membership SET unsent = ?",
    "unreceived": "UPDATE membership SET unreceived = ?",
}


def join_faults(faults: Sequence[str | int]) -> str:
    """Put the faults of both ways in one line."""
    return "; ".join(dict.fromkeys(str(one) for one in faults if one))


def columns(entry: Entry) -> tuple[str | int, ...]:
    """Return an entry as a row of its table."""
    head = (entry.writer, entry.wseq, entry.id, entry.type, entry.at)
    return (*head, entry.salt, entry.payload, entry.whash, entry.signature)


def read_entry(row: Sequence[str | int]) -> Entry:
    """Read an entry out of a row."""
    writer, wseq, *rest = row
    identity, kind, at, salt, payload, whash, signature = map(str, rest)
    told = (identity, kind, at, salt, payload, whash, signature)
    return Entry(str(writer), int(wseq), *told)


def read_placed(row: Sequence[str | int]) -> Placed:
    """Read an entry with its place out of a row."""
    return Placed(int(row[0]), str(row[1]), read_entry(row[2:]))
