"""A log that was restored from a backup gets back what laptops hold of it.

Entries go back to where they stood: their writers signed them, and the server itself signed an end
of the log that their order leads to. So no laptop can add or leave out anything in this way.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dmm.errors import TeamError
from dmm.eventlog.chain import Head
from dmm.team.chain import is_checkpoint, link_placed
from dmm.team.port import MOST_PULLED, Lost, Taken, fit

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dmm.team.chain import Checkpoint, LogName, Placed
    from dmm.team.port import Batch, TakesBack


def need_ahead(batch: Batch, head: Head) -> None:
    """Refuse a batch of a laptop that has seen more of the log than it holds."""
    if batch.seen > head.seq:
        what = f"the server's log ends at {head.seq}; this laptop has {batch.seen} events"
        raise TeamError("behind", what, hint="give them back first: dmm team sync")


def need_own_order(public: str, log: LogName, lost: Lost) -> None:
    """Refuse entries in an order that the server did not sign."""
    last = lost.placed[-1]
    end = Head(last.seq, last.hash)
    for whash in lost.rest:
        end = Head(end.seq + 1, link_placed(end.hash, end.seq + 1, whash))
    signed = is_checkpoint(public, *log, lost.head)
    if not signed or end != Head(lost.head.seq, lost.head.hash):
        raise TeamError("forked", "the server did not sign the order of these events")


def page_lost(placed: Sequence[Placed], head: Checkpoint) -> Iterator[Lost]:
    """Yield what a log lost in parts of the size it takes."""
    while placed:
        part = fit(placed[:MOST_PULLED])
        placed = placed[len(part) :]
        yield Lost(part, tuple(one.entry.whash for one in placed), head)


def give_back(log: TakesBack, placed: Sequence[Placed], head: Checkpoint) -> int:
    """Give a server back what it lost; return how many events."""
    for lost in page_lost(placed, head):
        outcome = log.take_back(lost)
        if not isinstance(outcome, Taken):
            what = f"the server lost the events from {lost.placed[0].seq} on and refused them"
            raise TeamError("behind", what, hint="ask whoever runs the server")
    return len(placed)
