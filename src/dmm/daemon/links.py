"""HTTP connections, limited in number and time.

The server of the library waits for a request for as long as bytes trickle in, and takes connections
until no descriptor is left. Anybody on this machine can open them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from uvicorn.protocols.http.h11_impl import H11Protocol

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Awaitable, Callable

    from starlette.types import Scope
    from uvicorn import Config
    from uvicorn.server import ServerState

    Receive = Callable[[], Awaitable[Any]]

# Under this name an application finds the connection that a request came through.
LINK = "dmm.link"


@dataclass(slots=True, eq=False)
class Links:
    """The connections of one door: those that still send their request, and those that are idle.

    Where there are too many, an idle one is closed first, then the one that takes longest to send
    its request. A request that is being answered is left alone.
    """

    most: int
    head_seconds: float
    sending: dict[Link, None] = field(default_factory=dict)
    idle: dict[Link, None] = field(default_factory=dict)
    answered: set[Link] = field(default_factory=set)

    def __len__(self) -> int:
        return len(self.sending) + len(self.idle) + len(self.answered)

    def admit(self, link: Link) -> bool:
        """Return whether there is room for one more, or make it."""
        if len(self) >= self.most:
            first = next(iter(self.idle), None) or next(iter(self.sending), None)
            if first is None:
                return False
            self.drop(first)
            first.transport.abort()
        self.sending[link] = None
        return True

    def drop(self, link: Link) -> None:
        """Drop a connection."""
        self.sending.pop(link, None)
        self.idle.pop(link, None)
        self.answered.discard(link)


class Link(H11Protocol):
    """One connection."""

    links: Links

    def __init__(
        self,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:
        super().__init__(config, server_state, {**app_state, LINK: self}, _loop)
        self._timer: asyncio.TimerHandle | None = None
        self._requests = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start the timer of a new connection, or refuse it."""
        super().connection_made(transport)
        if self.links.admit(self):
            self._start_timer()
        else:
            transport.abort()

    def data_received(self, data: bytes) -> None:
        """Receive bytes; the first of a new request start its timer."""
        if self in self.links.idle:
            self.links.drop(self)
            self.links.sending[self] = None
            self._start_timer()
        super().data_received(data)

    def connection_lost(self, exc: Exception | None) -> None:
        """Drop the connection."""
        self._stop_timer()
        self.links.drop(self)
        super().connection_lost(exc)

    def listen(self, scope: Scope, receive: Receive) -> Receive:
        """Note that the head of a request arrived; the gate limits the time of its body."""
        self._stop_timer()
        self._requests += 1
        names = {bytes(name).lower() for name, _ in scope["headers"]}
        if names.isdisjoint((b"content-length", b"transfer-encoding")):
            self._answer()
            return receive

        async def hear() -> Any:
            message = await receive()
            if not message.get("more_body"):
                self._answer()
            return message

        return hear

    def _answer(self) -> None:
        if not self.transport.is_closing():
            self.links.drop(self)
            self.links.answered.add(self)

    def rest(self) -> None:
        """Note that a request was answered; the library closes idle connections."""
        self._requests -= 1
        # The next request may have been sent before this one was answered.
        if not self._requests and not self.transport.is_closing():
            self.links.drop(self)
            self.links.idle[self] = None

    def _start_timer(self) -> None:
        self._stop_timer()
        self._timer = self.loop.call_later(self.links.head_seconds, self.transport.abort)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


def make_protocol(own: Links) -> type[Link]:
    """Make the protocol of one door, for uvicorn."""

    class Own(Link):
        """A connection at this door."""

        links = own

    return Own
