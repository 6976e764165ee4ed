"""Receive a team's log to its end; a server that was restored gets back what it lost."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from dmm.errors import TeamError
from dmm.team.client import HttpLog
from dmm.team.port import MOST_PULLED, REVOKED, Lost, Revoked, Taken, TakesBack, fit
from dmm.team.standing import Exchanged

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dmm.team.chain import Checkpoint, Placed
    from dmm.team.checked import Checked
    from dmm.team.credentials import Credentials
    from dmm.team.port import TeamLog
    from dmm.team.replica import Replica


def receive(
    replica: Replica, held: Credentials, log: TeamLog, checked: Checked
) -> tuple[Exchanged, int]:
    """Read a log to its end; return what was new, and where it ends.

    A server that was restored behind this laptop gets back what it lost, once.
    """
    received, returned, tried = 0, 0, False
    sent = replica.membership().sent
    while True:
        after = replica.trail(held, checked).head.seq
        page = log.pull(after)
        if isinstance(page, Revoked):
            raise TeamError("revoked", REVOKED)
        if page.head.seq < after and isinstance(log, TakesBack) and not tried:
            returned, tried = _give_back(log, *replica.find_lost(held, page.head)), True
            continue
        received += replica.receive(held, page, after, checked)
        if not page.placed or page.placed[-1].seq >= page.head.seq:
            lost = replica.send_lost(held, sent)
            return Exchanged(0, received, returned, lost), page.head.seq
        # What is left is there already.
        log = replace(log, wait=0.0) if isinstance(log, HttpLog) else log


def page_lost(placed: Sequence[Placed], head: Checkpoint) -> Iterator[Lost]:
    """Yield what a log lost in parts of the size it takes."""
    while placed:
        part = fit(placed[:MOST_PULLED])
        placed = placed[len(part) :]
        yield Lost(part, tuple(one.entry.whash for one in placed), head)


def _give_back(log: TakesBack, placed: Sequence[Placed], head: Checkpoint) -> int:
    """Give a server back what it lost; return how many events."""
    for lost in page_lost(placed, head):
        outcome = log.take_back(lost)
        if not isinstance(outcome, Taken):
            what = f"the server lost the events from {lost.placed[0].seq} on and refused them"
            raise TeamError("behind", what, hint="ask whoever runs the server")
    return len(placed)
