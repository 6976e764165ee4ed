"""Codex transcripts (rollouts).

Tools get the names and inputs that the client's hooks report for them.
"""

from __future__ import annotations

import json
import re
import shlex
from typing import TYPE_CHECKING, Any

from dmm.sessions.outputs import as_text
from dmm.sessions.payload import LONGEST_NAME, LONGEST_PATH
from dmm.sessions.transcripts.entry import Fault, read_time
from dmm.sessions.transcripts.lines import Line, read_lines, short, take
from dmm.sessions.transcripts.telling import Telling

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import BinaryIO

    from dmm.sessions.transcripts.entry import Read

CLIENT = "codex"
_SHELLS = {"exec_command", "shell", "shell_command", "local_shell", "container.exec"}
_LINES = ("cmd", "command", "input")
_CALLS = ("function_call", "custom_tool_call", "local_shell_call", "tool_search_call")
_RESULTS = ("function_call_output", "custom_tool_call_output", "tool_search_output")
_ENDS = ("task_complete", "turn_complete", "turn_aborted")
# What the client says in the user's name.
_NOT_SPOKEN = (
    "<environment_context>", "<user_instructions>", "# AGENTS.md instructions", "<turn_aborted>",
    "<permissions instructions>", "<skill", "<subagent_notification>", "<hook_context>",
    "<user_shell_command>", "<INSTRUCTIONS>", "<collaboration_mode>", "<model_switch>",
)  # fmt: skip
_HEADER = re.compile(
    r"\A(?:Chunk ID: [^\n]*\n)?(?:Exit code: (-?\d{1,6})\n)?Wall time: ([\d.]{1,12}) seconds\n"
    r"(?:Process exited with code (-?\d{1,6})\n|Process running with session ID [^\n]*\n)?"
    r"(?:Original token count: \d+\n)?(?:Total output lines: \d+\n)?(?:Output:\n)?"
)
_REFUSED = (
    "unsupported call", "aborted by user", "exec_command failed", "apply_patch verification failed",
    "execution error", "failed to parse function arguments",
)  # fmt: skip


def read_codex(stream: BinaryIO) -> Iterator[Read]:
    """Read a transcript, entry by entry."""
    reading = _Reading()
    for line in read_lines(stream):
        if isinstance(line, Fault):
            yield line
        else:
            yield from reading.read(line)
    yield from reading.close()


def read_head(values: dict[str, Any]) -> tuple[str, str, str | None]:
    """Read the session, the folder and the helper from the first line of a file."""
    inner = values.get("payload")
    meta: dict[str, Any] = inner if isinstance(inner, dict) else values
    own = short(meta.get("id"), LONGEST_NAME)
    source = meta.get("source")
    helper = meta.get("thread_source") == "subagent" or isinstance(source, dict)
    parent = (meta.get(name) for name in ("session_id", "parent_thread_id", "forked_from_id"))
    first = next((one for one in parent if isinstance(one, str) and one), own) if helper else own
    return short(first, LONGEST_NAME), short(meta.get("cwd"), LONGEST_PATH), own if helper else None


class _Reading:
    def __init__(self) -> None:
        self.telling: Telling | None = None
        self.at: str | None = None

    def read(self, line: Line) -> Iterator[Read]:
        values = line.values
        self.at = read_time(values.get("timestamp")) or self.at
        if self.telling is None:
            yield from self._open(line)
            return
        if self.at is None:
            yield Fault(
                line.number,
                "no timestamp",
            )
            return
        kind = values.get("type")
        payload = take(values.get("payload")) if "payload" in values else take(values)
        if payload is None:
            yield Fault(
                line.number,
                "no payload",
            )
        elif kind == "event_msg":
            yield from self._event(payload)
        elif kind == "turn_context":
            self.telling.cwd = short(payload.get("cwd"), LONGEST_PATH) or self.telling.cwd
            self.telling.turn = short(payload.get("turn_id"), LONGEST_NAME) or None
        elif kind == "compacted":
            text = payload.get("message")
            summary = text if isinstance(text, str) else ""
            yield from self.telling.compacted(line.number, self.at, "", summary, "")
        elif kind == "response_item" or "payload" not in values:
            yield from self._item(self.telling, line.number, self.at, payload)

    def _open(self, line: Line) -> Iterator[Read]:
        session, cwd, helper = read_head(line.values)
        if session:
            self.telling = Telling(CLIENT, session, helper, cwd)
        else:
            yield Fault(
                line.number,
                "no session",
            )

    def _event(self, payload: dict[str, Any]) -> Iterator[Read]:
        if self.telling is not None and payload.get("type") in _ENDS:
            yield from self.telling.end_turn()

    def _item(self, telling: Telling, line: int, at: str, item: dict[str, Any]) -> Iterator[Read]:
        kind = item.get("type")
        if kind == "message":
            yield from self._message(telling, line, at, item)
        elif kind in _CALLS:
            call = _name_call(item)
            telling.call(call, *_read_call(item))
        elif kind in _RESULTS:
            call = _name_call(item)
            output, failed, milliseconds = _read_output(item.get("output"))
            own = f"{telling.session}|{telling.agent or ''}|{call}"
            more = {"failed": failed, "milliseconds": milliseconds}
            yield from telling.result(line, at, own, call, output, **more)
        elif kind == "web_search_call":
            action = item.get("action")
            telling.call("search", "WebSearch", action if isinstance(action, dict) else {})
            yield from telling.result(line, at, "", "search", "")

    def _message(
        self, telling: Telling, line: int, at: str, item: dict[str, Any]
    ) -> Iterator[Read]:
        own = short(item.get("id"), LONGEST_NAME)
        own = own and f"{telling.session}|{telling.agent or ''}|{own}"
        if item.get("role") == "assistant":
            text = "\n".join(_texts(item))
            if text.strip():
                telling.say(line, at, own, text, "")
        elif item.get("role") == "user" and telling.agent is None:
            spoken = [text for text in _texts(item) if not text.lstrip().startswith(_NOT_SPOKEN)]
            text = "\n".join(spoken).strip()
            if text:
                yield from telling.prompt(line, at, own, text)

    def close(self) -> Iterator[Read]:
        """Close what the file leaves open."""
        if self.telling is not None:
            yield from self.telling.end_turn(at_end=True)


def _texts(item: dict[str, Any]) -> list[str]:
    content = item.get("content")
    if isinstance(content, str):
        return [content]
    parts = content if isinstance(content, list) else []
    return [one["text"] for one in parts if isinstance(one, dict) and _is_text(one.get("text"))]


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _name_call(item: dict[str, Any]) -> str:
    return short(item.get("call_id"), LONGEST_NAME) or short(item.get("id"), LONGEST_NAME)


def _read_call(item: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    if item["type"] == "local_shell_call":
        action = item.get("action")
        return "Bash", {"command": _line(action.get("command") if isinstance(action, dict) else "")}
    name = short(item.get("name"), LONGEST_NAME) or "tool_search"
    given = _arguments(item.get("arguments", item.get("input")))
    if name in _SHELLS:
        return "Bash", {"command": _line(next((given[one] for one in _LINES if one in given), ""))}
    if name == "apply_patch":
        return name, {"command": given.get("input", given.get("patch", ""))}
    space = short(item.get("namespace"), LONGEST_NAME)
    if space.startswith("mcp__") and not name.startswith("mcp__"):
        name = f"{space.rstrip('_')}__{name}"
    return name, given


def _arguments(value: Any) -> dict[str, Any]:
    if isinstance(value, dict):
        return value
    if not isinstance(value, str):
        return {}
    try:
        inner = take(json.loads(value))
    except (ValueError, RecursionError):
        inner = None
    return {"input": value} if inner is None else inner


def _line(command: Any) -> str:
    """Write a command as the one line that a person would type."""
    if isinstance(command, list) and all(_is_text(word) for word in command):
        if len(command) == 3 and command[1] in ("-lc", "-c"):
            return str(command[2])
        return shlex.join(command)
    return command if isinstance(command, str) else ""


def _read_output(value: Any) -> tuple[str, bool, int | None]:
    """Read an output: its text, whether it failed, and how long it took."""
    code: Any = None
    if isinstance(value, str) and value.startswith('{"output"'):
        told = _arguments(value)
        metadata = told.get("metadata")
        code = metadata.get("exit_code") if isinstance(metadata, dict) else None
        value = told.get("output")
    failed = isinstance(value, dict) and value.get("success") is False
    text = as_text(value)
    header = _HEADER.match(text)
    if header is None:
        return text, failed or code not in (None, 0) or text.startswith(_REFUSED), None
    code = next((int(one) for one in (header[1], header[3]) if one), code)
    text = text[header.end() :]
    failed = failed or code not in (None, 0) or text.startswith(_REFUSED)
    return text, failed, _milliseconds(header[2])


def _milliseconds(seconds: str) -> int | None:
    try:
        return int(float(seconds) * 1000)
    except ValueError:
        return None
