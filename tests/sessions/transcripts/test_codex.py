"""Transcripts of Codex, in the shapes that the real client writes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from dmm.sessions.transcripts.entry import Entry

if TYPE_CHECKING:
    from tests.sessions.transcripts.conftest import Reader

CODEX = "codex"
SESSION = "01a1dec7-9100-73c1-b8cd-2433a9f96f87"
START = ("SessionStarted", "import")


def line(number: int, kind: str, **payload: Any) -> dict[str, Any]:
    stamp = f"2026-11-15T10:36:{number:02}.207Z"
    return {"timestamp": stamp, "ordinal": number, "type": kind, "payload": payload}


def meta(**more: Any) -> dict[str, Any]:
    told = {"session_id": SESSION, "id": SESSION, "cwd": "/srv/shop", "source": "exec"}
    return line(0, "session_meta", **told | more)


def item(number: int, kind: str, **more: Any) -> dict[str, Any]:
    return line(number, "response_item", type=kind, **more)


def message(number: int, role: str, *texts: str) -> dict[str, Any]:
    part = "output_text" if role == "assistant" else "input_text"
    content = [{"type": part, "text": text} for text in texts]
    return item(number, "message", id=f"msg_{number}", role=role, content=content)


def function(number: int, call: str, name: str, given: Any, **more: Any) -> dict[str, Any]:
    told = {"name": name, "arguments": json.dumps(given), "call_id": call}
    return item(number, "function_call", **told, **more)


def output(number: int, call: str, text: Any, kind: str = "function_call") -> dict[str, Any]:
    return item(number, f"{kind}_output", call_id=call, output=text)


def ran(code: int, text: str) -> str:
    head = f"Chunk ID: 96a134\nWall time: 0.2500 seconds\nProcess exited with code {code}\n"
    return f"{head}Original token count: 2\nOutput:\n{text}"


def test_a_session_is_told_as_its_hooks_would_have_told_it(reader: Reader) -> None:
    lines = [
        meta(),
        line(1, "event_msg", type="task_started", turn_id="t1"),
        message(2, "developer", "<permissions instructions>\nAll."),
        message(2, "user", "<environment_context>\n  <cwd>/srv/shop</cwd>"),
        line(2, "turn_context", turn_id="t1", cwd="/srv/shop/api"),
        message(3, "user", "make the file"),
        line(3, "event_msg", type="item_completed", item={"type": "UserMessage"}),
        function(4, "c1", "exec_command", {"cmd": "echo made"}),
        output(5, "c1", ran(0, "made\n")),
        message(6, "assistant", "All done."),
        line(7, "event_msg", type="task_complete", turn_id="t1", last_agent_message="All done."),
    ]
    assert reader.payloads(CODEX, lines) == [
        {"client": "codex", "cwd": "/srv/shop/api", "source": "import"},
        {"text": "make the file", "turn": "t1"},
        {
            "tool": "Bash",
            "input": {"command": "echo made"},
            "cwd": "/srv/shop/api",
            "text": "echo made",
            "call": "c1",
            "milliseconds": 250,
            "output": "made\n",
            "turn": "t1",
        },
        {"text": "All done.", "turn": "t1"},
    ]


def test_a_command_that_exits_with_another_status_failed(reader: Reader) -> None:
    lines = [
        meta(),
        function(1, "a", "exec_command", {"cmd": "exit 3"}),
        output(2, "a", ran(3, "no")),
        function(3, "b", "shell", {"command": ["bash", "-lc", "make test"]}),
        output(4, "b", json.dumps({"output": "bad", "metadata": {"exit_code": 2}})),
        function(5, "c", "view_image", {"path": "x.png"}),
        output(6, "c", "unsupported call: view_image"),
        function(7, "d", "exec_command", {"cmd": "sleep 9"}),
        output(8, "d", "Wall time: 0.1 seconds\naborted by user"),
    ]
    told = reader.told(CODEX, lines)[1:]
    assert told == [
        ("ToolFailed", "exit 3"),
        ("ToolFailed", "make test"),
        ("ToolFailed", "view_image x.png"),
        ("ToolFailed", "sleep 9"),
    ]
    errors = [one["error"] for one in reader.payloads(CODEX, lines)[1:]]
    assert errors == ["no", "bad", "unsupported call: view_image", "aborted by user"]


def test_tools_have_the_names_that_hooks_give_them(reader: Reader) -> None:
    patch = "*** Begin Patch\n*** Add File: b.py\n+x = 1\n*** End Patch\n"
    custom = {"name": "apply_patch", "input": patch, "call_id": "p"}
    local = {"action": {"type": "exec", "command": ["git", "log", "a b"]}, "call_id": "l"}
    lines = [
        meta(),
        item(1, "custom_tool_call", **custom),
        output(2, "p", "Exit code: 0\nWall time: 0 seconds\nOutput:\nSuccess.", "custom_tool_call"),
        function(3, "m", "memory_search", {"query": "build"}, namespace="mcp__dmm__"),
        output(4, "m", [{"type": "input_text", "text": "found"}]),
        item(5, "local_shell_call", **local),
        output(6, "l", "abc"),
        item(7, "web_search_call", action={"type": "search", "query": "sqlite wal"}),
    ]
    told = [
        (one["tool"], one["input"], one.get("output")) for one in reader.payloads(CODEX, lines)[1:]
    ]
    assert told == [
        ("apply_patch", {"command": patch}, "Success."),
        ("mcp__dmm__memory_search", {"query": "build"}, "found"),
        ("Bash", {"command": "git log 'a b'"}, "abc"),
        ("WebSearch", {"type": "search", "query": "sqlite wal"}, None),
    ]


def test_a_helper_belongs_to_the_session_that_sent_it(reader: Reader) -> None:
    spawned = {"subagent": {"thread_spawn": {"parent_thread_id": SESSION, "depth": 1}}}
    lines = [
        meta(id="helper-1", source=spawned, thread_source="subagent", parent_thread_id=SESSION),
        message(1, "user", "look around"),
        function(2, "c", "exec_command", {"cmd": "ls"}),
        output(3, "c", ran(0, "a.py")),
        message(4, "assistant", "I saw a.py."),
        line(5, "event_msg", type="task_complete"),
    ]
    assert reader.told(CODEX, lines) == [("ToolUsed", "ls"), ("SubagentEnded", "I saw a.py.")]
    assert {one["agent"] for one in reader.payloads(CODEX, lines)} == {"helper-1"}


@pytest.mark.parametrize("absent", [None, "", 7])
def test_a_helper_is_assigned_by_the_first_name_that_is_not_empty(
    reader: Reader, absent: object
) -> None:
    sent = {"session_id": absent, "parent_thread_id": SESSION}
    lines = [
        meta(id="helper-1", thread_source="subagent", **sent),
        message(1, "user", "look around"),
        message(2, "assistant", "I saw a.py."),
    ]
    (told,) = reader.read(CODEX, lines)
    assert isinstance(told, Entry)
    assert (told.event.session, told.event.agent) == (SESSION, "helper-1")


def test_an_item_names_no_session(reader: Reader) -> None:
    lines = [meta(id=None), message(1, "user", "go"), message(2, "assistant", "done")]
    assert reader.told(CODEX, lines) == [(f"line {number}", "no session") for number in (1, 2, 3)]


def test_a_compaction_is_told_with_its_summary(reader: Reader) -> None:
    lines = [meta(), message(1, "user", "go"), line(2, "compacted", message="We went.")]
    assert reader.told(CODEX, lines)[2:] == [("ContextCompacted", "We went.")]


def test_an_interrupted_turn_ends_with_what_was_said(reader: Reader) -> None:
    lines = [
        meta(),
        message(1, "user", "go"),
        message(2, "assistant", "I look."),
        function(3, "c", "exec_command", {"cmd": "ls"}),
        message(4, "user", "<turn_aborted>\nThe user interrupted the previous turn."),
        line(5, "event_msg", type="turn_aborted", reason="interrupted"),
    ]
    assert reader.told(CODEX, lines)[2:] == [("TurnEnded", "I look.")]


def test_a_file_of_the_first_versions_is_read_too(reader: Reader) -> None:
    lines: list[dict[str, Any]] = [
        {"id": SESSION, "timestamp": "2025-08-01T10:00:00.000Z", "instructions": None},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "go"}]},
        {"record_type": "state"},
        {"type": "function_call", "name": "shell", "arguments": "ls -l", "call_id": "c"},
        {"type": "function_call_output", "call_id": "c", "output": "x"},
    ]
    assert reader.told(CODEX, lines) == [
        START,
        ("UserMessageReceived", "go"),
        ("ToolUsed", "ls -l"),
    ]


def test_faulty_lines_are_told_and_the_rest_is_read(reader: Reader) -> None:
    lines: list[dict[str, Any]] = [
        {"type": "session_meta", "payload": {"cwd": "/x"}},
        {"type": "session_meta", "payload": {"id": "s"}},
        {"type": "response_item", "payload": {"type": "message"}},
        {"type": "response_item", "payload": 7, "timestamp": "2026-11-15T10:36:00Z"},
        output(1, "c", "x"),
    ]
    assert reader.told(CODEX, lines) == [
        (
            "line 1",
            "no session",
        ),
        (
            "line 3",
            "no timestamp",
        ),
        (
            "line 4",
            "no payload",
        ),
        ("line 5", "a result without its call"),
    ]
