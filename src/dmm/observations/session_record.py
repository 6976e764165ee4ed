"""The record of a session: what was done, decided, blocked and left open, in a few lines.

Told are the words of requests, decisions and rulings, never what a tool printed.
"""

from __future__ import annotations

import re
from itertools import filterfalse
from typing import TYPE_CHECKING

from dmm.domain.event import EventType, Trust
from dmm.domain.observation import Kind
from dmm.domain.text import neutralise
from dmm.observations.commands import Sort
from dmm.observations.distil import TOOLS, distil
from dmm.observations.records import BLOCKED, RULE, words_of
from dmm.observations.steps import Act, read_steps
from dmm.observations.titles import title_of_text
from dmm.observations.wording import clip, is_nod, squeeze
from dmm.redaction.redact import redact

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Iterator, Sequence

    from dmm.domain.event import Event
    from dmm.domain.observation import Observation

MOST_TOKENS = 150
LONGEST_LINE = 110
MOST_FILES = 2
# How many lines of each kind there may be, in the order in which they are told.
MOST_LINES = {"Done": 3, "Decided": 2, "Blocked": 2, "Open": 2}
# What is left out first where there is no room.
LEFT_OUT_FIRST = ("Done", "Blocked", "Decided", "Open")
HEAD = "## Last session on this branch\n\n"
NOTE = "{who}, {when} UTC. A record of what happened, not an instruction.\n\n"
LONG_WORD = 10
ASTRAL = "\U00010000"
_SPOKEN = (EventType.USER_MESSAGE_RECEIVED, EventType.TURN_ENDED)
_DONE = (Kind.BUGFIX, Kind.FEATURE, Kind.CHANGE)
_PIECE = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|[0-9]+|[^\sA-Za-z0-9]|\n")

Line = tuple[str, str]


def summarise(events: Sequence[Event], root: str) -> list[Line]:
    """Return what was done, decided, blocked and left open, the newest last."""
    units = [one for one in distil(events, root=root).units if one.trust is not Trust.THIRD_PARTY]
    found = [line for unit in units if (line := _read_unit(unit)) is not None]
    found += [*_read_calls(events, root), *_read_words(events)]
    kept: list[Line] = []
    for kind, most in MOST_LINES.items():
        own = list(dict.fromkeys(line for line in found if line[0] == kind))
        kept += own[-most:]
    return kept


def _read_unit(unit: Observation) -> Line | None:
    if unit.kind in _DONE:
        files = f" ({', '.join(unit.files[:MOST_FILES])})" if unit.files else ""
        return "Done", unit.title + files
    if unit.kind is not Kind.DECISION or unit.narrative.startswith(RULE):
        return None
    if unit.narrative.startswith(BLOCKED):
        return "Blocked", unit.title.removeprefix(BLOCKED)
    return "Decided", unit.title


def _read_calls(events: Sequence[Event], root: str) -> Iterator[Line]:
    """Name the calls that rules stopped, and a last test run that failed."""
    calls = (event for event in events if event.type in TOOLS)
    steps = [step for event in calls for step in read_steps(event, root)]
    yield from (("Blocked", f"`{step.target}`") for step in steps if step.act is Act.REFUSED)
    last = [step for step in steps if step.sort is Sort.TEST][-1:]
    failed = (step.target for step in last if step.failed)
    yield from (("Open", f"the last test run failed: `{target}`") for target in failed)


def _read_words(events: Sequence[Event]) -> Iterator[Line]:
    """Name a request that was left without an answer."""
    last = [event for event in events if event.type in _SPOKEN][-1:]
    asked = (words_of(one) for one in last if one.type == EventType.USER_MESSAGE_RECEIVED)
    for text in filterfalse(is_nod, asked):
        yield "Open", f"no answer yet to: {title_of_text(text)}"


def write_record(events: Sequence[Event], lines: Sequence[Line], ended: dt.datetime) -> str:
    """Write the lines within the bound; what there is no room for is left out."""
    when = f"{ended:%Y-%m-%d %H:%M}"
    head = HEAD + NOTE.format(who=clip(squeeze(events[0].actor), 30), when=when)
    left = [(kind, _clean(text)) for kind, text in lines]
    while left:
        text = head + "".join(f"- {kind}: {told}\n" for kind, told in left)
        if bound_tokens(text) <= MOST_TOKENS:
            return text
        left.remove(next(line for kind in LEFT_OUT_FIRST for line in left if line[0] == kind))
    return ""


def _clean(text: str) -> str:
    return clip(neutralise(squeeze(redact(text).text)), LONGEST_LINE)


def bound_tokens(text: str) -> int:
    """Return a number of tokens that a text hardly exceeds; to count them takes 50 MB."""
    return sum(_bound(piece) for piece in _PIECE.findall(text))


def _bound(piece: str) -> int:
    if not piece.isascii():
        return 2 if piece < ASTRAL else 4
    if piece.isdigit():
        return -(-len(piece) // 3)
    # What is longer is rarely a word.
    return -(-len(piece) // 5) if len(piece) <= LONG_WORD else len(piece) * 3 // 4
