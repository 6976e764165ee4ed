"""Turn hook events into redacted, shortened records."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, cast

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
    from collections.abc import Callable, Mapping

    from dmm.sessions.payload import HookEvent

C = TypeVar("C", bound=ToolCalled)
LONGEST_PROMPT = 8_000
LONGEST_INPUT = 2_000
LONGEST_OUTPUT = 4_000
LONGEST_LINE = 300
MOST_ITEMS = 50
_LEFT_OUT = re.compile(r"\[(\d{1,12}) characters left out\]")


class Noted(NamedTuple):
    """The record of a hook event, and how far it is trusted."""

    told: HookReport
    trust: Trust


_STAGES = {HookKind.COMPACT_START: "before", HookKind.COMPACT_DONE: "after"}
_FROM_OUTSIDE = ("cwd", "prompt", "tool", "input", "output", "source", "reason", "speaker")
# What a call was about, in the order in which it is told.
_TELLING = (
    "command", "cmd", "script", "query", "pattern", "url", "file_path", "filePath", "path",
    "absolute_path", "notebook_path", "question", "prompt", "description", "input",
)  # fmt: skip


def describe_event(event: HookEvent) -> Noted | None:
    """Return the record of a hook event."""
    known = KEPT.get(event.kind)
    if known is None:
        return None
    # All that came from outside is redacted together and before any cut.
    given = {name: getattr(event, name) for name in _FROM_OUTSIDE} | {"input": dict(event.input)}
    cleaned, counts = redact_value(narrow_value(given, MOST_ITEMS))
    said = event.changed(**cast("Any", cleaned))
    told = replace(
        known.tell(event, said),
        agent=keep_identity(event.agent),
        speaker=said.speaker,
        turn=keep_identity(event.turn),
        redacted=counts,
    )
    return Noted(told, known.trust)


def _message(_event: HookEvent, said: HookEvent) -> HookReport:
    return UserMessageReceived(text=cut(said.prompt, LONGEST_PROMPT) or None)


def _started(event: HookEvent, said: HookEvent) -> HookReport:
    return SessionStarted(client=event.client, cwd=said.cwd, source=said.source)


def _ended(_event: HookEvent, said: HookEvent) -> HookReport:
    return SessionEnded(reason=said.reason)


def _compacted(event: HookEvent, said: HookEvent) -> HookReport:
    text = cut(said.output, LONGEST_PROMPT)
    return ContextCompacted(stage=_STAGES[event.kind], trigger=said.source, text=text)


def _turn(_event: HookEvent, said: HookEvent) -> HookReport:
    return TurnEnded(text=cut(said.output, LONGEST_OUTPUT) or None)


def _subagent(_event: HookEvent, said: HookEvent) -> HookReport:
    return SubagentEnded(text=cut(said.output, LONGEST_OUTPUT) or None)


def _requested(event: HookEvent, said: HookEvent) -> HookReport:
    return _call(ToolRequested, event, said)


def _failed(event: HookEvent, said: HookEvent) -> HookReport:
    return replace(_call(ToolFailed, event, said), error=cut(said.output, LONGEST_OUTPUT))


def _used(event: HookEvent, said: HookEvent) -> HookReport:
    told = replace(_call(ToolUsed, event, said), output=cut(said.output, LONGEST_OUTPUT))
    if event.tool.lower() not in SHELL_TOOLS:
        return told
    # How a command went is read from the whole output: what is kept of it may not show it.
    printed = read_output(event.output)
    outcome = None if printed is Outcome.UNKNOWN else str(printed)
    return replace(told, outcome=outcome, unfinished=event.unfinished)


def _call(kind: type[C], event: HookEvent, said: HookEvent) -> C:
    return kind(
        tool=said.tool,
        input=_cut_input(said.input),
        cwd=said.cwd,
        text=summarise(said.tool, said.input),
        call=keep_identity(event.call_id),
        milliseconds=event.milliseconds,
        exit=event.exit_status,
    )


class Kept(NamedTuple):
    """How a kind of hook event is recorded: its type, its trust and its payload."""

    type: EventType
    trust: Trust
    tell: Callable[[HookEvent, HookEvent], HookReport]


# A kind that is not here is not recorded.
KEPT = {
    HookKind.SESSION_START: Kept(EventType.SESSION_STARTED, Trust.AGENT, _started),
    HookKind.PROMPT: Kept(EventType.USER_MESSAGE_RECEIVED, Trust.USER, _message),
    HookKind.TOOL_REQUEST: Kept(EventType.TOOL_REQUESTED, Trust.AGENT, _requested),
    HookKind.TOOL_DONE: Kept(EventType.TOOL_USED, Trust.TOOL, _used),
    HookKind.TOOL_FAILED: Kept(EventType.TOOL_FAILED, Trust.TOOL, _failed),
    HookKind.COMPACT_START: Kept(EventType.CONTEXT_COMPACTED, Trust.AGENT, _compacted),
    HookKind.COMPACT_DONE: Kept(EventType.CONTEXT_COMPACTED, Trust.AGENT, _compacted),
    HookKind.TURN_END: Kept(EventType.TURN_ENDED, Trust.AGENT, _turn),
    HookKind.SUBAGENT_END: Kept(EventType.SUBAGENT_ENDED, Trust.AGENT, _subagent),
    HookKind.SESSION_END: Kept(EventType.SESSION_ENDED, Trust.AGENT, _ended),
}


def _cut_input(value: Any) -> Any:
    if isinstance(value, str):
        return cut(value, LONGEST_INPUT)
    if isinstance(value, dict):
        return {cut(key, LONGEST_LINE): _cut_input(one) for key, one in value.items()}
    return [_cut_input(one) for one in value] if isinstance(value, list) else value


def cut(text: str, length: int) -> str:
    """Keep the start and end of a long text, and say how much was cut, now or before."""
    if len(text) <= length:
        return text
    half = length // 2
    dropped = text[half:-half]
    told = [(len(found[0]), int(found[1])) for found in _LEFT_OUT.finditer(dropped)]
    gone = len(dropped) + sum(number - own for own, number in told)
    return f"{text[:half]}\n[{gone} characters left out]\n{text[-half:]}"


def summarise(tool: str, given: Mapping[str, Any]) -> str:
    """Return one line on what a call reads or runs, to be matched with required look-ups."""
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
