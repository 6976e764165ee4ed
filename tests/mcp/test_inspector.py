"""MCP Inspector, as its users run it, lists and calls everything, over HTTP and over stdio."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from dmm.mcp.tools import TOOLS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.conftest import Command
    from tests.mcp.conftest import Node, Web

pytestmark = pytest.mark.slow

SCRIPT = "clients/launcher/build/index.js"
CALLS: dict[str, tuple[list[str], str, object]] = {
    "add_fact": (["key=budget", "value=900 EUR", "confidence=0.5"], "seq", 1),
    "add_constraint": (["text=never book night trains"], "seq", 2),
    "query_memory": (["question=budget", "scope=facts"], "query_seq", 3),
    "record_decision": (
        ["text=Book a bus", "rationale=cheap", "references=[3,1]"],
        "status",
        "COMMITTED",
    ),
    "get_memory_context": ([], "current_seq", 4),
    "trace_provenance": (["seq=4"], "chain", [4, 3, 1]),
    "time_travel": (["to_seq=1"], "mode", "FLASHBACK"),
    "simulate_timeline": (
        ["inject_constraint=never book buses", "at_seq=1", "then_decide=Book a bus"],
        "result",
        "BLOCKED",
    ),
    "memory_propose": (
        ["path=project/buses.md", "reason=decided", "content=# Buses", 'tags=["travel"]'],
        "id",
        "proposal_5",
    ),
    "remember": (["text=Buses leave at nine."], "status", "pending"),
    "forget": (["name=baseline/identity.md"], "status", "pending"),
    "memory_feedback": (
        ['memories=["baseline/identity.md"]', "outcome=helped"],
        "memories",
        ["baseline/identity.md"],
    ),
}

# These answer in lines.
TOLD: dict[str, tuple[list[str], str]] = {
    "memory_pack": (["task=write a test"], "# DMM Memory Pack"),
    "search": (["query=book a bus", "kind=decision", "limit=1"], "20"),
    "timeline": (["id=obs_1", "before=0", "after=1"], "20"),
    "get_observations": (['ids=["obs_4"]'], "## obs_4 decision "),
    "ask": (["question=how are buses booked?"], "# Task\nhow are buses booked?"),
}


@dataclass(frozen=True, slots=True)
class Inspector:
    """Runs the inspector's command line against one server."""

    node: Node
    target: tuple[str, ...]

    def ask(self, method: str, *more: str) -> Any:
        done = self.node.run("inspector", SCRIPT, "--cli", *self.target, "--method", method, *more)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    def call(self, name: str, *arguments: str) -> str:
        given = ("--tool-arg", *arguments) if arguments else ()
        result = self.ask("tools/call", "--tool-name", name, *given)
        assert sorted(result) == ["content", "isError"]
        assert result["isError"] is False
        (content,) = result["content"]
        text: str = content["text"]
        return text

    def list_tools(self) -> None:
        listed = self.ask("tools/list", "--strict")["tools"]
        assert [tool["name"] for tool in listed] == [tool.name for tool in TOOLS]

    def call_tools(self) -> None:
        assert {*CALLS, *TOLD} == {tool.name for tool in TOOLS}
        for name, (arguments, key, value) in CALLS.items():
            told = json.loads(self.call(name, *arguments))[key]
            assert ([one["seq"] for one in told] if key == "chain" else told) == value
        for name, (arguments, start) in TOLD.items():
            assert self.call(name, *arguments).startswith(start)


def test_everything_is_listed_and_called(node: Node, serve: Callable[..., Web]) -> None:
    inspector = Inspector(node, (serve().url, "--transport", "http"))
    inspector.list_tools()
    inspector.call_tools()
    ask = inspector.ask
    resources = ask("resources/list")["resources"]
    assert [one["uri"] for one in resources[:2]] == ["dmm://boot", "dmm://policy"]
    (boot,) = ask("resources/read", "--uri", "dmm://boot")["contents"]
    assert boot["mimeType"] == "text/markdown"
    (template,) = ask("resources/templates/list")["resourceTemplates"]
    assert template["uriTemplate"] == "dmm://memory/{path}"
    assert len(ask("prompts/list")["prompts"]) == 8
    prompt = ask("prompts/get", "--prompt-name", "answer_why", "--prompt-args", "task=the queue")
    assert prompt["messages"][0]["content"]["text"].endswith("The task: the queue")


@pytest.fixture
def run_folder() -> Iterator[Path]:
    # A socket's path must be short; the folder of a test is not.
    folder = Path(tempfile.mkdtemp(prefix="dmm-run-"))
    yield folder
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):
        os.kill(json.loads((folder / "daemon.json").read_text())["pid"], signal.SIGTERM)
    shutil.rmtree(folder, ignore_errors=True)


@pytest.mark.parametrize("program", ["dmm-mcp", "dmm serve"])
def test_a_cold_daemon_comes_up_for_the_inspector_over_stdio(
    node: Node, command: Command, run_folder: Path, tmp_path: Path, program: str
) -> None:
    work = tmp_path / "work"
    work.mkdir()
    assert command("init", within=work).returncode == 0
    first, *rest = program.split()
    settings = {
        "HOME": str(command.home),
        "DMM_RUN_DIR": str(run_folder),
        "DMM_ROOT": str(work),
    }
    given = [word for pair in settings.items() for word in ("-e", "=".join(pair))]
    target = (*given, str(Path(sys.executable).with_name(first)), *rest)
    inspector = Inspector(node, target)
    assert not (run_folder / "daemon.json").exists()
    inspector.list_tools()
    assert (run_folder / "daemon.json").exists()
    # The other program leads to the same place, so one of them calls everything.
    if rest:
        inspector.call_tools()
