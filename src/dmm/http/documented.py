"""Routes that are described when somebody asks for the document of all.

FastAPI makes a schema of each answer when a route is made, which takes a sixth of the time in which
all of this is loaded, and no answer is checked against it.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from fastapi import APIRouter, FastAPI
from fastapi.openapi.utils import get_openapi
from fastapi.routing import APIRoute

if TYPE_CHECKING:
    from collections.abc import Callable


class Route(APIRoute):
    """A route without the schemas of its answers; `describe` makes one with them."""

    def __init__(
        self, path: str, endpoint: Callable[..., Any], *, responses: Any = None, **given: Any
    ) -> None:
        super().__init__(path, endpoint, **given)
        self.describe = partial(APIRoute, path, endpoint, responses=responses, **given)


make_router = partial(APIRouter, route_class=Route)


class Documented(FastAPI):
    """An application of such routes."""

    def openapi(self) -> dict[str, object]:
        """Return the document, made at the first request."""
        if self.openapi_schema is None:
            known = (one.describe() if isinstance(one, Route) else one for one in self.routes)
            self.openapi_schema = get_openapi(
                title=self.title,
                version=self.version,
                description=self.description,
                routes=[*known],
            )
        return self.openapi_schema
