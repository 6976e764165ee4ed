"""Events: what of a hook's report is recorded, without secrets and cut to a useful length."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from dmm.capture.payload import HookKind
from dmm.capture.redact import redact_value, strip_private
from dmm.domain.event import EventType, Trust

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dmm.capture.payload import HookEvent

LONGEST_PROMPT = 8_000
LONGEST_INPUT = 2_000
LONGEST_OUTPUT = 4_000
LONGEST_LINE = 300
MOST_ITEMS = 50
# Secrets are looked for in what is kept and so far around it that none can reach into it.
MARGIN = 32_000

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


def describe_event(event: HookEvent) -> Described | None:
    """Tell what to record of a report: the type, the payload, and how far it is trusted."""
    known = _TYPES.get(event.kind)
    if known is None:
        return None
    said = _said(event)
    dropped = {name: _narrow(said, name) for name in ("prompt", "output")}
    cleaned, counts = redact_value(said)
    payload = _shorten(event, cast("dict[str, Any]", cleaned), dropped)
    if counts:
        payload["redacted"] = counts
    return known[0], payload, known[1]


def _said(event: HookEvent) -> dict[str, Any]:
    """Gather all that came from outside, so that it is redacted together and before any cut."""
    return {
        "cwd": event.cwd,
        "prompt": event.prompt,
        "tool": event.tool,
        "input": _narrow_all(dict(event.input)),
        "output": event.output,
        "source": event.source,
        "reason": event.reason,
    }


def _narrow(said: dict[str, Any], name: str) -> int:
    """Narrow one text, and tell by how much."""
    before = len(said[name])
    said[name] = narrow(said[name])
    return before - len(said[name])


def _narrow_all(value: Any) -> Any:
    if isinstance(value, str):
        return narrow(value)
    if isinstance(value, dict):
        return {key: _narrow_all(one) for key, one in value.items()}
    return [_narrow_all(one) for one in value] if isinstance(value, list) else value


def narrow(text: str) -> str:
    """Take the middle out of a text of megabytes, which nobody keeps."""
    if len(text) <= 3 * MARGIN:
        return text
    # What is private may begin in the part that goes and reach into the part that stays.
    text = strip_private(text)
    return text[:MARGIN] + "\n" + text[-MARGIN:] if len(text) > 2 * MARGIN else text


def _shorten(
    event: HookEvent, said: Mapping[str, Any], dropped: Mapping[str, int]
) -> dict[str, Any]:
    gone = dropped["output"]
    if event.kind in (HookKind.TOOL_REQUEST, HookKind.TOOL_DONE, HookKind.TOOL_FAILED):
        told = _tool(event, said, gone)
    elif event.kind is HookKind.PROMPT:
        told = {"text": cut(said["prompt"], LONGEST_PROMPT, dropped["prompt"])}
    elif event.kind is HookKind.SESSION_START:
        told = {"client": event.client, "cwd": said["cwd"], "source": said["source"]}
    elif event.kind is HookKind.SESSION_END:
        told = {"reason": said["reason"]}
    elif event.kind in (HookKind.COMPACT_START, HookKind.COMPACT_DONE):
        stage = "before" if event.kind is HookKind.COMPACT_START else "after"
        text = cut(said["output"], LONGEST_PROMPT, gone)
        told = {"stage": stage, "trigger": said["source"], "text": text}
    else:
        told = {"text": cut(said["output"], LONGEST_OUTPUT, gone)}
    told |= {"agent": event.agent, "turn": event.turn}
    return {name: value for name, value in told.items() if value not in (None, "")}


def _tool(event: HookEvent, said: Mapping[str, Any], gone: int) -> dict[str, Any]:
    told: dict[str, Any] = {
        "tool": said["tool"],
        "input": _cut_input(said["input"], event.input),
        "cwd": said["cwd"],
        "text": summarise(said["tool"], said["input"]),
        "call": event.call_id,
        "milliseconds": event.milliseconds,
    }
    if event.kind is HookKind.TOOL_DONE:
        told["output"] = cut(said["output"], LONGEST_OUTPUT, gone)
    elif event.kind is HookKind.TOOL_FAILED:
        told["error"] = cut(said["output"], LONGEST_OUTPUT, gone)
    return told


def _cut_input(value: Any, whole: Any) -> Any:
    """Cut the texts of an input; beside it stands what it was made of."""
    if isinstance(value, str):
        before = len(whole) if isinstance(whole, str) else 0
        return cut(value, LONGEST_INPUT, max(0, before - len(value)))
    if isinstance(value, dict):
        pairs = zip(_first(value.items()), whole.values(), strict=False)
        return {cut(key, LONGEST_LINE): _cut_input(one, was) for (key, one), was in pairs}
    if isinstance(value, list):
        return [_cut_input(one, was) for one, was in zip(_first(value), whole, strict=False)]
    return value


def _first(values: Any) -> list[Any]:
    return list(values)[:MOST_ITEMS]


def cut(text: str, length: int, gone: int = 0) -> str:
    """Keep the start and the end of a long text, and say how much is gone."""
    if len(text) <= length:
        return text
    half = length // 2
    gone += len(text) - 2 * half
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
