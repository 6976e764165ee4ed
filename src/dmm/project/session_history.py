"""Sessions as they ran: what was asked, given, stopped and done, and what DMM put into them."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from dataclasses import dataclass
from heapq import nlargest
from typing import TYPE_CHECKING, Any

from dmm.domain.brief import brief, rule_of
from dmm.domain.event import EventType
from dmm.domain.payload import DecisionBlocked, PackServed, ToolCalled, ToolRequested, Words
from dmm.domain.recorded import Payload
from dmm.errors import UsageError
from dmm.packs.served import tell_why
from dmm.rules.discretion import HIDDEN, discreet
from dmm.rules.guard import recorded_call
from dmm.sessions.events import LONGEST_INPUT

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from dmm.domain.event import Event
    from dmm.project.activity import SessionTally
    from dmm.project.activity_projection import ActivityProjection
    from dmm.rules.project_ledger import ProjectLedger

# A session that told of no end is open as long as something happened within this time.
QUIET = dt.timedelta(hours=1)
MOST_ENTRIES = 500
LONGEST_DETAIL = 2_000
_KINDS: dict[str, str] = {
    EventType.SESSION_STARTED: "start",
    EventType.USER_MESSAGE_RECEIVED: "prompt",
    EventType.PACK_SERVED: "pack",
    EventType.TOOL_USED: "call",
    EventType.TOOL_FAILED: "call",
    EventType.DECISION_BLOCKED: "block",
    EventType.SESSION_ENDED: "end",
}
_RULED = {"deny": "block", "ask": "ask", "warn": "warn"}
_GIVEN = {
    "start": "briefing at the start",
    "prompt": "memories for prompts",
    "files": "memories about files",
    "asked": "packs that were asked for",
}


@dataclass(frozen=True, slots=True)
class SessionRow:
    """One session in brief; `tokens` is all that was put into it."""

    id: str
    client: str
    branch: str
    started: str
    last: str
    open: bool
    prompts: int
    calls: int
    blocked: int
    asked: int
    packs: int
    tokens: int


@dataclass(frozen=True, slots=True)
class SessionRows:
    """Sessions, the newest first."""

    sessions: tuple[SessionRow, ...]


@dataclass(frozen=True, slots=True)
class SessionEntry:
    """Something that happened in a session; `pack` and `rule` name what it was about."""

    seq: int
    at: str
    kind: str
    title: str
    detail: str
    tokens: int | None
    pack: int | None
    rule: str | None
    matched: str | None


@dataclass(frozen=True, slots=True)
class GivenItem:
    """What was put into a session for one reason, and how often."""

    what: str
    why: str
    tokens: int
    count: int


@dataclass(frozen=True, slots=True)
class SessionGiven:
    """What was put into a session."""

    injected: int
    items: tuple[GivenItem, ...]


@dataclass(frozen=True, slots=True)
class SessionStory:
    """One session with its newest entries, the oldest of them first."""

    session: SessionRow
    entries: tuple[SessionEntry, ...]
    cost: SessionGiven


@dataclass(frozen=True, slots=True)
class SessionHistory:
    """Reads the sessions of one project from its ledger; nothing is recorded."""

    project_ledger: ProjectLedger
    activity: ActivityProjection

    def list(self, limit: int, before: int | None = None) -> SessionRows:
        """List the sessions with the newest events, or those that ended before an event."""
        known = self.activity.current().sessions.items()
        older = known if before is None else [one for one in known if one[1].last < before]
        newest = nlargest(limit, older, key=lambda one: one[1].last)
        return SessionRows(tuple(self._row(name, tally) for name, tally in newest))

    def show(self, name: str, after: int = 0) -> SessionStory:
        """Show a session; with `after`, only what happened after that event."""
        tally = self.activity.current().sessions.get(name)
        if tally is None:
            hint = "dmm cost lists the last sessions"
            raise UsageError("there is no such session", where=name, hint=hint)
        # The entries are made of what this reader may see.
        events = self._events(name, max(after, tally.first - 1), tally.last + 1)
        entries = tuple(one for one in map(_entry, events) if one is not None)
        return SessionStory(self._row(name, tally), entries, self._given(name, tally))

    @discreet
    def _events(self, name: str, after: int, before: int) -> tuple[Event, ...]:
        log = self.project_ledger.reading
        return tuple(log.latest(MOST_ENTRIES, after=after, before=before, session=name))

    def _row(self, name: str, tally: SessionTally) -> SessionRow:
        quiet = self.project_ledger.now() - _moment(tally.ended_at) > QUIET
        return SessionRow(
            name,
            tally.client,
            tally.branch,
            tally.started,
            tally.ended_at,
            not tally.ended and not quiet,
            tally.prompts,
            tally.calls,
            tally.blocked,
            tally.asked,
            tally.packs,
            tally.tokens,
        )

    def _given(self, name: str, tally: SessionTally) -> SessionGiven:
        """Add up what a session was given, by the reason."""
        log = self.project_ledger.reading
        packs = log.latest(
            tally.packs,
            after=tally.first - 1,
            before=tally.last + 1,
            kind=EventType.PACK_SERVED,
            session=name,
        )
        tokens: Counter[str] = Counter()
        times: Counter[str] = Counter()
        for event in packs:
            told = PackServed.read(event)
            if told is not None:
                why = tell_why(event, told)
                tokens[why] += told.tokens or 0
                times[why] += 1
        items = tuple(
            GivenItem(_GIVEN[why], why, tokens[why], times[why]) for why in _GIVEN if times[why]
        )
        return SessionGiven(sum(tokens.values()), items)


def _entry(event: Event) -> SessionEntry | None:
    told = Payload.read(event)
    if isinstance(told, ToolRequested):
        return _ruled(event, told)
    tokens = told.tokens if isinstance(told, PackServed) else None
    return SessionEntry(
        seq=event.seq,
        at=event.at,
        kind=_KINDS.get(event.type, "note"),
        title=brief(event).line,
        detail=_detail(told)[:LONGEST_DETAIL],
        tokens=tokens,
        pack=event.seq if isinstance(told, PackServed) else None,
        rule=rule_of(told.verdict) if isinstance(told, DecisionBlocked) else None,
        matched=None,
    )


def _detail(told: Payload | None) -> str:
    match told:
        case Words():
            return told.text or ""
        case ToolCalled():
            return told.said
        case DecisionBlocked():
            return str(told.verdict.get("reason") or "")
        case PackServed():
            return "\n".join(one.path for one in told.memories)
        case _:
            return ""


def _ruled(event: Event, told: ToolRequested) -> SessionEntry | None:
    """Return the entry of a call that a rule stopped, asked or warned about."""
    kind = _RULED.get(str(told.verdict.get("status")))
    if kind is None:
        return None
    return SessionEntry(
        event.seq,
        event.at,
        kind,
        brief(event).line,
        str(told.verdict.get("reason") or "")[:LONGEST_DETAIL],
        None,
        None,
        rule_of(told.verdict),
        find_matched(event, told.verdict),
    )


def find_matched(event: Event, verdict: Mapping[str, Any]) -> str | None:
    """Return the words of a call that a rule matched; None where they were not recorded."""
    # Only calls that were stopped are read; that takes as long as judging them.
    from dmm.rules.commands.calls import read_call

    call = recorded_call(event)
    spans = [span for one in _violations(verdict) for span in _spans(one)]
    if call is None or not spans:
        return None
    text = read_call(call).text
    start, end = spans[0]
    # Places in a text that was cut, redacted or hidden are no longer those of the verdict.
    whole = len(text) < LONGEST_INPUT and HIDDEN not in text
    as_it_was = whole and not event.get("redacted")
    return text[start:end] if as_it_was and 0 <= start < end <= len(text) else None


def _violations(verdict: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    found = verdict.get("violations")
    known = found if isinstance(found, list) else []
    return [one for one in known if isinstance(one, dict)]


def _spans(violation: Mapping[str, Any]) -> Iterator[tuple[int, int]]:
    for span in violation.get("spans") or ():
        match span:
            case [int(start), int(end)]:
                yield start, end


def _moment(at: str) -> dt.datetime:
    try:
        found = dt.datetime.fromisoformat(at)
    except ValueError:
        return dt.datetime.min.replace(tzinfo=dt.UTC)
    return found if found.tzinfo else found.replace(tzinfo=dt.UTC)
