"""Create, verify, copy and read out the ledger file."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dmm.domain.event import EventType
from dmm.errors import LedgerBroken, LedgerRefused
from dmm.eventlog.anchors import anchor_head, read_anchors
from dmm.eventlog.log import EventLog
from dmm.eventlog.replay import prove_snapshots
from dmm.eventlog.verify import verify
from dmm.ledger.views import show_event
from dmm.rules.discretion import discreet
from dmm.tracing import traced

if TYPE_CHECKING:
    from pathlib import Path

    from dmm.eventlog.chain import Head
    from dmm.eventlog.verify import Verification
    from dmm.rules.project_ledger import ProjectLedger


@dataclass(frozen=True, slots=True)
class Audit:
    """One ledger and the file that its heads are anchored in."""

    project_ledger: ProjectLedger
    anchors: Path

    @traced()
    def init(self) -> dict[str, Any]:
        """Make the ledger, if there is none."""
        made = not self.project_ledger.exists
        log = self.project_ledger.log
        return {"ledger": log.where, "created": made, "seq": log.head().seq}

    @traced()
    def verify(self, *, anchor: bool = False) -> dict[str, Any]:
        """Walk the chain and compare the anchors; the head of a valid one can be anchored."""
        with self.project_ledger.as_it_is() as log:
            told = self._examine(log)
        if anchor and told["valid"] and self.project_ledger.exists:
            day = self.project_ledger.now().date().isoformat()
            written = anchor_head(self.project_ledger.log, self.anchors, day)
            told["anchored"] = None if written is None else written.seq
        return told

    def _examine(self, log: EventLog) -> dict[str, Any]:
        """Walk the chain, past the anchors and the mark, and prove what is derived from it."""
        known = read_anchors(self.anchors)
        found = verify(log.raw(), known.anchors, self._noted())
        told = _describe(found) | {"unread_anchor_lines": list(known.malformed)}
        if not found.valid:
            return told
        damage = log.damage()
        if damage:
            hint = "restore the last backup: dmm ledger restore"
            raise LedgerBroken(f"the file is damaged: {damage[0]}", where=log.where, hint=hint)
        wrong = list(prove_snapshots(log))
        return told | {"wrong_snapshots": wrong, "valid": not wrong}

    def _noted(self) -> Head | None:
        """Read the newest event that was noted outside the ledger."""
        record = self.project_ledger.record_of
        kept = None if record is None or not record.trusted else record.kept
        return None if record is None or kept is None else record.mark(kept[0]).read()

    @traced()
    def backup(self, target: Path) -> dict[str, Any]:
        """Copy the ledger while others may write, and verify the copy."""
        if not self.project_ledger.exists:
            hint = "create one with: dmm ledger init"
            raise LedgerRefused("there is no ledger to copy", hint=hint)
        self.project_ledger.log.backup(target)
        copy = EventLog.open(target)
        try:
            found = verify(copy.raw(), read_anchors(self.anchors).anchors)
        finally:
            copy.close()
        return {"path": str(target), **_describe(found)}

    @traced()
    @discreet
    def entries(self, last: int, kind: str | None = None) -> dict[str, Any]:
        """Read the newest events, all or of one type."""
        log = self.project_ledger.reading
        head = log.head().seq
        if kind is None:
            found = list(log.events(max(0, head - last), head))
        else:
            names = {known.lower(): known.value for known in EventType}
            wanted = names.get(kind.lower(), kind)
            found = list(deque(log.events_of([wanted], 0, head), maxlen=last))
        return {"events": [show_event(event) for event in found]}


def _describe(found: Verification) -> dict[str, Any]:
    return {
        "valid": found.valid,
        "events": found.events,
        "blanked": found.blanked,
        "head": found.head,
        "first_bad_seq": found.first_bad,
        "reason": found.reason,
        "anchors": found.anchors,
        "foreign_anchors": found.foreign,
    }
