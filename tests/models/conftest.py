"""Models that say what a test wrote down: a server on loopback, and a claude command of our own."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import pytest
from tests.models.scripted import Server, response

from dmm.config import ModelConfig
from dmm.models.choose import choose_model

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from dmm.models.port import ChatModel

REPOSITORY = Path(__file__).resolve().parents[2]
KEY = "sk-not-a-key-0123456789"
NAME = "some-model"


@pytest.fixture
def server() -> Iterator[Server]:
    opened = Server()
    opened.start()
    yield opened
    opened.close()


@pytest.fixture
def respond() -> Callable[..., bytes]:
    return response


class Rig(Protocol):
    """A model of some provider whose far side is played by the test."""

    model: ChatModel

    def say(self, text: str, *, usage: bool = True, cut: bool = False) -> None:
        """Answer as the provider documents it; 11 tokens in, 7 out."""

    def send(self, data: bytes) -> None:
        """Answer with bytes that may be anything."""

    def refuse(self, message: str) -> None:
        """Answer with an error."""

    def stall(self) -> None:
        """Send something every moment and never come to an end."""

    def vanish(self) -> None:
        """Be gone."""

    def heard(self) -> tuple[str, str, int]:
        """The system prompt, the user prompt and the limit of tokens that arrived."""


@dataclass(slots=True)
class AnthropicRig:
    server: Server
    model: ChatModel

    def say(self, text: str, *, usage: bool = True, cut: bool = False) -> None:
        told: dict[str, Any] = {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "content": [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": text}],
            "stop_reason": "max_tokens" if cut else "end_turn",
        }
        counts = {"input_tokens": 4, "cache_read_input_tokens": 7, "output_tokens": 7}
        self.server.say(told | ({"usage": counts} if usage else {}))

    def send(self, data: bytes) -> None:
        self.server.say(data)

    def refuse(self, message: str) -> None:
        error = {"type": "invalid_request_error", "message": message}
        self.server.say({"type": "error", "error": error}, "400 Bad Request")

    def stall(self) -> None:
        _stall(self.server)

    def vanish(self) -> None:
        self.server.close()

    def heard(self) -> tuple[str, str, int]:
        body = self.server.asked[-1].body
        return body["system"], body["messages"][0]["content"], body["max_tokens"]


@dataclass(slots=True)
class OpenAIRig:
    server: Server
    model: ChatModel

    def say(self, text: str, *, usage: bool = True, cut: bool = False) -> None:
        message = {"role": "assistant", "content": text}
        reason = "length" if cut else "stop"
        told: dict[str, Any] = {
            "object": "chat.completion",
            "choices": [{"index": 0, "message": message, "finish_reason": reason}],
        }
        counts = {"prompt_tokens": 11, "completion_tokens": 7}
        self.server.say(told | ({"usage": counts} if usage else {}))

    def send(self, data: bytes) -> None:
        self.server.say(data)

    def refuse(self, message: str) -> None:
        self.server.say({"error": {"message": message, "code": None}}, "400 Bad Request")

    def stall(self) -> None:
        _stall(self.server)

    def vanish(self) -> None:
        self.server.close()

    def heard(self) -> tuple[str, str, int]:
        body = self.server.asked[-1].body
        system, user = (message["content"] for message in body["messages"])
        return system, user, body["max_tokens"]


def _stall(server: Server) -> None:
    server.pause = 0.02
    server.pieces = lambda _: iter([response(b"", Content_Length="100000"), *[b" "] * 100_000])


# It does what the file beside it says, and writes down what it was given.
COMMAND = """\
#!{python} -I
import json, os, pathlib, subprocess, sys, time
here = pathlib.Path(__file__).parent
play = json.loads((here / "play.json").read_text())
seen = {{"line": sys.argv[1:], "asked": sys.stdin.read(), "env": dict(os.environ),
        "folder": os.getcwd(), "left": os.listdir(), "pid": os.getpid()}}
if play.get("child"):
    child = subprocess.Popen([sys.executable, "-I", "-c", "import time; time.sleep(600)"])
    seen["child"] = child.pid
(here / "seen.json").write_text(json.dumps(seen))
sys.stderr.write(play.get("complaint", ""))
sys.stdout.write(play.get("output", ""))
sys.stdout.flush()
while play.get("stall"):
    sys.stdout.write(" ")
    sys.stdout.flush()
    time.sleep(0.02)
sys.exit(play.get("exit", 0))
"""


@dataclass(slots=True)
class CommandRig:
    folder: Path
    model: ChatModel

    def play(self, **what: object) -> None:
        (self.folder / "play.json").write_text(json.dumps(what))

    @property
    def seen(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads((self.folder / "seen.json").read_text())
        return found

    def result(self, text: str, **more: object) -> str:
        told = {"type": "result", "subtype": "success", "is_error": False, "result": text}
        return json.dumps(told | more)

    def say(self, text: str, *, usage: bool = True, cut: bool = False) -> None:
        counts = {"input_tokens": 4, "cache_creation_input_tokens": 7, "output_tokens": 7}
        more: dict[str, object] = {"usage": counts} if usage else {}
        reason = "max_tokens" if cut else "end_turn"
        self.play(output=self.result(text, stop_reason=reason, **more))

    def send(self, data: bytes) -> None:
        self.play(output=data.decode())

    def refuse(self, message: str) -> None:
        self.play(output=self.result(message, is_error=True), exit=1)

    def stall(self) -> None:
        self.play(stall=True)

    def vanish(self) -> None:
        (self.folder / "claude").unlink()

    def heard(self) -> tuple[str, str, int]:
        seen = self.seen
        system = next(one for one in seen["line"] if one.startswith("--system-prompt="))
        limit = int(seen["env"]["CLAUDE_CODE_MAX_OUTPUT_TOKENS"])
        return system.removeprefix("--system-prompt="), seen["asked"], limit


def choose(provider: str, environ: Mapping[str, str], url: str = "") -> ChatModel:
    config = ModelConfig(provider=provider, name=NAME, base_url=url, api_key_env="DMM_TEST_KEY")
    found = choose_model(config, {"DMM_TEST_KEY": KEY, **environ})
    assert found is not None
    return found


@pytest.fixture
def command(tmp_path: Path) -> CommandRig:
    folder = tmp_path / "bin"
    folder.mkdir()
    program = folder / "claude"
    program.write_text(COMMAND.format(python=sys.executable))
    program.chmod(0o755)
    environ = {"PATH": str(folder), "HOME": str(tmp_path), "CLAUDECODE": "1", "LD_PRELOAD": "x"}
    return CommandRig(folder, choose("claude", environ))


@pytest.fixture
def anthropic(server: Server) -> AnthropicRig:
    return AnthropicRig(server, choose("anthropic", {}, server.url))


@pytest.fixture
def openai(server: Server) -> OpenAIRig:
    return OpenAIRig(server, choose("openai", {}, f"{server.url}/v1"))


@pytest.fixture(params=["anthropic", "openai", "command"])
def rig(request: pytest.FixtureRequest) -> Rig:
    found: Rig = request.getfixturevalue(request.param)
    return found


@pytest.fixture(params=["anthropic", "openai"])
def web(request: pytest.FixtureRequest) -> AnthropicRig | OpenAIRig:
    found: AnthropicRig | OpenAIRig = request.getfixturevalue(request.param)
    return found


@pytest.fixture(scope="session")
def real_claude() -> Path:
    """The folder of the real claude command; without npm, or the network, tests skip."""
    line = ["sh", str(REPOSITORY / "tools" / "clients.sh")]
    done = subprocess.run(line, capture_output=True, text=True, timeout=900, check=True)
    state, _, rest = done.stdout.strip().partition(" ")
    if state != "ready":
        pytest.skip(f"no real clients here: {rest}")
    return Path(rest) / "node_modules" / "@anthropic-ai" / "claude-code-linux-x64"
