"""Serve a team server's routes until it is told to stop."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING

import uvicorn

from dmm.errors import UsageError
from dmm.server.app import TeamApi

if TYPE_CHECKING:
    from collections.abc import Callable

    from dmm.server.setup import Setup

# So long may an answer under way take after a stop was asked for.
DRAIN = 5
# More are answered at once with "busy"; laptops try again. Most of them wait for news.
MOST_CONNECTIONS = 900


def serve(setup: Setup, host: str, port: int, announce: Callable[[str], None]) -> None:
    """Serve until a signal; answers under way are finished first."""
    with setup.registry() as registry:
        config = uvicorn.Config(
            TeamApi(registry, setup.people()).app(),
            log_level="warning",
            access_log=False,
            lifespan="off",
            server_header=False,
            limit_concurrency=MOST_CONNECTIONS,
            timeout_graceful_shutdown=DRAIN,
        )
        with _listen(host, port) as listening:
            announce(f"http://{host}:{listening.getsockname()[1]}")
            uvicorn.Server(config).run(sockets=[listening])


def _listen(host: str, port: int) -> socket.socket:
    try:
        return socket.create_server((host, port))
    except OSError as error:
        what = f"can't listen on {host}:{port}: {error.strerror or error}"
        raise UsageError(what, hint="choose another --port or --host") from error
