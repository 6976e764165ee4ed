"""Codex transcripts (rollouts).

Tools get the names and inputs that the client's hooks report for them.
"""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import AliasChoices, BeforeValidator, Field

from dmm.sessions.objects import find_object
from dmm.sessions.outputs import as_text, exit_status_of
from dmm.sessions.transcripts.entry import Fault, Head
from dmm.sessions.transcripts.lines import (
    Folder,
    Foreign,
    Kept,
    Moment,
    Name,
    Object,
    Text,
    or_absent,
)
from dmm.sessions.transcripts.telling import Mark, Reading

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from dmm.sessions.transcripts.entry import Read
    from dmm.sessions.transcripts.lines import Line
    from dmm.sessions.transcripts.telling import Telling

CLIENT = "codex"
_SHELLS = {"exec_command", "shell", "shell_command", "local_shell", "container.exec"}
_UNNAMED = {"local_shell_call": "local_shell", "web_search_call": "WebSearch"}
# What the client says in the user's name.
_NOT_SPOKEN = (
    "<environment_context>", "<user_instructions>", "# AGENTS.md instructions", "<turn_aborted>",
    "<permissions instructions>", "<skill", "<subagent_notification>", "<hook_context>",
    "<user_shell_command>", "<INSTRUCTIONS>", "<collaboration_mode>", "<model_switch>",
)  # fmt: skip
_HEADER = re.compile(
    r"(?:(?:Chunk ID: [^\n]*\n)?(?:Exit code: -?\d{1,6}\n)?"
    r"Wall time: (\d{1,9}(?:\.\d{1,9})?) seconds\n"
    r"(?:Process exited with code -?\d{1,6}\n|Process running with session ID [^\n]*\n)?"
    r"(?:Original token count: \d+\n)?(?:Total output lines: \d+\n)?(?:Output:\n)?)"
)
_REFUSED = (
    "unsupported call", "aborted by user", "exec_command failed", "apply_patch verification failed",
    "execution error", "failed to parse function arguments",
)  # fmt: skip


class _Meta(Foreign):
    id: Name = ""
    cwd: Folder = ""
    session_id: Name = ""
    parent_thread_id: Name = ""
    forked_from_id: Name = ""
    thread_source: Text = ""
    source: Any = None

    @property
    def helper(self) -> str:
        """The subagent whose file this is; empty for the main agent."""
        spawned = self.thread_source == "subagent" or isinstance(self.source, dict)
        return self.id if spawned else ""

    @property
    def session(self) -> str:
        """The session; for a subagent, the one that started it."""
        names = (self.session_id, self.parent_thread_id, self.forked_from_id, self.id)
        return next(filter(None, names), "") if self.helper else self.id


class _Envelope(Foreign):
    timestamp: Annotated[Moment, or_absent("")] = ""
    type: Text = ""
    payload: Annotated[dict[str, object] | None, or_absent(None)] = None


class _Turn(Foreign):
    cwd: Folder = ""
    turn_id: Name = ""


class _Part(Foreign):
    text: Text = ""


def _as_object(given: object) -> object:
    return find_object(given) or {"input": given} if isinstance(given, str) else given


def _as_parts(content: object) -> object:
    return [{"text": content}] if isinstance(content, str) else content


class _Item(Foreign):
    type: Text = ""
    id: Name = ""
    call_id: Name = ""
    role: Text = ""
    name: Name = ""
    namespace: Name = ""
    message: Text = ""
    output: Kept = None
    given: Annotated[Object, BeforeValidator(_as_object)] = Field(
        default={}, validation_alias=AliasChoices("arguments", "input", "action")
    )
    content: Annotated[
        list[Annotated[_Part, or_absent(_Part())]], BeforeValidator(_as_parts), or_absent([])
    ] = Field(default=[])

    @property
    def call(self) -> str:
        """The name of a call."""
        return self.call_id or self.id


@dataclass(slots=True)
class CodexReading(Reading):
    """One rollout: of the session, or of one of its subagents."""

    telling: Telling | None = None
    at: str = ""

    @staticmethod
    def head(values: Mapping[str, Any]) -> Head | None:
        """Return what the first line of a file says about its session."""
        first = {"id", "timestamp", "instructions"} <= values.keys()
        if values.get("type") != "session_meta" and not first:
            return None
        meta = _Meta.model_validate(_enclose(values).payload or {})
        return Head(CLIENT, meta.session, meta.cwd, helper=bool(meta.helper))

    def read(self, line: Line) -> Iterator[Read]:
        """Read one line; the first names the session."""
        told = _enclose(line.values)
        self.at = told.timestamp or self.at
        payload = told.payload
        if self.telling is None:
            meta = _Meta.model_validate(payload or {})
            # An item, which has a type, has an id too; that is no session.
            if meta.session and not (payload or {}).get("type"):
                self.telling = self.find(CLIENT, meta.session, meta.helper, meta.cwd)
            else:
                yield Fault(line.number, "no session")
        elif not self.at:
            yield Fault(line.number, "no timestamp")
        elif payload is None:
            yield Fault(line.number, "no payload")
        else:
            yield from self._tell(self.telling, Mark(line.number, self.at), told.type, payload)

    def _tell(
        self, telling: Telling, mark: Mark, kind: str, payload: dict[str, object]
    ) -> Iterator[Read]:
        match kind, payload:
            case "event_msg", {"type": "task_complete" | "turn_complete" | "turn_aborted"}:
                yield from telling.end_turn()
            case "turn_context", _:
                turn = _Turn.model_validate(payload)
                telling.cwd = turn.cwd or telling.cwd
                telling.turn = turn.turn_id
            case "compacted", _:
                yield from telling.compacted(mark, _Item.model_validate(payload).message)
            case "response_item", _:
                yield from _tell_item(telling, mark, _Item.model_validate(payload))


def _enclose(values: Mapping[str, Any]) -> _Envelope:
    """Read a line; the first versions wrote items without anything around them."""
    bare = {} if "payload" in values else {"type": "response_item", "payload": values}
    return _Envelope.model_validate({**values, **bare})


def _tell_item(telling: Telling, mark: Mark, item: _Item) -> Iterator[Read]:
    own = f"{telling.session}|{telling.agent}|"
    match item.type:
        case "message":
            yield from _tell_message(telling, mark._replace(own=item.id and own + item.id), item)
        case "function_call" | "custom_tool_call" | "local_shell_call" | "tool_search_call":
            telling.call(item.call, *_read_call(item))
        case "function_call_output" | "custom_tool_call_output" | "tool_search_output":
            text, failed, milliseconds = _read_output(item.output)
            named = mark._replace(own=own + item.call)
            yield from telling.result(
                named, item.call, text, failed=failed, milliseconds=milliseconds
            )
        case "web_search_call":
            telling.call("search", *_read_call(item))
            yield from telling.result(mark, "search", "", failed=False)


def _tell_message(telling: Telling, mark: Mark, item: _Item) -> Iterator[Read]:
    texts = [part.text for part in item.content]
    spoken = [text for text in texts if not text.lstrip().startswith(_NOT_SPOKEN)]
    match item.role, telling.agent:
        case "assistant", _:
            telling.say(mark, "\n".join(texts))
        case "user", "":
            yield from telling.prompt(mark, "\n".join(spoken).strip())


def _read_call(item: _Item) -> tuple[str, Mapping[str, object]]:
    name, given = item.name or _UNNAMED.get(item.type, "tool_search"), item.given
    if name in _SHELLS:
        commands = (given[key] for key in ("cmd", "command", "input") if key in given)
        return "Bash", {"command": _line(next(commands, ""))}
    if name == "apply_patch":
        return name, {"command": given.get("input", given.get("patch", ""))}
    if item.namespace.startswith("mcp__") and not name.startswith("mcp__"):
        name = f"{item.namespace.rstrip('_')}__{name}"
    return name, given


def _line(command: object) -> str:
    """Return a command as the line that a person would type."""
    match command:
        case [_, "-lc" | "-c", str(script)]:
            return script
        case list():
            return shlex.join(map(str, command))
        case str():
            return command
    return ""


def _read_output(value: Any) -> tuple[str, bool, int | None]:
    """Read an output: its text, whether it failed, and how long it took."""
    text, milliseconds = as_text(value), None
    if header := _HEADER.match(text):
        text, milliseconds = text[header.end() :], int(float(header[1]) * 1000)
    failed = text.startswith(_REFUSED) or bool(exit_status_of(value, failed=False))
    return text, failed, milliseconds
