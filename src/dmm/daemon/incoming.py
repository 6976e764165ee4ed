"""Read a request from the Unix socket without blocking."""

from __future__ import annotations

import os
import socket
import struct
import sys
import time
from dataclasses import dataclass

from dmm.endpoint import MAGIC

LONGEST_HEADER = 256
LARGEST_BODY = 32 << 20
AT_ONCE = 1 << 20
CREDENTIALS = struct.Struct("3i")


class BadRequest(Exception):
    """A request that is not one of ours."""


class NobodyThere(Exception):
    """The other side only looked whether somebody listens."""


@dataclass(frozen=True, slots=True)
class Request:
    """One request: what it is, in whose name, from which process."""

    version: str
    kind: str
    label: str
    body: bytes
    peer: int | None
    link: socket.socket


class Incoming:
    """One connection until its request is whole; what follows the request is left unread."""

    def __init__(self, link: socket.socket) -> None:
        link.setblocking(False)
        self.link = link
        self.since = time.monotonic()
        self._peer = _peer(link)
        self._line = b""
        self._words: list[str] = []
        self._parts: list[bytes] = []
        self._missing = 0

    @property
    def headed(self) -> bool:
        """Whether the first line is whole."""
        return bool(self._words)

    def read(self) -> Request | None:
        """Return the request received so far; None while it is incomplete."""
        try:
            if not self._words:
                self._read_line()
            while self._missing:
                self._read_part()
        except BlockingIOError:
            return None
        _, version, kind, label, _ = self._words
        return Request(version, kind, label, b"".join(self._parts), self._peer, self.link)

    def _read_line(self) -> None:
        """Read the header and not a byte more: what follows may be the speech of an MCP client."""
        while not self._line.endswith(b"\n"):
            if len(self._line) == LONGEST_HEADER:
                raise BadRequest("no end of the header")
            seen = self.link.recv(LONGEST_HEADER - len(self._line), socket.MSG_PEEK)
            if not seen:
                raise BadRequest("no header") if self._line else NobodyThere
            self._line += self.link.recv(seen.find(b"\n") + 1 or len(seen))
        words = self._line.decode("ascii", "replace").rstrip("\n").split(" ")
        if len(words) != 5 or words[0] != MAGIC or not words[4].isdigit():
            raise BadRequest("another protocol")
        self._missing = int(words[4])
        if self._missing > LARGEST_BODY:
            raise BadRequest("too long")
        self._words = words
        # The body has its own time.
        self.since = time.monotonic()

    def _read_part(self) -> None:
        part = self.link.recv(min(self._missing, AT_ONCE))
        if not part:
            raise BadRequest("cut off")
        self._parts.append(part)
        self._missing -= len(part)


def _peer(link: socket.socket) -> int | None:
    """Return the process at the other end, which must be the user's own."""
    if sys.platform != "linux":
        return None
    pid, user, _ = CREDENTIALS.unpack(
        link.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, CREDENTIALS.size)
    )
    if user not in (os.getuid(), 0):
        raise BadRequest("another user")
    return int(pid)
