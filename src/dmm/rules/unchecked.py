"""Find rules that could not be checked on real calls."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from dmm.domain.event import EventType
from dmm.domain.payload import ToolRequested
from dmm.errors import LedgerRefused, StorageError
from dmm.rules.budget import is_own_fault
from dmm.rules.results import Mark

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from dmm.rules.project_ledger import ProjectLedger

# What happened longer ago is no news.
EVENTS_WITHIN = 2_000
# How a payload names the reason; nearly none does, and the others need not be read.
NAMED = '"stopped":'


class Miss(NamedTuple):
    """A recorded call on which a rule's own search was given up, and why."""

    seq: int
    rule: str
    why: str
    where: str


def find_misses(project_ledger: ProjectLedger) -> list[Miss]:
    """List the latest calls that a rule could not be checked on, the oldest first.

    A rule that found the time used up by others is not to blame. Where there is no ledger, or
    none that may be read, nothing is known.
    """
    try:
        if not project_ledger.exists:
            return []
        log = project_ledger.reading
        head = log.head().seq
        since = max(0, head - EVENTS_WITHIN)
        events = log.events_of([EventType.TOOL_REQUESTED], since, head, NAMED)
        # Another checkout may have another rule of the same name.
        here = (None, project_ledger.place)
        calls = ((event.seq, ToolRequested.read(event)) for event in events)
        return [
            one
            for seq, told in calls
            if told is not None and told.place in here
            for one in _misses(seq, told.verdict)
        ]
    except (StorageError, LedgerRefused):
        # Told by whoever looks at the ledger itself.
        return []


def _misses(seq: int, verdict: Mapping[str, Any]) -> list[Miss]:
    return [
        Miss(
            seq,
            str(one.get("id") or one.get("seq")),
            str(one["stopped"]),
            str(one.get("where") or ""),
        )
        for one in verdict.get("violations") or ()
        if isinstance(one, dict) and is_own_fault(str(one.get("stopped") or ""))
    ]


def mark(misses: Sequence[Miss], name: str, seq: int | None) -> Mark | None:
    """Return how often a rule could not be checked since it has its present text, and why last."""
    own = [one for one in misses if one.rule == name and one.seq > (seq or 0)]
    if not own:
        return None
    last = own[-1]
    return Mark(len(own), last.why, last.where, last.seq)
