"""The tables of `team.db`, and how those of earlier versions become them."""

from __future__ import annotations

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
