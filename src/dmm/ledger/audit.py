"""Create, verify, copy and read out the ledger file."""

from __future__ import annotations

import contextlib
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

from dmm.domain.brief import brief
from dmm.domain.event import EventType
from dmm.errors import LedgerBroken, LedgerRefused
from dmm.eventlog.anchors import anchor_head, read_anchors
from dmm.eventlog.log import EventLog
from dmm.eventlog.replay import prove_snapshots
from dmm.eventlog.verify import verify
from dmm.ledger.results import Briefs, Copied, Created, Entries, Verified, check
from dmm.rules.discretion import discreet
from dmm.tracing import traced

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from dmm.domain.event import Event
    from dmm.eventlog.chain import Head
    from dmm.rules.project_ledger import ProjectLedger

    Progress = Callable[[int, int], None]

# Progress is reported after so many events.
TOLD_EVERY = 500


def _silent(_done: int, _of: int) -> None:
    """Ignore progress."""


def _counted(
    rows: Iterable[tuple[Any, ...]], of: int, progress: Progress
) -> Iterator[tuple[Any, ...]]:
    """Return the rows of all events, and tell now and then how far it is."""
    for row in rows:
        if row[0] % TOLD_EVERY == 0:
            progress(row[0], of)
        yield row
    progress(of, of)


class Within(TypedDict, total=False):
    """Which events are read: those of a session, between two numbers that do not count."""

    session: str | None
    after: int
    before: int


@dataclass(frozen=True, slots=True)
class Audit:
    """One ledger and the file that its heads are anchored in.

    `find_span` tells the numbers of the first and the last event of a session.
    """

    project_ledger: ProjectLedger
    anchors: Path
    find_span: Callable[[str], tuple[int, int]]

    @traced()
    def init(self) -> Created:
        """Make the ledger, if there is none."""
        made = not self.project_ledger.exists
        log = self.project_ledger.log
        return Created(log.where, made, log.head().seq)

    @traced()
    def verify(self, *, anchor: bool = False, progress: Progress = _silent) -> Verified:
        """Walk the chain and compare the anchors; the head of a valid one can be anchored."""
        with self.project_ledger.as_it_is() as log:
            told = self._examine(log, progress)
        if anchor and told.valid and self.project_ledger.exists:
            day = self.project_ledger.now().date().isoformat()
            written = anchor_head(self.project_ledger.log, self.anchors, day)
            told = replace(told, anchored=None if written is None else written.seq)
        return told

    def _examine(self, log: EventLog, progress: Progress) -> Verified:
        """Walk the chain, past the anchors and the mark, and prove what is derived from it."""
        known = read_anchors(self.anchors)
        rows = _counted(log.raw(), log.head().seq, progress)
        found = verify(rows, known.anchors, self._noted())
        told = Verified(**asdict(check(found)), unread_anchor_lines=tuple(known.malformed))
        if not found.valid:
            return told
        damage = log.damage()
        if damage:
            hint = "restore the last backup: dmm ledger restore"
            raise LedgerBroken(f"the file is damaged: {damage[0]}", where=log.where, hint=hint)
        wrong = prove_snapshots(log)
        return replace(told, wrong_snapshots=wrong, valid=not wrong)

    def _noted(self) -> Head | None:
        """Read the newest event that was noted outside the ledger."""
        record = self.project_ledger.record_of
        kept = None if record is None or not record.trusted else record.kept
        return None if record is None or kept is None else record.mark(kept[0]).read()

    @traced()
    def backup(self, target: Path) -> Copied:
        """Copy the ledger while others may write, and verify the copy."""
        if not self.project_ledger.exists:
            hint = "create one with: dmm ledger init"
            raise LedgerRefused("there is no ledger to copy", hint=hint)
        self.project_ledger.log.backup(target)
        with contextlib.closing(EventLog.open(target)) as copy:
            found = verify(copy.raw(), read_anchors(self.anchors).anchors)
        return Copied(**asdict(check(found)), path=str(target))

    @traced()
    @discreet
    def entries(self, last: int, kind: str | None = None, **within: Unpack[Within]) -> Entries:
        """Read the newest events between two numbers: all, of one type, of one session."""
        names = {known.lower(): known.value for known in EventType}
        wanted = None if kind is None else names.get(kind.lower(), kind)
        bounds = self._narrow(**within)
        found = self.project_ledger.reading.latest(last, kind=wanted, **bounds)
        return Entries(tuple(found))

    def _narrow(self, **within: Unpack[Within]) -> Within:
        """Look for a session only where it was: one of long ago is far from the newest event."""
        session = within.get("session")
        if session is None:
            return within
        first, last = self.find_span(session)
        after, before = within.get("after", 0), within.get("before", last + 1)
        return Within(session=session, after=max(after, first - 1), before=min(before, last + 1))

    def briefs(self, last: int, kind: str | None = None, **within: Unpack[Within]) -> Briefs:
        """Read the newest events, each in one line, and the number of the newest of all."""
        # Read first, so that nothing up to this number is missing; what came since is not told.
        head = self.project_ledger.reading.head().seq
        # The lines are made of what this reader may see.
        events = self.entries(last, kind, **within).events
        return Briefs(head, tuple(brief(event) for event in events if event.seq <= head))

    @traced()
    @discreet
    def entry(self, seq: int) -> Event:
        """Read one event with everything that is stored of it."""
        event = self.project_ledger.reading.event(seq)
        if event is None:
            raise LedgerRefused(f"there is no event {seq}", hint="dmm ledger log shows the events")
        return event
