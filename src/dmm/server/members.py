"""The routes by which an owner manages the laptops of a project."""

from __future__ import annotations

from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING, TypedDict, TypeVar

from anyio import to_thread
from pydantic import BaseModel
from starlette.responses import JSONResponse
from starlette.routing import Route

from dmm.server.body import answering, read_model
from dmm.server.models import InviteModel, PasskeysModel, PersonModel, RevokeModel, RoleModel

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.requests import Request
    from starlette.responses import Response

    from dmm.server.door import Door
    from dmm.server.models import OwnerAct
    from dmm.team.registry import Registry
    from dmm.team.stored import StoredLog

M = TypeVar("M", bound=BaseModel)

# A passkey's answer and key are a few kilobytes.
LARGEST_PROOF = 64 * 1024


class _By(TypedDict):
    by: str
    proof: dict[str, str]


def _by(log: StoredLog, asked: OwnerAct) -> _By:
    return {"by": log.writer, "proof": asked.to_proof()}


class MembersApi:
    """Answers owners; `ring` wakes those who wait for a log.

    The right of an owner is checked in the transaction of the act, after the request was read.
    """

    def __init__(
        self, registry: Registry, door: Door, ring: Callable[[tuple[str, str]], None]
    ) -> None:
        self._registry = registry
        self._door = door
        self._ring = ring

    def routes(self) -> list[Route]:
        """Return the routes."""
        return [
            Route("/v1/team/members", answering(self.members), methods=["GET"]),
            self._make("passkeys", PasskeysModel, "passkeys", self.enrol),
            self._make("invite", InviteModel, "invitation", self.invite),
            self._make("role", RoleModel, "done", self.change_role),
            self._make("revoke", RevokeModel, "done", self.revoke),
            self._make("revoke/person", PersonModel, "removed", self.revoke_person),
        ]

    def _make(
        self, path: str, model: type[M], name: str, act: Callable[[StoredLog, M], object]
    ) -> Route:
        """Make the route of an act; what comes of it is told by a name."""

        async def carry_out(request: Request) -> Response:
            async with self._door.entering(request) as log:
                asked = await read_model(request, model, LARGEST_PROOF)
                done = await to_thread.run_sync(act, log, asked)
            if done:
                self._ring(log.place.log)
            return JSONResponse({name: done})

        return Route(f"/v1/team/{path}", answering(carry_out), methods=["POST"])

    async def members(self, request: Request) -> Response:
        """List the laptops."""
        async with self._door.entering(request) as log:
            look = partial(self._registry.members, *log.place.log, by=log.writer)
            found = await to_thread.run_sync(look)
        return JSONResponse({"members": [asdict(one) for one in found]})

    def invite(self, log: StoredLog, asked: InviteModel) -> str:
        """Make an invitation."""
        return self._registry.invite(*log.place.log, asked.role, **_by(log, asked))

    def change_role(self, log: StoredLog, asked: RoleModel) -> bool:
        """Give a laptop another role."""
        told = (*log.place.log, asked.writer, asked.role)
        return self._registry.change_role(*told, **_by(log, asked))

    def revoke(self, log: StoredLog, asked: RevokeModel) -> bool:
        """Remove a laptop."""
        return self._registry.revoke(*log.place.log, asked.writer, **_by(log, asked))

    def revoke_person(self, log: StoredLog, asked: PersonModel) -> int:
        """Remove all laptops of a person."""
        return self._registry.revoke_person(*log.place.log, asked.person, **_by(log, asked))

    def enrol(self, log: StoredLog, asked: PasskeysModel) -> int:
        """Record the passkeys of a laptop's user."""
        return self._registry.enrol(*log.place.log, log.writer, asked.to_enrolled())
