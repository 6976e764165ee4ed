"""What a hook prints, exactly as each client takes it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from dmm.sessions.payload import HookEvent, parse_payload
from dmm.sessions.reply import ASK_FIRST, NO_REASON, Reply, write_reply


def event(client: str, name: str) -> HookEvent:
    values = {"hook_event_name": name, "session_id": "s", "tool_name": "Bash", "prompt": "p"}
    return parse_payload(client, json.dumps(values).encode())


def said(client: str, name: str, reply: Reply) -> Any:
    written = write_reply(event(client, name), reply)
    return json.loads(written) if written else None


@pytest.mark.parametrize("client", ["claude-code", "codex", "vscode"])
@pytest.mark.parametrize("name", ["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse"])
def test_context_goes_to_the_model(client: str, name: str) -> None:
    assert said(client, name, Reply(context="remember")) == {
        "hookSpecificOutput": {"hookEventName": name, "additionalContext": "remember"}
    }


@pytest.mark.parametrize("client", ["claude-code", "codex", "vscode"])
def test_a_denied_call_is_told_with_its_reason(client: str) -> None:
    assert said(client, "PreToolUse", Reply(decision="deny", reason="never force push")) == {
        "hookSpecificOutput": {
            "hookEventName": "PreToolUse",
            "permissionDecision": "deny",
            "permissionDecisionReason": "never force push",
        }
    }


def test_a_refusal_is_never_without_words() -> None:
    told = said("codex", "PreToolUse", Reply(decision="deny", reason="  "))

    assert told["hookSpecificOutput"]["permissionDecisionReason"] == NO_REASON


def test_claude_asks_the_user_and_codex_makes_the_agent_ask() -> None:
    reply = Reply(decision="ask", reason="production is touched")
    claude, codex = (said(one, "PreToolUse", reply) for one in ("claude-code", "codex"))

    assert claude["hookSpecificOutput"]["permissionDecision"] == "ask"
    assert claude["hookSpecificOutput"]["permissionDecisionReason"] == "production is touched"
    assert codex["hookSpecificOutput"] == {
        "hookEventName": "PreToolUse",
        "permissionDecision": "deny",
        "permissionDecisionReason": f"production is touched {ASK_FIRST}",
    }


def test_a_warning_reaches_the_model_and_stops_nothing() -> None:
    assert said("claude-code", "PreToolUse", Reply(warning="old style", context="see a.md")) == {
        "hookSpecificOutput": {
            "hookEventName": "PreToolUse", "additionalContext": "old style\n\nsee a.md",
        }
    }  # fmt: skip


@pytest.mark.parametrize("client", ["claude-code", "codex", "gemini", "cursor", "opencode"])
@pytest.mark.parametrize("name", ["Stop", "PreCompact", "SessionEnd", "Notification"])
def test_where_a_client_takes_nothing_nothing_is_said(client: str, name: str) -> None:
    assert write_reply(event(client, name), Reply("context", "deny", "reason", "warning")) == b""


def test_nothing_to_say_is_no_output() -> None:
    assert write_reply(event("claude-code", "PreToolUse"), Reply()) == b""


@pytest.mark.parametrize(
    ("name", "reply", "told"),
    [
        ("BeforeTool", Reply(decision="deny", reason="no"), {"decision": "deny", "reason": "no"}),
        ("BeforeTool", Reply(decision="ask", reason="no"),
         {"decision": "deny", "reason": f"no {ASK_FIRST}"}),
        ("BeforeTool", Reply(warning="careful"), {"systemMessage": "careful"}),
        ("BeforeTool", Reply(context="more"), None),
        ("BeforeAgent", Reply(context="more"),
         {"hookSpecificOutput": {"hookEventName": "BeforeAgent", "additionalContext": "more"}}),
    ],
)  # fmt: skip
def test_gemini_is_told_in_its_own_form(name: str, reply: Reply, told: Any) -> None:
    assert said("gemini", name, reply) == told


@pytest.mark.parametrize(
    ("name", "reply", "told"),
    [
        ("preToolUse", Reply(decision="deny", reason="no"),
         {"permission": "deny", "user_message": "no", "agent_message": "no"}),
        ("preToolUse", Reply(decision="ask", reason="no"),
         {"permission": "deny", "user_message": f"no {ASK_FIRST}",
          "agent_message": f"no {ASK_FIRST}"}),
        ("beforeShellExecution", Reply(decision="ask", reason="no"),
         {"permission": "ask", "user_message": "no", "agent_message": "no"}),
        ("sessionStart", Reply(context="more"), {"additional_context": "more"}),
        ("beforeSubmitPrompt", Reply(context="more"), None),
        ("preToolUse", Reply(warning="careful"), None),
    ],
)  # fmt: skip
def test_cursor_is_told_in_its_own_form(name: str, reply: Reply, told: Any) -> None:
    assert said("cursor", name, reply) == told


def test_our_plugin_for_opencode_is_told_plainly() -> None:
    asked = Reply(decision="ask", reason="no")

    assert said("opencode", "PreToolUse", Reply(decision="deny", reason="no")) == {"deny": "no"}
    assert said("opencode", "PreToolUse", asked) == {"deny": f"no {ASK_FIRST}"}
    assert said("opencode", "UserPromptSubmit", Reply(context="more")) == {"context": "more"}
