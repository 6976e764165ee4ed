"""The proposals of a project, as its ledger has them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dmm.domain.event import EventType
from dmm.domain.proposal import PREFIX, ProposalStatus
from dmm.errors import ReviewRefused, UsageError
from dmm.eventlog.projection import Projection
from dmm.review.queue import Queue, fold

if TYPE_CHECKING:
    from dmm.domain.proposal import Edit, Proposal
    from dmm.eventlog.log import EventLog
    from dmm.rules.project_ledger import ProjectLedger

TYPES = (
    EventType.PROPOSAL_MADE,
    EventType.PROPOSAL_CHECKED,
    EventType.PROPOSAL_REVIEWED,
    EventType.PROPOSAL_APPLYING,
    EventType.PROPOSAL_APPLIED,
    EventType.PROPOSAL_COMMITTED,
    EventType.PROPOSAL_FAILED,
)
_NAME = re.compile(rf"(?:{PREFIX})?(\d{{1,15}})", re.ASCII)


@dataclass(slots=True)
class ProposalStore:
    """All proposals of one ledger, as they stand at its head."""

    project_ledger: ProjectLedger
    _queue: Projection[Queue] = field(init=False)

    def __post_init__(self) -> None:
        self._queue = Projection(self.project_ledger, lambda *_: Queue(), _advance)

    def queue(self) -> Queue:
        """Return the queue at the newest event."""
        return self._queue.current()

    def writes_of(self, origin: str) -> list[Edit]:
        """Return what applied proposals of one part of DMM wrote, oldest first."""
        made = (one for one in self.queue().proposals.values() if one.origin == origin)
        return [edit for one in made if one.applied is not None for edit in one.edits]

    def find(self, name: str) -> Proposal:
        """Find a proposal by its name or number."""
        found = _NAME.fullmatch(name.strip())
        if found is None:
            raise UsageError(f"{name!r} is not a proposal", hint="such as proposal_17, or 17")
        proposal = self.queue().proposals.get(int(found[1]))
        if proposal is None:
            what = f"there is no {PREFIX}{found[1]}"
            raise ReviewRefused(what, hint="dmm review list shows pending proposals")
        return proposal


def _advance(log: EventLog, value: Queue, to: int) -> Queue:
    return fold(log.events_of(TYPES, value.seq, to), value)


def overtaken(proposal: Proposal) -> ReviewRefused:
    """Return the error that a proposal was decided in the meantime."""
    applying = proposal.standing is ProposalStatus.APPLYING
    told = "is being applied" if applying else f"was {proposal.standing} just now"
    hint = f"see what became of it: dmm review show {proposal.id}"
    return ReviewRefused(f"{proposal.id} {told}", hint=hint)


def rewritten(proposal: Proposal) -> ReviewRefused:
    """Return the error that the text of a proposal differs from the one shown."""
    hint = f"look at it again: dmm review show {proposal.id}"
    what = "its text was changed since you looked at it"
    return ReviewRefused(what, where=proposal.id, hint=hint)
