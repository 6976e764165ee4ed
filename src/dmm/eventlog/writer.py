"""Append events in one transaction: validated, chained, recorded once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import apsw

from dmm.domain.event import Draft, Event, EventType
from dmm.errors import LedgerRefused
from dmm.eventlog import tables
from dmm.eventlog.chain import Head, hash_payload, link
from dmm.eventlog.encoding import encode

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dmm.eventlog.upcast import Upcasts

MAX_PAYLOAD = 1 << 20
MAX_DEPTH = 64


class Writer:
    """Appends within one transaction; the head can't move under it."""

    def __init__(self, cursor: apsw.Cursor, upcasts: Upcasts, head: Head) -> None:
        self._cursor = cursor
        self._upcasts = upcasts
        self._seq, self._hash = head.seq, head.hash

    @property
    def head(self) -> Head:
        """The newest event."""
        return Head(self._seq, self._hash)

    def append(self, draft: Draft) -> Event:
        """Record one event; one that was recorded before under the same id is given back."""
        return tables.read_event(self._record(draft), self._upcasts)

    def extend(self, drafts: Iterable[Draft]) -> None:
        """Record many events that nobody asks back; reading them would be a quarter of the work."""
        for draft in drafts:
            self._record(draft)

    def _record(self, draft: Draft) -> tuple[Any, ...]:
        seq = self._seq + 1
        _check_links(draft, seq)
        payload = _write_payload(draft)
        columns = (
            seq,
            draft.id,
            str(draft.type),
            draft.version,
            draft.at,
            draft.actor,
            draft.source,
            str(draft.trust),
            draft.session,
            draft.caused_by,
            encode(list(draft.references)) if draft.references else "[]",
        )
        payload_hash = hash_payload(payload)
        try:
            digest = link(self._hash, (*columns, payload_hash))
        except UnicodeEncodeError as error:
            raise LedgerRefused("an event must be valid UTF-8") from error
        try:
            self._cursor.execute(tables.APPEND, (*columns, payload, payload_hash, digest))
        except apsw.ConstraintError:
            # Nearly every id is new, so the file is asked only when it refuses one.
            same = self._cursor.execute(tables.BY_ID, (draft.id,))
            known: tuple[Any, ...] | None = next(same, None)
            if known is None:
                raise
            return known
        self._seq, self._hash = seq, digest
        return (*columns, payload, digest)

    def blank(self, seq: int, draft: Draft) -> Event:
        """Blank the payload of a leaked event and record that; the chain stays valid."""
        if draft.type != EventType.PAYLOAD_REDACTED or draft.payload.get("seq") != seq:
            raise LedgerRefused(f"the draft does not say that event {seq} is blanked")
        row = next(self._cursor.execute(tables.ONE, (seq,)), None)
        if row is None:
            raise LedgerRefused(f"there is no event {seq}", hint="dmm ledger log shows the events")
        if row[2] == EventType.PAYLOAD_REDACTED:
            raise LedgerRefused(f"event {seq} records a redaction; it can't be blanked itself")
        recorded = self.append(draft)
        self._cursor.execute(tables.BLANK, (seq,))
        # A snapshot may hold what was just blanked.
        self._cursor.execute(tables.DROP_SNAPSHOTS, (seq,))
        return recorded


def _check_links(draft: Draft, seq: int) -> None:
    links = draft.references if draft.caused_by is None else (*draft.references, draft.caused_by)
    for target in links:
        if not 0 < target < seq:
            what = f"there is no earlier event {target}"
            raise LedgerRefused(what, hint="dmm ledger log shows the events")


def _write_payload(draft: Draft) -> str:
    try:
        payload = encode(draft.payload)
    except (TypeError, ValueError, RecursionError) as error:
        raise LedgerRefused(f"a payload must be plain data: {error}") from error
    if len(payload) > MAX_PAYLOAD:
        raise LedgerRefused(f"an event can hold at most {MAX_PAYLOAD >> 20} MiB")
    # Counting the brackets clears all but a few.
    if payload.count("[") + payload.count("{") > MAX_DEPTH and not _fits(draft.payload, MAX_DEPTH):
        raise LedgerRefused(f"a payload can be nested at most {MAX_DEPTH} levels deep")
    return payload


def _fits(value: Any, levels: int) -> bool:
    if not isinstance(value, dict | list | tuple):
        return True
    inner = value.values() if isinstance(value, dict) else value
    return levels > 0 and all(_fits(one, levels - 1) for one in inner)
