"""A connection on the wire: framing, faults, its end, and that nothing pending for a slow call."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import pytest

from dmm import VERSION
from dmm.mcp.server import INSTRUCTIONS, MORE
from dmm.mcp.stream import LONGEST_LINE

if TYPE_CHECKING:
    from tests.mcp.conftest import Daemon

pytestmark = pytest.mark.anyio
HELLO = {
    "jsonrpc": "2.0",
    "id": 0,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}
READY = {"jsonrpc": "2.0", "method": "notifications/initialized"}


def line(message: dict[str, Any]) -> bytes:
    return json.dumps(message).encode() + b"\n"


def request(number: int, method: str, **params: Any) -> bytes:
    return line({"jsonrpc": "2.0", "id": number, "method": method, "params": params})


async def test_a_client_is_told_who_answers_and_how_to_work(house: Daemon) -> None:
    async with house.connect() as client:
        info = client.server_info
        assert info is not None
        assert (info.name, info.version) == ("dmm", VERSION)
        assert client.instructions == f"{INSTRUCTIONS}\n{MORE}"
        capabilities = client.server_capabilities.model_dump(exclude_none=True)
    assert sorted(capabilities) == ["prompts", "resources", "tools"]


async def test_both_generations_of_the_protocol_are_spoken(house: Daemon) -> None:
    for mode in ("legacy", "2026-07-28"):
        async with house.connect(mode=mode) as client:
            result = await client.call_tool("get_memory_context", {})
            assert not result.is_error


async def test_requests_sent_at_once_are_all_answered_before_the_end(house: Daemon) -> None:
    async with house.stream() as (reader, writer):
        writer.write(line(HELLO) + line(READY))
        for number in range(1, 9):
            given = {"key": f"k{number}", "value": "v"}
            writer.write(request(number, "tools/call", name="add_fact", arguments=given))
        writer.write_eof()
        answers = [json.loads(one) async for one in reader]
    assert sorted(answer["id"] for answer in answers) == list(range(9))
    assert len(house.project.dmm.ledger.get_memory_context().facts) == 8


async def test_what_is_no_message_is_answered_and_the_connection_lives(house: Daemon) -> None:
    async with house.stream() as (reader, writer):
        writer.write(b"no json\n\n[]\n" + line(HELLO))
        answers = [json.loads(await reader.readline()) for _ in range(3)]
    assert [answer.get("error", {}).get("code") for answer in answers] == [-32700, -32700, None]
    assert answers[2]["result"]["serverInfo"]["name"] == "dmm"


async def test_a_message_may_come_in_pieces(house: Daemon) -> None:
    async with house.stream() as (reader, writer):
        for byte in line(HELLO):
            writer.write(bytes([byte]))
            await asyncio.sleep(0)
        assert json.loads(await reader.readline())["id"] == 0


async def test_a_message_without_end_is_refused(house: Daemon) -> None:
    async with house.stream() as (reader, writer):
        writer.write(b'"' + b"x" * (LONGEST_LINE + 1))
        told = json.loads(await reader.readline())
        assert told["error"]["message"] == "a message can have at most 4 MiB"
        assert await reader.read() == b""


async def test_a_request_that_was_taken_back_does_not_hold_the_end_up(house: Daemon) -> None:

    async with house.stream() as (reader, writer):
        with house.project.recording(house.project.dmm.project_ledger.actor):
            writer.write(line(HELLO) + line(READY))
            await reader.readline()
            writer.write(request(1, "tools/call", name="get_memory_context", arguments={}))
            gone = {"method": "notifications/cancelled", "params": {"requestId": 1}}
            writer.write(line({"jsonrpc": "2.0", **gone}))
            writer.write(request(2, "ping"))
            assert json.loads(await reader.readline())["id"] == 2
            writer.write_eof()

        assert await asyncio.wait_for(reader.read(), 5) == b""


async def test_a_slow_call_does_not_stop_pings(house: Daemon) -> None:
    async with house.stream() as (reader, writer):
        writer.write(line(HELLO) + line(READY))
        await reader.readline()
        with house.project.recording(house.project.dmm.project_ledger.actor):
            # Whoever speaks holds the ledger, so this call has to wait.
            writer.write(request(1, "tools/call", name="get_memory_context", arguments={}))
            writer.write(request(2, "ping"))
            assert json.loads(await reader.readline())["id"] == 2
        assert json.loads(await reader.readline())["id"] == 1


async def test_a_client_that_vanishes_leaves_no_task_behind(house: Daemon) -> None:
    before = asyncio.all_tasks()
    async with house.stream() as (reader, writer):
        writer.write(line(HELLO) + line(READY))
        await reader.readline()
        writer.write(request(1, "tools/call", name="get_memory_context", arguments={}))
        writer.transport.abort()
    assert [task for task in house.connections if not task.done()] == []
    await asyncio.sleep(0)
    assert asyncio.all_tasks() <= before


async def test_a_connection_can_be_cancelled(house: Daemon) -> None:
    before = asyncio.all_tasks()
    async with house.stream() as (reader, writer):
        writer.write(line(HELLO))
        await reader.readline()
        house.connections[0].cancel()
    assert house.connections[0].cancelled()
    await asyncio.sleep(0)
    assert asyncio.all_tasks() <= before


async def test_an_unknown_tool_and_an_unknown_method_are_protocol_errors(house: Daemon) -> None:
    async with house.stream() as (reader, writer):
        writer.write(line(HELLO) + line(READY))
        await reader.readline()
        writer.write(request(1, "tools/call", name="drop_everything", arguments={}))
        first = json.loads(await reader.readline())["error"]
        writer.write(request(2, "completion/complete"))
        second = json.loads(await reader.readline())["error"]
    assert first == {"code": -32602, "message": "there is no tool 'drop_everything'"}
    assert second["code"] in (-32601, -32602)
