"""A real server on the loopback, over a real project; requests are bytes, so any can be sent."""

from __future__ import annotations

import contextlib
import hashlib
import json
import socket
import threading
from dataclasses import dataclass
from http.client import HTTPResponse
from typing import TYPE_CHECKING, Any

import pytest
import uvicorn

from dmm.bootstrap import today
from dmm.eventlog.open_ledger import Actor
from dmm.files.trusted import TrustStore
from dmm.http import SERVER, Codes, Streams, make_app
from dmm.passkeys.service import Persons
from dmm.passkeys.webauthn import Place
from dmm.project.init import set_up
from dmm.projects import Projects, SharedModel

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from starlette.types import ASGIApp

    from dmm.embed.model import Embedder

TOKEN = "0123456789abcdef" * 4
NAME = "dmm-0a1b2c3d.localhost"
Headers = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back over the wire."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes

    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def code(self) -> str:
        """The code of an error."""
        error = self.json()["error"]
        assert set(error) == {"code", "what", "where", "hint"}
        return str(error["code"])

    def header(self, name: str) -> str | None:
        found = [value for key, value in self.headers if key.lower() == name]
        assert len(found) <= 1
        return found[0] if found else None


@dataclass(frozen=True, slots=True)
class Server:
    """The address of a running server, the project behind it, and ways to speak to it."""

    port: int
    root: Path
    projects: Projects
    codes: Codes
    persons: Persons
    token: str = TOKEN
    name: str = NAME

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.port}"

    @property
    def origin(self) -> str:
        return f"http://{self.host}"

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=30)

    def receive(self, connection: socket.socket, method: str = "GET") -> Reply:
        """Read one answer."""
        with HTTPResponse(connection, method=method) as response:
            response.begin()
            return Reply(response.status, tuple(response.getheaders()), response.read())

    def send(self, data: bytes, method: str = "GET") -> Reply:
        """Send bytes as they are and read one answer."""
        with self.connect() as connection:
            # A server that refuses early may close before it has read everything.
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                connection.sendall(data)
            return self.receive(connection, method)

    def head(self, method: str, path: str, headers: Headers, version: str = "1.1") -> bytes:
        lines = [f"{method} {path} HTTP/{version}", *(f"{name}: {v}" for name, v in headers)]
        return ("\r\n".join(lines) + "\r\n\r\n").encode("utf-8")

    def ask(
        self,
        method: str,
        path: str,
        body: object = None,
        *,
        headers: Headers = (),
        without: tuple[str, ...] = (),
    ) -> Reply:
        """Send a good request, but for headers that replace, add to or lack the usual ones."""
        data = (
            body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
        )
        usual = [("Host", self.host), ("Authorization", f"Bearer {self.token}")]
        if method not in ("GET", "HEAD") or body is not None:
            usual += [("Content-Type", "application/json"), ("Content-Length", str(len(data)))]
        named = {name.lower() for name, _ in headers} | {name.lower() for name in without}
        kept = [(name, value) for name, value in usual if name.lower() not in named]
        head = self.head(method, path, (*kept, ("Connection", "close"), *headers))
        return self.send(head + data, method)

    def sign_in(self, *, confirmed: bool = True) -> Headers:
        """Sign a browser in; the person has typed the code of the terminal, or not yet."""
        told = self.ask(
            "POST", "/v1/session", {"code": self.codes.make()}, without=("Authorization",)
        )
        cookie = (told.header("set-cookie") or "").partition(";")[0]
        if confirmed:
            session = hashlib.sha256(cookie.partition("=")[2].encode()).hexdigest()
            self.persons.codes.take(self.persons.codes.make(), session)
        return (("Cookie", cookie), ("Origin", self.origin), ("X-DMM-Page", "1"))

    @property
    def actor(self) -> Actor:
        return Actor()

    def events(self) -> int:
        """Count what the ledger holds."""
        with self.projects.find(self.root).recording(self.actor) as dmm:
            return dmm.project_ledger.reading.head().seq


@contextlib.contextmanager
def running(app: ASGIApp, listening: socket.socket) -> Iterator[None]:
    server = uvicorn.Server(uvicorn.Config(app, **SERVER))
    thread = threading.Thread(target=server.run, args=([listening],))
    thread.start()
    try:
        yield
    finally:
        server.should_exit = True
        thread.join()
        listening.close()


@pytest.fixture(scope="session")
def state(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A home of its own, with nothing of the user's in it."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("DMM_ROOT", "DMM_STATE_DIR", "XDG_STATE_HOME"):
            patch.delenv(name, raising=False)
        yield tmp_path_factory.mktemp("home")


@pytest.fixture(scope="session")
def new_memory(state: Path) -> Callable[[Path, bool], Path]:
    def make(folder: Path, trusted: bool = True) -> Path:
        folder.mkdir(parents=True, exist_ok=True)
        set_up(folder, day=today())
        # Examples that nobody has edited are never served.
        for file in (folder / ".dmm" / "memory").rglob("*.md"):
            file.write_text(file.read_text() + "\nThis is ours.\n")
        if trusted:
            TrustStore.of_user(state).trust(folder / ".dmm")
        return folder

    return make


@pytest.fixture
def projects(state: Path, model: Embedder) -> Iterator[Projects]:
    held = Projects(home=state, model=SharedModel(lambda: model))
    yield held
    held.close()


def healthy(root: Path) -> dict[str, Any]:
    watched = {"root": str(root / ".dmm"), "watcher": "notified"}
    return {"status": "healthy", "uptime": 1.5, "projects": [watched]}


def new_persons(folder: Path, port: int) -> Persons:
    return Persons(folder / f"page-{port}", lambda: Place(NAME, f"http://{NAME}:{port}"))


@pytest.fixture
def serve_local() -> Iterator[Callable[..., Server]]:
    """Servers on Unix sockets, stopped with their test."""
    with contextlib.ExitStack() as stack:

        def start(projects: Projects, root: Path, path: Path) -> Server:
            listening = stack.enter_context(socket.socket(socket.AF_UNIX))
            listening.bind(str(path))
            listening.listen()
            app = make_app(projects, token="", port=lambda: 0, health=dict, local=True)
            stack.enter_context(running(app, listening))
            return Server(0, root, projects, Codes(), new_persons(path.parent, 0))

        yield start


@contextlib.contextmanager
def serving(
    projects: Projects,
    root: Path,
    health: Callable[[], dict[str, Any]] | None = None,
    streams: Streams | None = None,
) -> Iterator[Server]:
    codes = Codes()
    # Named as TCP, or the loop leaves small answers waiting for their acknowledgement.
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.bind(("127.0.0.1", 0))
    listening.listen()
    port = listening.getsockname()[1]
    tell = health or (lambda: healthy(root))
    persons = new_persons(root.parent, port)
    app = make_app(
        projects,
        token=TOKEN,
        port=lambda: port,
        health=tell,
        persons=persons,
        codes=codes,
        name=NAME,
        streams=streams,
    )
    with running(app, listening):
        yield Server(port, root, projects, codes, persons)


@pytest.fixture
def serve() -> Iterator[Callable[..., Server]]:
    """Servers of a test's own, stopped with it."""
    with contextlib.ExitStack() as stack:
        yield lambda *given, **named: stack.enter_context(serving(*given, **named))


@pytest.fixture(scope="module")
def server(
    state: Path,
    model: Embedder,
    new_memory: Callable[[Path, bool], Path],
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Server]:
    """One server for all tests of a file; its only project is open."""
    root = new_memory(tmp_path_factory.mktemp("served") / "work", True)
    projects = Projects(home=state, model=SharedModel(lambda: model))
    projects.find(root)
    with serving(projects, root) as served:
        yield served
    projects.close()
