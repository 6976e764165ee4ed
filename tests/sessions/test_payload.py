"""What clients report, read into one form."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.examples import many

from dmm.clients.registry import NAMES, find_client
from dmm.errors import UsageError
from dmm.sessions.payload import LARGEST, HookEvent, HookKind, parse_payload

SHARED = Path(__file__).parents[3] / "shared" / "clients" / "payloads"
COMMON = {"session_id": "s-1", "cwd": "/srv/shop"}


def parse(client: str = "claude-code", **values: Any) -> HookEvent:
    return parse_payload(client, json.dumps({**COMMON, **values}).encode())


def tool(name: str = "PreToolUse", **values: Any) -> dict[str, Any]:
    call = {"tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "t-1"}
    return {"hook_event_name": name, **call, **values}


@pytest.mark.parametrize(
    ("client", "name", "kind"),
    [
        ("claude-code", "SessionStart", "session_start"),
        ("claude-code", "UserPromptSubmit", "prompt"),
        ("claude-code", "PreToolUse", "tool_request"),
        ("claude-code", "PostToolUse", "tool_done"),
        ("claude-code", "PostToolUseFailure", "tool_failed"),
        ("claude-code", "PreCompact", "compact_start"),
        ("claude-code", "PostCompact", "compact_done"),
        ("claude-code", "Stop", "turn_end"),
        ("claude-code", "SubagentStop", "subagent_end"),
        ("claude-code", "SessionEnd", "session_end"),
        ("claude-code", "Notification", "other"),
        ("claude-code", "PostToolBatch", "other"),
        ("codex", "PreToolUse", "tool_request"),
        ("gemini", "BeforeAgent", "prompt"),
        ("gemini", "BeforeTool", "tool_request"),
        ("gemini", "AfterTool", "tool_done"),
        ("gemini", "PreCompress", "compact_start"),
        ("gemini", "AfterAgent", "turn_end"),
        ("gemini", "BeforeModel", "other"),
        ("cursor", "sessionStart", "session_start"),
        ("cursor", "beforeSubmitPrompt", "prompt"),
        ("cursor", "preToolUse", "tool_request"),
        ("cursor", "beforeShellExecution", "tool_request"),
        ("cursor", "stop", "turn_end"),
        ("opencode", "PreToolUse", "tool_request"),
        ("vscode", "PostToolUse", "tool_done"),
    ],
)
def test_an_event_is_known_by_the_name_that_its_client_gives_it(
    client: str, name: str, kind: str
) -> None:
    event = parse(client, **tool(name))

    assert (event.client, event.event, event.kind) == (client, name, kind)
    assert (event.session, event.cwd) == ("s-1", "/srv/shop")


def test_a_tool_call_is_read_with_all_that_is_told_about_it() -> None:
    answer = {"stdout": "a.py\n", "stderr": "warn", "interrupted": False}
    event = parse(**tool(
        "PostToolUse", tool_response=answer, duration_ms=12, prompt_id="p-1", agent_id="a-1",
    ))  # fmt: skip

    assert (event.tool, event.input, event.call_id) == ("Bash", {"command": "ls"}, "t-1")
    assert (event.output, event.milliseconds) == ("a.py\n\nwarn", 12)
    assert (event.turn, event.agent, event.unique) == ("p-1", "a-1", True)


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        ("plain", "plain"),
        (None, ""),
        ({"type": "text", "file": {"filePath": "/a", "content": "x = 1\n"}}, "x = 1\n"),
        ({"type": "update", "filePath": "/a", "structuredPatch": [], "content": "x"}, "update /a"),
        ({"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}, "a\nb"),
        ({"llmContent": "<untrusted_context>\nOutput: hi\n</untrusted_context>"}, "Output: hi"),
        ({"llmContent": [{"text": "hi"}], "returnDisplay": "x"}, "hi"),
        ([{"text": "a"}, "b"], "a\nb"),
        ([1, 2], "[1, 2]"),
        (3.5, "3.5"),
        ({"some": ["thing"]}, '{"some": ["thing"]}'),
    ],
)
def test_an_output_of_any_shape_becomes_text(answer: Any, text: str) -> None:
    assert parse(**tool("PostToolUse", tool_response=answer)).output == text


def test_an_answer_that_is_an_error_is_a_failed_call() -> None:
    wrong = {"content": [{"type": "text", "text": "no such table"}], "isError": True}
    event = parse("codex", **tool("PostToolUse", tool_response=wrong))

    assert (event.kind, event.output) == (HookKind.TOOL_FAILED, "no such table")


def test_a_failure_tells_its_error() -> None:
    event = parse(**tool("PostToolUseFailure", error="Exit code 2"))

    assert (event.kind, event.output) == (HookKind.TOOL_FAILED, "Exit code 2")


def test_a_notice_of_a_task_is_not_what_the_user_said() -> None:
    event = parse(hook_event_name="UserPromptSubmit", prompt=" <task-notification>\n<task-id>")

    assert (event.kind, event.prompt) == (HookKind.OTHER, "")


def test_context_that_gemini_puts_before_a_prompt_is_not_what_the_user_said() -> None:
    prompt = "<hook_context>our words</hook_context>\n\nWhat build system?"
    event = parse("gemini", hook_event_name="BeforeAgent", prompt=prompt, timestamp="t")

    assert event.prompt == "What build system?"


def test_cursor_is_read_by_its_own_names() -> None:
    event = parse_payload("cursor", json.dumps({
        "hook_event_name": "beforeShellExecution", "conversation_id": "c-1", "generation_id": "g-1",
        "workspace_roots": ["/srv/shop"], "command": "ls", "cwd": "",
    }).encode())  # fmt: skip

    assert (event.session, event.turn, event.cwd) == ("c-1", "g-1", "/srv/shop")
    assert (event.tool, event.input) == ("Bash", {"command": "ls"})


def test_an_input_given_as_text_is_read_as_json_where_it_is_json() -> None:
    asked = tool("beforeMCPExecution", tool_name="query", tool_input='{"sql": "select 1"}')

    assert parse("cursor", **asked).input == {"sql": "select 1"}
    assert parse("codex", **tool(tool_input="*** Begin Patch")).input == {
        "input": "*** Begin Patch"
    }


def test_a_summary_and_an_answer_are_read_as_output() -> None:
    done = parse(hook_event_name="PostCompact", trigger="manual", compact_summary="short")
    stop = parse(hook_event_name="Stop", last_assistant_message="done", stop_hook_active=False)
    after = parse("gemini", hook_event_name="AfterAgent", prompt="p", prompt_response="done")

    assert (done.output, done.source) == ("short", "manual")
    assert stop.output == after.output == "done"


def test_the_same_delivery_through_two_clients_has_one_key() -> None:
    first = parse("claude-code", **tool())
    second = parse("cursor", **tool("preToolUse", tool_input={"command": "ls", "extra": 1}))

    assert first.key == second.key
    assert first.unique
    assert second.unique


def test_different_deliveries_have_different_keys() -> None:
    events = [
        parse(**tool()),
        parse(**tool("PostToolUse", tool_response="a")),
        parse(**tool(tool_use_id="t-2")),
        parse(**tool(session_id="s-2")),
        parse(hook_event_name="UserPromptSubmit", prompt="a", prompt_id="p-1"),
        parse(hook_event_name="UserPromptSubmit", prompt="b", prompt_id="p-1"),
        parse(hook_event_name="UserPromptSubmit", prompt="a", prompt_id="p-2"),
        parse(hook_event_name="SessionStart", source="startup"),
        parse(hook_event_name="SessionStart", source="clear"),
        parse(hook_event_name="SessionEnd", reason="clear"),
        parse(hook_event_name="Stop", prompt_id="p-1", last_assistant_message="a"),
        parse(hook_event_name="Notification", message="a"),
        parse(hook_event_name="Notification", message="b"),
    ]

    assert len({event.key for event in events}) == len(events)


@pytest.mark.parametrize("name", ["SessionStart", "SessionEnd", "PreCompact", "Stop", "Whatever"])
def test_what_may_happen_again_is_not_unique(name: str) -> None:
    assert not parse(hook_event_name=name, prompt_id="p-1").unique


def test_a_call_without_an_id_is_unique_by_its_moment() -> None:
    asked = tool("BeforeTool", tool_use_id=None)
    now = parse("gemini", **asked, timestamp="2026-11-15T01:11:16.519Z")
    later = parse("gemini", **asked, timestamp="2026-11-15T01:11:17.519Z")

    assert now.unique
    assert now.key != later.key
    assert not parse("gemini", **asked).unique


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (b"", "not JSON"),
        (b"{", "not JSON"),
        (b"\xff\xfe", "not UTF-8"),
        (b"[]", "not a JSON object"),
        (b"{}", "no hook_event_name"),
        (b'{"hook_event_name": "Stop"}', "no session_id"),
        (b'{"hook_event_name": 3}', "hook_event_name in the hook's payload is not text"),
        (b'{"hook_event_name": "Stop", "session_id": []}', "session_id in the hook's"),
        (b'{"hook_event_name": "PreToolUse", "session_id": "s"}', "no tool_name"),
        (json.dumps({**COMMON, **tool(tool_input=[1])}).encode(), "tool_input in the hook's"),
        (json.dumps({**COMMON, **tool(tool_name="x" * 600)}).encode(), "longer than 512"),
        (b'{"a": ' + b"[" * 100_000 + b"]" * 100_000 + b"}", "not JSON"),
        (b'{"a": ' + b"[" * 40 + b"]" * 40 + b"}", "nested deeper than 32 levels"),
        (b'{"a": ' + b"9" * 5000 + b"}", "not JSON"),
        (b" " * (LARGEST + 1), "larger than 16 MiB"),
    ],
)
def test_a_malformed_payload_is_refused_in_plain_words(data: bytes, what: str) -> None:
    with pytest.raises(UsageError, match=what.replace("(", r"\(")):
        parse_payload("claude-code", data)


def test_an_unknown_client_is_refused() -> None:
    with pytest.raises(UsageError, match="unknown client 'emacs'"):
        parse_payload("emacs", b"{}")


def test_numbers_and_signs_that_nothing_can_hold_are_left_out() -> None:
    data = b'{"hook_event_name": "PreToolUse", "session_id": "s", "tool_name": "T",'
    data += b'"tool_input": {"a": NaN, "b": 1e999, "c": "\\ud800"}}'

    assert parse_payload("codex", data).input == {"a": None, "b": None, "c": "?"}


ANY = st.recursive(
    st.one_of(st.none(), st.booleans(), st.floats(), st.text(max_size=12), st.integers()),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=8,
)
FIELDS = st.sampled_from([
    "hook_event_name", "session_id", "cwd", "tool_name", "tool_input", "tool_response", "prompt",
    "tool_use_id", "prompt_id", "timestamp", "duration_ms", "agent_id", "source", "error",
])  # fmt: skip


@settings(max_examples=many(400), deadline=None)
@given(
    client=st.sampled_from(NAMES),
    name=st.sampled_from(["PreToolUse", "PostToolUse", "UserPromptSubmit", "Stop", "AfterTool"]),
    values=st.dictionaries(FIELDS, ANY, max_size=6),
)
def test_any_json_is_read_or_refused(client: str, name: str, values: dict[str, Any]) -> None:
    data = json.dumps({"hook_event_name": name, "session_id": "s", **values}).encode()
    try:
        event = parse_payload(client, data)
    except UsageError:
        return
    assert event.session
    json.dumps(dict(event.input), allow_nan=False)


@settings(max_examples=many(200), deadline=None)
@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    with pytest.raises(UsageError):
        parse_payload("codex", data)


@pytest.mark.skipif(not SHARED.is_dir(), reason="the captured payloads are not here")
@pytest.mark.parametrize(
    ("folder", "client"),
    [
        ("claude-code-2.1.197", "claude-code"),
        ("claude-code-2.1.325", "claude-code"),
        ("codex-0.166.0", "codex"),
        ("gemini-cli-0.61.0", "gemini"),
    ],
)
def test_every_captured_payload_is_read(folder: str, client: str) -> None:
    files = sorted((SHARED / folder).glob("*.json"))
    lines = [
        json.loads(line)["stdin"]
        for path in sorted((SHARED / folder).glob("session-*.jsonl"))
        for line in path.read_text("utf-8").splitlines()
    ]
    payloads = [json.loads(path.read_text("utf-8")) for path in files] + lines

    events = [parse_payload(client, json.dumps(one).encode()) for one in payloads]
    assert len(events) > 10
    named = {event.event: event.kind for event in events}
    assert named["SessionStart"] is HookKind.SESSION_START
    assert all(event.tool for event in events if event.kind.startswith("tool_"))
    unique = [event.key for event in events[len(files) :] if event.unique]
    assert len(set(unique)) == len(unique)


# What json.loads, or what can be recorded, has a limit for.
UNREADABLE = {
    "levels": '{"command": "terraform destroy", "x": ' + "[" * 40 + "]" * 40 + "}",
    "many levels": '{"command": "terraform destroy", "x": ' + "[" * 5000 + "]" * 5000 + "}",
    "digits": ' {\n"command": "terraform destroy", "x": ' + "9" * 5000 + "}",
    "cut off": '{"command": "terraform destroy"',
    "byte order mark": '\ufeff{"command": "terraform destroy"}',
}


@pytest.mark.parametrize("client", ["claude-code", "codex", "copilot", "gemini", "opencode"])
@pytest.mark.parametrize("text", UNREADABLE.values(), ids=UNREADABLE)
def test_arguments_that_begin_as_an_object_and_can_not_be_read_are_refused(
    client: str, text: str
) -> None:
    event = next(
        name for name, kind in find_client(client).known_events.items() if kind == "tool_request"
    )
    names = {"hook_event_name": event, "hookEventName": event, "sessionId": "s", "toolName": "bash"}
    payload = {**COMMON, **tool(tool_input=text), **names, "toolArgs": text}
    with pytest.raises(UsageError, match=r"tool_input in the hook's payload is (not|nested)"):
        parse_payload(client, json.dumps(payload).encode())


def test_a_text_that_is_no_object_is_the_input_itself() -> None:
    for text in ("*** Begin Patch", "{ echo a; }", "[1]", "{'a': 1}"):
        found = parse_payload("codex", json.dumps({**COMMON, **tool(tool_input=text)}).encode())
        assert found.input == {"input": text}


@pytest.mark.parametrize(
    ("response", "status"),
    [
        ({"exit_code": None, "metadata": {"exit_code": 1}}, 1),
        ({"exitCode": 0, "metadata": {"exit_code": 1}}, 0),
        ({"metadata": {"exit_code": 3}}, 3),
        ({"metadata": None}, None),
    ],
)
def test_the_exit_status_is_the_outer_one_or_else_that_of_the_metadata(
    response: object, status: int | None
) -> None:
    found = parse("codex", **tool("PostToolUse", tool_response=response))
    assert found.exit_status == status


@pytest.mark.parametrize("moment", ["", 0])
def test_an_empty_moment_makes_no_prompt_unique(moment: object) -> None:
    assert not parse(hook_event_name="UserPromptSubmit", prompt="go", timestamp=moment).unique


def test_a_field_without_a_name_is_not_read() -> None:
    named = {**COMMON, **tool(), "": {"tool_name": "Read", "tool_input": {}, "output": "x"}}
    plain = parse_payload("claude-code", json.dumps({**COMMON, **tool()}).encode())
    assert parse_payload("claude-code", json.dumps(named).encode()) == plain
