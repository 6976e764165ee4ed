"""Recorded verdicts: the calls that a rule stopped, and those that it could not be checked on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from dmm.domain.event import EventType, canonical
from dmm.domain.payload import ToolRequested
from dmm.errors import LedgerRefused, StorageError
from dmm.rules.budget import is_own_fault
from dmm.rules.explain import describe_call
from dmm.rules.guard import recorded_call
from dmm.rules.results import Mark, Stop

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from dmm.domain.event import Event
    from dmm.rules.project_ledger import ProjectLedger

# What happened longer ago is no news.
EVENTS_WITHIN = 2_000
# How a payload names the reason; nearly none does, and the others need not be read.
NAMED = '"stopped":'
STOPPING = ("ask", "deny")


def find_stops(project_ledger: ProjectLedger, name: str, seq: int) -> list[Stop]:
    """List the calls that a rule stopped or asked about, the oldest first.

    A rule file is known by its id, whatever its text was then; a constraint by its number.
    """
    log = project_ledger.reading
    # Only a payload that holds this field can name the rule; the others need not be read.
    named = canonical({"id": name} if name else {"seq": seq})[1:-1]
    events = log.events_of([EventType.TOOL_REQUESTED], 0, log.head().seq, named)
    return [stop for event in events if (stop := _stop(event, name, seq)) is not None]


def _stop(event: Event, name: str, seq: int) -> Stop | None:
    told = ToolRequested.read(event)
    if told is None or not told.verdict:
        return None
    verdict = told.verdict
    for one in verdict.get("violations") or [{**verdict, "level": verdict.get("status")}]:
        same = one.get("id") == name if name else seq and one.get("seq") == seq
        if same and one.get("level") in STOPPING:
            call = recorded_call(event)
            named = "" if call is None else describe_call(call)
            return Stop(event.seq, event.at, named, one["level"], one.get("reason", ""))
    return None


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
