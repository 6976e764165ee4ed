"""The line between laptops and their server: a TCP proxy that cuts, loses, repeats and delays."""

from __future__ import annotations

import asyncio
import contextlib
import re
import threading
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import random
    from collections.abc import Coroutine, Iterator

# What happens to a push: every other one meets the next of these, in an order that is drawn.
CUT, LOST, HALVED, DOUBLED, LATE, REPLAYED = [
    "cut",
    "lost",
    "halved",
    "doubled",
    "late",
    "replayed",
]
FAULTS = (CUT, CUT, LOST, HALVED, DOUBLED, LATE, REPLAYED)
KEPT = 50
_LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)
_WRITER = re.compile(rb"\r\nauthorization: *bearer [a-z0-9-]+\.([0-9a-f]{16})\.", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Request:
    """One request, as its bytes."""

    head: bytes
    body: bytes

    @property
    def writer(self) -> str:
        found = _WRITER.search(self.head)
        return found[1].decode() if found else ""

    @property
    def is_push(self) -> bool:
        return self.head.startswith(b"POST /v1/team/push") and b'"entries": []' not in self.body


@dataclass(slots=True)
class Line:
    """The line as a whole; `offline` are the writers that are cut off from it."""

    target: int
    dice: random.Random
    faulty: bool = False
    offline: frozenset[str] = frozenset()
    happened: Counter[str] = field(default_factory=Counter)
    port: int = 0
    _pushes: int = 0
    _deck: list[str] = field(default_factory=list)
    _earlier: list[Request] = field(default_factory=list)
    _background: set[asyncio.Task[object]] = field(default_factory=set)

    async def carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Carry one request and its answer, or what is left of them."""
        task = asyncio.current_task()
        assert task is not None
        self._background.add(task)
        try:
            # Whoever ends the line cancels what is under way.
            broken = (OSError, asyncio.IncompleteReadError, asyncio.CancelledError)
            with contextlib.suppress(*broken):
                request = await _read(reader)
                answer = await self._deliver(request)
                writer.write(answer)
                await writer.drain()
        finally:
            self._background.discard(task)
            writer.close()
            with contextlib.suppress(OSError):
                await writer.wait_closed()

    async def _deliver(self, request: Request) -> bytes:
        if request.writer in self.offline:
            self.happened["offline"] += 1
            return b""
        match self._draw(request):
            case "cut":
                await self._ask(request, len(request.body) // 2)
                return b""
            case "lost":
                await self._ask(request)
                return b""
            case "halved":
                answer = await self._ask(request)
                return answer[: len(answer) - 10]
            case "doubled":
                return (await asyncio.gather(self._ask(request), self._ask(request)))[0]
            case "late":
                self._later(self._arrive_late(request))
                return b""
            case "replayed":
                for one in self.dice.sample(self._earlier, min(3, len(self._earlier))):
                    self._later(self._ask(one))
        answer = await self._ask(request)
        if answer.startswith(b"HTTP/1.1 200"):
            self.happened["answered"] += 1
        return answer

    def _draw(self, request: Request) -> str:
        if not self.faulty or not request.is_push:
            return ""
        self._earlier = [*self._earlier[1 - KEPT :], request]
        self._pushes += 1
        if self._pushes % 2:
            return ""
        if not self._deck:
            self._deck = self.dice.sample(FAULTS, len(FAULTS))
        fault = self._deck.pop()
        self.happened[fault] += 1
        return fault

    async def _arrive_late(self, request: Request) -> None:
        await asyncio.sleep(self.dice.uniform(0.2, 3.0))
        await self._ask(request)

    def _later(self, work: Coroutine[object, object, object]) -> None:
        async def run() -> None:
            with contextlib.suppress(OSError):
                await work

        task = asyncio.get_running_loop().create_task(run())
        self._background.add(task)
        task.add_done_callback(self._background.discard)

    async def _ask(self, request: Request, most: int | None = None) -> bytes:
        """Send a request to the server, whole or its beginning; return the bytes that come back."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.target)
        try:
            head = re.sub(rb"\r\n\r\n$", b"\r\nConnection: close\r\n\r\n", request.head)
            writer.write(head + request.body[:most])
            await writer.drain()
            return b"" if most is not None else await reader.read()
        finally:
            writer.transport.abort()

    async def drop(self) -> None:
        """Drop what is under way."""
        left = tuple(self._background)
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)


async def _read(reader: asyncio.StreamReader) -> Request:
    head = await reader.readuntil(b"\r\n\r\n")
    length = _LENGTH.search(head)
    return Request(head, await reader.readexactly(int(length[1])) if length else b"")


@contextlib.contextmanager
def opened(line: Line) -> Iterator[Line]:
    """Run a line in a thread."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()

    def run(work: Coroutine[object, object, object]) -> object:
        return asyncio.run_coroutine_threadsafe(work, loop).result()

    server = asyncio.run_coroutine_threadsafe(
        asyncio.start_server(line.carry, "127.0.0.1", 0), loop
    ).result()
    line.port = server.sockets[0].getsockname()[1]
    try:
        yield line
    finally:

        async def close() -> None:
            server.close()
            await line.drop()

        run(close())
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()
