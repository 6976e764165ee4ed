"""One MCP connection over byte streams, one JSON message per line."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

import anyio
import mcp_types as types
from mcp.shared.message import SessionMessage
from pydantic import ValidationError

from dmm.mcp.caller import Caller
from dmm.mcp.server import make_server

if TYPE_CHECKING:
    import asyncio
    from collections.abc import AsyncIterator, Callable
    from pathlib import Path

    from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream

    from dmm.projects import Projects

CHUNK = 64 * 1024
LONGEST_LINE = 4 * 1024 * 1024
LAST_ANSWERS_WITHIN = 10.0
CANCELLED = "notifications/cancelled"


async def serve_stream(
    projects: Projects,
    start: Path,
    session: Callable[[], str | None],
    client: str,
    reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
    *,
    core: bool = False,
) -> None:
    """Speak MCP until the client closes its side; the writer is closed in the end."""
    server = make_server(Caller(projects, start, client, session, core))
    wire = _Wire(reader, writer)
    heard, inbound = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    outbound, said = anyio.create_memory_object_stream[SessionMessage](0)
    try:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(wire.listen, heard)
            tasks.start_soon(wire.say, said, tasks.cancel_scope.cancel)
            await server.run(inbound, outbound, server.create_initialization_options())
            tasks.cancel_scope.cancel()
    finally:
        for end in (heard, inbound, outbound, said):
            end.close()
        writer.close()
        with contextlib.suppress(OSError):
            await writer.wait_closed()


class _Wire:
    """The bytes of one connection; it knows which requests are still to be answered."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._open: set[types.RequestId] = set()
        self._settled = anyio.Event()

    async def listen(self, heard: MemoryObjectSendStream[SessionMessage | Exception]) -> None:
        """Forward each message; answer what is not a message at once."""
        async with heard:
            async for line in self._lines():
                try:
                    message = types.jsonrpc_message_adapter.validate_json(line, by_name=False)
                except ValidationError:
                    await self._write(_fault(types.PARSE_ERROR, "not a JSON-RPC message"))
                    continue
                self._note(message)
                await heard.send(SessionMessage(message))
            await self._finish()

    async def _lines(self) -> AsyncIterator[bytes]:
        waiting = bytearray()
        with contextlib.suppress(ConnectionError):
            while chunk := await self._reader.read(CHUNK):
                *lines, rest = chunk.split(b"\n")
                for line in lines:
                    waiting += line
                    if waiting.strip():
                        yield bytes(waiting)
                    waiting.clear()
                waiting += rest
                if len(waiting) > LONGEST_LINE:
                    what = f"a message can have at most {LONGEST_LINE >> 20} MiB"
                    await self._write(_fault(types.INVALID_REQUEST, what))
                    return

    def _note(self, message: types.JSONRPCMessage) -> None:
        if isinstance(message, types.JSONRPCRequest):
            self._open.add(message.id)
        elif isinstance(message, types.JSONRPCNotification) and message.params:
            taken_back = message.params.get("requestId")
            # A request that was taken back is never answered.
            if message.method == CANCELLED and isinstance(taken_back, str | int):
                self._settle(taken_back)

    async def _finish(self) -> None:
        """Let the last answers be written before the end is told, as to `printf … | dmm serve`."""
        with anyio.move_on_after(LAST_ANSWERS_WITHIN):
            while self._open:
                self._settled = anyio.Event()
                await self._settled.wait()

    async def say(
        self, said: MemoryObjectReceiveStream[SessionMessage], hang_up: Callable[[], object]
    ) -> None:
        """Write each message; when nobody reads any more, hang up."""
        async with said:
            try:
                async for item in said:
                    await self._write(item.message)
                    if isinstance(item.message, types.JSONRPCResponse | types.JSONRPCError):
                        self._settle(item.message.id)
            except ConnectionError:
                hang_up()

    def _settle(self, request: types.RequestId | None) -> None:
        if request is not None:
            self._open.discard(request)
        self._settled.set()

    async def _write(self, message: types.JSONRPCMessage) -> None:
        line = message.model_dump_json(by_alias=True, exclude_unset=True)
        self._writer.write(line.encode() + b"\n")
        await self._writer.drain()


def _fault(code: int, what: str) -> types.JSONRPCError:
    error = types.ErrorData(code=code, message=what)
    return types.JSONRPCError(jsonrpc="2.0", id=None, error=error)
