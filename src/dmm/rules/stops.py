"""Find the recorded calls that a rule stopped."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dmm.domain.event import EventType, canonical
from dmm.domain.payload import ToolRequested
from dmm.rules.explain import describe_call
from dmm.rules.guard import recorded_call
from dmm.rules.results import Stop

if TYPE_CHECKING:
    from dmm.domain.event import Event
    from dmm.rules.project_ledger import ProjectLedger

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
