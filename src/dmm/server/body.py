"""What every route does: read a body of bounded size, and answer errors as JSON."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, TypeVar

from pydantic import BaseModel, ValidationError
from starlette.requests import ClientDisconnect
from starlette.responses import JSONResponse

from dmm.domain.text import neutralise
from dmm.errors import DmmError, TeamError, UsageError
from dmm.team.client import VERSION_HEADER
from dmm.team.port import PROTOCOL

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from starlette.requests import Request
    from starlette.responses import Response

    Handler = Callable[[Request], Awaitable[Response]]

M = TypeVar("M", bound=BaseModel)
LARGEST_BODY = 4 * 1024 * 1024
# Anybody may send one; an invitation and a key are a few hundred bytes.
LARGEST_JOIN = 4 * 1024
_BAD, _UNKNOWN, _FORBIDDEN, _BEHIND, _TOO_LARGE, _OLD, _BUSY = 400, 401, 403, 409, 413, 426, 429
FAILED = 503
_STATUS = {
    "token": _UNKNOWN,
    "identity": _UNKNOWN,
    "expired": _UNKNOWN,
    "forbidden": _FORBIDDEN,
    "unproven": _FORBIDDEN,
    "revoked": _FORBIDDEN,
    "size": _TOO_LARGE,
    "busy": _BUSY,
    "behind": _BEHIND,
    "recovering": FAILED,
    "model": FAILED,
    # What the server asks of others in turn.
    "issuer": FAILED,
    "unreachable": FAILED,
}


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
        except ClientDisconnect:
            # Nobody reads this; nothing was taken.
            return _fail(TeamError("malformed", "the request was cut off"), _BAD)
        except TeamError as error:
            return _fail(error, _STATUS.get(error.fault, _BAD))
        except UsageError as error:
            return _fail(TeamError("usage", error.what, hint=error.hint), _BAD)
        except DmmError as error:
            told = f"{error}; {error.hint}" if error.hint else str(error)
            sys.stderr.write(f"dmm server: {neutralise(told)}\n")
            # The database's own words are for whoever runs the server.
            what = "the server's database does not answer"
            return _fail(TeamError("storage", what, hint="try again later"), FAILED)

    return answer


async def read_model(request: Request, model: type[M], most: int) -> M:
    """Read what a request says."""
    return model.model_validate_json(await read_body(request, most))


async def read_body(request: Request, most: int) -> bytes:
    """Read a body as long as it is not too large."""
    pieces, size = [], 0
    async for piece in request.stream():
        pieces.append(piece)
        size += len(piece)
        if size > most:
            raise TeamError("size", "the request is too large")
    return b"".join(pieces)


def _fail(error: TeamError, status: int) -> Response:
    told = {"fault": error.fault, "what": error.what, "hint": error.hint}
    return JSONResponse({"error": told}, status)
