"""A session of an agent as its hooks report it, captured as in life and numbered like a ledger."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import pytest

from dmm.domain.event import Event
from dmm.domain.plain import to_plain
from dmm.observations.distil import distil
from dmm.sessions.events import describe_event
from dmm.sessions.payload import parse_payload

if TYPE_CHECKING:
    from collections.abc import Callable

    from dmm.domain.observation import Observation

ROOT = "/srv/shop"


@lru_cache(maxsize=512)
def captured(client: str, told: bytes) -> tuple[str, dict[str, Any], str]:
    """Capture what a hook tells; what is told again is captured the same."""
    described = describe_event(parse_payload(client, told))
    assert described is not None
    kind, payload = described.told.kinds[0], to_plain(described.told)
    return str(kind), payload, str(described.trust)


@dataclass
class Talk:
    """Writes down what happens; each method is one event."""

    name: str = "s1"
    client: str = "claude-code"
    events: list[Event] = field(default_factory=list)

    def record(
        self, kind: str, trust: str = "user", session: str | None = None, /, **said: Any
    ) -> int:
        seq = len(self.events) + 1
        at = f"2026-11-15T10:{seq // 60 % 60:02d}:{seq % 60:02d}.000+00:00"
        actor = self.client if session else "user"
        refs = tuple(said.pop("references", ()))
        self.events.append(
            Event(seq, f"e{seq}", kind, 1, at, actor, "hook", trust, session, None, refs, said)
        )
        return seq

    def hook(self, event: str, **fields: Any) -> int:
        told = {"session_id": self.name, "cwd": ROOT, "hook_event_name": event} | fields
        kind, payload, trust = captured(self.client, json.dumps(told).encode())
        return self.record(kind, trust, self.name, **payload)

    def ask(self, text: str) -> int:
        return self.hook("UserPromptSubmit", prompt=text)

    def say(self, text: str) -> int:
        return self.hook("Stop", last_assistant_message=text)

    def end(self) -> int:
        return self.hook("SessionEnd", reason="other")

    def use(self, tool: str, said: Any = "", **given: Any) -> int:
        return self.hook("PostToolUse", tool_name=tool, tool_input=given, tool_response=said)

    def run(self, command: str, said: str = "", *, failed: bool = False) -> int:
        if failed:
            return self.hook(
                "PostToolUseFailure",
                tool_name="Bash",
                tool_input={"command": command},
                error=f"Exit code 1\n{said}",
            )
        return self.use("Bash", {"stdout": said, "stderr": ""}, command=command)

    def edit(self, path: str) -> int:
        said = {"filePath": f"{ROOT}/{path}", "structuredPatch": []}
        return self.use("Edit", said, file_path=f"{ROOT}/{path}", old_string="a", new_string="b")

    def write(self, path: str) -> int:
        said = {"type": "create", "filePath": f"{ROOT}/{path}", "structuredPatch": []}
        return self.use("Write", said, file_path=f"{ROOT}/{path}", content="x")

    def read(self, path: str) -> int:
        return self.use("Read", {"file": {"content": "x"}}, file_path=f"{ROOT}/{path}")

    def units(self) -> list[Observation]:
        return list(distil(self.events, root=ROOT).units)

    def observed(self) -> list[Observation]:
        return [unit for unit in self.units() if unit.kind != "message"]

    def one(self) -> Observation:
        (unit,) = self.observed()
        return unit


@pytest.fixture
def talk() -> Talk:
    return Talk()


@pytest.fixture(scope="session")
def new_talk() -> Callable[..., Talk]:
    return Talk
