"""What is recorded of a report."""

from __future__ import annotations

import json
from typing import Any

import pytest

from dmm.domain.event import EventType, Trust, canonical
from dmm.domain.plain import to_plain
from dmm.sessions.events import cut, describe_event, summarise
from dmm.sessions.payload import parse_payload


def describe(client: str = "claude-code", **values: Any) -> Any:
    data = json.dumps({"session_id": "s", "cwd": "/srv/shop", **values}).encode()
    described = describe_event(parse_payload(client, data))
    if described is None:
        return None
    told, trust = described
    return told.kinds[0], to_plain(told), trust


def test_a_prompt_is_what_the_user_said() -> None:
    told = describe(hook_event_name="UserPromptSubmit", prompt="What build?", prompt_id="p")

    assert told == (
        EventType.USER_MESSAGE_RECEIVED, {"text": "What build?", "turn": "p"}, Trust.USER,
    )  # fmt: skip


def test_a_request_is_what_the_agent_wants() -> None:
    told = describe(
        hook_event_name="PreToolUse", tool_name="Bash", tool_input={"command": "ls  -l\nx"},
        tool_use_id="t", agent_id="a",
    )  # fmt: skip

    assert told == (
        EventType.TOOL_REQUESTED,
        {
            "tool": "Bash", "input": {"command": "ls  -l\nx"}, "cwd": "/srv/shop",
            "text": "ls -l x", "call": "t", "agent": "a",
        },
        Trust.AGENT,
    )  # fmt: skip


def test_an_output_is_what_a_tool_said() -> None:
    told = describe(
        hook_event_name="PostToolUse", tool_name="Read", tool_input={"file_path": "/a.py"},
        tool_response="x = 1", duration_ms=3, tool_use_id="t",
    )  # fmt: skip

    assert told == (
        EventType.TOOL_USED,
        {
            "tool": "Read", "input": {"file_path": "/a.py"}, "cwd": "/srv/shop",
            "text": "Read /a.py", "call": "t", "milliseconds": 3, "output": "x = 1",
        },
        Trust.TOOL,
    )  # fmt: skip


def test_a_failure_is_recorded_with_its_error() -> None:
    kind, payload, trust = describe(
        hook_event_name="PostToolUseFailure",
        tool_name="Bash",
        tool_input={"command": "x"},
        error="2",
    )

    assert (kind, payload["error"], trust) == (EventType.TOOL_FAILED, "2", Trust.TOOL)


@pytest.mark.parametrize(
    ("values", "told"),
    [
        (
            {"hook_event_name": "SessionStart", "source": "startup"},
            (
                EventType.SESSION_STARTED,
                {"client": "claude-code", "cwd": "/srv/shop", "source": "startup"},
            ),
        ),
        ({"hook_event_name": "SessionEnd", "reason": "clear"},
         (EventType.SESSION_ENDED, {"reason": "clear"})),
        ({"hook_event_name": "PreCompact", "trigger": "auto"},
         (EventType.CONTEXT_COMPACTED, {"stage": "before", "trigger": "auto"})),
        ({"hook_event_name": "PostCompact", "trigger": "auto", "compact_summary": "short"},
         (EventType.CONTEXT_COMPACTED, {"stage": "after", "trigger": "auto", "text": "short"})),
        ({"hook_event_name": "Stop", "last_assistant_message": "done", "prompt_id": "p"},
         (EventType.TURN_ENDED, {"text": "done", "turn": "p"})),
        ({"hook_event_name": "SubagentStop", "last_assistant_message": "done", "agent_id": "a"},
         (EventType.SUBAGENT_ENDED, {"text": "done", "agent": "a"})),
    ],
)  # fmt: skip
def test_the_course_of_a_session_is_the_agents_word(
    values: dict[str, Any], told: tuple[EventType, dict[str, Any]]
) -> None:
    assert describe(**values) == (*told, Trust.AGENT)


def test_what_is_of_no_use_is_not_recorded() -> None:
    assert describe(hook_event_name="Notification", message="hello") is None


def test_a_secret_of_the_command_is_in_no_part_of_the_record() -> None:
    _, payload, _ = describe(
        hook_event_name="PostToolUse", tool_name="Bash",
        tool_input={"command": "PGPASSWORD=s3cr3tword psql", "description": "as s3cr3tword"},
        tool_response={"stdout": "FATAL: s3cr3tword", "stderr": "<private>x</private>"},
    )  # fmt: skip

    assert "s3cr3tword" not in canonical(payload)
    assert payload["text"] == "PGPASSWORD=[redacted:password] psql"
    assert payload["redacted"] == {"password": 3, "private": 1}


def test_a_secret_at_the_cut_is_taken_out_before_it_is_cut() -> None:
    secret = "ghp_" + "k3Jd9sL2mQ8xV5bN7rT1yH6gP4wZ0cAeUiOq"
    for shift in range(0, 60, 7):
        output = "x " * (990 + shift // 2) + secret + " y" * 4000
        _, payload, _ = describe(
            hook_event_name="PostToolUse", tool_name="Bash", tool_input={}, tool_response=output
        )
        assert secret[:12] not in payload["output"]


def test_long_texts_keep_their_start_and_end() -> None:
    text = "a" * 3000 + "b" * 3000
    _, payload, _ = describe(
        hook_event_name="PostToolUse", tool_name="Write",
        tool_input={"file_path": "/a", "content": "c" * 5000, "lines": ["d"] * 80},
        tool_response=text,
    )  # fmt: skip

    assert payload["output"] == "a" * 2000 + "\n[2000 characters left out]\n" + "b" * 2000
    assert payload["input"]["content"] == "c" * 1000 + "\n[3000 characters left out]\n" + "c" * 1000
    assert payload["input"]["lines"] == ["d"] * 50
    assert cut("abc", 3) == "abc"


@pytest.mark.parametrize(
    ("tool", "given", "line"),
    [
        ("Bash", {"command": "git  status", "description": "look"}, "git status"),
        ("Grep", {"pattern": "TODO", "path": "src"}, "Grep TODO src"),
        ("WebFetch", {"url": "https://x.example.com", "prompt": "read it"},
         "WebFetch https://x.example.com read it"),
        ("mcp__dmm__memory_search", {"query": "build"}, "mcp__dmm__memory_search build"),
        ("shell", {"command": ["git", "status"]}, "shell git status"),
        ("Other", {"n": 3, "who": "me"}, "Other me"),
        ("Empty", {}, "Empty"),
    ],
)  # fmt: skip
def test_a_call_is_told_in_one_line(tool: str, given: dict[str, Any], line: str) -> None:
    assert summarise(tool, given) == line


def test_a_long_line_is_cut() -> None:
    assert len(summarise("Bash", {"command": "x " * 900})) == 300


def test_a_text_of_megabytes_is_cut_first_and_no_secret_reaches_into_what_is_kept() -> None:
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" * 2
    text = f"begin {token} " + "plain words of a log\n" * 100_000 + f" {token} end"
    call: dict[str, Any] = {"hook_event_name": "PostToolUse", "tool_name": "Bash"}
    _, payload, _ = describe(**call, tool_response=text)
    assert token not in str(payload)
    assert sum(payload["redacted"].values()) == 2
    kept = payload["output"]
    assert kept.startswith("begin [redacted:")
    gone = int(kept.partition("\n[")[2].partition(" ")[0])
    assert abs(gone + 4_000 - len(text)) < 200
    _, hidden, _ = describe(**call, tool_response=f"seen <private>{text}")
    assert hidden["output"] == "seen [redacted:private]"
