"""The conformance suite of the protocol: what fails are only methods that are not offered.

The suite asks for tools, resources and prompts of its own making. Those that have a like here are
translated on their way; the rest stands for what this server does not offer.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.conftest import MemoryText
    from tests.mcp.conftest import Daemon, Node, Web

NODE = 22
NAMES: dict[str, dict[str, Any]] = {
    "test_simple_text": {"name": "get_memory_context"},
    "test_error_handling": {"name": "time_travel", "arguments": {"to_seq": 999}},
    "test_simple_prompt": {"name": "begin_a_session"},
    "test_prompt_with_arguments": {
        "name": "look_up_then_decide",
        "arguments": {"task": "testValue1 testValue2"},
    },
}
ADDRESSES = {
    "test://static-text": "dmm://boot",
    "test://template/123/data": "dmm://memory/project/123.md",
}
PASSED = {
    "server-initialize",
    "ping",
    "tools-list",
    "tools-call-simple-text",
    "tools-call-error",
    "server-sse-multiple-streams",
    "resources-list",
    "resources-read-text",
    "resources-templates-read",
    "prompts-list",
    "prompts-get-simple",
    "prompts-get-with-args",
    "dns-rebinding-protection",
}
NOT_OFFERED = {
    "logging-set-level",
    "completion-complete",
    "tools-call-image",
    "tools-call-audio",
    "tools-call-embedded-resource",
    "tools-call-mixed-content",
    "tools-call-with-logging",
    "tools-call-with-progress",
    "tools-call-sampling",
    "tools-call-elicitation",
    "elicitation-sep1034-defaults",
    "elicitation-sep1330-enums",
    "resources-read-binary",
    "resources-subscribe",
    "resources-unsubscribe",
    "prompts-get-embedded-resource",
    "prompts-get-with-image",
}


def translate(message: dict[str, Any]) -> dict[str, Any]:
    params = message.get("params") or {}
    ours = NAMES.get(params.get("name", ""), {})
    address = ADDRESSES.get(params.get("uri", ""))
    more = ours | ({"uri": address} if address else {})
    return message | {"params": params | more} if more else message


def test_only_what_is_not_offered_fails(
    node: Node, serve: Callable[..., Web], house: Daemon, memory_text: MemoryText
) -> None:
    if node.version < NODE:
        pytest.skip(f"the suite wants Node {NODE} or later, {node.version} is here")
    house.project.dmm.root.tree.create("project/123.md", memory_text(body="Number 123."))
    web = serve(translate)
    told = node.run("conformance", "dist/index.js", "server", "--url", web.url).stdout
    results = re.findall(r"^(✓|✗) ([\w-]+): \d+ passed, (\d+) failed", told, re.MULTILINE)
    found = {name: mark == "✓" and failed == "0" for mark, name, failed in results}
    assert {name for name, good in found.items() if good} == PASSED
    assert {name for name, good in found.items() if not good} == NOT_OFFERED
