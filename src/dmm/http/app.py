"""The HTTP application: routes, errors and the gate before them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException

from dmm import VERSION
from dmm.errors import DmmError
from dmm.http import (
    asking,
    confirming,
    errors,
    history,
    ledger,
    login,
    memories,
    packs,
    queries,
    recall,
    rules,
    stream,
    team,
    writing,
)
from dmm.http import jobs as jobs_routes
from dmm.http.access import Access
from dmm.http.answers import Shelter
from dmm.http.calls import Reply
from dmm.http.errors import STATUS, Refusal, describe, describe_error
from dmm.http.gate import Gate, Keys
from dmm.http.sign_ins import Codes, Sessions
from dmm.http.streams import Streams
from dmm.http.work import Jobs
from dmm.passkeys.keyring import page_folder
from dmm.passkeys.service import Persons
from dmm.passkeys.webauthn import Place
from dmm.web.files import load_files

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from fastapi.telemetry import TelemetryConfig
    from starlette.requests import Request
    from starlette.types import ASGIApp, Receive, Scope, Send

    from dmm.bootstrap import Dmm
    from dmm.projects import Projects

ABOUT = (
    "Memory for coding agents, on this machine only. Every request needs the daemon's token;"
    " name the project in X-DMM-Root, unless only one is open."
)
# How uvicorn is to serve the application: no addresses in logs, no trust in a proxy's headers.
SERVER: dict[str, Any] = {
    "http": "h11",
    "ws": "none",
    "lifespan": "off",
    "access_log": False,
    "log_config": None,
    "proxy_headers": False,
    "server_header": False,
    "timeout_keep_alive": 5,
    "timeout_graceful_shutdown": 2,
    "h11_max_incomplete_event_size": 64 << 10,
}
# What is asked and answered here leaves the machine by no exporter that the environment names.
SILENT: TelemetryConfig = {
    "tracing": False,
    "metrics": False,
    "logs": False,
    "operation_spans": False,
    "auto_configure": False,
}
LONGEST_TOLD = 300
SHORTEST_TOKEN = 32
PARTS = (
    *(queries, memories, packs, history, asking, recall, writing, ledger, rules),
    *(stream, jobs_routes, confirming, login, team),
)
BY_STATUS = {404: errors.NOT_FOUND, 405: errors.METHOD_HERE}


def make_app(
    projects: Projects,
    *,
    token: str,
    port: Callable[[], int],
    health: Callable[[], Mapping[str, Any]],
    persons: Persons | None = None,
    codes: Codes | None = None,
    sessions: Sessions | None = None,
    name: str = "localhost",
    streams: Streams | None = None,
    jobs: Jobs | None = None,
    count_fixed: Callable[[Dmm], Iterable[tuple[str, int]]] | None = None,
    local: bool = False,
    mounts: Mapping[str, ASGIApp] | None = None,
) -> ASGIApp:
    """Make the application: for TCP behind the token, or with `local` for the Unix socket.

    `persons` says what a person has to confirm. `codes` are those the daemon hands out for
    browsers, `sessions` the browsers that are signed in, `streams` and `jobs` what it ends when
    it leaves, and `name` is the host name of the page; `mounts` are served behind the same gate.
    `count_fixed` tells the tokens that every session pays.
    """
    if not local and len(token) < SHORTEST_TOKEN:
        raise ValueError("the token is too short")
    sessions = sessions or Sessions()
    people = persons or Persons(page_folder(), lambda: Place(name, f"http://{name}:{port()}"))
    app = FastAPI(
        title="DMM",
        version=VERSION,
        description=ABOUT,
        openapi_url="/v1/openapi.json",
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        telemetry=SILENT,
    )
    told = streams or Streams()
    work = jobs or Jobs(told.tell_job)
    held = (codes or Codes(), sessions, port, told, work, people, count_fixed)
    app.state.access = Access(projects, health, *held)
    # Routes as they were made: `include_router` would make each one again at the first request.
    for part in PARTS:
        app.router.routes.extend(part.router.routes)
    for kind in (DmmError, RequestValidationError, HTTPException):
        app.add_exception_handler(kind, _tell)
    # Within what FastAPI itself would answer, and tell the world, about an unforeseen error.
    app.add_middleware(Shelter)
    pages = {} if local else load_files()
    return Gate(_Fork(app, mounts or {}), Keys(token, port, sessions, local, name, pages))


async def _tell(_request: Request, error: Exception) -> Reply:
    """Turn an error into the standard error response."""
    match error:
        case DmmError():
            return Reply(describe_error(error), STATUS[error.code])
        case RequestValidationError():
            return Reply(_describe_invalid(error), STATUS["usage"])
        case HTTPException():
            otherwise = Refusal(error.status_code, "refused", str(error.detail))
            refusal = BY_STATUS.get(error.status_code, otherwise)
            return Reply(refusal.describe(), refusal.status, dict(error.headers or {}))
    raise error


def _describe_invalid(error: RequestValidationError) -> object:
    """Name the first value that is wrong, but do not repeat it."""
    first = error.errors()[0]
    place = ".".join(str(part) for part in first["loc"])
    what = f"{place}: {first['msg']}"[:LONGEST_TOLD]
    return describe("usage", what, None, "GET /v1/openapi.json describes every request")


@dataclass(frozen=True, slots=True)
class _Fork:
    """Leads to another application at and below its path, and to the routes elsewhere."""

    app: ASGIApp
    mounts: Mapping[str, ASGIApp]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = scope.get("path", "")
        for place, mounted in self.mounts.items():
            if path == place or path.startswith(f"{place}/"):
                return await mounted(scope, receive, send)
        return await self.app(scope, receive, send)
