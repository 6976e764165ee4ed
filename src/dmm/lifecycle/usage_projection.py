"""Usage, folded from the ledger and kept current."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dmm.eventlog.chain import Head
from dmm.lifecycle.snapshots import CODE, pack, unpack
from dmm.lifecycle.usage import FOLDED, Usage, fold

if TYPE_CHECKING:
    from dmm.eventlog.log import EventLog
    from dmm.rules.project_ledger import ProjectLedger

EVERY = 8_192
# The ledger keeps one snapshot for an event; those of the state stand at the full multiples.
BESIDE = EVERY // 2


@dataclass(slots=True)
class UsageProjection:
    """The usage of all memories of one ledger, as it stands at its head."""

    project_ledger: ProjectLedger
    _usage: Usage = field(default_factory=Usage)
    _head: Head = field(default_factory=Head)
    _redaction: int = 0

    def usage(self) -> Usage:
        """Give the usage at the newest event; only what is new since the last look is read."""
        log = self.project_ledger.reading
        head = log.head()
        if head != self._head:
            redaction = log.last_redaction()
            held = redaction == self._redaction and self._goes_on(log)
            start = self._usage if held else _nearest(log, head.seq)
            self._usage = _advance(log, start, head.seq, redaction)
            self._head, self._redaction = head, redaction
        return self._usage

    def _goes_on(self, log: EventLog) -> bool:
        last = log.event(self._head.seq)
        return last is not None and last.hash == self._head.hash


def _nearest(log: EventLog, to: int) -> Usage:
    found = log.nearest_snapshot(to, CODE)
    return (None if found is None else unpack(found[1], found[0])) or Usage()


def _advance(log: EventLog, usage: Usage, to: int, redaction: int) -> Usage:
    """Fold up to an event; on a long way snapshots are left for the next time."""
    snapshots = []
    while usage.seq < to:
        stop = min(to, ((usage.seq + BESIDE) // EVERY + 1) * EVERY - BESIDE)
        usage = fold(log.events_of(FOLDED, usage.seq, stop), usage, to=stop)
        if (stop + BESIDE) % EVERY == 0:
            snapshots.append((stop, pack(usage)))
    if snapshots:
        log.keep_snapshots(snapshots, CODE, redaction)
    return usage
