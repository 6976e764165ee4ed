"""Responses and the headers they all share."""

from __future__ import annotations

import logging
import traceback
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dmm.http import errors
from dmm.http.errors import to_json

if TYPE_CHECKING:
    from collections.abc import Awaitable
    from types import TracebackType

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from dmm.http.errors import Refusal
    from dmm.web.files import PageFile

METHODS = b"GET, POST, PUT, DELETE"
ALWAYS = (
    (b"content-security-policy", b"default-src 'self'; frame-ancestors 'none'"),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cache-control", b"no-store"),
)
# For the files of the page: scripts and styles of its own alone, and no text becomes a script.
POLICY = (
    b"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self';"
    b" base-uri 'none'; form-action 'none'; frame-ancestors 'none';"
    b" require-trusted-types-for 'script'; trusted-types 'none'"
)
PAGE = (
    (b"content-security-policy", POLICY),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    # Asked about at each load, so that a new version is seen at once; unchanged, nothing is sent.
    (b"cache-control", b"no-cache"),
)
STEPS_LOGGED = 6

log = logging.getLogger("dmm.http")


@dataclass(slots=True)
class Answer:
    """Sends what is answered, with the headers that every answer has, and without any of CORS."""

    send: Send
    started: bool = False
    always: tuple[tuple[bytes, bytes], ...] = ALWAYS

    async def __call__(self, message: Message) -> None:
        """Send one message of an application."""
        if message["type"] == "http.response.start":
            self.started = True
            own = {name for name, _ in self.always}
            kept = [
                (name, value)
                for name, value in message.get("headers", ())
                if name.lower() not in own and not name.lower().startswith(b"access-control-")
            ]
            message = {**message, "headers": [*kept, *self.always]}
        await self.send(message)

    async def show(self, file: PageFile, known: str) -> None:
        """Answer with a file of the page; `known` names the version that the browser has."""
        kept = file.tag in (one.strip().removeprefix("W/") for one in known.split(","))
        body = b"" if kept else file.body
        headers = [(b"etag", file.tag.encode())]
        if not kept:
            headers += [(b"content-type", file.kind.encode())]
            headers += [(b"content-length", str(len(body)).encode())]
        status = 304 if kept else 200
        await self({"type": "http.response.start", "status": status, "headers": headers})
        await self.send({"type": "http.response.body", "body": body})

    async def refuse(self, refusal: Refusal) -> None:
        """Answer with a refusal and end the connection: the rest of a body is not waited for."""
        body = to_json(refusal.describe())
        headers = [
            (b"content-type", b"application/json"),
            (b"content-length", str(len(body)).encode()),
            (b"connection", b"close"),
        ]
        if refusal.status == errors.UNAUTHORIZED.status:
            headers.append((b"www-authenticate", b"Bearer"))
        if refusal.status == errors.METHOD.status:
            headers.append((b"allow", METHODS))
        await self({"type": "http.response.start", "status": refusal.status, "headers": headers})
        await self.send({"type": "http.response.body", "body": body})


@dataclass(frozen=True, slots=True)
class Shelter:
    """Stands around an application whose unforeseen errors end with the request they met."""

    app: ASGIApp

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request."""
        if scope["type"] != "http":
            return await self.app(scope, receive, send)
        answer = Answer(send)
        return await survive(self.app(scope, receive, answer), answer)


async def survive(serving: Awaitable[None], answer: Answer) -> None:
    """Serve to the end; what goes wrong unforeseen is logged and answered in words of ours."""
    boundary = _Boundary()
    with boundary:
        await serving
    if boundary.failed and not answer.started:
        await answer.refuse(errors.UNFORESEEN)


class _Boundary:
    """Ends an unforeseen error here, so that one request harms no other.

    The log gets its kind and its place; its words may hold what the request held.
    """

    def __init__(self) -> None:
        self.failed = False

    def __enter__(self) -> None:
        return None

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trail: TracebackType | None,
    ) -> bool:
        if kind is None or not issubclass(kind, Exception):
            return False
        self.failed = True
        steps = traceback.extract_tb(trail)[-STEPS_LOGGED:]
        places = " < ".join(f"{step.filename}:{step.lineno}" for step in reversed(steps))
        log.error("unforeseen %s at %s", kind.__name__, places)
        return True
