"""Find text that repeats a tool's output."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dmm.domain.event import EventType
from dmm.domain.payload import ToolCalled

if TYPE_CHECKING:
    from dmm.domain.event import Event
    from dmm.eventlog.open_ledger import OpenLedger

EVENTS_LOOKED_AT = 2_000
OUTPUTS_LOOKED_AT = 200
SHINGLE = 7
# A shorter text is looked for as a whole; two words stand everywhere.
SHORTEST = 3
# So much of a text has to stand in one output for it to be that output's.
SHARE = 0.5
_WORD = re.compile(r"\w+")
# What these return is what the agent itself wrote just before. A tool that is only named alike,
# such as one that reads credits, is none of them.
_ECHOES = re.compile(
    r"(?:multi|notebook|str_replace_)?edit(?:_file)?|(?:todo_?)?write(?:_file|_todos)?|replace"
    r"|create(?:_file)?|apply_?patch|update_plan|(?:mcp__dmm__|dmm[.:/-])\w+|memory_\w+",
    re.IGNORECASE,
)


def find_tool_source(text: str, known: str, project_ledger: OpenLedger) -> Event | None:
    """Find the newest tool event whose output holds most of what a text adds to a known one.

    The tools of all sessions count: which one a proposer is in, it says itself.
    """
    size = min(SHINGLE, len(_WORD.findall(text)))
    wanted = _shingles(text, size) - _shingles(known, size)
    if not wanted or size < SHORTEST:
        return None
    log = project_ledger.reading
    head = log.head().seq
    kinds = (EventType.TOOL_USED, EventType.TOOL_FAILED)
    events = list(log.events_of(kinds, max(0, head - EVENTS_LOOKED_AT), head))
    for event in reversed(events[-OUTPUTS_LOOKED_AT:]):
        told = ToolCalled.read(event)
        output = "" if told is None else told.said
        if told is None or not output or _ECHOES.fullmatch(told.tool):
            continue
        if len(wanted & _shingles(output, size)) >= SHARE * len(wanted):
            return event
    return None


def _shingles(text: str, size: int) -> frozenset[tuple[str, ...]]:
    words = _WORD.findall(text.casefold())
    return frozenset(tuple(words[at : at + size]) for at in range(len(words) - size + 1))
