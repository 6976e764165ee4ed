"""The gate before all routes: origin, token, form and size."""

from __future__ import annotations

import asyncio
import hmac
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from dmm.http import errors
from dmm.http.answers import PAGE, Answer, survive
from dmm.http.body import refuse_json
from dmm.http.errors import Refusal
from dmm.http.sign_ins import read_cookie

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from dmm.http.sign_ins import Sessions
    from dmm.web.files import PageFile

    Caller = Literal["token", "session", "code", "stranger", "local", "page"]

LARGEST_BODY = 1 << 20
MOST_HEADERS = 100
LARGEST_HEADERS = 32 << 10
LONGEST_TARGET = 8 << 10
BODY_SECONDS = 15.0
PARSED_AT_ONCE = 64 << 10

LOGIN = "/v1/session"
READING = ("GET",)
WRITING = ("POST", "PUT", "DELETE")
# Two of these, and two readers of one request could believe two different things.
ONCE = (
    *("host", "origin", "authorization", "cookie", "content-type", "content-length"),
    *("transfer-encoding", "content-encoding", "sec-fetch-site"),
    *("x-dmm-root", "x-dmm-client", "x-dmm-session", "x-dmm-page"),
)
_JSON = re.compile(r'application/json(?:\s*;\s*charset="?utf-8"?)?', re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Keys:
    """What opens the gate: the token, open sessions, or having come through the local socket.

    `name` is the host name of the page; `pages` holds its files, which anybody may read.
    """

    token: str
    port: Callable[[], int]
    sessions: Sessions
    local: bool = False
    name: str = "localhost"
    pages: Mapping[str, PageFile] = field(default_factory=dict)

    def admit(self, head: Head) -> Caller | Refusal:
        """Return who the caller is, or why the request is refused."""
        if self.local:
            return errors.RELAYED if head.from_browser else "local"
        refusal = self._refuse_place(head)
        if refusal is not None:
            return refusal
        # The page's files hold no data: anybody reads them, signed in or not.
        if head.method in READING and head.path in self.pages:
            return "page"
        if self._shows_token(head):
            return "token"
        if self._shows_session(head):
            return "session" if head.may_write else errors.PAGE
        if head.path == LOGIN and head.method == "POST":
            return "code"
        # A browser asks whether it is signed in; that it is not is an answer, no failed request.
        if head.path == LOGIN and head.method in READING and "authorization" not in head.values:
            return "stranger"
        return errors.UNAUTHORIZED

    def _refuse_place(self, head: Head) -> Refusal | None:
        host = head.get("host").lower()
        names = ("127.0.0.1", "localhost", "[::1]", self.name)
        if host not in {f"{name}:{self.port()}" for name in names}:
            return errors.HOST
        if "origin" in head.values and head.get("origin").lower() != f"http://{host}":
            return errors.ORIGIN
        if head.get("sec-fetch-site", "none").lower() not in ("same-origin", "none"):
            return errors.ORIGIN
        return None

    def _shows_token(self, head: Head) -> bool:
        scheme, _, shown = head.get("authorization").partition(" ")
        given = shown.strip().encode("latin-1")
        return hmac.compare_digest(given, self.token.encode()) and scheme.lower() == "bearer"

    def _shows_session(self, head: Head) -> bool:
        """A browser proves a write is its page's own: it names the origin, which no other can."""
        if "authorization" in head.values:
            return False
        session = read_cookie(head.get("cookie"), self.port())
        if session is None or not self.sessions.holds(session):
            return False
        return head.method in READING or "origin" in head.values


@dataclass(frozen=True, slots=True)
class Head:
    """The head of a request: method, path, and its headers by name."""

    method: str
    path: str
    values: Mapping[str, str]

    def get(self, name: str, otherwise: str = "") -> str:
        """Read a header."""
        return self.values.get(name, otherwise)

    @property
    def from_browser(self) -> bool:
        """Whether a web page sent the request."""
        return "origin" in self.values or "sec-fetch-site" in self.values

    @property
    def may_write(self) -> bool:
        """Whether a browser's request only reads, or carries the header that the page adds."""
        return self.method in READING or self.get("x-dmm-page") == "1"

    @property
    def has_body(self) -> bool:
        """Whether bytes follow."""
        return "transfer-encoding" in self.values or self.get("content-length", "0") != "0"


def read_head(scope: Scope) -> Head | Refusal:
    """Read the head within its limits."""
    headers: list[tuple[bytes, bytes]] = list(scope["headers"])
    size = sum(len(name) + len(value) for name, value in headers)
    if len(headers) > MOST_HEADERS or size > LARGEST_HEADERS:
        return errors.HEADERS
    path = scope.get("raw_path") or scope["path"].encode()
    if len(path) + len(scope.get("query_string", b"")) > LONGEST_TARGET:
        return errors.TARGET
    names = [name.decode("latin-1").lower() for name, _ in headers]
    if any(names.count(name) > 1 for name in ONCE):
        return errors.REPEATED
    values = [value.decode("latin-1").strip() for _, value in headers]
    return Head(scope["method"], scope["path"], dict(zip(names, values, strict=True)))


def refuse_form(head: Head) -> Refusal | None:
    """Return what is wrong with the method, the kind of body or its announced size."""
    if head.method not in (*READING, *WRITING):
        return errors.METHOD
    if head.method in READING:
        return errors.BODY if head.has_body else None
    if head.method == "DELETE" and not head.has_body:
        return None
    if not _JSON.fullmatch(head.get("content-type")):
        return errors.MEDIA
    if head.get("content-encoding", "identity").lower() != "identity":
        return errors.ENCODED
    return _refuse_length(head)


def _refuse_length(head: Head) -> Refusal | None:
    length = head.get("content-length", "0")
    both = "transfer-encoding" in head.values and "content-length" in head.values
    if both or not (length.isascii() and length.isdecimal()):
        return errors.LENGTH
    large = len(length) > len(str(LARGEST_BODY)) or int(length) > LARGEST_BODY
    return errors.SIZE if large else None


@dataclass(frozen=True, slots=True)
class Gate:
    """Stands before an application: lets a request through with its whole body, or refuses it."""

    app: ASGIApp
    keys: Keys
    body_seconds: float = BODY_SECONDS

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection of the server."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
        elif scope["type"] == "http":
            answer = Answer(send)
            await survive(self._serve(scope, receive, answer), answer)
        else:
            await send({"type": "websocket.close", "code": 1008})

    async def _serve(self, scope: Scope, receive: Receive, answer: Answer) -> None:
        head = read_head(scope)
        if isinstance(head, Refusal):
            return await answer.refuse(head)
        caller = self.keys.admit(head)
        if isinstance(caller, Refusal):
            return await answer.refuse(caller)
        body = refuse_form(head) or await self._take(head, receive)
        if isinstance(body, Refusal):
            return await answer.refuse(body)
        if body is None:
            return None
        if caller == "page":
            return await self._show(head, answer)
        return await self.app({**scope, "dmm.caller": caller}, _replay(body, receive), answer)

    async def _show(self, head: Head, answer: Answer) -> None:
        """Send a file of the page, or 304 if the browser has it already."""
        answer.always = PAGE
        await answer.show(self.keys.pages[head.path], head.get("if-none-match"))

    async def _take(self, head: Head, receive: Receive) -> bytes | Refusal | None:
        """Read and check the body; None if the client has gone."""
        if head.method in READING:
            return b""
        body = await self._read(receive)
        if isinstance(body, bytes) and (body or head.method != "DELETE"):
            return await _refuse_body(body) or body
        return body

    async def _read(self, receive: Receive) -> bytes | Refusal | None:
        """Read the bytes, counted and in time."""
        parts: list[bytes] = []
        size = 0
        try:
            async with asyncio.timeout(self.body_seconds):
                while True:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        return None
                    part = message.get("body", b"")
                    size += len(part)
                    if size > LARGEST_BODY:
                        return errors.SIZE
                    parts.append(part)
                    if not message.get("more_body", False):
                        return b"".join(parts)
        except TimeoutError:
            return errors.SLOW


async def _refuse_body(body: bytes) -> Refusal | None:
    if len(body) <= PARSED_AT_ONCE:
        return refuse_json(body)
    return await asyncio.to_thread(refuse_json, body)


def _replay(body: bytes, receive: Receive) -> Receive:
    """Replay the body that was read; after it, pass on the server's messages."""
    waiting: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def again() -> Message:
        return waiting.pop() if waiting else await receive()

    return again
