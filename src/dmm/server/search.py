"""The route by which laptops search what was shared, and the index that is filled meanwhile."""

from __future__ import annotations

import asyncio
import sys
from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING

from anyio import CapacityLimiter, to_thread
from starlette.responses import JSONResponse
from starlette.routing import Route

from dmm.domain.text import neutralise
from dmm.embed.shared import SharedModel
from dmm.errors import DmmError
from dmm.server.body import answering, read_model
from dmm.server.models import SearchModel
from dmm.team.indexed import TeamIndex
from dmm.team.search import find

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from dmm.server.door import Door
    from dmm.team.answers import Answer
    from dmm.team.chain import LogName
    from dmm.team.registry import Registry
    from dmm.team.stored import StoredLog

LARGEST_SEARCH = 256 * 1024
# A search keeps a core busy; laptops that send and receive have threads of their own.
SEARCHES_AT_ONCE = 4
# Indexing takes cores from those who send: it waits for so many seconds in which nobody does,
# though not for ever.
GATHER, LONGEST_DELAY = 1.0, 30.0


class SearchApi:
    """Answers searches, and fills the index."""

    def __init__(self, registry: Registry, door: Door) -> None:
        self._registry = registry
        self._door = door
        self._model = SharedModel()
        self._waiting: dict[LogName, None] = {}
        self._filling: asyncio.Task[None] | None = None
        self._searches = CapacityLimiter(SEARCHES_AT_ONCE)
        self._updates = CapacityLimiter(1)
        # When something was last sent, by the clock of the loop.
        self._sent = -GATHER

    def routes(self) -> list[Route]:
        """Return the routes."""
        return [Route("/v1/team/search", answering(self.search), methods=["POST"])]

    async def search(self, request: Request) -> Response:
        """Search the projects that the laptop may read."""
        async with self._door.entering(request) as log:
            asked = await read_model(request, SearchModel, LARGEST_SEARCH)
            work = partial(self._search, log, asked)
            logs, answer = await to_thread.run_sync(work, limiter=self._searches)
        if answer.behind:
            for one in logs:
                self._want(one)
        return JSONResponse(asdict(answer))

    def _search(self, log: StoredLog, asked: SearchModel) -> tuple[list[LogName], Answer]:
        logs = self._registry.find_readable(log, asked.also)
        return logs, find(self._index(), logs, asked.query, asked.most)

    def _index(self) -> TeamIndex:
        return TeamIndex(self._registry.database, self._model)

    def note(self, log: LogName) -> None:
        """Index a project to which something was sent, once nothing is."""
        self._sent = asyncio.get_running_loop().time()
        self._want(log)

    def _want(self, log: LogName) -> None:
        self._waiting[log] = None
        if self._filling is None or self._filling.done():
            self._filling = asyncio.get_running_loop().create_task(self._fill())

    async def _fill(self) -> None:
        """Index what waits, one project after the other; what fails is tried at its next event."""
        while self._waiting:
            await self._await_rest()
            log = next(iter(self._waiting))
            del self._waiting[log]
            try:
                update = partial(self._update, log)
                left = await to_thread.run_sync(
                    update, limiter=self._updates, abandon_on_cancel=True
                )
            except DmmError as error:
                sys.stderr.write(f"dmm server: not indexed: {neutralise(str(error))}\n")
                continue
            if left:
                self._waiting[log] = None

    def _update(self, log: LogName) -> int:
        index = self._index()
        left = index.update(log)
        if not left:
            index.settle(log)
        return left

    async def _await_rest(self) -> None:
        """Wait until nothing was sent for a moment."""
        loop = asyncio.get_running_loop()
        latest = loop.time() + LONGEST_DELAY
        while (left := min(latest, self._sent + GATHER) - loop.time()) > 0:
            await asyncio.sleep(left)

    def close(self) -> None:
        """Index nothing more: what is left is indexed after the next start."""
        self._waiting.clear()
        if self._filling is not None:
            self._filling.cancel()
