"""What agents send in a day's work: the hooks of their sessions, and their questions in between.

The payloads have the shape that three clients send; their words are drawn, the same ones each time.
"""

from __future__ import annotations

import json
import random
import uuid
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

CLIENTS = ("claude-code", "codex", "gemini")
TURNS = 4
# One session in so many asks what reads most.
SELDOM = 4
CALLS = 5
FILES = 60
KEYS = 150
# Characters of what a tool returns: mostly short, now and then a long listing.
OUTPUTS = (300, 1_500, 3_000, 6_000)
COMMANDS = (
    "pytest tests/{a} -q",
    "git diff --stat src/{a}",
    "rg -n '{a} {b}' src",
    "sed -n 1,80p src/{a}.py",
    "make {a}",
    "npm run {a}",
    "git commit -m 'Fix {a} of {b}'",
)
SAYINGS = (
    "Please fix the {a} in the {b}: it breaks when {c} and {d} change.",
    "Why does {a} wait for {b} although {c} is done?",
    "Add a {a} to the {b} so that {c} no longer loses its {d}.",
    "We decided to use {a} for {b} because {c} was too slow.",
)


@dataclass(frozen=True, slots=True)
class Request:
    """One thing that an agent asks: a hook's payload, a tool's arguments, or a route's body."""

    way: str
    name: str
    body: dict[str, Any]


@dataclass(slots=True)
class Agent:
    """One client at work in a project, session after session."""

    client: str
    folder: Path
    words: Sequence[str]
    seed: int
    session: str = ""
    sessions: int = 0
    _drawn: random.Random = field(init=False)

    def __post_init__(self) -> None:
        self._drawn = random.Random(self.seed)

    def work(self) -> Iterator[Request]:
        """Begin session after session, without end."""
        while True:
            self.sessions += 1
            self.session = str(uuid.UUID(int=self._drawn.getrandbits(128), version=4))
            yield self._hook("SessionStart", source="startup")
            for turn in range(TURNS):
                yield from self._turn(turn)
            yield self._hook("SessionEnd", reason="other")

    def _turn(self, turn: int) -> Iterator[Request]:
        """One request of a user, and everything that the agent does about it."""
        prompt, turn_id = self._say(SAYINGS), self._name("turn")
        asked = "BeforeAgent" if self.client == "gemini" else "UserPromptSubmit"
        yield self._hook(asked, prompt=prompt, **self._named(turn_id))
        yield Request("mcp", "memory_pack", {"task": prompt})
        for _ in range(CALLS):
            yield from self._call(turn_id)
        yield from self._look_up(turn, prompt)
        told = f"{self._text(60)}. I changed {self._file()}. {self._text(30)}."
        if self.client == "gemini":
            yield self._hook("AfterAgent", prompt=prompt, prompt_response=told)
        else:
            yield self._hook("Stop", last_assistant_message=told, **self._named(turn_id))

    def _look_up(self, turn: int, prompt: str) -> Iterator[Request]:
        """What an agent asks of its memory beside the hooks; each kind comes in every session."""
        fact = {"key": f"fact_{self._drawn.randrange(KEYS)}", "value": self._text(6)}
        decision = {"text": self._say(SAYINGS[3:]), "rationale": self._text(30)}
        seldom = self.sessions % SELDOM == 1
        match turn % TURNS:
            case 0:
                yield Request("mcp", "add_fact", fact)
                yield Request("mcp", "search", {"query": self._text(3)})
            case 1:
                yield Request("mcp", "record_decision", decision)
                yield Request("mcp", "query_memory", {"question": self._text(2)})
                if seldom:
                    yield Request("http", "POST /v1/ask", {"question": prompt})
            case 2:
                yield Request("http", "POST /v1/ledger/facts", fact)
                yield Request("mcp", "search", {"query": "", "limit": 10})
                yield Request("http", "GET /v1/ledger/context", {})
            case 3:
                yield Request("http", "POST /v1/ledger/decisions", decision)
                yield Request("http", "POST /v1/query", {"query": prompt})
                if seldom:
                    yield Request("http", "GET /v1/timeline", {"query": self._text(3)})

    def _call(self, turn_id: str) -> Iterator[Request]:
        """One tool call, before and after."""
        number = self._name("call")
        tool, given, response = self._draw_call()
        shared = {"tool_name": tool, "tool_input": given} | self._named(turn_id)
        if self.client != "gemini":
            shared["tool_use_id"] = number
        before, after = ("PreToolUse", "PostToolUse")
        if self.client == "gemini":
            before, after = ("BeforeTool", "AfterTool")
        yield self._hook(before, **shared)
        yield self._hook(after, **shared, tool_response=response)

    def _draw_call(self) -> tuple[str, dict[str, Any], Any]:
        output = self._text(self._drawn.choice(OUTPUTS) // 7, lines=True)
        if self._drawn.random() < 0.3 and self.client == "claude-code":
            path = str(self.folder / self._file())
            given = {"file_path": path, "content": output}
            return "Write", given, {"type": "update", "filePath": path, "content": output}
        given = {"command": self._say(COMMANDS), "description": self._text(5)}
        if self.client == "codex":
            return "Bash", given, output
        if self.client == "gemini":
            return "run_shell_command", given, {"llmContent": output, "returnDisplay": output}
        return "Bash", given, {"stdout": output, "stderr": "", "interrupted": False}

    def _hook(self, event: str, **fields: Any) -> Request:
        told = {"session_id": self.session, "cwd": str(self.folder), "hook_event_name": event}
        if self.client == "gemini":
            told["timestamp"] = self._name("moment")
        else:
            told |= {"permission_mode": "default"}
        told["transcript_path"] = f"/nowhere/{self.session}.jsonl"
        return Request("hook", event, told | fields)

    def _named(self, turn_id: str) -> dict[str, str]:
        match self.client:
            case "claude-code":
                return {"prompt_id": turn_id}
            case "codex":
                return {"turn_id": turn_id, "model": "model"}
        return {}

    def _name(self, kind: str) -> str:
        return f"{kind}_{self._drawn.getrandbits(80):020x}"

    def _file(self) -> str:
        return f"src/module_{self._drawn.randrange(FILES):02d}.py"

    def _say(self, sayings: Sequence[str]) -> str:
        a, b, c, d = self._drawn.choices(self.words, k=4)
        return self._drawn.choice(sayings).format(a=a, b=b, c=c, d=d)

    def _text(self, length: int, *, lines: bool = False) -> str:
        drawn = self._drawn.choices(self.words, k=length)
        if not lines:
            return " ".join(drawn)
        return "\n".join(" ".join(drawn[at : at + 12]) for at in range(0, length, 12))


def write_hook(request: Request, folder: Path, number: int) -> bytes:
    """Write a hook's payload as dmm-hook sends it: a name, the .dmm folder, the payload."""
    return f"{number}-1\n{folder / '.dmm'}\n{json.dumps(request.body)}".encode()
