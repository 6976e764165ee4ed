"""How many events were recorded when, and how many of them were stops."""

from __future__ import annotations

import datetime as dt
from array import array
from bisect import bisect_left
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING

from dmm.eventlog.projection import Projection
from dmm.tracing import traced

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dmm.eventlog.log import EventLog
    from dmm.eventlog.open_ledger import OpenLedger
    from dmm.rules.project_ledger import ProjectLedger

START = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)


@dataclass(frozen=True, slots=True)
class Bucket:
    """The events of a stretch of time; without any, `to_seq` is the event before it."""

    from_seq: int
    to_seq: int
    begin: str
    end: str
    blocked: int

    def describe(self) -> Mapping[str, object]:
        """Return it in the words of the surfaces."""
        return {
            "from_seq": self.from_seq,
            "to_seq": self.to_seq,
            "from": self.begin,
            "to": self.end,
            "count": self.to_seq - self.from_seq + 1,
            "blocked": self.blocked,
        }


@dataclass(frozen=True, slots=True)
class Histogram:
    """All events of a ledger, in stretches of equal time."""

    head: int
    buckets: tuple[Bucket, ...]


@dataclass(frozen=True, slots=True)
class Stopped:
    """The numbers of the calls and decisions that were blocked up to an event, in order."""

    seq: int = 0
    seqs: array[int] = field(default_factory=lambda: array("q"))


class Stops(Projection[Stopped]):
    """The calls and decisions of one ledger that were blocked."""

    def __init__(self, ledger: OpenLedger) -> None:
        super().__init__(ledger, lambda _log, _to: Stopped(), _follow)


def _follow(log: EventLog, value: Stopped, to: int) -> Stopped:
    return Stopped(to, value.seqs + array("q", log.stops(value.seq, to)))


@dataclass(frozen=True, slots=True)
class Histograms:
    """Counts the events of one ledger over time."""

    project_ledger: ProjectLedger
    stops: Stops

    @traced()
    def count(self, buckets: int) -> Histogram:
        """Count all events in so many stretches of equal time.

        Events that were imported later count where they stand in the log, so that every stretch
        is a range of numbers.
        """
        log = self.project_ledger.reading
        head, blocked = log.head().seq, self.stops.current().seqs
        first, last = log.span()
        if not head or not first or not last:
            return Histogram(head, ())
        begin, end = _read(first), _read(last)
        step = max(end - begin, dt.timedelta(milliseconds=buckets)) / buckets
        moments = [_write(begin + number * step) for number in range(buckets + 1)]
        starts = [1]
        for moment in moments[1:-1]:
            starts.append(log.first_since(moment, starts[-1] - 1, head + 1))
        starts.append(head + 1)
        # Others may have appended since the newest number was read.
        cuts = [bisect_left(blocked, seq) for seq in starts]
        return Histogram(
            head,
            tuple(
                Bucket(*seqs, *times, here[1] - here[0])
                for seqs, times, here in zip(
                    ((one, two - 1) for one, two in pairwise(starts)),
                    pairwise(moments),
                    pairwise(cuts),
                    strict=True,
                )
            ),
        )


def _read(text: str) -> dt.datetime:
    try:
        moment = dt.datetime.fromisoformat(text)
    except ValueError:
        return START
    return moment if moment.tzinfo else moment.replace(tzinfo=dt.UTC)


def _write(moment: dt.datetime) -> str:
    return moment.astimezone(dt.UTC).isoformat(timespec="milliseconds")
