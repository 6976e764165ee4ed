"""The page about MCP: its examples are true, and it names all that is offered."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

import mcp_types as types
import pytest

from dmm.mcp.prompts import DRAFT, workflows
from dmm.mcp.resources import PAGES, TEMPLATE
from dmm.mcp.tools import TOOLS

if TYPE_CHECKING:
    from tests.mcp.conftest import Daemon

pytestmark = pytest.mark.anyio
PAGE = (Path(__file__).parents[2] / "docs" / "mcp.md").read_text()
EXAMPLE = re.compile(r"^(\w+) (\{.*\})\n(.+)$", re.MULTILINE)


async def test_the_examples_are_true_and_there_is_one_for_each_tool(house: Daemon) -> None:
    examples = EXAMPLE.findall(PAGE)
    assert {name for name, _, _ in examples} == {tool.name for tool in TOOLS}
    async with house.connect() as client:
        for name, given, expected in examples:
            (content,) = (await client.call_tool(name, json.loads(given))).content
            assert isinstance(content, types.TextContent)
            start, ellipsis, _ = expected.partition(" …")
            assert content.text == start or (ellipsis and content.text.startswith(start))


def test_everything_that_is_offered_is_named() -> None:
    for tool in TOOLS:
        (row,) = re.findall(rf"^\| `{tool.name}` \| (.*?) \|", PAGE, re.MULTILINE)
        assert re.findall(r"`(\w+)`", row) == list(tool.arguments.properties)
    for name in (*workflows(), DRAFT.name, *(page.uri for page in PAGES), TEMPLATE):
        assert f"`{name}`" in PAGE
