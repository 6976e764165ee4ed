"""The routes by which an owner manages the laptops of a project."""

from __future__ import annotations

from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING

from anyio import to_thread
from starlette.responses import JSONResponse
from starlette.routing import Route

from dmm.server.body import LARGEST_JOIN, answering, read_body
from dmm.server.models import InviteModel, RevokeModel, RoleModel
from dmm.team.roles import Right

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from starlette.requests import Request
    from starlette.responses import Response

    from dmm.team.registry import Registry
    from dmm.team.stored import StoredLog


class MembersApi:
    """Answers owners; `open_log` finds the log of a request, `ring` wakes those who wait for it."""

    def __init__(
        self,
        registry: Registry,
        open_log: Callable[[Request], Awaitable[StoredLog]],
        ring: Callable[[tuple[str, str]], None],
    ) -> None:
        self._registry = registry
        self._open_log = open_log
        self._ring = ring

    def routes(self) -> list[Route]:
        """Return the routes."""
        return [
            Route("/v1/team/members", answering(self.members), methods=["GET"]),
            Route("/v1/team/invite", answering(self.invite), methods=["POST"]),
            Route("/v1/team/role", answering(self.change_role), methods=["POST"]),
            Route("/v1/team/revoke", answering(self.revoke), methods=["POST"]),
        ]

    async def members(self, request: Request) -> Response:
        """List the laptops."""
        team, project, _ = await self._need_owner(request)
        found = await to_thread.run_sync(self._registry.members, team, project)
        return JSONResponse({"members": [asdict(one) for one in found]})

    async def invite(self, request: Request) -> Response:
        """Make an invitation."""
        team, project, owner = await self._need_owner(request)
        asked = InviteModel.model_validate_json(await read_body(request, LARGEST_JOIN))
        invite = partial(self._registry.invite, team, project, asked.role, by=owner)
        made = await to_thread.run_sync(invite)
        return JSONResponse({"invitation": made})

    async def change_role(self, request: Request) -> Response:
        """Give a laptop another role."""
        team, project, owner = await self._need_owner(request)
        asked = RoleModel.model_validate_json(await read_body(request, LARGEST_JOIN))
        act = partial(self._registry.change_role, team, project, asked.writer, asked.role, by=owner)
        return await self._carry_out(act, (team, project))

    async def revoke(self, request: Request) -> Response:
        """Remove a laptop."""
        team, project, owner = await self._need_owner(request)
        asked = RevokeModel.model_validate_json(await read_body(request, LARGEST_JOIN))
        act = partial(self._registry.revoke, team, project, asked.writer, by=owner)
        return await self._carry_out(act, (team, project))

    async def _carry_out(self, act: Callable[[], bool], place: tuple[str, str]) -> Response:
        done = await to_thread.run_sync(act)
        self._ring(place)
        return JSONResponse({"done": done})

    async def _need_owner(self, request: Request) -> tuple[str, str, str]:
        """Return the project that the owner of a token manages, and the owner's laptop."""
        log = await self._open_log(request)
        await to_thread.run_sync(log.need, Right.MANAGE)
        return *log.place.log, log.writer
