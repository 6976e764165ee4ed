"""The core tools: few enough that a session pays little before it asks for anything."""

from __future__ import annotations

import json
from importlib import resources
from typing import TYPE_CHECKING, Any

import pytest

from dmm.mcp.server import INSTRUCTIONS, list_tools

if TYPE_CHECKING:
    from collections.abc import Callable

    import mcp_types as types
    from tests.mcp.conftest import Daemon

    Read = Callable[[types.CallToolResult], Any]

pytestmark = pytest.mark.anyio
MOST = 900
MOST_BOOT = 200


async def test_a_session_pays_at_most_900_tokens_before_it_asks(
    house: Daemon, count: Callable[[str], int]
) -> None:
    async with house.connect(core=True) as client:
        listed = await client.list_tools()
        assert client.instructions == INSTRUCTIONS
    tools = json.dumps([one.model_dump(by_alias=True, exclude_none=True) for one in listed.tools])
    boot = (resources.files("dmm.files") / "templates" / "BOOT.md").read_text("utf-8")
    assert count(boot) <= MOST_BOOT
    assert count(tools) + count(INSTRUCTIONS) + count(boot) <= MOST
    assert [one.name for one in listed.tools] == [
        *("memory_pack", "remember", "add_constraint", "search", "ask")
    ]


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
    assert len(list_tools().tools) > len(list_tools(core=True).tools) == 5
