"""The last session on a branch: found in the ledger, for the next one to begin where it ended."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dmm.domain.event import EventType
from dmm.eventlog.open_ledger import IMPORTED

if TYPE_CHECKING:
    from collections.abc import Callable

    from dmm.domain.event import Event
    from dmm.eventlog.log import EventLog
    from dmm.rules.project_ledger import ProjectLedger

# What is older is more likely to mislead than to help.
STALE = dt.timedelta(days=7)
EVENTS_LOOKED_AT = 20_000
EVENTS_OF_SESSION = 2_000
SESSIONS_LOOKED_AT = 4
CALLS = (EventType.TOOL_REQUESTED, EventType.TOOL_USED, EventType.TOOL_FAILED)
WORDS = (EventType.USER_MESSAGE_RECEIVED, EventType.TURN_ENDED)


@dataclass(frozen=True, slots=True)
class LastSession:
    """Tells a new session what the one before it did on the same branch."""

    project_ledger: ProjectLedger
    project: str
    now: Callable[[], dt.datetime]

    def tell(self, branch: str, session: str) -> str:
        """Return the record of the newest session that did something; empty where it is stale.

        `branch` is empty in a project without Git; `session` is the one that is told.
        """
        if not self.project_ledger.exists:
            return ""
        log = self.project_ledger.reading
        found = _newest_sessions(log, branch, session, self.now() - STALE)
        return self._describe(log, found, branch) if found else ""

    def _describe(self, log: EventLog, found: list[tuple[str, int, int]], branch: str) -> str:
        # Loaded for a session that has one before it, not for every first one.
        from dmm.observations.distil import TYPES
        from dmm.observations.session_record import summarise, write_record

        for name, first, last in found:
            events = [
                event
                for event in log.events_of(TYPES, max(first - 1, last - EVENTS_OF_SESSION), last)
                if event.session == name and _branch(event, branch) == branch
            ]
            lines = summarise(events, self.project)
            if lines:
                return write_record(events, lines, moment_of(events[-1]))
        return ""


def _newest_sessions(
    log: EventLog, branch: str, told: str, since: dt.datetime
) -> list[tuple[str, int, int]]:
    """Return the sessions on a branch with their first and last events, the newest first."""
    head = log.head().seq
    spans: dict[str, tuple[int, int]] = {}
    for event in log.events_of(WORDS, max(0, head - EVENTS_LOOKED_AT), head):
        name = event.session or ""
        fits = name not in ("", told) and event.source != IMPORTED
        if fits and _branch(event, "") == branch and moment_of(event) >= since:
            spans[name] = (spans.get(name, (event.seq, 0))[0], event.seq)
    newest = sorted(spans.items(), key=lambda one: -one[1][1])[:SESSIONS_LOOKED_AT]
    return [(name, first, _end(log, name, last, head)) for name, (first, last) in newest]


def _end(log: EventLog, session: str, last: int, head: int) -> int:
    """Return the last tool event after the last words, of a session that was cut off."""
    to = min(head, last + EVENTS_OF_SESSION)
    later = (one.seq for one in log.events_of(CALLS, last, to) if one.session == session)
    return max(later, default=last)


def _branch(event: Event, otherwise: str) -> str:
    """Return the branch of an event; records made by tools have none of their own."""
    value = event.get("branch")
    return value if isinstance(value, str) else otherwise


def moment_of(event: Event) -> dt.datetime:
    """Return when an event happened; one with a time that can't be read is as old as can be."""
    try:
        found = dt.datetime.fromisoformat(event.at)
    except ValueError:
        return dt.datetime.min.replace(tzinfo=dt.UTC)
    return found.astimezone(dt.UTC) if found.tzinfo else found.replace(tzinfo=dt.UTC)
