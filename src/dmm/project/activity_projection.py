"""The activity of one ledger, kept current; snapshots avoid reading from event one."""

from __future__ import annotations

import json
import zlib
from typing import TYPE_CHECKING, Any

from dmm.eventlog.projection import Projection
from dmm.project.activity import WHOLE, Activity, DayTally, Served, SessionTally, fold

if TYPE_CHECKING:
    from dmm.eventlog.log import EventLog
    from dmm.eventlog.open_ledger import OpenLedger

CODE = "activity-1"
EVERY = 8_192
# The ledger keeps one snapshot for an event; those of the state and of usage stand elsewhere.
BESIDE = EVERY // 4
FAST = 1


class ActivityProjection(Projection[Activity]):
    """The activity of one ledger, as it stands at its head."""

    def __init__(self, ledger: OpenLedger) -> None:
        super().__init__(ledger, _nearest, _advance)

    def span(self, session: str) -> tuple[int, int]:
        """Return the first and the last event of a session; zeros where it has none."""
        tally = self.current().sessions.get(session)
        return (0, 0) if tally is None else (tally.first, tally.last)


def _nearest(log: EventLog, to: int) -> Activity:
    found = log.nearest_snapshot(to, CODE)
    return (None if found is None else unpack(found[1], found[0])) or Activity()


def _advance(log: EventLog, value: Activity, to: int) -> Activity:
    """Fold up to an event; on a long way snapshots are left for the next time."""
    activity, redaction, snapshots = value, log.last_redaction(), []
    while activity.seq < to:
        stop = min(to, ((activity.seq + BESIDE) // EVERY + 1) * EVERY - BESIDE)
        activity = fold(log.outlines(WHOLE, activity.seq, stop), activity, stop)
        if (stop + BESIDE) % EVERY == 0:
            snapshots.append((stop, pack(activity)))
    if snapshots:
        log.keep_snapshots(snapshots, CODE, redaction)
    return activity


def pack(activity: Activity) -> bytes:
    """Write activity as bytes; equal activity gives equal bytes."""
    rows = [activity.seq, activity.sessions, activity.days, activity.memories]
    text = json.dumps(rows, separators=(",", ":"), sort_keys=True, allow_nan=False)
    return zlib.compress(text.encode(), FAST)


def unpack(data: bytes, seq: int) -> Activity | None:
    """Read the activity at an event back; bytes that are not such a thing give None."""
    try:
        found, sessions, days, memories = json.loads(zlib.decompress(data))
        activity = Activity(
            found,
            {name: SessionTally(*row) for name, row in sessions.items()},
            {day: DayTally(*row) for day, row in days.items()},
            {key: _served(*row) for key, row in memories.items()},
        )
    except (zlib.error, ValueError, TypeError, LookupError, AttributeError):
        return None
    return activity if found == seq else None


def _served(packs: Any, days: Any, times: int) -> Served:
    return Served(tuple(packs), tuple((day, number) for day, number in days), times)
