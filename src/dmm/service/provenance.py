"""Where a proposed text really comes from: what a tool returned is not what an agent thought."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dmm.domain.event import EventType

if TYPE_CHECKING:
    from dmm.domain.event import Event
    from dmm.service.chronicle import Chronicle

EVENTS_LOOKED_AT = 2_000
OUTPUTS_LOOKED_AT = 200
SHINGLE = 7
# So much of a text has to stand in one output for it to be that output's.
SHARE = 0.5
_WORD = re.compile(r"\w+")
# What these return is what the agent itself wrote just before.
_ECHOES = re.compile(r"write|edit|patch|todo|dmm|memory_", re.IGNORECASE)


def find_tool_source(text: str, chronicle: Chronicle, session: str | None) -> Event | None:
    """Find the newest tool event of a session whose output holds most of a text."""
    wanted = _shingles(text)
    if not wanted or session is None:
        return None
    log = chronicle.reading
    head = log.head().seq
    kinds = (EventType.TOOL_USED, EventType.TOOL_FAILED)
    events = list(log.events_of(kinds, max(0, head - EVENTS_LOOKED_AT), head))
    for event in reversed(events[-OUTPUTS_LOOKED_AT:]):
        output = event.get("output") or event.get("error")
        if event.session != session or not isinstance(output, str):
            continue
        if _ECHOES.search(str(event.get("tool", ""))):
            continue
        if len(wanted & _shingles(output)) >= SHARE * len(wanted):
            return event
    return None


def _shingles(text: str) -> frozenset[tuple[str, ...]]:
    words = _WORD.findall(text.casefold())
    return frozenset(tuple(words[at : at + SHINGLE]) for at in range(len(words) - SHINGLE + 1))
