"""A projection: a value folded from the events of a ledger, held, and kept current."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

    from dmm.eventlog.chain import Head
    from dmm.eventlog.log import EventLog
    from dmm.eventlog.open_ledger import OpenLedger

T = TypeVar("T")


class Advance(Protocol[T]):
    """Folds the events up to a number into a value."""

    def __call__(self, log: EventLog, value: T, to: int) -> T:
        """Return the value as it stands after event `to`."""
        ...


@dataclass(slots=True)
class Projection(Generic[T]):
    """What the events of one ledger add up to.

    `start` makes the value to begin with, from a snapshot where there is one; `advance` folds in
    the events that follow it.
    """

    ledger: OpenLedger
    start: Callable[[EventLog, int], T]
    advance: Advance[T]
    _held: tuple[Head, int, T] | None = field(default=None, repr=False)

    def current(self) -> T:
        """Return the value at the newest event; only events since the last call are read.

        All of them are read again if the log is another one or if an event was redacted.
        """
        log = self.ledger.reading
        head = log.head()
        if self._held is not None and self._held[0] == head:
            return self._held[2]
        redaction = log.last_redaction()
        value = self._follow(log, redaction)
        value = self.advance(log, self.start(log, head.seq) if value is None else value, head.seq)
        self._held = head, redaction, value
        return value

    def _follow(self, log: EventLog, redaction: int) -> T | None:
        """Return the held value if the log still holds the events that it was folded from."""
        if self._held is None:
            return None
        head, known, value = self._held
        last = log.event(head.seq)
        goes_on = last is not None and last.hash == head.hash
        return value if goes_on and known == redaction else None
