"""HTTP on a port for browsers and on a Unix socket for local clients.

Both are bound at once; the library is loaded when somebody first knocks.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import logging
import socket
import sys
import threading
import time
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from dmm.daemon.address import open_doors
from dmm.daemon.loop import load
from dmm.daemon.underway import UnderWay
from dmm.domain.plain import to_plain
from dmm.passkeys.keyring import page_folder
from dmm.passkeys.service import Persons
from dmm.passkeys.webauthn import Place

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator
    from pathlib import Path

    from dmm.bootstrap import Dmm
    from dmm.daemon.instance import Instance
    from dmm.daemon.logs import Log
    from dmm.daemon.loop import Loop
    from dmm.http import Codes, Jobs, Sessions, Streams
    from dmm.projects import Projects

    Application = Callable[[Any, Any, Any], Awaitable[None]]

BACKLOG = 64
LOCAL = "http.sock"
STREAM = "/v1/stream"
# So few connections are taken at once that one which has asked is heard before it is pushed out.
TAKEN_AT_ONCE = 32
MOST = 256
LOGGERS = ("dmm.http", "uvicorn.error")
# The requests end in the event loop's thread, which tells no other; looked at again, briefly.
PAUSE = 0.02


@dataclass(frozen=True, slots=True)
class Limits:
    """How many connections each door may have, and the seconds for the head of a request."""

    most: int = MOST
    head: float = 5.0


class Web:
    """Serves HTTP on loopback; a port that is taken is told, and the rest goes on without it."""

    def __init__(
        self,
        instance: Instance,
        projects: Projects,
        loop: Loop,
        health: Callable[[], object],
        wanted: int | None,
        log: Log,
        limits: Limits | None = None,
    ) -> None:
        self._instance = instance
        self._projects = projects
        self._loop = loop
        self._health = health
        self._wanted = wanted
        self._log = log
        self._limits = limits or Limits()
        self._port: tuple[socket.socket, ...] = ()
        self._local: tuple[socket.socket, ...] = ()
        self._codes: Codes | None = None
        self._sessions: Sessions | None = None
        self._streams: Streams | None = None
        self._jobs: Jobs | None = None
        self._making = threading.Lock()
        self._servers: list[Any] = []
        self._serving = 0
        self._leaving = False
        self._under_way = UnderWay()
        self.last = time.monotonic()
        self.port: int | None = None
        self.fault: str | None = None
        self.name = "localhost"
        self.persons = Persons(page_folder(), self._place)

    def open(self) -> None:
        """Bind both doors and wait for the first knock."""
        if self._wanted is not None:
            self._bind(self._wanted)
        self._local = (listen_locally(self._instance.folder / LOCAL),)
        self._instance.tell(self.port)
        for name in LOGGERS:
            route(name, self._log)
        for door in (self._port, self._local):
            if door:
                self._loop.begin(partial(self._guard, door))

    def _place(self) -> Place:
        return Place(self.name, f"http://{self.name}:{self.port}")

    def _bind(self, wanted: int) -> None:
        try:
            doors = open_doors(page_folder(), wanted)
        except OSError as error:
            self.fault = f"port {wanted} can't be used: {error.strerror}"
        else:
            self._port, self.port, self.name = doors.sockets, doors.port, doors.name
            self.fault = doors.fault
        if self.fault is not None:
            self._log.write(self.fault)

    async def _guard(self, door: tuple[socket.socket, ...]) -> None:
        """Serve at one door; where that fails, it is closed, so that nobody waits at it."""
        try:
            await self._serve(door)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - the other door is still served
            self.fault = f"HTTP can't be served: {type(error).__name__}"
            self._log.write_fault("HTTP can't be served", error)
            self._shut(door)

    def _shut(self, door: tuple[socket.socket, ...]) -> None:
        if door is self._local:
            self._local = ()
            (self._instance.folder / LOCAL).unlink(missing_ok=True)
        else:
            self._port, self.port = (), None
            self._instance.tell(None)
        for one in door:
            one.close()

    async def _serve(self, door: tuple[socket.socket, ...]) -> None:
        knocked = asyncio.Event()
        loop = asyncio.get_running_loop()
        for one in door:
            loop.add_reader(one.fileno(), knocked.set)
        try:
            await knocked.wait()
        finally:
            for one in door:
                loop.remove_reader(one.fileno())
        self._serving += 1
        try:
            with self._counting():
                server = await asyncio.to_thread(self._load, local=door is self._local)
            server.should_exit = self._leaving
            self._servers.append(server)
            await server.serve(sockets=[*door])
        finally:
            self._serving -= 1

    def _load(self, *, local: bool) -> Any:
        for name in ("dmm.http", "uvicorn"):
            load(name)
        import uvicorn

        from dmm.daemon.links import Links, make_protocol
        from dmm.http import SERVER, make_app

        app = make_app(
            self._projects,
            token=self._instance.token,
            port=lambda: self.port or 0,
            health=lambda: to_plain(self._health()),
            codes=self.codes,
            sessions=self.sessions,
            persons=self.persons,
            name=self.name,
            streams=self._open_streams(),
            jobs=self._jobs,
            count_fixed=_count_fixed,
            local=local,
            mounts={"/mcp": _mount_mcp(self._projects)},
        )
        links = Links(self._limits.most, self._limits.head)
        own = {"http": make_protocol(links), "backlog": TAKEN_AT_ONCE}
        return uvicorn.Server(uvicorn.Config(self._counted(app), **SERVER | own))

    def _counted(self, app: Application) -> Application:
        """Count requests in progress: they keep the daemon alive and are waited for."""

        from dmm.daemon.links import LINK

        async def serve(scope: Any, receive: Any, send: Any) -> None:
            link = scope["state"][LINK]
            with contextlib.ExitStack() as held:
                held.enter_context(self._counting())
                heard = link.listen(scope, receive)
                # Nobody waits for the end of a stream: from its beginning it is counted by itself.
                reply = _at_start(send, held.close) if scope["path"] == STREAM else send
                try:
                    await app(scope, heard, reply)
                finally:
                    link.rest()
                    self.last = time.monotonic()

        return serve

    @contextlib.contextmanager
    def _counting(self) -> Iterator[None]:
        number = self._under_way.begin()
        self.last = time.monotonic()
        try:
            yield
        finally:
            self.last = time.monotonic()
            self._under_way.end(number)

    @property
    def busy(self) -> int:
        """How many requests are being answered, without those that hang."""
        return self._under_way.count

    @property
    def codes(self) -> Codes:
        """The one-time codes with which a browser signs in."""
        load("dmm.http")
        from dmm.http import Codes

        with self._making:
            self._codes = self._codes or Codes()
        return self._codes

    @property
    def sessions(self) -> Sessions:
        """The browsers that are signed in."""
        load("dmm.http")
        from dmm.http import Sessions

        with self._making:
            self._sessions = self._sessions or Sessions(folder=page_folder())
        return self._sessions

    def sign_out(self) -> int:
        """End all codes, sessions and waiting commands; tell how many browsers were signed in."""
        self.codes.end_all()
        self.persons.sign_out(commands=True)
        ended = self.sessions.end_all()
        if self._streams is not None:
            # Only now: a browser that lost its stream opens another as long as it is signed in.
            self._streams.end_all()
        return ended

    def _open_streams(self) -> Streams:
        from dmm.http import Jobs, Streams

        with self._making:
            if self._streams is None:
                self._streams = Streams()
                self._jobs = Jobs(self._streams.tell_job)
        return self._streams

    @property
    def followed(self) -> int:
        """How many streams are open and how many jobs run."""
        streams = 0 if self._streams is None else self._streams.count
        return streams + (0 if self._jobs is None else self._jobs.running)

    def leave(self) -> None:
        """Stop accepting connections; running requests are answered."""
        self._leaving = True
        if self._streams is not None:
            self._streams.close()
        if self._jobs is not None:
            self._jobs.close()
        for server in self._servers:
            server.should_exit = True

    def drain(self, seconds: float) -> bool:
        """Wait for the requests under way, for so long at most."""
        deadline = time.monotonic() + seconds
        while self._serving and time.monotonic() < deadline:
            time.sleep(PAUSE)
        return not self._serving

    def close(self) -> None:
        """Stop listening."""
        for one in (*self._port, *self._local):
            one.close()
        with contextlib.suppress(OSError):
            (self._instance.folder / LOCAL).unlink()


def _count_fixed(dmm: Dmm) -> tuple[tuple[str, int], ...]:
    """Count what every session pays; loaded on demand."""
    from dmm.mcp.cost import count_fixed

    return count_fixed(dmm)


def _mount_mcp(projects: Projects) -> Application:
    """Serve MCP over HTTP; its library is loaded at the first request."""

    async def serve(scope: Any, receive: Any, send: Any) -> None:
        await asyncio.to_thread(load, "dmm.mcp.web")
        from dmm.mcp.web import make_app

        await make_app(projects)(scope, receive, send)

    return serve


def _at_start(send: Callable[[Any], Awaitable[None]], do: Callable[[], None]) -> Any:
    """Have something done when the answer begins."""

    async def sending(message: Any) -> None:
        if message["type"] == "http.response.start":
            do()
        await send(message)

    return sending


class _Told(logging.Handler):
    """Hands on what a library logs as a fault: its words are those of the program."""

    def __init__(self, log: Log) -> None:
        super().__init__(logging.ERROR)
        self._log = log

    def emit(self, record: logging.LogRecord) -> None:
        """Write one line; what a request held has no place in it."""
        if record.exc_info and record.exc_info[1] is not None:
            self._log.write_fault(record.name, record.exc_info[1])
        elif record.name == LOGGERS[0]:
            self._log.write(f"{record.name}: {record.getMessage()}")
        else:
            self._log.write(f"{record.name}: {record.msg}")


def route(name: str, log: Log) -> None:
    """Route a logger to the log of this process only."""
    found = logging.getLogger(name)
    found.handlers = [_Told(log)]
    found.propagate = False


def listen_locally(path: Path) -> socket.socket:
    """Bind a Unix socket that only this user may use; what a dead process left is removed."""
    if sys.platform == "win32":  # pragma: no cover - the daemon runs on POSIX systems only
        raise OSError(errno.ENOSYS, "no Unix sockets")
    path.unlink(missing_ok=True)
    found = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        found.bind(str(path))
        found.listen(BACKLOG)
        found.setblocking(False)
    except OSError:
        found.close()
        raise
    # Nobody else can enter the folder; the mask belongs to all threads and is left alone.
    path.chmod(0o600)
    return found
