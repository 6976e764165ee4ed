"""The writing tools: they propose and never decide."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from dmm.domain.event import Trust
from dmm.domain.proposal import Operation, Outcome
from dmm.notes.finding import Match
from dmm.review.drafting import About
from dmm.review.writing import Writing

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from dmm.domain.proposal import Check
    from dmm.mcp.caller import Caller
    from dmm.notes.service import Remembered

OUTCOMES = ("helped", "wrong", "outdated")
FIX = "inactive; fix what failed (replaces=PATH changes that memory), or leave it to a person"
SOURCES = (Trust.USER, Trust.AGENT, Trust.TOOL, Trust.THIRD_PARTY)


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """What an agent needs of a write: its name, what failed, and what happens next."""

    id: str
    status: str
    path: str = ""
    failed: Mapping[str, str] = field(default_factory=dict)
    warnings: Mapping[str, str] = field(default_factory=dict)
    next: str


@dataclass(frozen=True, slots=True)
class Several:
    """The memories that may be meant."""

    status: str
    matches: tuple[Match, ...]
    next: str


@dataclass(frozen=True, slots=True)
class Reported:
    """The memories that a report was recorded for."""

    seq: int
    memories: tuple[str, ...]


def propose(
    caller: Caller,
    *,
    path: str,
    reason: str,
    operation: str | None = None,
    tags: Sequence[str] = (),
    **given: Any,
) -> Written:
    """Make a proposal in the name of the agent."""
    meant = None if operation is None else Operation(operation)
    asked = Writing(path, reason, meant, about=About(tags=tuple(tags)), **given)
    with caller.project().applying(caller.actor) as dmm:
        told = dmm.proposals.write(asked)
    failed, warned = _gather(told.checks, Outcome.FAIL), _gather(told.checks, Outcome.WARN)
    fresh = told.operation is Operation.CREATE
    way = _next(told.status, told.tier, failed=bool(failed), fresh=fresh)
    return Written(id=told.id, status=told.status, failed=failed, warnings=warned, next=way)


def remember(caller: Caller, *, text: str, replaces: str | None = None) -> Written:
    """Keep a note in the name of the agent."""
    with caller.project().applying(caller.actor) as dmm:
        told = dmm.notes.remember(text, replaces=replaces)
    return Written(
        id=told.proposal,
        status=told.status,
        path=told.path,
        failed={one.check: one.text for one in told.failed},
        warnings={one.check: one.text for one in told.remarks},
        next=_next_of_note(told, fresh=replaces is None),
    )


def forget(caller: Caller, *, name: str, reason: str = "") -> Written | Several:
    """Propose to forget a memory, or name those that may be meant."""
    with caller.project().applying(caller.actor) as dmm:
        told = dmm.notes.forget(name, reason=reason)
    if told.status == "several":
        found = tuple(Match(one.path, one.title) for one in told.matches)
        return Several(told.status, found, "name one by its path")
    way = _next(told.status, None, failed=False, fresh=False)
    return Written(id=told.proposal, status=told.status, path=told.path, next=way)


def give_feedback(
    caller: Caller, *, memories: Sequence[str], outcome: str, context: str = ""
) -> Reported:
    """Record how memories fared."""
    with caller.project().write(caller.actor) as dmm:
        found = dmm.lifecycle.report(memories, outcome, context)
    return Reported(found.seq, tuple(one.path for one in found.memories))


def _gather(checks: Iterable[Check], outcome: Outcome) -> dict[str, str]:
    """Return what checks say, by their names; checks that say the same are told as one."""
    names: dict[str, list[str]] = {}
    for one in checks:
        if one.outcome is outcome:
            names.setdefault(one.text, []).append(str(one.name))
    return {", ".join(those): text for text, those in names.items()}


def _next_of_note(told: Remembered, *, fresh: bool) -> str:
    if told.status == "refused":
        return told.why
    return FIX if told.failed else _next(told.status, None, failed=False, fresh=fresh)


def _next(status: str, tier: str | None, *, failed: bool, fresh: bool) -> str:
    """Say what follows; `fresh` is for a memory that is not there yet."""
    if status == "applied":
        return "it is active now"
    if failed:
        return "inactive; propose a text that fixes what failed, or leave it to a person"
    if tier == "reviewer":
        return "inactive; the reviewer or a person decides"
    if fresh:
        return "inactive until a person approves it; continue without it"
    return "until a person approves it, the memory stays as it is and is still served"
