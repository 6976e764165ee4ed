"""What is recorded of a hook event, redacted and shortened."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from dmm.domain.event import EventType, Trust
from dmm.domain.payload import (
    ContextCompacted,
    HookReport,
    SessionEnded,
    SessionStarted,
    SubagentEnded,
    ToolCalled,
    ToolFailed,
    ToolRequested,
    ToolUsed,
    TurnEnded,
    UserMessageReceived,
)
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


class Noted(NamedTuple):
    """What to record of a report, and how far it is trusted."""

    told: HookReport
    trust: Trust


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
_ANSWERS = {HookKind.TURN_END: TurnEnded, HookKind.SUBAGENT_END: SubagentEnded}
_FROM_OUTSIDE = ("cwd", "prompt", "tool", "input", "output", "source", "reason", "speaker")
# What a call was about, in the order in which it is told.
_TELLING = (
    "command", "cmd", "script", "query", "pattern", "url", "file_path", "filePath", "path",
    "absolute_path", "notebook_path", "question", "prompt", "description", "input",
)  # fmt: skip


def classify_event(event: HookEvent) -> tuple[EventType, Trust] | None:
    """Return the type of a report and how far it is trusted; None for one that is not recorded."""
    return _TYPES.get(event.kind)


def describe_event(event: HookEvent) -> Noted | None:
    """Return what to record of a report."""
    known = classify_event(event)
    if known is None:
        return None
    # All that came from outside is redacted together and before any cut.
    given = {name: getattr(event, name) for name in _FROM_OUTSIDE} | {"input": dict(event.input)}
    cleaned, counts = redact_value(narrow_value(given, MOST_ITEMS))
    said = event.changed(**cast("Any", cleaned))
    told = replace(
        _shorten(event, said),
        agent=_identity(event.agent),
        speaker=said.speaker,
        turn=_identity(event.turn),
        redacted=counts,
    )
    return Noted(told, known[1])


def _shorten(event: HookEvent, said: HookEvent) -> HookReport:
    output = cut(said.output, LONGEST_OUTPUT)
    if event.kind is HookKind.PROMPT:
        return UserMessageReceived(text=cut(said.prompt, LONGEST_PROMPT) or None)
    if event.kind is HookKind.SESSION_START:
        return SessionStarted(client=event.client, cwd=said.cwd, source=said.source)
    if event.kind is HookKind.SESSION_END:
        return SessionEnded(reason=said.reason)
    if event.kind in (HookKind.COMPACT_START, HookKind.COMPACT_DONE):
        stage = "before" if event.kind is HookKind.COMPACT_START else "after"
        text = cut(said.output, LONGEST_PROMPT)
        return ContextCompacted(stage=stage, trigger=said.source, text=text)
    if event.kind in _ANSWERS:
        return _ANSWERS[event.kind](text=output or None)
    return _tool(event, said, output)


def _identity(name: str | None) -> str:
    return "" if name is None else keep_identity(name)


def _tool(event: HookEvent, said: HookEvent, output: str) -> ToolCalled:
    kinds = {HookKind.TOOL_DONE: ToolUsed, HookKind.TOOL_FAILED: ToolFailed}
    told = kinds.get(event.kind, ToolRequested)(
        tool=said.tool,
        input=_cut_input(said.input),
        cwd=said.cwd,
        text=summarise(said.tool, said.input),
        call=_identity(event.call_id),
        milliseconds=event.milliseconds,
        exit=event.exit_status,
    )
    if isinstance(told, ToolFailed):
        return replace(told, error=output)
    return _used(event, replace(told, output=output)) if isinstance(told, ToolUsed) else told


def _used(event: HookEvent, told: ToolUsed) -> ToolUsed:
    """Add how a command went, read from the whole output: what is kept of it may not show it."""
    if event.tool.lower() not in SHELL_TOOLS:
        return told
    printed = read_output(event.output)
    outcome = None if printed is Outcome.UNKNOWN else str(printed)
    return replace(told, outcome=outcome, unfinished=bool(event.unfinished))


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
    """Return one line on what a call reads or runs; it may later count as a look-up."""
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
