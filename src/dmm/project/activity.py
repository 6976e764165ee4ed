"""What happened, counted: by session, by day and by memory, as a fold of the ledger."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from dmm.domain.event import EventType
from dmm.domain.payload import PackServed
from dmm.domain.usage import key_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from dmm.domain.event import Event

# How many of the newest packs, and of the newest days, are kept of each memory.
PACKS_KEPT = 20
DAYS_KEPT = 30
# The types whose payload is counted; of all others it is enough that they happened.
WHOLE = (EventType.SESSION_STARTED, EventType.TOOL_REQUESTED, EventType.PACK_SERVED)
_DAY = 10


class SessionTally(NamedTuple):
    """What was counted of one session, between its first and its last event."""

    client: str
    branch: str
    first: int
    last: int
    started: str
    ended_at: str
    ended: bool
    prompts: int = 0
    calls: int = 0
    blocked: int = 0
    asked: int = 0
    packs: int = 0
    tokens: int = 0


class DayTally(NamedTuple):
    """What was counted on one day.

    `monolith` adds up what loading all memory would have taken for each of the `measured` packs.
    """

    packs: int = 0
    tokens: int = 0
    measured: int = 0
    monolith: int = 0
    blocked: int = 0
    asked: int = 0
    proposals: int = 0
    applied: int = 0


class Served(NamedTuple):
    """In which packs a memory was, the newest last; how often on which day, and in all."""

    packs: tuple[int, ...] = ()
    days: tuple[tuple[str, int], ...] = ()
    times: int = 0


@dataclass(frozen=True, slots=True)
class Activity:
    """All that was counted up to an event."""

    seq: int = 0
    sessions: Mapping[str, SessionTally] = field(default_factory=dict)
    days: Mapping[str, DayTally] = field(default_factory=dict)
    memories: Mapping[str, Served] = field(default_factory=dict)


@dataclass(slots=True)
class _Draft:
    """Activity while it is folded."""

    sessions: dict[str, SessionTally]
    days: dict[str, DayTally]
    memories: dict[str, Served]

    def count(self, event: Event, **more: int) -> None:
        """Add to what was counted of the session of an event."""
        if event.session is not None:
            known = self.sessions[event.session]
            added = {name: getattr(known, name) + number for name, number in more.items()}
            self.sessions[event.session] = known._replace(**added)

    def count_day(self, event: Event, **more: int) -> None:
        """Add to what was counted on the day of an event."""
        day = event.at[:_DAY]
        known = self.days.get(day, DayTally())
        added = {name: getattr(known, name) + number for name, number in more.items()}
        self.days[day] = known._replace(**added)


def fold(events: Iterable[Event], start: Activity, to: int) -> Activity:
    """Count events in order; those whose payload can't be read only mark their session."""
    draft = _Draft(dict(start.sessions), dict(start.days), dict(start.memories))
    for event in events:
        if event.session is not None:
            draft.sessions[event.session] = _mark(draft.sessions.get(event.session), event)
        step = _STEPS.get(event.type)
        if step is not None:
            step(draft, event)
    return replace(start, seq=to, sessions=draft.sessions, days=draft.days, memories=draft.memories)


def _mark(known: SessionTally | None, event: Event) -> SessionTally:
    """Note that something happened in a session; what comes after its end opens it again."""
    found = event.get("branch")
    branch = found if isinstance(found, str) else ""
    ended = event.type == EventType.SESSION_ENDED
    if known is None:
        begun = (event.seq, event.seq, event.at, event.at)
        return SessionTally(event.actor, branch, *begun, ended)
    client = event.actor if event.source == "hook" else known.client
    return known._replace(
        client=client, branch=branch or known.branch, last=event.seq, ended_at=event.at, ended=ended
    )


def _requested(draft: _Draft, event: Event) -> None:
    verdict = event.get("verdict")
    status = verdict.get("status") if isinstance(verdict, dict) else None
    if status == "deny":
        draft.count(event, calls=1, blocked=1)
        draft.count_day(event, blocked=1)
    elif status == "ask":
        draft.count(event, asked=1)
        draft.count_day(event, asked=1)


def _blocked(draft: _Draft, event: Event) -> None:
    draft.count(event, blocked=1)
    draft.count_day(event, blocked=1)


def _pack(draft: _Draft, event: Event) -> None:
    told = PackServed.read(event)
    if told is None:
        return
    tokens = told.tokens or 0
    whole = 0 if told.receipt is None else told.receipt.memory
    draft.count(event, packs=1, tokens=tokens)
    draft.count_day(event, packs=1, tokens=tokens, measured=whole > 0, monolith=whole)
    for one in told.memories:
        key = key_of(one.id or "", one.path)
        known = draft.memories.get(key, Served())
        draft.memories[key] = _serve(known, event.seq, event.at[:_DAY])


def _serve(known: Served, seq: int, day: str) -> Served:
    packs = (*known.packs, seq)[-PACKS_KEPT:]
    days = dict(known.days)
    days[day] = days.get(day, 0) + 1
    return Served(packs, tuple(sorted(days.items())[-DAYS_KEPT:]), known.times + 1)


_STEPS: dict[str, Callable[[_Draft, Event], None]] = {
    EventType.USER_MESSAGE_RECEIVED: partial(_Draft.count, prompts=1),
    EventType.TOOL_USED: partial(_Draft.count, calls=1),
    EventType.TOOL_FAILED: partial(_Draft.count, calls=1),
    EventType.TOOL_REQUESTED: _requested,
    EventType.DECISION_BLOCKED: _blocked,
    EventType.PACK_SERVED: _pack,
    EventType.PROPOSAL_MADE: partial(_Draft.count_day, proposals=1),
    EventType.PROPOSAL_APPLIED: partial(_Draft.count_day, applied=1),
}
