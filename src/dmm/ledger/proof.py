"""Proof of single events: each follows from the one before it, by the columns that are stored.

The whole chain is walked by `verify`. The few events that rules are made of are proved whenever
they are read, so that one that was edited is found before it is obeyed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dmm.errors import LedgerBroken
from dmm.ledger.chain import GENESIS, hash_payload, link

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dmm.ledger.log import EventLog

PAYLOAD, PAYLOAD_HASH, HASH, BEFORE = 11, 12, 13, 14


def prove_events(log: EventLog, types: Sequence[str], after: int, to: int) -> None:
    """Refuse a ledger in which an event of these types is not as it was recorded."""
    for row in log.links(types, after, to):
        if not _holds(row):
            hint = "dmm ledger verify shows where it begins; dmm ledger restore puts a backup back"
            what = f"event {row[0]} was changed after it was recorded"
            raise LedgerBroken(what, where=log.where, hint=hint)


def _holds(row: tuple[Any, ...]) -> bool:
    payload, before = row[PAYLOAD], row[BEFORE] or GENESIS
    if payload is not None and hash_payload(payload) != row[PAYLOAD_HASH]:
        return False
    return bool(link(before, (*row[:PAYLOAD], row[PAYLOAD_HASH])) == row[HASH])
