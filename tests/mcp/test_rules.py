"""Rules by tools: an agent proposes a matcher, and gets what it needs to correct a bad one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import mcp_types as types
import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.mcp.conftest import Daemon

    Read = Callable[[types.CallToolResult], Any]

pytestmark = pytest.mark.anyio
TEXT = "Never rewrite what others have pulled"
PROOF = {"block": ["git push -f"], "allow": ["git push"]}


async def test_a_rule_with_a_matcher_is_pending(house: Daemon, read_json: Read) -> None:
    given = {"text": TEXT, "match": {"command": "git push --force"}, "examples": PROOF}
    async with house.connect() as client:
        told = read_json(await client.call_tool("add_constraint", given))
    assert (told["constraint"], told["priority"], told["pending"]) == (TEXT, "required", True)
    assert told["state"] == "asks"
    assert f"dmm rules accept {told['seq']}" in told["note"]
    assert not list((house.folder / ".dmm/rules").glob("*.md"))


async def test_a_list_of_items_is_taken_too(house: Daemon, read_json: Read) -> None:
    items = [{"command": "git push --force"}, {"command": "git reset --hard"}]
    async with house.connect() as client:
        given = {"text": TEXT, "match": items, "examples": PROOF}
        assert read_json(await client.call_tool("add_constraint", given))["pending"] is True


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"match": {"comand": "x"}, "examples": PROOF}, "did you mean 'command'?"),
        ({"match": {"command": "ls"}, "examples": PROOF}, "examples.block[0]"),
        ({"match": {"command": "ls"}}, "has no example of a call that it must block"),
        ({"examples": PROOF}, "examples need a matcher"),
        ({"match": "git push"}, "match must be an object"),
    ],
)
async def test_a_bad_rule_says_what_to_correct(
    house: Daemon, given: dict[str, Any], said: str
) -> None:
    async with house.connect() as client:
        told = await client.call_tool("add_constraint", {"text": TEXT, **given})
    assert told.is_error
    (content,) = told.content
    assert isinstance(content, types.TextContent)
    assert said in content.text


async def test_the_prompt_hands_over_the_sentences_without_a_matcher(house: Daemon) -> None:
    with house.project.recording(house.project.dmm.project_ledger.actor) as dmm:
        dmm.ledger.add_constraint("Be kind to users")
    async with house.connect() as client:
        (message,) = (await client.get_prompt("draft_rules")).messages
    assert isinstance(message.content, types.TextContent)
    assert message.content.text.startswith("# Write matchers for rules\n")
    assert "## Matcher reference" in message.content.text
    assert message.content.text.endswith("- Be kind to users\n")
