"""The replies that make a client follow a ruling."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Literal

from dmm.domain.value import Value
from dmm.sessions.payload import HookKind

if TYPE_CHECKING:
    from dmm.sessions.payload import HookEvent

NO_REASON = "A rule of this project forbids this call."
ASK_FIRST = "Ask the user for permission in your next message, and wait for the answer."

# Which reports each client takes context for; elsewhere it refuses the key or drops it.
_CLAUDE_CONTEXT = frozenset({
    HookKind.SESSION_START, HookKind.PROMPT, HookKind.TOOL_REQUEST, HookKind.TOOL_DONE,
    HookKind.TOOL_FAILED,
})  # fmt: skip
_TAKES_CONTEXT = {
    "claude-code": _CLAUDE_CONTEXT,
    "codex": _CLAUDE_CONTEXT - {HookKind.TOOL_FAILED},
    "vscode": _CLAUDE_CONTEXT - {HookKind.TOOL_FAILED},
    "gemini": frozenset({HookKind.SESSION_START, HookKind.PROMPT, HookKind.TOOL_DONE}),
    "cursor": frozenset({HookKind.SESSION_START, HookKind.TOOL_DONE}),
    "opencode": _CLAUDE_CONTEXT,
}
# These show a user what a hook says beside its decision.
_SHOWS_NOTICE = frozenset({"claude-code", "vscode", "gemini"})
# Cursor asks only for its own events; a question elsewhere would let the call pass.
_CURSOR_ASKS = frozenset({"beforeshellexecution", "beforemcpexecution"})


class Reply(Value):
    """What to tell the client: context for the model, a decision about a call, a warning.

    A `notice` is for the user; a client that has no way to show one gives it to the model.
    """

    context: str = ""
    decision: Literal["deny", "ask"] | None = None
    reason: str = ""
    warning: str = ""
    notice: str = ""


def write_reply(event: HookEvent, reply: Reply) -> bytes:
    """Write exactly what the hook of that client prints; nothing where there is nothing to say."""
    decision = reply.decision if event.kind is HookKind.TOOL_REQUEST else None
    shown = reply.notice.strip() if event.client in _SHOWS_NOTICE else ""
    said_first = reply.warning.strip() or ("" if shown else reply.notice.strip())
    words = "\n\n".join(part for part in (said_first, reply.context.strip()) if part)
    context = words if event.kind in _TAKES_CONTEXT[event.client] else ""
    reason = reply.reason.strip() or NO_REASON
    if event.client == "gemini":
        said = _for_gemini(event, decision, reason, context, reply.warning.strip())
    elif event.client == "cursor":
        said = _for_cursor(event, decision, reason, context)
    elif event.client == "opencode":
        said = _for_opencode(decision, reason, context)
    else:
        said = _for_claude(event, decision, reason, context)
    if shown and "systemMessage" not in said:
        said["systemMessage"] = shown
    return json.dumps(said).encode("ascii") if said else b""


def _refusal(decision: str, reason: str) -> str:
    """Word a refusal; a question that the client can't ask becomes one that the agent asks."""
    return f"{reason} {ASK_FIRST}" if decision == "ask" else reason


def _for_claude(
    event: HookEvent, decision: str | None, reason: str, context: str
) -> dict[str, Any]:
    said: dict[str, Any] = {"hookEventName": event.event}
    if decision == "ask" and event.client == "codex":
        # Codex knows the word but fails open on it, so the call is refused and the agent asks.
        decision, reason = "deny", _refusal(decision, reason)
    if decision:
        said |= {"permissionDecision": decision, "permissionDecisionReason": reason}
    if context:
        said["additionalContext"] = context
    return {"hookSpecificOutput": said} if len(said) > 1 else {}


def _for_gemini(
    event: HookEvent, decision: str | None, reason: str, context: str, warning: str
) -> dict[str, Any]:
    if decision:
        return {"decision": "deny", "reason": _refusal(decision, reason)}
    if context:
        return {"hookSpecificOutput": {"hookEventName": event.event, "additionalContext": context}}
    if warning and event.kind is HookKind.TOOL_REQUEST:
        return {"systemMessage": warning}
    return {}


def _for_cursor(
    event: HookEvent, decision: str | None, reason: str, context: str
) -> dict[str, Any]:
    if decision:
        asks = decision == "ask" and event.event.lower() in _CURSOR_ASKS
        words = reason if asks else _refusal(decision, reason)
        permission = "ask" if asks else "deny"
        return {"permission": permission, "user_message": words, "agent_message": words}
    return {"additional_context": context} if context else {}


def _for_opencode(decision: str | None, reason: str, context: str) -> dict[str, Any]:
    if decision:
        return {"deny": _refusal(decision, reason)}
    return {"context": context} if context else {}
