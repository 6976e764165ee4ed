"""Suggestions for memories, with reasons, from files and usage.

A reason names facts that hold still: as long as it is the same text, nothing new was found, and
whoever has answered it need not be asked again. A file is in one suggestion at most, the first
that applies in this order: expired, reported, overflow, promotion, stale.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from dmm.domain.memory import Confidence, Scope, has_expired
from dmm.domain.proposal import Operation
from dmm.domain.usage import key_of
from dmm.lifecycle.usage import OBJECTIONS, Association, Objection, Use

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from dmm.config import LifecycleConfig
    from dmm.domain.memory import Memory
    from dmm.index.records import IndexedMemory
    from dmm.lifecycle.usage import Usage

    # From its file, or from the index where that knows the file as it is.
    Known = Memory | IndexedMemory

# These make the baseline what it is: they are never suggested away.
KEPT_FIRST = ("identity.md", "hard_constraints.md")
REPORTS_NEEDED = 2
SESSIONS_NEEDED = 2
# Where hardly anybody asks, a memory that was not served says nothing of itself.
PACKS_NEEDED = 20
STABLE_FOR = 2


class Kind(StrEnum):
    """Why something is suggested, in the order of precedence."""

    EXPIRED = "expired"
    REPORTED = "reported"
    OVERFLOW = "overflow"
    PROMOTION = "promotion"
    STALE = "stale"


@dataclass(frozen=True, slots=True)
class Suggestion:
    """One change that somebody should look at; `new_scope` is where a move would lead."""

    kind: Kind
    operation: Operation
    path: str
    id: str
    reason: str
    new_scope: Scope | None = None
    expires: dt.date | None = None


@dataclass(frozen=True, slots=True)
class Grounds:
    """What suggestions are made from, beside the memories.

    `baseline` are the tokens of the baseline files, `revised` the events at which files last got
    new content: what was reported before is answered by it.
    """

    usage: Usage
    settings: LifecycleConfig
    today: dt.date
    baseline: Mapping[str, int] = field(default_factory=dict)
    budget: int = 0
    revised: Mapping[str, int] = field(default_factory=dict)


def suggest(memories: Iterable[Known], grounds: Grounds) -> list[Suggestion]:
    """Suggest what to do with memories in force, the most pressing kinds first, then by path."""
    held = sorted((one for one in memories if one.in_force), key=lambda one: one.path)
    associations = grounds.usage.associate()
    excess = {one.path: one for one in _overflow(held, grounds)}
    steps: tuple[Callable[[Known], Suggestion | None], ...] = (
        lambda one: _expired(one, grounds),
        lambda one: _reported(one, grounds),
        lambda one: excess.get(one.path),
        lambda one: _promoted(one, grounds, associations),
        lambda one: _stale(one, grounds),
    )
    found = [first for one in held if (first := _first(one, steps)) is not None]
    order = list(Kind)
    return sorted(found, key=lambda one: (order.index(one.kind), one.path))


def _first(
    memory: Known, steps: Iterable[Callable[[Known], Suggestion | None]]
) -> Suggestion | None:
    return next((found for step in steps if (found := step(memory)) is not None), None)


def _use(memory: Known, grounds: Grounds) -> Use:
    return grounds.usage.find(memory.id, memory.path)


def _expired(memory: Known, grounds: Grounds) -> Suggestion | None:
    if memory.scope is Scope.BASELINE or memory.expires is None:
        return None
    waited = dt.timedelta(days=grounds.settings.expired_days)
    if not has_expired(memory.expires, grounds.today - waited):
        return None
    day = _day(memory.expires)
    reason = f"it expired on {day.isoformat()} and has not been served since"
    return Suggestion(
        Kind.EXPIRED, Operation.DEPRECATE, memory.path, memory.id, reason, expires=day
    )


def _reported(memory: Known, grounds: Grounds) -> Suggestion | None:
    objections = _objections(memory, grounds)
    enough = len({one.by for one in objections}) >= REPORTS_NEEDED
    if _is_kept(memory) or not (enough or any(one.user for one in objections)):
        return None
    reason = _tell_reports(objections)
    return Suggestion(Kind.REPORTED, Operation.DEPRECATE, memory.path, memory.id, reason)


def _objections(memory: Known, grounds: Grounds) -> list[Objection]:
    """Return the reports against a memory that no new content has answered."""
    after = grounds.revised.get(memory.path, 0)
    return [one for one in _use(memory, grounds).objections if one.seq > after]


def _tell_reports(objections: list[Objection]) -> str:
    numbers = {kind: sum(one.outcome == kind for one in objections) for kind in OBJECTIONS}
    told = " and ".join(f"as {kind} {_times(n)}" for kind, n in numbers.items() if n)
    by = ", also by the user" if any(one.user for one in objections) else ""
    last = max(one.day for one in objections)
    return f"it was reported {told}{by}" + (f", last on {last}" if last else "")


def _times(number: int) -> str:
    return "once" if number == 1 else f"{number} times"


def _overflow(memories: list[Known], grounds: Grounds) -> Iterator[Suggestion]:
    """Demote the fewest of the least important files so that the rest is within the budget."""
    tokens = sum(grounds.baseline.values())
    excess = tokens - grounds.budget
    if not grounds.budget or excess <= 0:
        return
    known = [one for one in memories if one.path in grounds.baseline and not _is_kept(one)]
    chosen: list[Known] = []
    for memory in sorted(known, key=lambda one: _weight(one, grounds)):
        if excess <= 0:
            break
        chosen.append(memory)
        excess -= grounds.baseline[memory.path]
    # The last to be chosen may have made an earlier one needless.
    for memory in reversed(list(chosen)):
        if excess + grounds.baseline[memory.path] <= 0:
            chosen.remove(memory)
            excess += grounds.baseline[memory.path]
    over = f"the baseline has {tokens} tokens, its budget is {grounds.budget}"
    for memory in chosen:
        own = f"of {grounds.baseline[memory.path]} tokens and priority {memory.priority:g}"
        reason = f"{over}; this file {own} is among the least confirmed"
        yield Suggestion(
            Kind.OVERFLOW, Operation.DEMOTE, memory.path, memory.id, reason, Scope.GLOBAL
        )


def _is_kept(memory: Known) -> bool:
    return memory.scope is Scope.BASELINE and memory.path.rpartition("/")[2] in KEPT_FIRST


def _weight(memory: Known, grounds: Grounds) -> tuple[float, int, int, int, str]:
    settled = list(Confidence).index(memory.confidence)
    helped = _use(memory, grounds).helped
    return memory.priority, settled, helped, -grounds.baseline[memory.path], memory.path


def _promoted(
    memory: Known, grounds: Grounds, associations: Mapping[str, Association]
) -> Suggestion | None:
    if memory.scope is not Scope.EPHEMERAL or memory.confidence is Confidence.EXPERIMENTAL:
        return None
    if has_expired(memory.expires, grounds.today):
        return None
    use = _use(memory, grounds)
    found = associations.get(key_of(memory.id, memory.path), Association())
    least = grounds.settings.promote_after
    good = found.succeeded > found.failed and found.sessions >= SESSIONS_NEEDED
    if use.served < least or not good or _objections(memory, grounds):
        return None
    # Told in steps that double, so that each pack more is no new reason.
    while least * 2 <= use.served:
        least *= 2
    reason = (
        f"it was served {least} times or more, in {SESSIONS_NEEDED} or more sessions;"
        " it is associated with success in more of them than with failure"
    )
    return Suggestion(
        Kind.PROMOTION, Operation.PROMOTE, memory.path, memory.id, reason, Scope.PROJECT
    )


def _stale(memory: Known, grounds: Grounds) -> Suggestion | None:
    usage, use = grounds.usage, _use(memory, grounds)
    if memory.scope is Scope.BASELINE or has_expired(memory.expires, grounds.today):
        return None
    if not usage.began or (memory.created is None and not use.last_used):
        return None
    written = "" if memory.created is None else _day(memory.created).isoformat()
    since = max(written, use.last_used, usage.began)
    days = grounds.settings.stale_days
    if memory.confidence is Confidence.STABLE:
        days *= STABLE_FOR
    old = (grounds.today - dt.date.fromisoformat(since)).days > days
    if not old or usage.packs_since(since) < PACKS_NEEDED:
        return None
    if use.last_used:
        reason = f"it was last served or confirmed on {use.last_used}"
    else:
        reason = f"it has not been served since {since}"
    reason += f"; a memory is stale after {days} days"
    if memory.scope is Scope.GLOBAL:
        return Suggestion(
            Kind.STALE, Operation.DEMOTE, memory.path, memory.id, reason, Scope.PROJECT
        )
    return Suggestion(Kind.STALE, Operation.DEPRECATE, memory.path, memory.id, reason)


def _day(moment: dt.date) -> dt.date:
    return moment.date() if isinstance(moment, dt.datetime) else moment
