"""MCP over HTTP: each POST is one exchange; nothing is held between requests.

The guard against foreign hosts, origins and missing tokens stands before this app.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.requests import Request
from starlette.responses import JSONResponse

from dmm.clients.launch import CORE
from dmm.mcp.caller import SOURCE, Caller
from dmm.mcp.server import make_server

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

    from dmm.projects import Projects

MOST_BYTES = 1024 * 1024
_NAME = re.compile(r"[\w.:-]{1,128}", re.ASCII)


def make_app(projects: Projects) -> ASGIApp:
    """Make the app for `/mcp`; the project is named by X-DMM-Root or ?root=."""

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        if request.method != "POST":
            # There is no stream to open and no session to end.
            refusal = JSONResponse({"error": "only POST"}, 405, headers={"Allow": "POST"})
            await refusal(scope, receive, send)
            return
        manager = StreamableHTTPSessionManager(
            make_server(_caller(projects, request)),
            json_response=True,
            stateless=True,
            max_request_body_size=MOST_BYTES,
        )
        async with manager.run():
            await manager.handle_request(scope, receive, send)

    return app


def _caller(projects: Projects, request: Request) -> Caller:
    session = _name(request.headers.get("x-dmm-session"))
    client = _name(request.headers.get("x-dmm-client")) or SOURCE
    core = request.query_params.get("tools") == CORE
    return Caller(projects, _start(request), client, lambda: session, core)


def _start(request: Request) -> Path | None:
    # Headers arrive as Latin-1, whatever the client wrote into them.
    header = request.headers.get("x-dmm-root", "").encode("latin-1").decode("utf-8", "replace")
    named = header or request.query_params.get("root", "")
    start = Path(named)
    return start if start.is_absolute() and "\0" not in named else None


def _name(value: str | None) -> str | None:
    return value if value is not None and _NAME.fullmatch(value) else None
