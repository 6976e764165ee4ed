"""Names of sessions, calls, agents and turns: kept as they are, unless they hold a secret."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.examples import many
from tests.redaction.secret_cases import Maker, make_cases

from dmm.clients.base import Keys
from dmm.eventlog.open_ledger import Actor
from dmm.hook.spool import _redact as redact_spooled
from dmm.redaction.identity import keep_identity
from dmm.sessions.events import describe_event
from dmm.sessions.payload import parse_payload
from dmm.sessions.service import deliver

TOKEN = "ghp_" + Maker(1).some(36)
USUAL = [
    "s",
    "5b1b6a3e-0000-4000-8000-000000000001",
    "ses_6bc4d5766ffeKJ2mQ8xV5bN7rT",
    "toolu_01A09q90qw90lq917835lq9",
    "call_MHxkSk9oYzZxT1BqRzV0WVJhQm1",
    "msg_68d1f0c3b2a1e5d4c6b7a8f9e0d1c2b3a4b5c6d7e8f9a0b1",
    "2026-11-15T01-11-18-0c3b2a1e-5d4c-6b7a",
    "opencode",
    "claude-code",
    "refs/heads/feature/login-v2",
]


@pytest.mark.parametrize("name", USUAL)
def test_a_name_without_a_secret_stays_as_it_is(name: str) -> None:
    assert keep_identity(name) == name


def test_a_name_with_a_secret_tells_its_kind_and_stays_apart_from_others() -> None:
    one, other = keep_identity(f"run-{TOKEN}"), keep_identity(f"run-{TOKEN[:-1]}x")

    assert one.startswith("run-[redacted:github-token]#")
    assert TOKEN not in one
    assert one == keep_identity(f"run-{TOKEN}")
    assert one != other


@settings(max_examples=many(200), deadline=None)
@given(st.one_of(st.text(max_size=60), st.sampled_from([case.text for case in make_cases()])))
def test_a_name_that_was_kept_is_kept_as_it_is(name: str) -> None:
    once = keep_identity(name)

    assert keep_identity(once) == once


def payload(**more: Any) -> bytes:
    values = {
        "hook_event_name": "PostToolUse",
        "tool_name": "Bash",
        "tool_input": {},
        "cwd": "/srv",
    }
    return json.dumps(values | {"session_id": "s", "tool_response": "ok"} | more).encode()


@pytest.mark.parametrize("name", Keys().identities)
def test_no_name_of_a_payload_carries_a_secret_anywhere(name: str) -> None:
    values: dict[str, Any] = {name: f"x-{TOKEN}"}
    if name in ("sessionId", "sessionID", "conversation_id"):
        values["session_id"] = None
    event = parse_payload("claude-code", payload(**values))
    kept = redact_spooled("claude-code", b"n\n/srv/.dmm\n" + payload(**values))

    delivered = deliver(event)
    assert TOKEN not in f"{event}{delivered.told}{delivered.actor}{describe_event(event)}"
    assert TOKEN.encode() not in kept
    # What is told at once and what is told later is the same event.
    later = parse_payload("claude-code", kept.split(b"\n", 2)[2])
    assert (later.session, later.call_id, later.agent, later.turn, later.key) == (
        event.session, event.call_id, event.agent, event.turn, event.key,
    )  # fmt: skip


@pytest.mark.parametrize("name", USUAL[1:])
def test_a_usual_name_is_the_same_at_once_and_later(name: str) -> None:
    values = {"session_id": name, "tool_use_id": name, "agent_id": name, "prompt_id": name}
    later = redact_spooled("claude-code", b"n\n/srv/.dmm\n" + payload(**values)).split(b"\n", 2)[2]

    event = parse_payload("claude-code", later)
    assert (event.session, event.call_id, event.agent, event.turn) == (name, name, name, name)


@pytest.mark.parametrize("field", ["tool_name", "source", "reason"])
def test_what_else_a_payload_tells_is_recorded_without_secrets(field: str) -> None:
    kind = {"tool_name": "PreToolUse", "source": "SessionStart", "reason": "SessionEnd"}[field]
    event = parse_payload("claude-code", payload(hook_event_name=kind, **{field: f"a-{TOKEN}"}))

    assert TOKEN not in str(describe_event(event))


def test_whoever_speaks_is_named_without_secrets() -> None:
    actor = Actor(name=TOKEN, session=TOKEN)

    assert TOKEN not in str(actor)
    assert actor.session == keep_identity(TOKEN)
    assert Actor(name="codex", session="s-1") == Actor(name="codex", session="s-1")
