"""Relay lines between an MCP client and the daemon.

If that process dies, requests that were under way are answered with an error, since nobody knows
whether they were carried out; the next one calls another process and says the greeting again.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import sys
import time

from dmm import endpoint

CHUNK = 1 << 16
PATIENCE = 10.0
# Where it could not be reached once, nobody is kept waiting for long again.
LATER_PATIENCE = 1.0
# Another process is waited for, and the system has no way to be told of it: look again, briefly.
PAUSE = 0.01
# A process that takes nothing, or says nothing after the client has left, is given up.
SEND_WITHIN = 30.0
FINISH_WITHIN = 12.0
RESTARTED = "the memory process has stopped; retry the call to start a new one"
ABSENT = "the memory process can't be started; run dmm doctor"
INTERNAL = -32603

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _socket import socket


def main() -> None:
    """Serve the client on standard input and output until it leaves."""
    status = 1
    try:
        client = endpoint.name_client(sys.argv[1:], "mcp")
        tools = endpoint.name_client(sys.argv[1:], "full", "--tools")
        status = Pump(f"{client}/{tools}", _start()).run()
    except (BrokenPipeError, KeyboardInterrupt):
        status = 0
    os._exit(status)


def _start() -> str:
    """Return where the client works; the project is found from there."""
    named = os.environ.get("DMM_ROOT") or os.environ.get("CLAUDE_PROJECT_DIR")
    return os.path.abspath(named) if named else os.getcwd()


class Pump:
    """One client, and one background process after another."""

    def __init__(self, client: str, start: str) -> None:
        self._client = client
        self._start = start
        self._link: socket | None = None
        self._greeting: list[bytes] = []
        self._open: dict[object, None] = {}
        self._asked = b""
        self._answered = b""
        self._skipped: object = None
        self._patience = PATIENCE

    def run(self) -> int:
        """Carry bytes both ways until the client closes its side."""
        self._connect()
        while True:
            ready = [0] if self._link is None else [0, self._link.fileno()]
            readable, _, _ = select.select(ready, [], [])
            if self._link is not None and self._link.fileno() in readable:
                self._from_daemon(self._link)
            elif 0 in readable and not self._from_client():
                return self._finish()

    def _finish(self) -> int:
        """Forward the last answers after the client closed its side, within a limit."""
        deadline = time.monotonic() + FINISH_WITHIN
        if self._asked.strip():
            self._send(self._asked)
        with contextlib.suppress(OSError):
            if self._link is not None:
                self._link.shutdown(1)
        while self._link is not None and self._open:
            self._link.settimeout(max(PAUSE, deadline - time.monotonic()))
            self._from_daemon(self._link)
        return 0

    def _from_client(self) -> bool:
        part = os.read(0, CHUNK)
        if not part:
            return False
        *lines, self._asked = (self._asked + part).split(b"\n")
        for line in lines:
            if line.strip():
                self._send(line)
        return True

    def _send(self, line: bytes) -> None:
        key, method = _read(line)
        if key is not None and method is not None:
            self._open[key] = None
        link = self._link or self._connect()
        if link is None:
            self._refuse(ABSENT)
            return
        if method in ("initialize", "notifications/initialized"):
            self._greeting.append(line)
        try:
            link.sendall(line + b"\n")
        except OSError:
            self._lose()

    def _from_daemon(self, link: socket) -> None:
        try:
            part = link.recv(CHUNK)
        except OSError:
            part = b""
        if part:
            self._pass_on(part)
        else:
            self._lose()

    def _pass_on(self, part: bytes) -> None:
        *lines, self._answered = (self._answered + part).split(b"\n")
        for line in lines:
            key, method = _read(line)
            if key is not None and method is None:
                if key == self._skipped:
                    self._skipped = None
                    continue
                self._open.pop(key, None)
            _write(line + b"\n")

    def _connect(self) -> socket | None:
        """Reach the background process, starting it if need be, and greet it for the client."""
        deadline = time.monotonic() + self._patience
        self._patience = LATER_PATIENCE
        while time.monotonic() < deadline:
            link = endpoint.connect(PATIENCE)
            if link is None:
                try:
                    endpoint.start()
                except OSError:
                    return None
                time.sleep(PAUSE)
                continue
            try:
                self._greet(link)
            except OSError:
                link.close()
                continue
            self._link, self._patience = link, PATIENCE
            return link
        return None

    def _greet(self, link: socket) -> None:
        body = os.fsencode(self._start)
        link.sendall(endpoint.header("mcp", self._client, len(body)) + body)
        if self._greeting:
            # The client has had the answer to this, from an earlier process.
            self._skipped, _ = _read(self._greeting[0])
            link.sendall(b"".join(line + b"\n" for line in self._greeting))
        link.settimeout(SEND_WITHIN)

    def _lose(self) -> None:
        """Answer what was under way; another process is called when the client next asks."""
        if self._link is not None:
            self._link.close()
        self._link, self._answered = None, b""
        if self._greeting and _read(self._greeting[0])[0] in self._open:
            self._greeting.clear()
        self._refuse(RESTARTED)

    def _refuse(self, why: str) -> None:
        for key in list(self._open):
            fault = {"code": INTERNAL, "message": why}
            _write(json.dumps({"jsonrpc": "2.0", "id": key, "error": fault}).encode() + b"\n")
        self._open.clear()


def _read(line: bytes) -> tuple[object, object]:
    """Read the id and the method of a message; an invalid message is passed on unread."""
    try:
        match json.loads(line):
            case {"id": str() | int() | float() as key, **rest}:
                return key, rest.get("method")
            case {"method": method}:
                return None, method
    except (ValueError, RecursionError):
        pass
    return None, None


def _write(data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(1, view) :]
