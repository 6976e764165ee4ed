"""HTTP, on a port for browsers and on a Unix socket for local clients.

Both are bound at once; the library is loaded when somebody first knocks.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from dmm.daemon.instance import Instance
    from dmm.daemon.logs import Log
    from dmm.daemon.loop import Loop
    from dmm.http import Codes
    from dmm.projects import Projects

HOST = "127.0.0.1"
BACKLOG = 64
LOCAL = "http.sock"


class Web:
    """Serves HTTP on loopback; a port that is taken is told, and the rest goes on without it."""

    def __init__(
        self,
        instance: Instance,
        projects: Projects,
        loop: Loop,
        health: Callable[[], dict[str, Any]],
        wanted: int | None,
        log: Log,
    ) -> None:
        self._instance = instance
        self._projects = projects
        self._loop = loop
        self._health = health
        self._wanted = wanted
        self._log = log
        self._port: socket.socket | None = None
        self._local: socket.socket | None = None
        self._codes: Codes | None = None
        self.running = 0
        self.fault: str | None = None

    @property
    def port(self) -> int | None:
        """The port that is served, or None."""
        return None if self._port is None else int(self._port.getsockname()[1])

    def open(self) -> None:
        """Bind both doors and wait for the first knock."""
        if self._wanted is not None:
            try:
                self._port = listen(self._wanted)
            except OSError as error:
                self.fault = f"port {self._wanted} can't be used: {error.strerror}"
                self._log.write(self.fault)
        self._local = listen_locally(self._instance.folder / LOCAL)
        self._instance.tell(self.port)
        for door, local in ((self._port, False), (self._local, True)):
            if door is not None:
                self.running += 1
                self._begin(door, local=local)

    def _begin(self, door: socket.socket, *, local: bool) -> None:
        self._loop.begin(lambda: self._serve(door, local=local))

    async def _serve(self, door: socket.socket, *, local: bool) -> None:
        knocked = asyncio.Event()
        loop = asyncio.get_running_loop()
        loop.add_reader(door.fileno(), knocked.set)
        try:
            await knocked.wait()
        finally:
            loop.remove_reader(door.fileno())
        server = await asyncio.to_thread(self._load, local=local)
        await server.serve(sockets=[door])

    def _load(self, *, local: bool) -> Any:
        import uvicorn

        from dmm.http import SERVER, make_app
        from dmm.mcp.web import make_app as make_mcp

        app = make_app(
            self._projects,
            token=self._instance.token,
            port=lambda: self.port or 0,
            health=self._health,
            codes=self.codes,
            local=local,
            mounts={"/mcp": make_mcp(self._projects)},
        )
        settings = uvicorn.Config(app, timeout_graceful_shutdown=2, **SERVER)
        return uvicorn.Server(settings)

    @property
    def codes(self) -> Codes:
        """The one-time codes with which a browser signs in."""
        if self._codes is None:
            from dmm.http import Codes

            self._codes = Codes()
        return self._codes

    def close(self) -> None:
        """Stop listening."""
        for door in (self._port, self._local):
            if door is not None:
                door.close()
        with contextlib.suppress(OSError):
            (self._instance.folder / LOCAL).unlink()


def listen(port: int) -> socket.socket:
    """Bind a port on loopback; 0 takes any that is free."""
    # Named in full: only then does the event loop send small answers without waiting.
    found = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    return _bind(found, (HOST, port))


def listen_locally(path: Path) -> socket.socket:
    """Bind a Unix socket that only this user may use; what a dead process left is removed."""
    path.unlink(missing_ok=True)
    before = os.umask(0o177)
    try:
        return _bind(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM), str(path))
    finally:
        os.umask(before)


def _bind(found: socket.socket, place: str | tuple[str, int]) -> socket.socket:
    try:
        if found.family == socket.AF_INET:
            found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        found.bind(place)
        found.listen(BACKLOG)
        found.setblocking(False)
    except OSError:
        found.close()
        raise
    return found
