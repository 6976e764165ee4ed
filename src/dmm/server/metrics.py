"""Metrics of the server as plain Prometheus text; they name no team, project or laptop."""

from __future__ import annotations

import time
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
# In seconds; a pull may wait for news.
BUCKETS = (0.005, 0.025, 0.1, 0.5, 2.5, 10.0)
_OTHER = "other"


class Metrics:
    """Counts since the server was started."""

    def __init__(self, paths: Iterable[str]) -> None:
        self._paths = frozenset(paths)
        self._requests: Counter[tuple[str, str, int]] = Counter()
        self._within: Counter[tuple[str, float]] = Counter()
        self._seconds: dict[str, float] = {}
        self.events = 0
        self.active = 0
        # Others who are told of every answer.
        self.listeners: list[Callable[[str, str, int, float], None]] = []

    def note(self, path: str, method: str, status: int, seconds: float) -> None:
        """Count an answer; paths that are not served are told together."""
        name = path if path in self._paths else _OTHER
        self._requests[name, method, status] += 1
        self._seconds[name] = self._seconds.get(name, 0.0) + seconds
        for most in BUCKETS:
            self._within[name, most] += seconds <= most
        for tell in self.listeners:
            tell(name, method, status, seconds)

    def write(self, waiting: int) -> str:
        """Write all figures."""
        return "".join(f"{line}\n" for line in self._lines(waiting))

    def _lines(self, waiting: int) -> Iterator[str]:
        yield from _head("dmm_server_requests_total", "counter", "Requests that were answered.")
        for (path, method, status), count in sorted(self._requests.items()):
            labels = f'path="{path}",method="{method}",status="{status}"'
            yield f"dmm_server_requests_total{{{labels}}} {count}"
        yield from _head("dmm_server_request_seconds", "histogram", "How long requests took.")
        for path, seconds in sorted(self._seconds.items()):
            yield from self._histogram(path, seconds)
        yield from _head("dmm_server_events_total", "counter", "Events that logs have taken.")
        yield f"dmm_server_events_total {self.events}"
        yield from _head("dmm_server_active_requests", "gauge", "Requests under way.")
        yield f"dmm_server_active_requests {self.active}"
        yield from _head("dmm_server_waiting_laptops", "gauge", "Laptops that wait for news.")
        yield f"dmm_server_waiting_laptops {waiting}"

    def _histogram(self, path: str, seconds: float) -> Iterator[str]:
        count = sum(n for (name, _, _), n in self._requests.items() if name == path)
        for most in BUCKETS:
            labels = f'path="{path}",le="{most}"'
            yield f"dmm_server_request_seconds_bucket{{{labels}}} {self._within[path, most]}"
        yield f'dmm_server_request_seconds_bucket{{path="{path}",le="+Inf"}} {count}'
        yield f'dmm_server_request_seconds_sum{{path="{path}"}} {seconds:.6f}'
        yield f'dmm_server_request_seconds_count{{path="{path}"}} {count}'


class Measured:
    """The application, with every request counted."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self._app = app
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, and note its status and how long it took."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        begun, status = time.monotonic(), 500

        async def tell(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        self._metrics.active += 1
        try:
            await self._app(scope, receive, tell)
        finally:
            self._metrics.active -= 1
            method = scope["method"] if scope["method"] in ("GET", "POST") else _OTHER
            self._metrics.note(scope["path"], method, status, time.monotonic() - begun)


def _head(name: str, kind: str, what: str) -> tuple[str, str]:
    return f"# HELP {name} {what}", f"# TYPE {name} {kind}"
