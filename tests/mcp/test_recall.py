"""Recall through MCP: lines that an agent chooses by, and the whole of what it chose."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import mcp_types as types
import pytest

from dmm.domain.event import EventType, Trust
from dmm.eventlog.open_ledger import Actor

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.mcp.conftest import Daemon

pytestmark = pytest.mark.anyio
TALK = (
    (EventType.USER_MESSAGE_RECEIVED, "Why does the nightly export lose rows?"),
    (EventType.TURN_ENDED, "The cursor is closed too early; keep it open until the last page."),
)


@pytest.fixture
def talked(house: Daemon) -> Daemon:
    """A house whose ledger holds a short session."""
    actor = Actor("claude-code", "hook", Trust.USER, "s1")
    with house.project.recording(actor) as dmm:
        for kind, text in TALK:
            dmm.project_ledger.record(dmm.project_ledger.draft_of(kind, {"text": text}))
    return house


async def test_an_agent_goes_from_rows_to_the_whole(
    talked: Daemon, read_text: Callable[[types.CallToolResult], str]
) -> None:
    async with talked.connect() as client:

        async def call(name: str, **arguments: Any) -> str:
            return read_text(await client.call_tool(name, arguments))

        rows = (await call("search", query="why are rows lost", limit=5)).splitlines()
        assert rows[0].startswith("s1 20")
        assert rows[1].startswith("msg_1 ")
        assert rows[1].endswith("t Why does the nightly export lose rows?")
        around = (await call("timeline", id="msg_1", before=0, after=1)).splitlines()
        assert [line.split()[0] for line in around] == ["s1", ">", "msg_2"]
        full = await call("get_observations", ids=["msg_2"])
        assert full.startswith("## msg_2 s1\n[")
        assert full.endswith("claude-code: " + TALK[1][1])


async def test_a_search_shows_at_once_what_a_hook_recorded(
    talked: Daemon, read_text: Callable[[types.CallToolResult], str]
) -> None:
    async with talked.connect() as client:
        await client.call_tool("search", {"query": "rows"})
        with talked.project.recording(Actor("claude-code", "hook", Trust.USER, "s1")) as dmm:
            kind = EventType.USER_MESSAGE_RECEIVED
            dmm.project_ledger.record(
                dmm.project_ledger.draft_of(kind, {"text": "Rotate the signing key"})
            )
        told = read_text(await client.call_tool("search", {"query": "signing key rotation"}))
        assert told.splitlines()[1].startswith("msg_3 ")


async def test_an_unknown_kind_is_refused_with_those_there_are(talked: Daemon) -> None:
    async with talked.connect() as client:
        result = await client.call_tool("search", {"query": "rows", "kind": "idea"})
    assert result.is_error
    (content,) = result.content
    assert isinstance(content, types.TextContent)
    assert "decision, bugfix, feature, discovery, change, message" in content.text


async def test_the_newest_rows_are_listed_by_a_filter_alone(
    talked: Daemon, read_text: Callable[[types.CallToolResult], str]
) -> None:
    async with talked.connect() as client:
        told = read_text(await client.call_tool("search", {"session": "s1"}))
        none = read_text(await client.call_tool("search", {"session": "s2"}))
    assert [line.split()[0] for line in told.splitlines()] == ["s1", "msg_2", "msg_1"]
    assert none.startswith("hint: no unit passes these filters")


async def test_a_timeline_says_that_an_id_names_nothing(
    talked: Daemon, read_text: Callable[[types.CallToolResult], str]
) -> None:
    async with talked.connect() as client:
        told = read_text(await client.call_tool("timeline", {"id": "obs_99"}))
    assert told.splitlines()[0] == "not found: obs_99"
