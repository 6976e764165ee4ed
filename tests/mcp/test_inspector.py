"""MCP Inspector, as its users run it, lists and calls everything over HTTP."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from dmm.mcp.tools import TOOLS

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.mcp.conftest import Node, Web

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
}


def test_everything_is_listed_and_called(node: Node, serve: Callable[..., Web]) -> None:
    url = serve().url

    def ask(method: str, *more: str) -> Any:
        given = ("--cli", url, "--transport", "http", "--method", method, *more)
        done = node.run("inspector", SCRIPT, *given)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    def call(name: str, *arguments: str) -> str:
        given = ("--tool-arg", *arguments) if arguments else ()
        result = ask("tools/call", "--tool-name", name, *given)
        assert sorted(result) == ["content", "isError"]
        assert result["isError"] is False
        (content,) = result["content"]
        text: str = content["text"]
        return text

    listed = ask("tools/list", "--strict")["tools"]
    assert [tool["name"] for tool in listed] == [tool.name for tool in TOOLS]
    assert {*CALLS, "memory_pack"} == {tool.name for tool in TOOLS}
    for name, (arguments, key, value) in CALLS.items():
        told = json.loads(call(name, *arguments))[key]
        assert ([one["seq"] for one in told] if key == "chain" else told) == value
    assert call("memory_pack", "task=write a test").startswith("# DMM Memory Pack")
    resources = ask("resources/list")["resources"]
    assert [one["uri"] for one in resources[:2]] == ["dmm://boot", "dmm://policy"]
    (boot,) = ask("resources/read", "--uri", "dmm://boot")["contents"]
    assert boot["mimeType"] == "text/markdown"
    (template,) = ask("resources/templates/list")["resourceTemplates"]
    assert template["uriTemplate"] == "dmm://memory/{path}"
    assert len(ask("prompts/list")["prompts"]) == 7
    prompt = ask("prompts/get", "--prompt-name", "answer_why", "--prompt-args", "task=the queue")
    assert prompt["messages"][0]["content"]["text"].endswith("The task: the queue")
