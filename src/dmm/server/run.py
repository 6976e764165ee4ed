"""Serve a team server's routes until it is stopped."""

from __future__ import annotations

import contextlib
import signal
import socket
from typing import TYPE_CHECKING

import uvicorn

from dmm.errors import UsageError
from dmm.server.app import TeamApi
from dmm.server.telemetry import exporting

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from dmm.server.setup import Setup

# So long may an answer under way take after a stop was asked for.
DRAIN = 5
# More are answered at once with "busy"; laptops try again. Most of them wait for news.
MOST_CONNECTIONS = 900


class DrainingServer(uvicorn.Server):
    """Takes no new requests after a signal, ends waits for news, and finishes what is under way."""

    def __init__(self, config: uvicorn.Config, api: TeamApi) -> None:
        super().__init__(config)
        self._api = api

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop, once what is under way is done."""
        self._api.drain()
        await super().shutdown(sockets)


def serve(setup: Setup, host: str, port: int, announce: Callable[[str], None]) -> None:
    """Serve until a signal; answers under way are finished first."""
    with setup.registry() as registry:
        api = TeamApi(registry, setup.people())
        config = uvicorn.Config(
            api.app(),
            log_level="warning",
            access_log=False,
            lifespan="off",
            server_header=False,
            limit_concurrency=MOST_CONNECTIONS,
            timeout_graceful_shutdown=DRAIN,
        )
        with _listen(host, port) as listening:
            announce(f"http://{host}:{listening.getsockname()[1]}")
            with _outliving_signals(), exporting(api.metrics, api.count_waiting):
                DrainingServer(config, api).run(sockets=[listening])


@contextlib.contextmanager
def _outliving_signals() -> Iterator[None]:
    """Outlive the signal that uvicorn raises again when it has stopped: there is more to close."""
    names = (signal.SIGTERM, signal.SIGINT)
    before = [signal.signal(one, lambda *_: None) for one in names]
    try:
        yield
    finally:
        for one, handler in zip(names, before, strict=True):
            signal.signal(one, handler)


def _listen(host: str, port: int) -> socket.socket:
    try:
        return socket.create_server((host, port))
    except OSError as error:
        what = f"can't listen on {host}:{port}: {error.strerror or error}"
        raise UsageError(what, hint="choose another --port or --host") from error
