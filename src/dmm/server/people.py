"""The routes by which a person joins with a token of the trusted issuer."""

from __future__ import annotations

from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING

from anyio import CapacityLimiter, to_thread
from starlette.responses import JSONResponse
from starlette.routing import Route

from dmm.errors import TeamError
from dmm.server.body import answering, read_model
from dmm.server.models import SignInModel

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.requests import Request
    from starlette.responses import Response

    from dmm.team.identity import People
    from dmm.team.registry import Joined, Registry

# A token names the groups of a person, which may be many.
LARGEST_SIGN_IN = 32 * 1024
# Anybody may begin one, and it may wait for the issuer: others have threads of their own.
AT_ONCE = 4


class PeopleApi:
    """Takes in laptops of people; without an issuer, nobody."""

    def __init__(
        self,
        registry: Registry,
        people: People | None,
        ring: Callable[[tuple[str, str]], None],
    ) -> None:
        self._registry = registry
        self._people = people
        self._ring = ring
        self._limit = CapacityLimiter(AT_ONCE)

    def routes(self) -> list[Route]:
        """Return the routes."""
        return [
            Route("/v1/team/sign-in", answering(self.tell), methods=["GET"]),
            Route("/v1/team/sign-in", answering(self.sign_in), methods=["POST"]),
        ]

    async def tell(self, _: Request) -> Response:
        """Say where people sign in."""
        return JSONResponse(asdict(self._need_people().trusted.sign_in))

    async def sign_in(self, request: Request) -> Response:
        """Take in the laptop of a person."""
        people = self._need_people()
        asked = await read_model(request, SignInModel, LARGEST_SIGN_IN)
        joined = await to_thread.run_sync(partial(self._admit, people, asked), limiter=self._limit)
        self._ring((joined.team, joined.project))
        return JSONResponse(asdict(joined))

    def _admit(self, people: People, asked: SignInModel) -> Joined:
        try:
            person = people.verify(asked.token, asked.key)
            grant = person.choose(asked.project)
        except TeamError as error:
            for one in people.trusted.find_places(asked.project):
                self._registry.note_refused(one, f"sign-in: {error.fault}")
            raise
        place = (grant.team, grant.project, grant.role)
        return self._registry.admit(*place, asked.key, asked.name, person.name)

    def _need_people(self) -> People:
        if self._people is None:
            hint = "join with an invitation: dmm team join URL INVITATION"
            raise TeamError("unknown", "nobody can sign in to this server", hint=hint)
        return self._people
