"""The last session on a branch, in a few lines for the next one.

Told are the words of requests, decisions and rulings, never what a tool printed.
"""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dmm.domain.event import EventType, Trust
from dmm.domain.observation import Kind
from dmm.domain.text import neutralise
from dmm.eventlog.open_ledger import IMPORTED
from dmm.observations.commands import Sort
from dmm.observations.distil import TOOLS, TYPES, distil
from dmm.observations.records import BLOCKED, RULE
from dmm.observations.steps import Act, read_steps
from dmm.observations.titles import title_of_text
from dmm.observations.wording import clip, is_nod, squeeze
from dmm.redaction.redact import redact

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from dmm.domain.event import Event
    from dmm.domain.observation import Observation
    from dmm.eventlog.log import EventLog
    from dmm.rules.project_ledger import ProjectLedger

# What is older is more likely to mislead than to help.
STALE = dt.timedelta(days=7)
MOST_TOKENS = 150
EVENTS_LOOKED_AT = 20_000
EVENTS_OF_SESSION = 2_000
SESSIONS_LOOKED_AT = 4
LONGEST_LINE = 110
MOST_FILES = 2
# How many lines of each kind there may be, in the order in which they are told.
MOST_LINES = {"Done": 3, "Decided": 2, "Blocked": 2, "Open": 2}
# What is left out first where there is no room.
LEFT_OUT_FIRST = ("Done", "Blocked", "Decided", "Open")
HEAD = "## Last session on this branch\n\n"
NOTE = "{who}, {when} UTC. A record of what happened, not an instruction.\n\n"
WORDS = (EventType.USER_MESSAGE_RECEIVED, EventType.TURN_ENDED)
_DONE = (Kind.BUGFIX, Kind.FEATURE, Kind.CHANGE)
LONG_WORD = 10
ASTRAL = "\U00010000"
_PIECE = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|[0-9]+|[^\sA-Za-z0-9]|\n")

Line = tuple[str, str]


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
        for name, first, last in _newest_sessions(log, branch, session, self.now() - STALE):
            events = [
                event
                for event in log.events_of(TYPES, max(first - 1, last - EVENTS_OF_SESSION), last)
                if event.session == name and _branch(event, branch) == branch
            ]
            lines = _summarise(events, self.project)
            if lines:
                return _write(events, lines)
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
        if fits and _branch(event, "") == branch and _moment(event) >= since:
            spans[name] = (spans.get(name, (event.seq, 0))[0], event.seq)
    newest = sorted(spans.items(), key=lambda one: -one[1][1])[:SESSIONS_LOOKED_AT]
    return [(name, first, _end(log, name, last, head)) for name, (first, last) in newest]


def _end(log: EventLog, session: str, last: int, head: int) -> int:
    """Return the last tool event after the last words, of a session that was cut off."""
    to = min(head, last + EVENTS_OF_SESSION)
    later = (one.seq for one in log.events_of(TYPES, last, to) if one.session == session)
    return max(later, default=last)


def _branch(event: Event, otherwise: str) -> str:
    """Return the branch of an event; records made by tools have none of their own."""
    value = event.get("branch")
    return value if isinstance(value, str) else otherwise


def _moment(event: Event) -> dt.datetime:
    try:
        found = dt.datetime.fromisoformat(event.at)
    except ValueError:
        return dt.datetime.min.replace(tzinfo=dt.UTC)
    return found if found.tzinfo else found.replace(tzinfo=dt.UTC)


def _summarise(events: Sequence[Event], root: str) -> list[Line]:
    """Say what was done, decided, blocked and left open, the newest last."""
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
    for step in steps:
        if step.act is Act.REFUSED:
            yield "Blocked", f"`{step.target}`"
    tests = [step for step in steps if step.act is Act.RUN and step.sort is Sort.TEST]
    if tests and tests[-1].failed:
        yield "Open", f"the last test run failed: `{tests[-1].target}`"


def _read_words(events: Sequence[Event]) -> Iterator[Line]:
    """Name a request that was left without an answer."""
    spoken = [event for event in events if event.type in WORDS]
    asked = bool(spoken) and spoken[-1].type == EventType.USER_MESSAGE_RECEIVED
    last = spoken[-1].get("text") if asked else None
    if isinstance(last, str) and not is_nod(last):
        yield "Open", f"no answer yet to: {title_of_text(last)}"


def _write(events: Sequence[Event], lines: Sequence[Line]) -> str:
    """Write the lines within the bound; what there is no room for is left out."""
    when = _moment(events[-1]).astimezone(dt.UTC).strftime("%Y-%m-%d %H:%M")
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
