"""The writing tools: they propose and never decide."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dmm.domain.event import Trust
from dmm.domain.proposal import Operation
from dmm.review.drafting import About
from dmm.review.writing import Writing

if TYPE_CHECKING:
    from dmm.domain.proposal import ProposalResult
    from dmm.mcp.caller import Caller

OUTCOMES = ("helped", "wrong", "outdated")
SOURCES = (Trust.USER, Trust.AGENT, Trust.TOOL, Trust.THIRD_PARTY)


def propose(caller: Caller, arguments: dict[str, Any]) -> dict[str, Any]:
    """Make a proposal in the name of the agent."""
    operation = arguments.get("operation")
    asked = Writing(
        arguments["path"],
        arguments["reason"],
        None if operation is None else Operation(operation),
        content=arguments.get("content"),
        patch=arguments.get("patch"),
        new_scope=arguments.get("new_scope"),
        about=About(tags=tuple(arguments.get("tags", ()))),
        source=arguments.get("source"),
    )
    with caller.project().applying(caller.actor) as dmm:
        return _brief(dmm.proposals.write(asked))


def remember(caller: Caller, arguments: dict[str, Any]) -> dict[str, Any]:
    """Keep a note in the name of the agent."""
    with caller.project().applying(caller.actor) as dmm:
        told = dmm.notes.remember(arguments["text"], replaces=arguments.get("replaces"))
    failed = {one.check: one.text for one in told.failed}
    warned = {one.check: one.text for one in told.remarks}
    return {
        "id": told.proposal,
        "status": told.status,
        "path": told.path,
        **({"failed": failed} if failed else {}),
        **({"warnings": warned} if warned else {}),
        "next": _next(told.status, None, failed=bool(failed)),
    }


def forget(caller: Caller, arguments: dict[str, Any]) -> dict[str, Any]:
    """Propose to forget a memory, or name those that may be meant."""
    with caller.project().applying(caller.actor) as dmm:
        told = dmm.notes.forget(arguments["name"], reason=arguments.get("reason", ""))
    if told.status == "several":
        found = [{"path": one.path, "title": one.title} for one in told.matches]
        return {"status": told.status, "matches": found, "next": "name one by its path"}
    return {
        "id": told.proposal,
        "status": told.status,
        "path": told.path,
        "next": _next(told.status, None, failed=False),
    }


def give_feedback(caller: Caller, arguments: dict[str, Any]) -> dict[str, Any]:
    """Record how memories fared."""
    with caller.project().write(caller.actor) as dmm:
        found = dmm.lifecycle.report(
            arguments["memories"], arguments["outcome"], arguments.get("context", "")
        )
    return {"seq": found.seq, "memories": [one.path for one in found.memories]}


def _brief(told: ProposalResult) -> dict[str, Any]:
    """Return what an agent needs: the name, what failed, and what happens next."""
    found = {
        outcome: {one.name: one.text for one in told.checks if one.outcome == outcome}
        for outcome in ("fail", "warn")
    }
    return {
        "id": told.id,
        "status": told.status,
        **({"failed": found["fail"]} if found["fail"] else {}),
        **({"warnings": found["warn"]} if found["warn"] else {}),
        "next": _next(told.status, told.tier, failed=bool(found["fail"])),
    }


def _next(status: str, tier: str | None, *, failed: bool) -> str:
    if status == "applied":
        return "it is active now"
    if failed:
        return "inactive; propose a text that fixes what failed, or leave it to a person"
    if tier == "reviewer":
        return "inactive; the reviewer or a person decides"
    return "inactive until a person approves it; continue without it"
