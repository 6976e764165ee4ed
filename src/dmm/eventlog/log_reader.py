"""What is read from a ledger file: events, in order or by type, and where it ends."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from dmm.eventlog import tables
from dmm.eventlog.chain import Head
from dmm.eventlog.file import Guarded

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import apsw

    from dmm.domain.event import Event
    from dmm.eventlog.upcast import Upcasts


class LogReader:
    """Reads one ledger file."""

    def __init__(self, connection: apsw.Connection, where: str, upcasts: Upcasts) -> None:
        self._connection = connection
        self._guarded = Guarded(where)
        self._upcasts = upcasts

    def _select(self, statement: str, *bindings: Any) -> Iterator[tuple[Any, ...]]:
        with self._guarded:
            yield from self._connection.execute(statement, bindings)

    def _events(self, statement: str, *bindings: Any) -> Iterator[Event]:
        rows = self._select(statement, *bindings)
        return (tables.read_event(row, self._upcasts) for row in rows)

    def head(self) -> Head:
        """Return the newest event."""
        return Head(*next(self._select(tables.HEAD), ()))

    def hash_of(self, seq: int) -> str:
        """Return the hash of an event; empty where there is no such event."""
        return next((str(row[0]) for row in self._select(tables.HASH_OF, seq)), "")

    def measure(self, seq: int) -> tuple[int, str, int]:
        """Read in one go the newest number, the hash of an event, and how many events are missing.

        Others may append at any time, so three reads would tell of three different logs.
        """
        head, digest, count = next(self._select(tables.EXTENT, seq))
        return int(head), str(digest), int(head) - int(count)

    def links(self, types: Sequence[str], after: int, to: int) -> Iterator[tuple[Any, ...]]:
        """Read stored columns of some types, each with the hash of the event before it."""
        return self._select(tables.LINKS, after, to, json.dumps(list(types)))

    def last_redaction(self) -> int:
        """Return when a payload was blanked last; states folded earlier may still hold it."""
        return int(next(self._select(tables.LAST_REDACTION))[0])

    def events(self, after: int = 0, to: int | None = None) -> Iterator[Event]:
        """Read events in order."""
        end = self.head().seq if to is None else to
        return self._events(tables.BETWEEN, after, end)

    def events_of(
        self, types: Sequence[str], after: int, to: int, holding: str | None = None
    ) -> Iterator[Event]:
        """Read events of some types in order; with `holding`, only payloads with that text."""
        return self._events(tables.OF_TYPES, after, to, json.dumps(list(types)), holding)

    def outlines(self, whole: Sequence[str], after: int, to: int) -> Iterator[Event]:
        """Read events in order, with the payload of some types only."""
        return self._events(tables.OUTLINES, after, to, json.dumps(list(whole)))

    def latest(
        self,
        limit: int,
        *,
        after: int = 0,
        before: int = tables.NO_END,
        kind: str | None = None,
        session: str | None = None,
    ) -> list[Event]:
        """Read the newest events between two numbers in order: all, of a type, of a session."""
        equal = {"type": kind, "session": session}
        given = {name: value for name, value in equal.items() if value is not None}
        more = "".join(f" AND {name} = ?" for name in given)
        statement = tables.LATEST.format(more=more)
        return list(self._events(statement, after, before, *given.values(), limit))[::-1]

    def event(self, seq: int) -> Event | None:
        """Read one event."""
        return next(self._events(tables.ONE, seq), None)

    def find(self, identity: str) -> Event | None:
        """Find the event that was recorded under an id."""
        return next(self._events(tables.BY_ID, identity), None)

    def sessions(self, source: str) -> set[str]:
        """Return the sessions of which something was recorded through a surface."""
        return {str(row[0]) for row in self._select(tables.SESSIONS, source)}

    def raw(self, after: int = 0, to: int | None = None) -> Iterator[tuple[Any, ...]]:
        """Read the stored columns as they are, for verification."""
        return self._select(tables.RAW, after, tables.NO_END if to is None else to)

    def span(self) -> tuple[str | None, str | None]:
        """Return when the first and the last event happened; imported ones happened before."""
        first, last = next(self._select(tables.SPAN))
        return first, last

    def first_since(self, moment: str, low: int, high: int) -> int:
        """Find the first event at or after a moment, between two that are not."""
        return int(next(self._select(tables.FIRST_SINCE, moment, low, high))[0])

    def stops(self, after: int, to: int) -> list[int]:
        """List the numbers of the calls and decisions that were blocked."""
        return [int(row[0]) for row in self._select(tables.STOPS, after, to)]
