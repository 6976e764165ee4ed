"""How laptops are admitted: by their token, with few requests at once."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from anyio import to_thread

from dmm.errors import TeamError
from dmm.server.fairness import Turnstile

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from starlette.requests import Request

    from dmm.team.registry import Registry
    from dmm.team.stored import StoredLog


class Door:
    """Finds the log that a request is for; each request of a laptop passes here."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry
        self._turnstile = Turnstile()

    @contextlib.asynccontextmanager
    async def entering(self, request: Request) -> AsyncIterator[StoredLog]:
        """Let a laptop in for a block; TeamError if its token is for nothing."""
        kind, _, token = request.headers.get("authorization", "").partition(" ")
        log = None
        if kind.lower() == "bearer" and token.isascii():
            log = await to_thread.run_sync(self._registry.open, token)
        if log is None:
            hint = "join with an invitation: dmm team join URL INVITATION"
            raise TeamError("token", "the server does not know this laptop", hint=hint)
        with self._turnstile.passing(log.writer):
            yield log
