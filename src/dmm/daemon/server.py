"""Unix socket connections: one request each, handled by a thread once complete.

One thread takes connections and reads them, without waiting for any. Whoever says nothing, or not
all, is hung up on in a few seconds, and takes no room from those who ask.
"""

from __future__ import annotations

import selectors
import socket
import threading
import time
from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dmm.daemon.incoming import BadRequest, Incoming, NobodyThere, Request
from dmm.daemon.underway import UnderWay

if TYPE_CHECKING:
    from collections.abc import Callable

    from dmm.daemon.logs import Log

# Whatever hooks and queries wait for, somebody can still look after the process and end it.
AT_ONCE = {"hook": 64, "call": 32, "care": 8}
CARE = ("health", "status", "stop")
# How long a whole request waits for its turn, and an answer for being taken.
PATIENCE = 10.0
MOST = 256
PAUSE = 0.05
# More than wait at the door at any time.
TAKEN_AT_ONCE = 256
SIGN = b"+"


@dataclass(frozen=True, slots=True)
class Limits:
    """What connections may take: seconds for the first line and for the rest, and how many wait."""

    head: float = 5.0
    body: float = 10.0
    most: int = MOST


@dataclass(slots=True)
class _Room:
    """Where the requests of one kind are answered, so many at once; the others wait in order."""

    most: int
    busy: int = 0
    waiting: deque[tuple[float, int, Request]] = field(default_factory=deque)


class Server:
    """Takes connections and has them answered; `handle` gives a reply, or None if it took over."""

    def __init__(
        self,
        listener: socket.socket,
        handle: Callable[[Request], bytes | None],
        log: Log,
        limits: Limits | None = None,
    ) -> None:
        self._listener = listener
        self._handle = handle
        self._log = log
        self._limits = limits or Limits()
        self._incoming: dict[socket.socket, tuple[Incoming, int]] = {}
        self._lock = threading.Lock()
        self._rooms = {kind: _Room(most) for kind, most in AT_ONCE.items()}
        self._arriving = UnderWay()
        self._asked = UnderWay()
        self._open = True
        self._closing: int | None = None
        self.last = time.monotonic()

    def start(self) -> None:
        """Start accepting connections."""
        self._selector = selectors.DefaultSelector()
        self._woken, self._wake = socket.socketpair()
        threading.Thread(target=self._run, name="dmm-accept", daemon=True).start()

    @property
    def busy(self) -> int:
        """How many requests are being answered, without those that hang."""
        return self._asked.count

    def drain(self, seconds: float) -> bool:
        """Accept waiting connections, then let all requests finish within a limit."""
        deadline = time.monotonic() + seconds
        self._closing = self._arriving.begin()
        self._wake.send(b".")
        # A request is under way before it ceases to arrive, so none is missed in between.
        left = (self._arriving, self._asked)
        return all(one.wait(max(0.0, deadline - time.monotonic())) for one in left)

    def _run(self) -> None:
        self._listener.setblocking(False)
        for door in (self._listener, self._woken):
            self._selector.register(door, selectors.EVENT_READ)
        while self._open or self._incoming:
            try:
                self._look()
            except Exception as error:  # noqa: BLE001 - whatever one brings, the others are taken
                self._log.write_fault("a connection could not be taken", error)
        for end in (self._selector, self._woken, self._wake):
            end.close()

    def _look(self) -> None:
        """Wait until something has arrived, or somebody's time is up."""
        for key, _ in self._selector.select(self._next_deadline()):
            link = key.fileobj
            if link is self._listener:
                self._take()
            elif link is self._woken:
                self._close_door()
            elif isinstance(link, socket.socket) and link in self._incoming:
                self._read(link)
        self._hang_up_on_the_late()

    def _close_door(self) -> None:
        self._selector.unregister(self._woken)
        self._take()
        self._selector.unregister(self._listener)
        self._open = False
        if self._closing is not None:
            self._arriving.end(self._closing)

    def _take(self) -> None:
        """Accept waiting connections, and serve accepted ones in between."""
        for _ in range(TAKEN_AT_ONCE):
            try:
                link, _ = self._listener.accept()
            except BlockingIOError:
                return
            except OSError:
                # Out of descriptors, most likely: who has said nothing gives one back.
                if not self._hang_up_on_the_oldest():
                    time.sleep(PAUSE)
                return
            if len(self._incoming) >= self._limits.most:
                self._hang_up_on_the_oldest()
            number = self._arriving.begin()
            try:
                self._incoming[link] = Incoming(link), number
            except (OSError, BadRequest) as error:
                self._hang_up(link, number, error)
                continue
            self._selector.register(link, selectors.EVENT_READ)
            self._read(link)

    def _read(self, link: socket.socket) -> None:
        """Read what has arrived; a request that is whole is answered."""
        incoming, number = self._incoming[link]
        try:
            request = incoming.read()
        except (OSError, BadRequest, NobodyThere) as error:
            self._hang_up(link, number, error)
            return
        if request is not None:
            self._forget(link)
            self.last = time.monotonic()
            self._hand_over(request)
            self._arriving.end(number)

    def _forget(self, link: socket.socket) -> None:
        if self._incoming.pop(link, None) is not None:
            self._selector.unregister(link)

    def _hang_up(self, link: socket.socket, number: int, why: Exception) -> None:
        self._forget(link)
        link.close()
        self._arriving.end(number)
        if not isinstance(why, NobodyThere):
            self._log.write(f"a connection ended: {type(why).__name__}")

    def _hang_up_on_the_oldest(self) -> bool:
        """Close the connection that waits longest without a request, or the oldest."""
        silent = (link for link, (one, _) in self._incoming.items() if not one.headed)
        link = next(silent, None) or next(iter(self._incoming), None)
        if link is not None:
            self._hang_up(link, self._incoming[link][1], BadRequest("too many"))
        return link is not None

    def _deadline(self, incoming: Incoming) -> float:
        return incoming.since + (self._limits.body if incoming.headed else self._limits.head)

    def _next_deadline(self) -> float | None:
        """Return the seconds until the next deadline, or None."""
        ends = [self._deadline(one) for one, _ in self._incoming.values()]
        with self._lock:
            ends += [room.waiting[0][0] for room in self._rooms.values() if room.waiting]
        return max(0.0, min(ends) - time.monotonic()) if ends else None

    def _hang_up_on_the_late(self) -> None:
        now = time.monotonic()
        late = [(k, n) for k, (one, n) in self._incoming.items() if self._deadline(one) <= now]
        for link, number in late:
            self._hang_up(link, number, TimeoutError())
        for room in self._rooms.values():
            while (turned_away := self._turn_away(room, now)) is not None:
                request, number = turned_away
                self._log.write("a request found no room")
                request.link.close()
                self._asked.end(number)

    def _turn_away(self, room: _Room, now: float) -> tuple[Request, int] | None:
        with self._lock:
            if not room.waiting or room.waiting[0][0] > now:
                return None
            _, number, request = room.waiting.popleft()
            return request, number

    def _hand_over(self, request: Request) -> None:
        """Answer a request in a thread of its own, or wait for a free one."""
        room = self._rooms[_room_of(request)]
        number = self._asked.begin()
        with self._lock:
            if room.busy == room.most:
                room.waiting.append((time.monotonic() + PATIENCE, number, request))
                return
            room.busy += 1
        worker = threading.Thread(target=self._work, args=(room, request, number), daemon=True)
        try:
            worker.start()
        except RuntimeError:
            # The system gives no more threads; the caller gets no answer and asks again.
            request.link.close()
            self._asked.end(number)
            with self._lock:
                room.busy -= 1

    def _work(self, room: _Room, request: Request, number: int) -> None:
        while True:
            self._attend(request)
            self._asked.end(number)
            with self._lock:
                if not room.waiting:
                    room.busy -= 1
                    return
                _, number, request = room.waiting.popleft()

    def _attend(self, request: Request) -> None:
        kept = False
        try:
            if request.kind == "call" and _is_given_up(request.link):
                # Whoever asked has done it alone meanwhile, or was interrupted.
                return
            request.link.settimeout(PATIENCE)
            reply = self._handle(request)
            kept = reply is None
            if reply is not None:
                request.link.sendall(SIGN + reply)
        except OSError as error:
            self._log.write(f"a connection ended: {type(error).__name__}")
        except Exception as error:  # noqa: BLE001 - one request must not end the others
            self._log.write_fault("a request failed", error)
        finally:
            if not kept:
                request.link.close()


def _is_given_up(link: socket.socket) -> bool:
    """Return whether whoever asked has hung up."""
    link.setblocking(False)
    try:
        return link.recv(1, socket.MSG_PEEK) == b""
    except BlockingIOError:
        return False


def _room_of(request: Request) -> str:
    if request.kind == "call" and request.label in CARE:
        return "care"
    return "hook" if request.kind == "hook" else "call"
