"""How memories were used, folded from the ledger."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dmm.eventlog.projection import Projection
from dmm.lifecycle.snapshots import CODE, pack, unpack
from dmm.lifecycle.usage import FOLDED, Usage, fold

if TYPE_CHECKING:
    from dmm.eventlog.log import EventLog
    from dmm.eventlog.open_ledger import OpenLedger

EVERY = 8_192
# The ledger keeps one snapshot for an event; those of the state stand at the full multiples.
BESIDE = EVERY // 2


class UsageProjection(Projection[Usage]):
    """The usage of all memories of one ledger, as it stands at its head."""

    def __init__(self, ledger: OpenLedger) -> None:
        super().__init__(ledger, _nearest, _advance)


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
