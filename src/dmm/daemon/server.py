"""Connections on the Unix socket: each is one request in a thread of its own."""

from __future__ import annotations

import contextlib
import os
import socket
import struct
import sys
import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dmm.endpoint import MAGIC

if TYPE_CHECKING:
    from collections.abc import Callable

    from dmm.daemon.logs import Log

LONGEST_HEADER = 256
LARGEST_BODY = 32 << 20
# Connections that say nothing take no room from those that ask.
MOST_CONNECTED = 512
# Whatever hooks and queries wait for, somebody can still look after the process and end it.
AT_ONCE = {"hook": 64, "call": 32, "care": 8}
CARE = ("health", "status", "stop")
READ_TIMEOUT = 10.0
SIGN = b"+"
CREDENTIALS = struct.Struct("3i")


class BadRequest(Exception):
    """A request that is not one of ours."""


@dataclass(frozen=True, slots=True)
class Request:
    """One request: what it is, in whose name, from which process."""

    version: str
    kind: str
    label: str
    body: bytes
    peer: int | None
    link: socket.socket


class Server:
    """Takes connections and has them answered; `handle` gives a reply, or None if it took over."""

    def __init__(
        self, listener: socket.socket, handle: Callable[[Request], bytes | None], log: Log
    ) -> None:
        self._listener = listener
        self._handle = handle
        self._log = log
        self._doors = threading.BoundedSemaphore(MOST_CONNECTED)
        self._room = {kind: threading.BoundedSemaphore(most) for kind, most in AT_ONCE.items()}
        self._busy = 0
        self._lock = threading.Condition()
        self._stopped = False
        self.last = time.monotonic()

    def start(self) -> None:
        """Begin to take connections."""
        threading.Thread(target=self._accept, name="dmm-accept", daemon=True).start()

    @property
    def busy(self) -> int:
        """How many requests are being answered."""
        return self._busy

    def drain(self, seconds: float) -> bool:
        """Take what is waiting at the door, then let all requests finish, for so long at most."""
        self._stopped = True
        deadline = time.monotonic() + seconds
        with contextlib.suppress(OSError):
            self._listener.settimeout(0.0)
            while True:
                self._take(self._listener.accept()[0])
        with self._lock:
            return self._lock.wait_for(
                lambda: self._busy == 0, max(0.0, deadline - time.monotonic())
            )

    def _accept(self) -> None:
        while True:
            try:
                link, _ = self._listener.accept()
            except OSError:
                if self._stopped:
                    return
                # Out of descriptors, most likely: those who wait are taken when some are free.
                time.sleep(0.05)
                continue
            self._take(link)

    def _take(self, link: socket.socket) -> None:
        with self._lock:
            self._busy += 1
        self._doors.acquire()
        threading.Thread(target=self._attend, args=(link,), daemon=True).start()

    def _answer(self, request: Request) -> bytes | None:
        room = self._room[_room_of(request)]
        if not room.acquire(timeout=READ_TIMEOUT):
            raise BadRequest("no room")
        try:
            return self._handle(request)
        finally:
            room.release()

    def _attend(self, link: socket.socket) -> None:
        kept = False
        try:
            link.settimeout(READ_TIMEOUT)
            request = read_request(link)
            if request is not None:
                self.last = time.monotonic()
                reply = self._answer(request)
                kept = reply is None
                if reply is not None:
                    link.sendall(SIGN + reply)
        except (OSError, BadRequest) as error:
            self._log.write(f"a connection ended: {type(error).__name__}")
        except Exception as error:  # noqa: BLE001 - one request must not end the others
            self._log.write_fault("a request failed", error)
        finally:
            if not kept:
                link.close()
            self._doors.release()
            with self._lock:
                self._busy -= 1
                self._lock.notify_all()


def _room_of(request: Request) -> str:
    if request.kind == "call" and request.label in CARE:
        return "care"
    return "hook" if request.kind == "hook" else "call"


def read_request(link: socket.socket) -> Request | None:
    """Read one request; None if the other side only looked whether somebody is there."""
    peer = _peer(link)
    line = _read_line(link)
    if not line:
        return None
    words = line.decode("ascii", "replace").rstrip("\n").split(" ")
    if len(words) != 5 or words[0] != MAGIC or not words[4].isdigit():
        raise BadRequest("another protocol")
    return Request(words[1], words[2], words[3], _read_body(link, int(words[4])), peer, link)


def _read_line(link: socket.socket) -> bytes:
    """Read the header and not a byte more: what follows may be the speech of an MCP client."""
    line = b""
    while not line.endswith(b"\n"):
        if len(line) == LONGEST_HEADER:
            raise BadRequest("no end of the header")
        seen = link.recv(LONGEST_HEADER - len(line), socket.MSG_PEEK)
        if not seen and not line:
            return b""
        if not seen:
            raise BadRequest("no header")
        line += link.recv(seen.find(b"\n") + 1 or len(seen))
    return line


def _read_body(link: socket.socket, missing: int) -> bytes:
    if missing > LARGEST_BODY:
        raise BadRequest("too long")
    parts = []
    while missing:
        part = link.recv(min(missing, 1 << 20))
        if not part:
            raise BadRequest("cut off")
        parts.append(part)
        missing -= len(part)
    return b"".join(parts)


def _peer(link: socket.socket) -> int | None:
    """Tell the process at the other end, which must be the user's own."""
    if sys.platform != "linux":
        return None
    pid, user, _ = CREDENTIALS.unpack(
        link.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, CREDENTIALS.size)
    )
    if user not in (os.getuid(), 0):
        raise BadRequest("another user")
    return int(pid)
