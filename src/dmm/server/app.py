"""The routes of the team server: parse, one call, answer."""

from __future__ import annotations

import asyncio
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING

from anyio import to_thread
from pydantic import ValidationError
from starlette.applications import Starlette
from starlette.responses import JSONResponse
from starlette.routing import Route

from dmm.domain.text import neutralise
from dmm.errors import DmmError, TeamError
from dmm.server.fairness import Bell, Turnstile
from dmm.server.models import JoinModel, PushModel
from dmm.team.client import OUTCOMES, VERSION_HEADER
from dmm.team.port import PROTOCOL, Revoked, Taken

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from starlette.requests import Request
    from starlette.responses import Response

    from dmm.team.port import Outcome, Page
    from dmm.team.registry import Registry
    from dmm.team.stored import StoredLog

    Handler = Callable[[Request], Awaitable[Response]]

LARGEST_BODY = 4 * 1024 * 1024
# Anybody may send one; an invitation and a key are a few hundred bytes.
LARGEST_JOIN = 4 * 1024
LONGEST_WAIT = 30.0
# Another process of the server may take a push too; then a waiting laptop hears of it so late.
LOOK_EVERY = 5.0
_NAMES = {kind: name for name, kind in OUTCOMES.items()}
_BAD, _UNKNOWN, _TOO_LARGE, _OLD, _BUSY, _FAILED = 400, 401, 413, 426, 429, 503


class TeamApi:
    """Answers laptops; the database is asked in threads."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry
        self._bell = Bell()
        self._turnstile = Turnstile()

    def app(self) -> Starlette:
        """Return the application."""
        routes = [
            Route("/health", self.health, methods=["GET"]),
            Route("/v1/team/join", answering(self.join), methods=["POST"]),
            Route("/v1/team/leave", answering(self.leave), methods=["POST"]),
            Route("/v1/team/push", answering(self.push), methods=["POST"]),
            Route("/v1/team/pull", answering(self.pull), methods=["GET"]),
        ]
        return Starlette(routes=routes)

    async def health(self, _: Request) -> Response:
        """Say whether the database answers."""
        try:
            await to_thread.run_sync(self._registry.knock)
        except DmmError:
            return JSONResponse({"ok": False}, _FAILED)
        return JSONResponse({"ok": True, "protocol": PROTOCOL})

    async def join(self, request: Request) -> Response:
        """Take a laptop in."""
        asked = JoinModel.model_validate_json(await _read_body(request, LARGEST_JOIN))
        joined = await to_thread.run_sync(
            self._registry.join, asked.invitation, asked.key, asked.name
        )
        self._bell.ring((joined.team, joined.project))
        return JSONResponse(asdict(joined))

    async def leave(self, request: Request) -> Response:
        """Remove the laptop that asks; one that was removed before is told the same."""
        log = await self._open(request)
        place = log.place
        await to_thread.run_sync(self._registry.revoke, place.team, place.project, log.writer)
        self._bell.ring((place.team, place.project))
        return JSONResponse({"left": log.writer})

    async def push(self, request: Request) -> Response:
        """Take entries; the answer comes after the commit."""
        log = await self._open(request)
        with self._turnstile.passing(log.writer):
            body = await _read_body(request, LARGEST_BODY)
            batch = PushModel.model_validate_json(body).to_batch()
            outcome = await to_thread.run_sync(log.push, batch)
        if isinstance(outcome, Taken) and batch.entries:
            self._bell.ring(log.place.log)
        return _tell(outcome)

    async def pull(self, request: Request) -> Response:
        """Give the entries after a number; where there is none, wait for it as long as asked."""
        log = await self._open(request)
        with self._turnstile.passing(log.writer):
            return await self._pull(request, log)

    async def _pull(self, request: Request, log: StoredLog) -> Response:
        after = _number(request, "after", 1 << 53)
        loop = asyncio.get_running_loop()
        until = loop.time() + min(_number(request, "wait", 3_600), LONGEST_WAIT)
        while True:
            heard = self._bell.count(log.place.log)
            page = await to_thread.run_sync(log.pull, int(after))
            if isinstance(page, Revoked):
                return _tell(page)
            left = until - loop.time()
            if page.placed or left <= 0 or await request.is_disconnected():
                return _give(page)
            rest = min(left, LOOK_EVERY)
            if not await self._bell.wait(log.place.log, log.writer, heard, rest):
                return _give(page)

    async def _open(self, request: Request) -> StoredLog:
        kind, _, token = request.headers.get("authorization", "").partition(" ")
        log = None
        if kind.lower() == "bearer" and token.isascii():
            log = await to_thread.run_sync(self._registry.open, token)
        if log is None:
            hint = "join with an invitation: dmm team join URL INVITATION"
            raise TeamError("token", "the server does not know this laptop", hint=hint)
        return log


def answering(handler: Handler) -> Handler:
    """Answer errors as JSON, and laptops of another protocol with what to do."""

    async def answer(request: Request) -> Response:
        if request.headers.get(VERSION_HEADER) != str(PROTOCOL):
            hint = "upgrade dmm on the laptop or on the server"
            what = f"this server speaks version {PROTOCOL} of the team protocol"
            return _fail(TeamError("protocol", what, hint=hint), _OLD)
        try:
            return await handler(request)
        except ValidationError as error:
            where = ".".join(map(str, error.errors()[0]["loc"]))
            return _fail(TeamError("malformed", f"the request is malformed at '{where}'"), _BAD)
        except TeamError as error:
            return _fail(error, _STATUS.get(error.fault, _BAD))
        except DmmError as error:
            sys.stderr.write(f"dmm server: {neutralise(str(error))}\n")
            # The database's own words are for whoever runs the server.
            what = "the server's database does not answer"
            return _fail(TeamError("storage", what, hint="try again later"), _FAILED)

    return answer


_STATUS = {"token": _UNKNOWN, "size": _TOO_LARGE, "busy": _BUSY}


async def _read_body(request: Request, most: int) -> bytes:
    pieces, size = [], 0
    async for piece in request.stream():
        pieces.append(piece)
        size += len(piece)
        if size > most:
            raise TeamError("size", "the request is too large")
    return b"".join(pieces)


def _number(request: Request, name: str, most: float) -> float:
    try:
        value = float(request.query_params.get(name, "0"))
    except ValueError:
        value = -1.0
    if not 0 <= value <= most:
        raise TeamError("malformed", f"the request is malformed at '{name}'")
    return value


def _tell(outcome: Outcome) -> Response:
    return JSONResponse({"outcome": _NAMES[type(outcome)], **asdict(outcome)})


def _give(page: Page) -> Response:
    return JSONResponse(asdict(page))


def _fail(error: TeamError, status: int) -> Response:
    told = {"fault": error.fault, "what": error.what, "hint": error.hint}
    return JSONResponse({"error": told}, status)
