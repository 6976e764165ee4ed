"""Questions through MCP: the prompt, or all of the answer as data."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import mcp_types as types
import pytest

from dmm.eventlog.open_ledger import Actor
from dmm.mcp.tools import BY_NAME

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.mcp.conftest import Daemon

pytestmark = pytest.mark.anyio
QUESTION = "where do I start in this repository?"


def test_the_tool_costs_little_context() -> None:
    tool = BY_NAME["ask"]
    told = [tool.name, tool.description, tool.arguments.schema]
    assert len(json.dumps(told, separators=(",", ":"))) <= 300


async def test_an_agent_gets_the_prompt_or_the_data_and_nothing_is_recorded(
    house: Daemon, read_text: Callable[[types.CallToolResult], str]
) -> None:
    (house.folder / "count.py").write_text('if __name__ == "__main__":\n    print(1)\n')
    async with house.connect() as client:

        async def ask(**more: Any) -> str:
            return read_text(await client.call_tool("ask", {"question": QUESTION, **more}))

        with house.project.asking(Actor()) as dmm:
            before = dmm.project_ledger.reading.head()
        prompt = await ask(budget=700)
        data = json.loads(await ask(budget=700, style="json"))
        full = await ask(budget=700, style="full", profile="general")
        with house.project.asking(Actor()) as dmm:
            assert dmm.project_ledger.reading.head() == before
    assert prompt == data["suggested_prompt"]
    assert "[count.py:1@" in prompt
    assert data["token_estimate"] <= 700
    assert "Profile: general." in full


async def test_a_budget_that_holds_nothing_is_no_silence(
    house: Daemon, read_text: Callable[[types.CallToolResult], str]
) -> None:
    async with house.connect() as client:
        told = read_text(await client.call_tool("ask", {"question": QUESTION, "budget": 3}))
    assert told.startswith("notice: nothing fits into a budget of 3 tokens")


async def test_a_wrong_style_is_refused(house: Daemon) -> None:
    async with house.connect() as client:
        result = await client.call_tool("ask", {"question": QUESTION, "style": "loud"})
    assert result.is_error
    (content,) = result.content
    assert isinstance(content, types.TextContent)
    assert "style must be one of compact, full, json" in content.text
