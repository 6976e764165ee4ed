"""The event loop in a thread of its own: MCP connections and the HTTP port live there."""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import threading
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable, Coroutine
    from pathlib import Path

    from dmm.daemon.logs import Log
    from dmm.projects import Projects

STOP_WITHIN = 3.0


class Loop:
    """Runs coroutines for threads; started when the first one is needed."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._running = 0

    def begin(self, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Begin something that runs until it ends by itself or the loop is stopped."""
        loop = self._get()
        with self._lock:
            # Counted at once: until the loop comes to it, somebody might think that nobody is here.
            self._running += 1
        loop.call_soon_threadsafe(self._begin, work)

    def _begin(self, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        task = asyncio.ensure_future(work())
        self._tasks.add(task)
        task.add_done_callback(self._end)

    def _end(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        with self._lock:
            self._running -= 1
        error = None if task.cancelled() else task.exception()
        if error is not None and not isinstance(error, OSError):
            self._log.write_fault("a connection failed", error)

    @property
    def running(self) -> int:
        """How many are under way."""
        return self._running

    def _get(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                self._thread = threading.Thread(
                    target=self._loop.run_forever, name="dmm-loop", daemon=True
                )
                self._thread.start()
            return self._loop

    def stop(self) -> None:
        """End everything, for so long at most."""
        if self._loop is None or self._thread is None:
            return
        # What does not end in time ends with the process.
        with contextlib.suppress(TimeoutError):
            asyncio.run_coroutine_threadsafe(self._cancel(), self._loop).result(STOP_WITHIN)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(STOP_WITHIN)
        if not self._thread.is_alive():
            self._loop.close()

    async def _cancel(self) -> None:
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks, timeout=STOP_WITHIN - 1.0)


async def speak_mcp(
    projects: Projects,
    start: Path,
    session: Callable[[], str | None],
    client: str,
    link: socket.socket,
) -> None:
    """Serve one MCP connection that came in over the Unix socket."""
    # Loading takes a while the first time, and others are served by this loop meanwhile.
    await asyncio.to_thread(importlib.import_module, "dmm.mcp.stream")
    from dmm.mcp.stream import serve_stream

    link.setblocking(False)
    reader, writer = await asyncio.open_unix_connection(sock=link)
    await serve_stream(projects, start, session, client, reader, writer)
