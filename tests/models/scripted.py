"""A server on loopback that answers with bytes a test wrote down, however odd they are."""

from __future__ import annotations

import contextlib
import json
import socket
import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


@dataclass(frozen=True, slots=True)
class Asked:
    """One request that reached the server."""

    line: str
    headers: dict[str, str]
    body: dict[str, Any]


@dataclass(slots=True)
class Server:
    """Answers every request with the same pieces of bytes, however odd; keeps what it was asked.

    With a pause the pieces trickle: one after another, until the client hangs up.
    """

    pieces: Callable[[Asked], Iterable[bytes]] = lambda _: ()
    pause: float = 0.0
    asked: list[Asked] = field(default_factory=list)
    hung_up: threading.Event = field(default_factory=threading.Event)
    _closed: threading.Event = field(default_factory=threading.Event)
    _socket: socket.socket = field(default_factory=lambda: socket.create_server(("127.0.0.1", 0)))

    def start(self) -> None:
        threading.Thread(target=self._serve, daemon=True).start()

    @property
    def port(self) -> int:
        number: int = self._socket.getsockname()[1]
        return number

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def close(self) -> None:
        self._closed.set()
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            threading.Thread(target=self._answer, args=(connection,), daemon=True).start()

    def _answer(self, connection: socket.socket) -> None:
        with connection, contextlib.suppress(OSError), connection.makefile("rb") as stream:
            asked = _read_request(stream)
            if asked is None:
                return
            self.asked.append(asked)
            try:
                for piece in self.pieces(asked):
                    if self.pause and self._closed.wait(self.pause):
                        return
                    connection.sendall(piece)
            except OSError:
                self.hung_up.set()

    def say(self, body: object, status: str = "200 OK", **headers: str) -> None:
        """Answer with JSON, or with a text that only calls itself so."""
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.pieces = lambda _: [response(data, status, **headers)]


def _read_request(stream: Any) -> Asked | None:
    line = stream.readline().decode("latin-1").strip()
    if not line.startswith(("POST", "GET", "HEAD")):
        return None
    headers = {}
    while text := stream.readline().decode("latin-1").strip():
        name, _, value = text.partition(":")
        headers[name.lower()] = value.strip()
    data = stream.read(int(headers.get("content-length", "0")))
    return Asked(line, headers, json.loads(data) if data else {})


def response(data: bytes, status: str = "200 OK", **headers: str) -> bytes:
    told = {"Content_Type": "application/json", "Content_Length": str(len(data))} | headers
    lines = [f"{name.replace('_', '-')}: {value}" for name, value in told.items()]
    return "\r\n".join([f"HTTP/1.1 {status}", *lines, "", ""]).encode() + data
