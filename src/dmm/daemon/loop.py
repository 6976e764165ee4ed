"""The event loop thread for MCP connections and the HTTP port."""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import sys
import threading
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable, Coroutine
    from pathlib import Path

    from dmm.daemon.logs import Log
    from dmm.projects import Projects

    Work = Callable[[], Coroutine[Any, Any, None]]

STOP_WITHIN = 1.0


_loading = threading.Lock()


def load(name: str) -> None:
    """Load a large module, one at a time: two that need each other would wait for each other."""
    with _loading:
        importlib.import_module(name)


class Loop:
    """Runs coroutines for threads; started when the first one is needed."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._clients = 0

    def begin(self, work: Work) -> None:
        """Start a task that runs until it ends or the loop stops."""
        self._get().call_soon_threadsafe(self._begin, work)

    def serve(self, work: Work) -> None:
        """Serve a client that stays connected; it counts as use."""
        loop = self._get()
        # Counted at once: until the loop comes to it, somebody might think that nobody is here.
        self._count(1)
        loop.call_soon_threadsafe(self._begin, work, lambda: self._count(-1))

    def _begin(self, work: Work, after: Callable[[], None] | None = None) -> None:
        task = asyncio.ensure_future(work())
        self._tasks.add(task)
        task.add_done_callback(self._end)
        if after is not None:
            task.add_done_callback(lambda _: after())

    def _end(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        error = None if task.cancelled() else task.exception()
        if error is not None and not isinstance(error, OSError):
            self._log.write_fault("a connection failed", error)

    def _count(self, change: int) -> None:
        with self._lock:
            self._clients += change

    @property
    def clients(self) -> int:
        """How many clients are connected."""
        return self._clients

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
        """Stop everything within a time limit."""
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
            await asyncio.wait(tasks, timeout=STOP_WITHIN / 2)


async def speak_mcp(
    projects: Projects,
    start: Path,
    session: Callable[[], str | None],
    client: str,
    link: socket.socket,
    *,
    core: bool = False,
) -> None:
    """Serve one MCP connection that came in over the Unix socket."""
    # Loading takes a while the first time, and others are served by this loop meanwhile.
    await asyncio.to_thread(load, "dmm.mcp.stream")
    from dmm.mcp.stream import serve_stream

    if sys.platform == "win32":  # pragma: no cover - the daemon runs on POSIX systems only
        return
    link.setblocking(False)
    reader, writer = await asyncio.open_unix_connection(sock=link)
    await serve_stream(projects, start, session, client, reader, writer, core=core)
