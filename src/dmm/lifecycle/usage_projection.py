"""How memories were used, folded from the ledger; snapshots avoid reading from event one."""

from __future__ import annotations

import json
import zlib
from typing import TYPE_CHECKING, Any

from dmm.eventlog.projection import Projection
from dmm.lifecycle.usage import (
    FOLDED,
    Course,
    Objection,
    Tally,
    Usage,
    Use,
    add_counts,
    fold,
    sum_counts,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from dmm.domain.usage import DayCounts
    from dmm.eventlog.log import EventLog
    from dmm.eventlog.open_ledger import OpenLedger

CODE = "usage-1"
EVERY = 8_192
# The ledger keeps one snapshot for an event; those of the state stand at the full multiples.
BESIDE = EVERY // 2
FAST = 1


class UsageProjection(Projection[Usage]):
    """The usage of all memories of one ledger, as it stands at its head, and of the team's."""

    def __init__(
        self, ledger: OpenLedger, counts: Callable[[], tuple[DayCounts, ...]] = tuple
    ) -> None:
        super().__init__(ledger, _nearest, _advance)
        self._counts = counts
        self._summed: tuple[tuple[DayCounts, ...], Mapping[str, Use]] | None = None
        self._joined: tuple[Usage, Mapping[str, Use], Usage] | None = None

    def current(self) -> Usage:
        """Return the usage at the newest event, with what other laptops counted."""
        own, counts = Projection.current(self), self._counts()
        if not counts:
            return own
        others = self._sum(counts)
        if self._joined is None or self._joined[0] is not own or self._joined[1] is not others:
            self._joined = own, others, add_counts(own, others)
        return self._joined[2]

    def _sum(self, counts: tuple[DayCounts, ...]) -> Mapping[str, Use]:
        """Add up the counts of others; once, as long as they are the same."""
        if self._summed is None or self._summed[0] is not counts:
            # What this laptop counted, in an earlier membership too, is in its ledger.
            log = self.ledger.reading
            others = sum_counts(one for one in counts if log.find(one.event) is None)
            self._summed = counts, others
        return self._summed[1]


def _nearest(log: EventLog, to: int) -> Usage:
    found = log.nearest_snapshot(to, CODE)
    return (None if found is None else unpack(found[1], found[0])) or Usage()


def _advance(log: EventLog, value: Usage, to: int) -> Usage:
    """Fold up to an event; on a long way snapshots are left for the next time."""
    usage, redaction, snapshots = value, log.last_redaction(), []
    while usage.seq < to:
        stop = min(to, ((usage.seq + BESIDE) // EVERY + 1) * EVERY - BESIDE)
        usage = fold(log.events_of(FOLDED, usage.seq, stop), usage, to=stop)
        if (stop + BESIDE) % EVERY == 0:
            snapshots.append((stop, pack(usage)))
    if snapshots:
        log.keep_snapshots(snapshots, CODE, redaction)
    return usage


def pack(usage: Usage) -> bytes:
    """Write usage as bytes; equal usage gives equal bytes."""
    return zlib.compress(usage.canonical(), FAST)


def unpack(data: bytes, seq: int) -> Usage | None:
    """Read the usage at an event back; bytes that are not such a thing give None."""
    try:
        told = json.loads(zlib.decompress(data))
        usage = Usage(
            seq=told["seq"],
            memories={key: _use(*row) for key, row in told["memories"].items()},
            sessions={name: _course(*row) for name, row in told["sessions"].items()},
            packs=dict(told["packs"]),
        )
    except (zlib.error, ValueError, TypeError, LookupError, AttributeError):
        return None
    return usage if usage.seq == seq else None


def _use(*row: Any) -> Use:
    identity, path, served, last_served, helped, last_helped, objections = row
    told = tuple(Objection(*one) for one in objections)
    return Use(identity, path, served, last_served, helped, last_helped, told)


def _course(tally: Any, settled: bool, given: Any, said: Any) -> Course:
    begun = {key: Tally(*row) for key, row in given.items()}
    return Course(Tally(*tally), settled, begun, dict(said))
