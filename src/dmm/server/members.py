"""The routes by which an owner manages the laptops of a project."""

from __future__ import annotations

from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING, TypedDict

from anyio import to_thread
from starlette.responses import JSONResponse
from starlette.routing import Route

from dmm.server.body import answering, read_body
from dmm.server.models import InviteModel, PasskeysModel, PersonModel, RevokeModel, RoleModel

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from starlette.requests import Request
    from starlette.responses import Response

    from dmm.server.fairness import Turnstile
    from dmm.server.models import OwnerAct
    from dmm.team.registry import Registry
    from dmm.team.stored import StoredLog

# A passkey's answer and key are a few kilobytes.
LARGEST_PROOF = 64 * 1024


class _By(TypedDict):
    by: str
    proof: dict[str, str]


def _by(log: StoredLog, asked: OwnerAct) -> _By:
    return {"by": log.writer, "proof": asked.to_proof()}


class MembersApi:
    """Answers owners; `open_log` finds the log of a request, `ring` wakes those who wait for it.

    The right of an owner is checked in the transaction of the act, after the request was read.
    """

    def __init__(
        self,
        registry: Registry,
        open_log: Callable[[Request], Awaitable[StoredLog]],
        turnstile: Turnstile,
        ring: Callable[[tuple[str, str]], None],
    ) -> None:
        self._registry = registry
        self._open_log = open_log
        self._turnstile = turnstile
        self._ring = ring

    def routes(self) -> list[Route]:
        """Return the routes."""
        return [
            Route("/v1/team/members", answering(self.members), methods=["GET"]),
            Route("/v1/team/passkeys", answering(self.enrol), methods=["POST"]),
            Route("/v1/team/invite", answering(self.invite), methods=["POST"]),
            Route("/v1/team/role", answering(self.change_role), methods=["POST"]),
            Route("/v1/team/revoke", answering(self.revoke), methods=["POST"]),
            Route("/v1/team/revoke/person", answering(self.revoke_person), methods=["POST"]),
        ]

    async def members(self, request: Request) -> Response:
        """List the laptops."""
        log = await self._open_log(request)
        with self._turnstile.passing(log.writer):
            look = partial(self._registry.members, *log.place.log, by=log.writer)
            found = await to_thread.run_sync(look)
        return JSONResponse({"members": [asdict(one) for one in found]})

    async def invite(self, request: Request) -> Response:
        """Make an invitation."""
        log = await self._open_log(request)
        with self._turnstile.passing(log.writer):
            asked = InviteModel.model_validate_json(await read_body(request, LARGEST_PROOF))
            invite = partial(self._registry.invite, *log.place.log, asked.role, **_by(log, asked))
            made = await to_thread.run_sync(invite)
        return JSONResponse({"invitation": made})

    async def change_role(self, request: Request) -> Response:
        """Give a laptop another role."""
        log = await self._open_log(request)
        with self._turnstile.passing(log.writer):
            asked = RoleModel.model_validate_json(await read_body(request, LARGEST_PROOF))
            place, told = log.place.log, (asked.writer, asked.role)
            act = partial(self._registry.change_role, *place, *told, **_by(log, asked))
            return await self._carry_out(act, place)

    async def revoke(self, request: Request) -> Response:
        """Remove a laptop."""
        log = await self._open_log(request)
        with self._turnstile.passing(log.writer):
            asked = RevokeModel.model_validate_json(await read_body(request, LARGEST_PROOF))
            revoke = self._registry.revoke
            act = partial(revoke, *log.place.log, asked.writer, **_by(log, asked))
            return await self._carry_out(act, log.place.log)

    async def revoke_person(self, request: Request) -> Response:
        """Remove all laptops of a person."""
        log = await self._open_log(request)
        with self._turnstile.passing(log.writer):
            asked = PersonModel.model_validate_json(await read_body(request, LARGEST_PROOF))
            place, person = log.place.log, asked.person
            act = partial(self._registry.revoke_person, *place, person, **_by(log, asked))
            removed = await to_thread.run_sync(act)
        self._ring(place)
        return JSONResponse({"removed": removed})

    async def enrol(self, request: Request) -> Response:
        """Record the passkeys of a laptop's user."""
        log = await self._open_log(request)
        with self._turnstile.passing(log.writer):
            asked = PasskeysModel.model_validate_json(await read_body(request, LARGEST_PROOF))
            act = partial(self._registry.enrol, *log.place.log, log.writer, asked.to_enrolled())
            known = await to_thread.run_sync(act)
        self._ring(log.place.log)
        return JSONResponse({"passkeys": known})

    async def _carry_out(self, act: Callable[[], bool], place: tuple[str, str]) -> Response:
        done = await to_thread.run_sync(act)
        if done:
            self._ring(place)
        return JSONResponse({"done": done})
