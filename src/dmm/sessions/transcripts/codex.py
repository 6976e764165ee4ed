"""Codex transcripts (rollouts).

Tools get the names and inputs that the client's hooks report for them.
"""

from __future__ import annotations

import json
import re
import shlex
from typing import TYPE_CHECKING, Any

from dmm.sessions.outputs import as_text
from dmm.sessions.transcripts.entry import Fault, read_time
from dmm.sessions.transcripts.lines import Line, Values, read_lines, take
from dmm.sessions.transcripts.telling import Telling

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
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


def read_head(values: Values) -> tuple[str, str, str | None]:
    """Read the session, the folder and the helper from the first line of a file."""
    meta = values.part("payload") if isinstance(values.get("payload"), dict) else values
    own = meta.name("id")
    if meta.get("thread_source") != "subagent" and not isinstance(meta.get("source"), dict):
        return own, meta.path("cwd"), None
    parents = ("session_id", "parent_thread_id", "forked_from_id", "id")
    first = next((name for name in parents if meta.text(name)), "id")
    return meta.name(first), meta.path("cwd"), own


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
            yield Fault(line.number, "no timestamp")
            return
        kind = values.get("type")
        payload = values.copy("payload") if "payload" in values else take(values.data)
        if payload is None:
            yield Fault(line.number, "no payload")
        elif kind == "event_msg":
            yield from self._event(payload)
        elif kind == "turn_context":
            self.telling.cwd = payload.path("cwd") or self.telling.cwd
            self.telling.turn = payload.name("turn_id") or None
        elif kind == "compacted":
            summary = payload.text("message")
            yield from self.telling.compacted(line.number, self.at, "", summary, "")
        elif kind == "response_item" or "payload" not in values:
            yield from self._item(self.telling, line.number, self.at, payload)

    def _open(self, line: Line) -> Iterator[Read]:
        session, cwd, helper = read_head(line.values)
        if session:
            self.telling = Telling(CLIENT, session, helper, cwd)
        else:
            yield Fault(line.number, "no session")

    def _event(self, payload: Values) -> Iterator[Read]:
        if self.telling is not None and payload.get("type") in _ENDS:
            yield from self.telling.end_turn()

    def _item(self, telling: Telling, line: int, at: str, item: Values) -> Iterator[Read]:
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
            telling.call("search", "WebSearch", item.part("action").data)
            yield from telling.result(line, at, "", "search", "")

    def _message(self, telling: Telling, line: int, at: str, item: Values) -> Iterator[Read]:
        own = item.name("id")
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


def _texts(item: Values) -> list[str]:
    content = item.get("content")
    if isinstance(content, str):
        return [content]
    return [part.text("text") for part in item.parts("content") if _is_text(part.get("text"))]


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _name_call(item: Values) -> str:
    return item.name("call_id") or item.name("id")


def _read_call(item: Values) -> tuple[str, Mapping[str, Any]]:
    if item.get("type") == "local_shell_call":
        return "Bash", {"command": _line(item.part("action").get("command"))}
    name = item.name("name") or "tool_search"
    given = _arguments(item.get("arguments" if "arguments" in item else "input"))
    if name in _SHELLS:
        found = next((one for one in _LINES if one in given), "")
        return "Bash", {"command": _line(given.get(found))}
    if name == "apply_patch":
        return name, {"command": given.data.get("input", given.data.get("patch", ""))}
    space = item.name("namespace")
    if space.startswith("mcp__") and not name.startswith("mcp__"):
        name = f"{space.rstrip('_')}__{name}"
    return name, given.data


def _arguments(value: object) -> Values:
    if not isinstance(value, str):
        return Values(value if isinstance(value, dict) else {})
    try:
        inner = take(json.loads(value))
    except (ValueError, RecursionError):
        inner = None
    return inner or Values({"input": value})


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
        code = told.part("metadata").get("exit_code")
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
