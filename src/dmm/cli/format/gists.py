"""One-line summaries of events."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Payload = Mapping[str, Any]

_TEXTS = ("text", "question", "summary", "task")
_PATHS = ("file_path", "filePath", "path", "notebook_path", "absolute_path", "command")


def gist(kind: str, payload: Payload | None) -> str:
    """Return one line that describes an event."""
    if payload is None:
        return "(blanked)"
    return _GISTS.get(kind, _plain)(payload)


def _plain(payload: Payload) -> str:
    return _text(payload) or json.dumps(payload, ensure_ascii=False, sort_keys=True)


def _text(payload: Payload) -> str:
    return next((payload[name] for name in _TEXTS if isinstance(payload.get(name), str)), "")


def _fact(payload: Payload) -> str:
    return f"{payload.get('key')} = {payload.get('value')}"


def _about_event(what: str) -> Callable[[Payload], str]:
    return lambda payload: f"{what} {payload.get('seq')}"


def _tool(payload: Payload) -> str:
    """Name the call by the line that was recorded, else by its tool and what it touches."""
    line = _text(payload)
    if line:
        return line
    given = payload.get("input")
    values = given if isinstance(given, dict) else {}
    named = [str(values[name]) for name in _PATHS if name in values]
    return " ".join((str(payload.get("tool", "a tool")), *named[:1]))


def _requested(payload: Payload) -> str:
    """Return the verdict first; an allowed call needs none."""
    verdict = payload.get("verdict")
    told = verdict if isinstance(verdict, dict) else {}
    status = str(told.get("status", "allow"))
    late = "LATE " if payload.get("late") else ""
    if status == "allow":
        return late + _tool(payload)
    by = f" (constraint {told['seq']})" if told.get("seq") is not None else ""
    return f"{late}{status.upper()} {_tool(payload)}{by}"


def _failed(payload: Payload) -> str:
    error = str(payload.get("error") or "").strip().partition("\n")[0]
    return f"{_tool(payload)}: {error}" if error else _tool(payload)


def _started(payload: Payload) -> str:
    place = f" in {payload['cwd']}" if payload.get("cwd") else ""
    source = f" ({payload['source']})" if payload.get("source") else ""
    return f"{payload.get('client', 'an agent')}{source}{place}"


def _ended(payload: Payload) -> str:
    return str(payload.get("reason") or "the session ended")


def _compacted(payload: Payload) -> str:
    trigger = f" ({payload['trigger']})" if payload.get("trigger") else ""
    told = f": {payload['text']}" if payload.get("text") else ""
    return f"{payload.get('stage', 'around')} it{trigger}{told}"


def _spoken(nothing: str) -> Callable[[Payload], str]:
    return lambda payload: _text(payload) or nothing


def _served(payload: Payload) -> str:
    if "briefing" in payload:
        return "the briefing at the start of a session"
    held = payload.get("retrieved")
    number = len(held) if isinstance(held, list) else 0
    told = f"{number} {'memory' if number == 1 else 'memories'}"
    tokens = payload.get("tokens")
    size = f", {tokens} tokens" if isinstance(tokens, int) else ""
    task = _text(payload)
    return f"{told}{size}" + (f" for: {task}" if task else "")


def _proposed(payload: Payload) -> str:
    return f"{payload.get('operation')} {_paths(payload)}: {payload.get('reason')}"


def _paths(payload: Payload) -> str:
    edits = payload.get("edits")
    named = edits if isinstance(edits, list) else []
    found = [str(one.get("path")) for one in named if isinstance(one, dict)]
    return ", ".join(dict.fromkeys(found))


def _checked(payload: Payload) -> str:
    found = payload.get("checks")
    checks = [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []
    failed = ", ".join(str(one.get("name")) for one in checks if one.get("outcome") == "fail")
    passed = sum(one.get("outcome") == "pass" for one in checks)
    return f"{_proposal(payload)}: {passed} passed" + (f", failed: {failed}" if failed else "")


def _proposal(payload: Payload) -> str:
    return f"proposal_{payload.get('proposal')}"


def _reviewed(payload: Payload) -> str:
    why = f": {payload['reason']}" if payload.get("reason") else ""
    return f"{_proposal(payload)} {payload.get('verdict')} by {payload.get('judge')}{why}"


def _applied(payload: Payload) -> str:
    return f"{_proposal(payload)}, trust {payload.get('trust')}"


def _committed(payload: Payload) -> str:
    return f"{_proposal(payload)}: {payload.get('commit') or 'nothing to commit'}"


def _broken_off(payload: Payload) -> str:
    return f"{_proposal(payload)}: {payload.get('reason')}"


def _reported(payload: Payload) -> str:
    context = f": {payload['context']}" if payload.get("context") else ""
    return f"{payload.get('outcome')} {_named(payload)}{context}"


def _named(payload: Payload) -> str:
    found = payload.get("memories")
    memories = [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []
    return ", ".join(str(one.get("path")) for one in memories)


def _clash(payload: Payload) -> str:
    return f"{payload.get('id')} {payload.get('type')}: {_named(payload)}"


def _settled(payload: Payload) -> str:
    return f"{payload.get('id')} {payload.get('action')}: {payload.get('reason')}"


def _expired(payload: Payload) -> str:
    return f"{payload.get('path')} on {payload.get('expires')}"


def _merged(payload: Payload) -> str:
    named = (("merged", "merged"), ("both versions kept", "kept"), ("left", "left"))
    told = ((how, payload.get(key)) for how, key in named)
    return "; ".join(f"{how}: {', '.join(map(str, paths))}" for how, paths in told if paths)


def _asked_model(payload: Payload) -> str:
    tokens = [payload.get(name) or 0 for name in ("input_tokens", "output_tokens")]
    told = f"{payload.get('purpose')} by {payload.get('model')}: {payload.get('outcome')}"
    return f"{told}, {tokens[0]} and {tokens[1]} tokens"


_GISTS: dict[str, Callable[[Payload], str]] = {
    "FactAdded": _fact,
    "ConstraintAccepted": _about_event("constraint"),
    "ConstraintDeactivated": _about_event("constraint"),
    "PayloadRedacted": _about_event("blanks event"),
    "ToolRequested": _requested,
    "ToolUsed": _tool,
    "ToolFailed": _failed,
    "SessionStarted": _started,
    "SessionEnded": _ended,
    "ContextCompacted": _compacted,
    "TurnEnded": _spoken("the turn ended"),
    "SubagentEnded": _spoken("the subagent ended"),
    "PackServed": _served,
    "ProposalMade": _proposed,
    "ProposalChecked": _checked,
    "ProposalReviewed": _reviewed,
    "ProposalApplying": lambda payload: f"{_proposal(payload)}: {_paths(payload)}",
    "ProposalApplied": _applied,
    "ProposalCommitted": _committed,
    "ProposalFailed": _broken_off,
    "UsageReported": _reported,
    "ConflictFound": _clash,
    "ConflictResolved": _settled,
    "MemoryExpired": _expired,
    "ModelCalled": _asked_model,
    "FilesMerged": _merged,
}
