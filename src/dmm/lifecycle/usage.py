"""Usage of memories: a pure fold of served packs, reports and sessions.

A session is associated with a memory from the first pack that gave it to the session, by what
followed. It says nothing until a turn or the session has ended after the last result of a tool.
Then, with `against` for failed calls, denied calls and blocked decisions: more against than done
is a failure, at most one against for four done is a success, all else is open. A report of the
session about the very memory outweighs that. What is associated need not be the cause.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from dmm.domain.event import Event, EventType, Trust, canonical
from dmm.domain.frozen import frozen
from dmm.domain.payload import Held, PackServed, ToolRequested, UsageReported
from dmm.domain.usage import OUTCOMES, key_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from dmm.domain.usage import Count, DayCounts

OBJECTIONS = ("wrong", "outdated")
DONE_FOR_EACH_AGAINST = 4
# What a tool returned is no report.
_REPORTERS = frozenset({Trust.USER.value, Trust.REVIEWED.value, Trust.AGENT.value})


class Objection(NamedTuple):
    """A report that a memory is wrong or outdated, and who says so."""

    seq: int
    day: str
    outcome: str
    by: str
    user: bool


@frozen
class Use:
    """What was counted of one memory; days are written as in events, empty where there is none."""

    id: str
    path: str
    served: int = 0
    last_served: str = ""
    helped: int = 0
    last_helped: str = ""
    objections: tuple[Objection, ...] = ()
    # How often other laptops of a team called it wrong and outdated; nothing is proposed by that.
    told: tuple[int, int] = (0, 0)

    @property
    def last_used(self) -> str:
        """The last day on which it was served or said to have helped."""
        return max(self.last_served, self.last_helped)

    def count(self, outcome: str) -> int:
        """Count the objections of one kind, those of other laptops included."""
        told = self.told[OBJECTIONS.index(outcome)]
        return told + sum(one.outcome == outcome for one in self.objections)


class Tally(NamedTuple):
    """What came of the actions of a session so far."""

    done: int = 0
    failed: int = 0
    blocked: int = 0


NONE_YET = Tally()


@frozen
class Course:
    """A session since it was given a first memory: its tally, and what it reported.

    `given` holds the tally at the time when each memory was first given; `settled` is whether a
    turn ended after the last result of a tool.
    """

    tally: Tally = NONE_YET
    settled: bool = False
    given: Mapping[str, Tally] = field(default_factory=dict)
    said: Mapping[str, str] = field(default_factory=dict)

    def went_well(self, key: str) -> bool | None:
        """Return how it went since it was given a memory; None where that is open."""
        said = self.said.get(key)
        if said is not None:
            return said == "helped"
        before = self.given.get(key)
        if before is None or not self.settled:
            return None
        done = self.tally.done - before.done
        against = self.tally.failed - before.failed + self.tally.blocked - before.blocked
        if against > done:
            return False
        return True if done and against * DONE_FOR_EACH_AGAINST <= done else None


class Association(NamedTuple):
    """In how many sessions a memory was, and how many of them it goes with well or ill."""

    sessions: int = 0
    succeeded: int = 0
    failed: int = 0


@frozen
class Usage:
    """All that was counted up to an event; `packs` counts the packs of each day."""

    seq: int = 0
    memories: Mapping[str, Use] = field(default_factory=dict)
    sessions: Mapping[str, Course] = field(default_factory=dict)
    packs: Mapping[str, int] = field(default_factory=dict)

    def find(self, identity: str, path: str) -> Use:
        """Return what was counted of a memory."""
        return self.memories.get(key_of(identity, path)) or Use(identity, path)

    def associate(self) -> dict[str, Association]:
        """Count for each memory the sessions it was in."""
        found: dict[str, Association] = {}
        for course in self.sessions.values():
            for key in {**course.given, **course.said}:
                well, before = course.went_well(key), found.get(key, Association())
                found[key] = Association(
                    before.sessions + 1,
                    before.succeeded + (well is True),
                    before.failed + (well is False),
                )
        return found

    @property
    def began(self) -> str:
        """The day of the first pack; empty before it."""
        return min(self.packs, default="")

    def packs_since(self, day: str) -> int:
        """Count the packs that were served after a day."""
        return sum(number for served, number in self.packs.items() if served > day)

    def describe(self) -> object:
        """The usage as plain data."""
        return {
            "seq": self.seq,
            "memories": {key: _row(use) for key, use in self.memories.items()},
            "sessions": {name: _course_row(one) for name, one in self.sessions.items()},
            "packs": dict(self.packs),
        }

    def canonical(self) -> bytes:
        """The one form of the usage as bytes."""
        return canonical(self.describe()).encode()


def _row(use: Use) -> list[Any]:
    objections = [list(one) for one in use.objections]
    counts = [use.served, use.last_served, use.helped, use.last_helped]
    return [use.id, use.path, *counts, objections]


def _course_row(course: Course) -> list[Any]:
    given = {key: list(tally) for key, tally in course.given.items()}
    return [list(course.tally), course.settled, given, dict(course.said)]


@dataclass(slots=True)
class _Open:
    """A session while it is folded."""

    tally: Tally
    settled: bool
    given: dict[str, Tally]
    said: dict[str, str]


@dataclass(slots=True)
class _Draft:
    """Usage while it is folded; sessions are taken up when an event of theirs comes."""

    start: Usage
    memories: dict[str, Use]
    packs: dict[str, int]
    touched: dict[str, _Open] = field(default_factory=dict)

    def course(self, name: str) -> _Open:
        found = self.touched.get(name)
        if found is None:
            known = self.start.sessions.get(name, Course())
            found = _Open(known.tally, known.settled, dict(known.given), dict(known.said))
            self.touched[name] = found
        return found

    def given(self, name: str | None) -> _Open | None:
        """Return a session that was given a memory; of others nothing is counted."""
        if name is None or not (name in self.touched or name in self.start.sessions):
            return None
        course = self.course(name)
        return course if course.given else None

    def names(self, held: Iterable[Held]) -> list[str]:
        """Record the memories a payload names, each once, with their newest paths."""
        keys: dict[str, None] = {}
        for one in held:
            if one.path:
                key = key_of(one.id or "", one.path)
                known = self.memories.get(key)
                if known is None or known.path != one.path:
                    self.memories[key] = replace(known or Use(one.id or "", ""), path=one.path)
                keys[key] = None
        return list(keys)

    def finish(self, seq: int) -> Usage:
        courses = {
            name: Course(one.tally, one.settled, one.given, one.said)
            for name, one in self.touched.items()
        }
        return Usage(seq, self.memories, {**self.start.sessions, **courses}, self.packs)


def fold(events: Iterable[Event], start: Usage | None = None, *, to: int | None = None) -> Usage:
    """Apply events in order; those that are unknown, blanked or malformed change nothing."""
    begun = start or Usage()
    draft = _Draft(begun, dict(begun.memories), dict(begun.packs))
    seq = begun.seq
    for event in events:
        seq = event.seq
        step = _STEPS.get(event.type)
        if step is not None and event.payload is not None:
            step(draft, event)
    return draft.finish(seq if to is None else to)


def sum_counts(others: Iterable[DayCounts]) -> dict[str, Use]:
    """Add up what other laptops of a team counted of each memory."""
    found: dict[str, Use] = {}
    for told in others:
        for one in told.counts:
            key = key_of(one.id, one.path)
            found[key] = _add(found.get(key), _read_count(one, told.day))
    return found


def add_counts(usage: Usage, others: Mapping[str, Use]) -> Usage:
    """Add what other laptops of a team counted, summed up."""
    added = {key: _add(usage.memories.get(key), one) for key, one in others.items()}
    return replace(usage, memories={**usage.memories, **added})


def _read_count(one: Count, day: str) -> Use:
    served, helped = (day if number else "" for number in (one.served, one.helped))
    told = (one.wrong, one.outdated)
    return Use(one.id, one.path, one.served, served, one.helped, helped, told=told)


def _add(known: Use | None, more: Use) -> Use:
    if known is None:
        return more
    return replace(
        known,
        served=known.served + more.served,
        last_served=max(known.last_served, more.last_served),
        helped=known.helped + more.helped,
        last_helped=max(known.last_helped, more.last_helped),
        told=(known.told[0] + more.told[0], known.told[1] + more.told[1]),
    )


def _day(event: Event) -> str:
    """Read the day of an event; one without a date has none."""
    try:
        return dt.date.fromisoformat(event.at[:10]).isoformat()
    except ValueError:
        return ""


def _pack(draft: _Draft, event: Event) -> None:
    told, day = PackServed.read(event), _day(event)
    keys = [] if told is None else draft.names(told.memories)
    if keys and day:
        draft.packs[day] = draft.packs.get(day, 0) + 1
    for key in keys:
        _serve(draft, event, key, day)


def _serve(draft: _Draft, event: Event, key: str, day: str) -> None:
    use = draft.memories[key]
    last = max(use.last_served, day)
    draft.memories[key] = replace(use, served=use.served + 1, last_served=last)
    if event.session is not None:
        course = draft.course(event.session)
        course.given.setdefault(key, course.tally)


def _report(draft: _Draft, event: Event) -> None:
    told = UsageReported.read(event)
    if told is None or told.outcome not in OUTCOMES or event.trust not in _REPORTERS:
        return
    day, outcome = _day(event), told.outcome
    for key in draft.names(told.memories):
        if outcome == "served":
            _serve(draft, event, key, day)
            continue
        draft.memories[key] = _judged(draft.memories[key], event, outcome, day)
        if event.session is not None:
            draft.course(event.session).said[key] = outcome


def _judged(use: Use, event: Event, outcome: str, day: str) -> Use:
    if outcome == "helped":
        return replace(use, helped=use.helped + 1, last_helped=max(use.last_helped, day))
    by = f"{event.actor}/{event.session}" if event.session else event.actor
    told = Objection(event.seq, day, outcome, by, event.trust == Trust.USER)
    return replace(use, objections=(*use.objections, told))


def _count(draft: _Draft, event: Event, done: int = 0, failed: int = 0, blocked: int = 0) -> None:
    course = draft.given(event.session)
    if course is not None:
        before = course.tally
        course.tally = Tally(before.done + done, before.failed + failed, before.blocked + blocked)
        course.settled = False


def _requested(draft: _Draft, event: Event) -> None:
    told = ToolRequested.read(event)
    if told is not None and told.verdict.get("status") == "deny":
        _count(draft, event, blocked=1)


def _ended(draft: _Draft, event: Event) -> None:
    course = draft.given(event.session)
    if course is not None:
        course.settled = True


_STEPS: dict[str, Callable[[_Draft, Event], None]] = {
    EventType.PACK_SERVED: _pack,
    EventType.USAGE_REPORTED: _report,
    EventType.TOOL_USED: partial(_count, done=1),
    EventType.TOOL_FAILED: partial(_count, failed=1),
    EventType.TOOL_REQUESTED: _requested,
    EventType.DECISION_BLOCKED: partial(_count, blocked=1),
    EventType.TURN_ENDED: _ended,
    EventType.SESSION_ENDED: _ended,
}
FOLDED = tuple(str(kind) for kind in _STEPS)
