"""What is recorded of a hook event, redacted and shortened."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, cast

from dmm.domain.event import EventType, Trust
from dmm.redaction.identity import keep_identity
from dmm.redaction.redact import narrow_value, redact_value
from dmm.rules.commands.tools import SHELL_TOOLS
from dmm.rules.outcomes import Outcome, read_output
from dmm.sessions.payload import HookKind

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dmm.sessions.payload import HookEvent

LONGEST_PROMPT = 8_000
LONGEST_INPUT = 2_000
LONGEST_OUTPUT = 4_000
LONGEST_LINE = 300
MOST_ITEMS = 50
_LEFT_OUT = re.compile(r"\[(\d{1,12}) characters left out\]")

Described = tuple[EventType, dict[str, Any], Trust]

_TYPES = {
    HookKind.SESSION_START: (EventType.SESSION_STARTED, Trust.AGENT),
    HookKind.PROMPT: (EventType.USER_MESSAGE_RECEIVED, Trust.USER),
    HookKind.TOOL_REQUEST: (EventType.TOOL_REQUESTED, Trust.AGENT),
    HookKind.TOOL_DONE: (EventType.TOOL_USED, Trust.TOOL),
    HookKind.TOOL_FAILED: (EventType.TOOL_FAILED, Trust.TOOL),
    HookKind.COMPACT_START: (EventType.CONTEXT_COMPACTED, Trust.AGENT),
    HookKind.COMPACT_DONE: (EventType.CONTEXT_COMPACTED, Trust.AGENT),
    HookKind.TURN_END: (EventType.TURN_ENDED, Trust.AGENT),
    HookKind.SUBAGENT_END: (EventType.SUBAGENT_ENDED, Trust.AGENT),
    HookKind.SESSION_END: (EventType.SESSION_ENDED, Trust.AGENT),
}
# What a call was about, in the order in which it is told.
_TELLING = (
    "command", "cmd", "script", "query", "pattern", "url", "file_path", "filePath", "path",
    "absolute_path", "notebook_path", "question", "prompt", "description", "input",
)  # fmt: skip


def classify_event(event: HookEvent) -> tuple[EventType, Trust] | None:
    """Tell the type of a report and how far it is trusted; None for one that is not recorded."""
    return _TYPES.get(event.kind)


def describe_event(event: HookEvent) -> Described | None:
    """Tell what to record of a report: the type, the payload, and how far it is trusted."""
    known = classify_event(event)
    if known is None:
        return None
    cleaned, counts = redact_value(narrow_value(_said(event), MOST_ITEMS))
    payload = _shorten(event, cast("dict[str, Any]", cleaned))
    if counts:
        payload["redacted"] = counts
    return known[0], payload, known[1]


def _said(event: HookEvent) -> dict[str, Any]:
    """Gather all that came from outside, so that it is redacted together and before any cut."""
    return {
        "cwd": event.cwd,
        "prompt": event.prompt,
        "tool": event.tool,
        "input": dict(event.input),
        "output": event.output,
        "source": event.source,
        "reason": event.reason,
        "speaker": event.speaker,
    }


def _shorten(event: HookEvent, said: Mapping[str, Any]) -> dict[str, Any]:
    if event.kind in (HookKind.TOOL_REQUEST, HookKind.TOOL_DONE, HookKind.TOOL_FAILED):
        told = _tool(event, said)
    elif event.kind is HookKind.PROMPT:
        told = {"text": cut(said["prompt"], LONGEST_PROMPT)}
    elif event.kind is HookKind.SESSION_START:
        told = {"client": event.client, "cwd": said["cwd"], "source": said["source"]}
    elif event.kind is HookKind.SESSION_END:
        told = {"reason": said["reason"]}
    elif event.kind in (HookKind.COMPACT_START, HookKind.COMPACT_DONE):
        stage = "before" if event.kind is HookKind.COMPACT_START else "after"
        text = cut(said["output"], LONGEST_PROMPT)
        told = {"stage": stage, "trigger": said["source"], "text": text}
    else:
        told = {"text": cut(said["output"], LONGEST_OUTPUT)}
    told |= {
        "agent": _identity(event.agent),
        "speaker": said["speaker"],
        "turn": _identity(event.turn),
    }
    return {name: value for name, value in told.items() if value not in (None, "")}


def _identity(name: str | None) -> str | None:
    return None if name is None else keep_identity(name)


def _tool(event: HookEvent, said: Mapping[str, Any]) -> dict[str, Any]:
    told: dict[str, Any] = {
        "tool": said["tool"],
        "input": _cut_input(said["input"]),
        "cwd": said["cwd"],
        "text": summarise(said["tool"], said["input"]),
        "call": _identity(event.call_id),
        "milliseconds": event.milliseconds,
    }
    if event.kind is HookKind.TOOL_DONE:
        told["output"] = cut(said["output"], LONGEST_OUTPUT)
    elif event.kind is HookKind.TOOL_FAILED:
        told["error"] = cut(said["output"], LONGEST_OUTPUT)
    return told | _outcome(event)


def _outcome(event: HookEvent) -> dict[str, Any]:
    """Tell how a command went, read from the whole output: what is kept of it may not show it."""
    if event.kind is not HookKind.TOOL_DONE or event.tool.lower() not in SHELL_TOOLS:
        return {} if event.exit_status is None else {"exit": event.exit_status}
    printed = read_output(event.output)
    return {
        "exit": event.exit_status,
        "outcome": None if printed is Outcome.UNKNOWN else str(printed),
        "unfinished": event.unfinished or None,
    }


def _cut_input(value: Any) -> Any:
    if isinstance(value, str):
        return cut(value, LONGEST_INPUT)
    if isinstance(value, dict):
        return {cut(key, LONGEST_LINE): _cut_input(one) for key, one in value.items()}
    return [_cut_input(one) for one in value] if isinstance(value, list) else value


def cut(text: str, length: int) -> str:
    """Keep the start and the end of a long text, and say how much is gone, also before this."""
    if len(text) <= length:
        return text
    half = length // 2
    dropped = text[half:-half]
    told = [(len(found[0]), int(found[1])) for found in _LEFT_OUT.finditer(dropped)]
    gone = len(dropped) + sum(number - own for own, number in told)
    return f"{text[:half]}\n[{gone} characters left out]\n{text[-half:]}"


def summarise(tool: str, given: Mapping[str, Any]) -> str:
    """Say in one line what a call looks at or runs; it may later count as a look-up."""
    named = [given[name] for name in _TELLING if name in given]
    values = [_line(value) for value in named or given.values()]
    words = [value for value in values if value][:2]
    words = words[:1] if "command" in given and tool == "Bash" else [tool, *words]
    line = " ".join(words)
    return line if len(line) <= LONGEST_LINE else line[: LONGEST_LINE - 1] + "…"


def _line(value: Any) -> str:
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        value = " ".join(value)
    if not isinstance(value, str):
        return ""
    return " ".join(value[: 4 * LONGEST_LINE].split())
