"""The prompts: one for each workflow, with the task in it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import mcp_types as types
import pytest
from mcp.shared.exceptions import MCPError

if TYPE_CHECKING:
    from mcp.client.client import Client
    from tests.mcp.conftest import Daemon

pytestmark = pytest.mark.anyio
PROMPTS = Path(__file__).parents[2] / "prompts"
NAMES = [
    "look_up_then_decide",
    "learn_from_a_miss",
    "notice_a_change",
    "answer_why",
    "answer_what_did_you_know_then",
    "begin_a_session",
    "tool_examples",
    "draft_rules",
]


async def get(client: Client, name: str, **given: str) -> str:
    (message,) = (await client.get_prompt(name, given)).messages
    assert message.role == "user"
    assert isinstance(message.content, types.TextContent)
    return message.content.text


async def test_every_workflow_is_a_prompt_with_a_task(house: Daemon) -> None:
    async with house.connect() as client:
        listed = (await client.list_prompts()).prompts
    assert [prompt.name for prompt in listed] == NAMES
    for prompt in listed:
        assert prompt.title
        assert prompt.description
        wanted = [] if prompt.name == "draft_rules" else [("task", False)]
        assert [(one.name, one.required) for one in prompt.arguments or []] == wanted


async def test_a_prompt_holds_the_steps_of_the_workflow_and_the_task(house: Daemon) -> None:
    text = (PROMPTS / "workflows.md").read_text()
    steps = text[text.index("## Look up") : text.index("## Learn from")].strip()
    async with house.connect() as client:
        assert await get(client, "look_up_then_decide") == steps
        asked = await get(client, "look_up_then_decide", task="pick a queue")
        assert asked == f"{steps}\n\nThe task: pick a queue"
        examples = (PROMPTS / "tool_examples.md").read_text().strip()
        assert await get(client, "tool_examples") == examples


async def test_a_prompt_that_does_not_exist_is_refused(house: Daemon) -> None:
    async with house.connect() as client:
        with pytest.raises(MCPError, match="there is no prompt 'travel_agent'"):
            await client.get_prompt("travel_agent")
        with pytest.raises(MCPError, match="the task is longer than"):
            await client.get_prompt("answer_why", {"task": "x" * 20_001})
