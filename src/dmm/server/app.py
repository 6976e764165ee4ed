"""The routes of the team server: parse, one call, answer."""

from __future__ import annotations

import asyncio
import json
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from anyio import to_thread
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from dmm.errors import DmmError, TeamError
from dmm.server.body import FAILED, LARGEST_BODY, LARGEST_JOIN, answering, read_model
from dmm.server.door import Door
from dmm.server.fairness import Bell, Together
from dmm.server.members import MembersApi
from dmm.server.metrics import CONTENT_TYPE, Measured, Metrics
from dmm.server.models import JoinModel, LostModel, PushModel
from dmm.server.people import PeopleApi
from dmm.server.search import SearchApi
from dmm.team.client import OUTCOMES
from dmm.team.port import PROTOCOL, Revoked, Taken

if TYPE_CHECKING:
    from starlette.requests import Request

    from dmm.team.identity import People
    from dmm.team.port import Outcome, Page
    from dmm.team.registry import Registry
    from dmm.team.stored import Place, StoredLog

LONGEST_WAIT = 30.0
# Another process of the server may take a push too; then a waiting laptop hears of it so late.
LOOK_EVERY = 5.0
_NAMES = {kind: name for name, kind in OUTCOMES.items()}


@dataclass(frozen=True, slots=True)
class Written:
    """A page as it is sent, and who may not have it."""

    body: bytes
    empty: bool
    removed: frozenset[str] = frozenset()


class TeamApi:
    """Answers laptops; the database is asked in threads."""

    def __init__(self, registry: Registry, people: People | None = None) -> None:
        self._registry = registry
        self._people = people
        self._bell = Bell()
        self._door = Door(registry)
        self.metrics = Metrics(())
        self._reading = Together[Written]()
        self._search = SearchApi(registry, self._door)

    def app(self) -> Starlette:
        """Return the application."""
        registry = self._registry
        routes = [
            Route("/health", self.health, methods=["GET"]),
            Route("/metrics", self.tell_metrics, methods=["GET"]),
            Route("/v1/team/join", answering(self.join), methods=["POST"]),
            Route("/v1/team/leave", answering(self.leave), methods=["POST"]),
            Route("/v1/team/push", answering(self.push), methods=["POST"]),
            Route("/v1/team/lost", answering(self.take_back), methods=["POST"]),
            Route("/v1/team/pull", answering(self.pull), methods=["GET"]),
            *MembersApi(registry, self._door, self._bell.ring).routes(),
            *PeopleApi(registry, self._people, self._bell.ring).routes(),
            *self._search.routes(),
        ]
        self.metrics = Metrics(one.path for one in routes)
        return Starlette(routes=routes, middleware=[Middleware(Measured, self.metrics)])

    def drain(self) -> None:
        """End all waits for news, now and from now on: the server is about to stop."""
        self._bell.close()
        self._search.close()

    def count_waiting(self) -> int:
        """Return how many laptops wait for news."""
        return self._bell.waiting

    async def tell_metrics(self, _: Request) -> Response:
        """Give figures on the server; whoever runs it keeps them from others."""
        text = self.metrics.write(self.count_waiting())
        return PlainTextResponse(text, media_type=CONTENT_TYPE)

    async def health(self, _: Request) -> Response:
        """Say whether the database answers."""
        try:
            await to_thread.run_sync(self._registry.knock)
        except DmmError:
            return JSONResponse({"ok": False}, FAILED)
        return JSONResponse({"ok": True, "protocol": PROTOCOL})

    async def join(self, request: Request) -> Response:
        """Take a laptop in."""
        asked = await read_model(request, JoinModel, LARGEST_JOIN)
        joined = await to_thread.run_sync(
            self._registry.join, asked.invitation, asked.key, asked.name
        )
        self._bell.ring((joined.team, joined.project))
        return JSONResponse(asdict(joined))

    async def leave(self, request: Request) -> Response:
        """Remove the laptop that asks; one that was removed before is told the same."""
        async with self._door.entering(request) as log:
            leave = partial(self._registry.leave, *log.place.log, log.writer)
            done = await to_thread.run_sync(leave)
        if done:
            self._bell.ring(log.place.log)
        return JSONResponse({"left": log.writer})

    async def push(self, request: Request) -> Response:
        """Take entries; the answer comes after the commit."""
        async with self._door.entering(request) as log:
            batch = (await read_model(request, PushModel, LARGEST_BODY)).to_batch()
            outcome = await to_thread.run_sync(log.push, batch)
        if isinstance(outcome, Taken) and batch.entries:
            self.metrics.events += len(batch.entries)
            self._bell.ring(log.place.log)
            self._search.note(log.place.log)
        return _tell(outcome)

    async def take_back(self, request: Request) -> Response:
        """Take what a backup did not hold from a laptop that does."""
        async with self._door.entering(request) as log:
            lost = (await read_model(request, LostModel, LARGEST_BODY)).to_lost()
            outcome = await to_thread.run_sync(log.take_back, lost)
        if isinstance(outcome, Taken):
            self._bell.ring(log.place.log)
        return _tell(outcome)

    async def pull(self, request: Request) -> Response:
        """Give the entries after a number; where there is none, wait for it as long as asked."""
        async with self._door.entering(request) as log:
            return await self._pull(request, log)

    async def _pull(self, request: Request, log: StoredLog) -> Response:
        after = int(_number(request, "after", 1 << 53))
        loop = asyncio.get_running_loop()
        until = loop.time() + min(_number(request, "wait", 3_600), LONGEST_WAIT)
        heard = self._bell.count(log.place.log)
        # The first look is the laptop's own, and recorded; then it looks with all who wait.
        page = await to_thread.run_sync(log.pull, after)
        if isinstance(page, Revoked):
            return _tell(page)
        told = _write(page)
        while told.empty and (left := until - loop.time()) > 0:
            if await request.is_disconnected():
                break
            # All look at the same moments, so that one look at the log is enough for a project.
            rest = min(left, LOOK_EVERY - loop.time() % LOOK_EVERY)
            if not await self._bell.wait(log.place.log, log.writer, heard, rest):
                break
            heard = self._bell.count(log.place.log)
            told = await self._read(log.place, after, heard)
            if log.writer in told.removed:
                return _tell(Revoked())
        return Response(told.body, media_type="application/json")

    async def _read(self, place: Place, after: int, heard: int) -> Written:
        """Read the log once for all who have heard as much and ask for the same."""

        async def work() -> Written:
            return await to_thread.run_sync(_write_for_all, place, after)

        return await self._reading.get((place.log, after, heard), work)


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


def _write(page: Page) -> Written:
    body = json.dumps(asdict(page), separators=(",", ":")).encode()
    return Written(body, empty=not page.placed)


def _write_for_all(place: Place, after: int) -> Written:
    read = place.read(after)
    return replace(_write(read.page), removed=read.removed)
