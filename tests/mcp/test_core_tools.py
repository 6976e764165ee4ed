"""The core tools: few enough that a session pays little before it asks for anything."""

from __future__ import annotations

import json
from importlib import resources
from typing import TYPE_CHECKING, Any

import pytest

from dmm.mcp import cost
from dmm.mcp.server import INSTRUCTIONS, OPENING, list_tools

if TYPE_CHECKING:
    from collections.abc import Callable

    import mcp_types as types
    from tests.mcp.conftest import Daemon

    Read = Callable[[types.CallToolResult], Any]

pytestmark = pytest.mark.anyio
MOST = 400


def test_a_session_pays_at_most_400_tokens_before_it_asks(count: Callable[[str], int]) -> None:
    listed = list_tools(core=True).tools
    tools = json.dumps([one.model_dump(by_alias=True, exclude_none=True) for one in listed])
    boot = (resources.files("dmm.files") / "templates" / "BOOT.md").read_text("utf-8")
    assert count(tools) + count(OPENING) + count(boot) <= MOST
    assert [one.name for one in listed] == ["memory_pack", "remember", "add_constraint", "ask"]


def test_the_cost_that_is_shown_is_counted_from_what_a_client_gets(
    count: Callable[[str], int],
) -> None:
    listed = list_tools(core=True)
    tools = listed.model_dump_json(by_alias=True, exclude_none=True)
    assert (len(listed.tools), count(tools), count(OPENING)) == (
        cost.TOOLS,
        cost.TOOL_TOKENS,
        cost.INSTRUCTION_TOKENS,
    )


def test_a_core_tool_shows_one_sentence_and_what_it_needs() -> None:
    (pack, remember, constraint, _) = list_tools(core=True).tools
    assert pack.input_schema["properties"] == {"task": {"type": "string"}}
    kept = "Keep a decision, convention or pitfall in a sentence or two; no secrets, logs or chat."
    assert remember.description == kept
    assert constraint.description == "Propose every rule the user sets; a person accepts it."


@pytest.mark.parametrize(
    ("client", "told"), [("codex", OPENING), ("vscode", INSTRUCTIONS), ("mine", INSTRUCTIONS)]
)
async def test_instructions_do_not_repeat_the_boot_that_hooks_bring(
    house: Daemon, client: str, told: str
) -> None:
    async with house.connect(client=client, core=True) as connected:
        assert connected.instructions == told


async def test_the_other_tools_can_be_called_all_the_same(house: Daemon, read_json: Read) -> None:
    async with house.connect(core=True) as client:
        told = read_json(await client.call_tool("add_fact", {"key": "a", "value": "b"}))
    assert told["key"] == "a"


async def test_search_gives_rows_and_with_ids_their_text(house: Daemon) -> None:
    async with house.connect(core=True) as client:
        neither = await client.call_tool("search", {})
        missing = await client.call_tool("search", {"ids": ["obs_99"]})
    assert neither.is_error
    assert not missing.is_error
    assert "obs_99" in str(missing.content)


def test_all_tools_are_offered_unless_core_is_asked_for() -> None:
    assert len(list_tools().tools) > len(list_tools(core=True).tools) == 4
