"""Events in one line each: what happened, in words."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    Payload = dict[str, Any]

_TEXTS = ("text", "question", "summary", "task")
_PATHS = ("file_path", "filePath", "path", "notebook_path", "absolute_path", "command")


def gist(kind: str, payload: Payload | None) -> str:
    """Say in one line what an event is about."""
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
    """Say the verdict first: what was let through needs no word."""
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


_GISTS: dict[str, Callable[[Payload], str]] = {
    "FactAdded": _fact,
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
}
