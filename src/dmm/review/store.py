"""The review queue, folded from the ledger and kept current."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dmm.domain.event import EventType
from dmm.domain.proposal import PREFIX, ProposalStatus
from dmm.errors import ReviewRefused, UsageError
from dmm.eventlog.chain import Head
from dmm.review.queue import Queue, fold

if TYPE_CHECKING:
    from dmm.domain.proposal import Proposal
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
    _queue: Queue = field(default_factory=Queue)
    _head: Head = field(default_factory=Head)
    _redaction: int = 0

    def queue(self) -> Queue:
        """Give the queue at the newest event; only what is new since the last look is read."""
        log = self.project_ledger.reading
        head = log.head()
        if head != self._head:
            redaction = log.last_redaction()
            last = log.event(self._head.seq)
            goes_on = last is not None and last.hash == self._head.hash
            start = self._queue if goes_on and redaction == self._redaction else Queue()
            self._queue = fold(log.events_of(TYPES, start.seq, head.seq), start)
            self._head, self._redaction = head, redaction
        return self._queue

    def find(self, name: str) -> Proposal:
        """Find a proposal by its name or number."""
        found = _NAME.fullmatch(name.strip())
        if found is None:
            raise UsageError(f"{name!r} names no proposal", hint="such as proposal_17, or 17")
        proposal = self.queue().proposals.get(int(found[1]))
        if proposal is None:
            what = f"there is no {PREFIX}{found[1]}"
            raise ReviewRefused(what, hint="dmm review list shows pending proposals")
        return proposal


def overtaken(proposal: Proposal) -> ReviewRefused:
    """Say that somebody else has decided about a proposal in the meantime."""
    applying = proposal.standing is ProposalStatus.APPLYING
    told = "is being applied" if applying else f"was {proposal.standing} just now"
    hint = f"see what became of it: dmm review show {proposal.id}"
    return ReviewRefused(f"{proposal.id} {told}", hint=hint)


def rewritten(proposal: Proposal) -> ReviewRefused:
    """Say that the text of a proposal is another one than was looked at."""
    hint = f"look at it again: dmm review show {proposal.id}"
    what = "its text was changed since you looked at it"
    return ReviewRefused(what, where=proposal.id, hint=hint)
