"""The real claude command as a model, before a scripted server."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from tests.models.scripted import response

from dmm.config import ModelConfig
from dmm.errors import ModelFailed
from dmm.models.choose import choose_model
from dmm.models.port import Completion

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.models.scripted import Asked, Server

    from dmm.models.port import ChatModel

pytestmark = pytest.mark.slow

ANSWER = '{"verdict": "rejected"}'


def events(text: str) -> Iterator[dict[str, Any]]:
    usage = {"input_tokens": 40, "output_tokens": 1}
    message = {"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": []}
    yield {"type": "message_start", "message": message | {"stop_reason": None, "usage": usage}}
    block = {"type": "text", "text": ""}
    yield {"type": "content_block_start", "index": 0, "content_block": block}
    said = {"type": "text_delta", "text": text}
    yield {"type": "content_block_delta", "index": 0, "delta": said}
    yield {"type": "content_block_stop", "index": 0}
    end = {"stop_reason": "end_turn", "stop_sequence": None}
    yield {"type": "message_delta", "delta": end, "usage": {"output_tokens": 9}}
    yield {"type": "message_stop"}


def stream(asked: Asked) -> Iterator[bytes]:
    yield b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"
    for one in events(ANSWER):
        yield f"event: {one['type']}\ndata: {json.dumps(one)}\n\n".encode()


@pytest.fixture
def model(real_claude: Path, tmp_path: Path, server: Server) -> ChatModel:
    """The command of a user who has hooks, an MCP server and memories of their own."""
    server.pieces = stream
    home, temporary = tmp_path / "home", tmp_path / "temporary"
    (home / ".claude").mkdir(parents=True)
    temporary.mkdir()
    hook = {"hooks": [{"type": "command", "command": f"touch {tmp_path}/hook-ran"}]}
    hooks = {"hooks": {"SessionStart": [hook], "UserPromptSubmit": [hook], "Stop": [hook]}}
    (home / ".claude" / "settings.json").write_text(json.dumps(hooks))
    servers = {"other": {"command": "touch", "args": [f"{tmp_path}/server-ran"]}}
    (home / ".claude.json").write_text(json.dumps({"mcpServers": servers}))
    for folder in (home / ".claude", temporary):
        (folder / "CLAUDE.md").write_text("LEAKED memory")
        (folder / "AGENTS.md").write_text("LEAKED rules")
    (tmp_path / "private.txt").write_text("LEAKED file")
    environ = {
        "PATH": f"{real_claude}:/usr/bin:/bin",
        "HOME": str(home),
        "TMPDIR": str(temporary),
        "REVIEW_KEY": "not-a-key",
    }
    config = ModelConfig(
        provider="claude", name="some-model", base_url=server.url, api_key_env="REVIEW_KEY"
    )
    found = choose_model(config, environ)
    assert found is not None
    return found


@pytest.fixture
def ask(model: ChatModel) -> Callable[[str], Completion]:
    return lambda user: model.complete("You review memories.", user, max_tokens=900, deadline=90)


def test_it_answers_one_question_without_tools_and_without_the_users_own_things(
    ask: Callable[[str], Completion], server: Server, tmp_path: Path
) -> None:
    question = f"Review this.\n| see @{tmp_path}/private.txt and @private.txt\n| /init\n| !ls\n"
    assert ask(question) == Completion(ANSWER, 40, 9)
    (asked,) = [one for one in server.asked if one.line.startswith("POST /v1/messages")]
    assert asked.headers["x-api-key"] == "not-a-key"
    assert (asked.body["model"], asked.body["max_tokens"]) == ("some-model", 900)
    assert not asked.body.get("tools")
    assert "You review memories." in json.dumps(asked.body["system"])
    assert "LEAKED" not in json.dumps(asked.body)
    assert "| /init" in json.dumps(asked.body["messages"])
    assert not (tmp_path / "hook-ran").exists()
    assert not (tmp_path / "server-ran").exists()
    assert not (tmp_path / "home" / ".claude" / "projects").exists()


def test_a_server_that_refuses_it_is_told(ask: Callable[[str], Completion], server: Server) -> None:
    error = {"type": "authentication_error", "message": "invalid x-api-key"}
    server.say({"type": "error", "error": error}, "401 Unauthorized")
    with pytest.raises(ModelFailed) as caught:
        ask("Review this.")
    assert caught.value.fault == "refused"
    assert "not-a-key" not in str(caught.value)


def test_a_server_that_is_busy_for_a_moment_is_asked_again(
    ask: Callable[[str], Completion], server: Server
) -> None:
    busy = response(b'{"type": "error"}', "529 Overloaded", Retry_After="0")
    server.pieces = lambda asked: iter([busy]) if len(server.asked) < 3 else stream(asked)
    assert ask("Review this.") == Completion(ANSWER, 40, 9)
    assert len(server.asked) == 3


def test_a_server_that_is_down_is_told(ask: Callable[[str], Completion], server: Server) -> None:
    server.close()
    with pytest.raises(ModelFailed) as caught:
        ask("Review this.")
    assert caught.value.fault in ("refused", "unreachable")


def test_a_server_that_is_slow_does_not_hold_the_caller(model: ChatModel, server: Server) -> None:
    server.pause = 0.05
    server.pieces = lambda _: iter([b"HTTP/1.1 200 OK\r\nX: ", *[b"y"] * 10_000])
    with pytest.raises(ModelFailed) as caught:
        model.complete("You review memories.", "Review this.", max_tokens=900, deadline=8)
    assert caught.value.fault == "late"
    assert server.hung_up.wait(20)
