"""Events that a redaction blanked, and the entries that still hold their words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dmm.domain.event import EventType
from dmm.domain.payload import PayloadRedacted
from dmm.team.chain import read_payload

if TYPE_CHECKING:
    from dmm.eventlog.log_reader import LogReader
    from dmm.team.chain import Entry


# The fields of entries that hold words of an event.
_WORDS = frozenset(("text", "key", "value", "paths", "title", "counts"))


def find_blanked(log: LogReader, after: int, to: int) -> frozenset[str]:
    """Return the ids of the events that were blanked within a part of a ledger."""
    told = map(PayloadRedacted.read, log.events_of((EventType.PAYLOAD_REDACTED,), after, to))
    events = (log.event(one.seq) for one in told if one is not None)
    return frozenset(one.id for one in events if one is not None)


def tells_of(entry: Entry, ids: frozenset[str]) -> bool:
    """Return whether an entry holds the words of some events: of its own, or of one accepted."""
    told = read_payload(entry)
    return not _WORDS.isdisjoint(told) and not ids.isdisjoint((entry.id, str(told.get("of"))))
