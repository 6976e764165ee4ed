"""The gate without a server: the local socket, slow clients, and errors that nobody foresaw."""

from __future__ import annotations

import asyncio
import json
import os
import socket
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest

from dmm.http import make_app
from dmm.http.gate import LARGEST_BODY, Gate, Keys
from dmm.http.sign_ins import Sessions

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from starlette.types import ASGIApp, Message, Receive, Scope, Send
    from tests.http.conftest import Server

    from dmm.projects import Projects

KEY = "k" * 64
GOOD = {
    "host": "127.0.0.1:80",
    "authorization": f"Bearer {KEY}",
    "content-type": "application/json",
}


def scope_of(method: str, path: str, headers: dict[str, str]) -> dict[str, Any]:
    raw = [(name.encode(), value.encode()) for name, value in headers.items()]
    about = {"type": "http", "method": method, "path": path, "raw_path": path.encode()}
    return about | {"query_string": b"", "headers": raw, "root_path": "", "scheme": "http"}


def call(
    app: ASGIApp,
    method: str = "POST",
    path: str = "/",
    headers: dict[str, str] | None = None,
    messages: Sequence[Message] = (),
) -> tuple[int, dict[bytes, bytes], bytes]:
    """Serve one request; a client with no more messages waits for ever."""
    sent: list[Message] = []
    waiting = list(messages or [{"type": "http.request", "body": b"{}"}])

    async def receive() -> Message:
        if not waiting:
            await asyncio.Event().wait()
        return waiting.pop(0)

    async def send(message: Message) -> None:
        sent.append(message)

    asyncio.run(
        serve(app, scope_of(method, path, GOOD if headers is None else headers), receive, send)
    )
    body = b"".join(one.get("body", b"") for one in sent[1:])
    return (sent[0]["status"], dict(sent[0]["headers"]), body) if sent else (0, {}, b"")


async def serve(app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
    await app(scope, receive, send)


async def echo(scope: Scope, receive: Receive, send: Send) -> None:
    message = await receive()
    cors = (b"Access-Control-Allow-Origin", b"*"), (b"Cache-Control", b"public")
    await send({"type": "http.response.start", "status": 200, "headers": [*cors]})
    told = {"caller": scope["dmm.caller"], "body": message["body"].decode()}
    await send({"type": "http.response.body", "body": json.dumps(told).encode()})


def gate(app: ASGIApp = echo, *, local: bool = False, seconds: float = 15.0) -> Gate:
    return Gate(app, Keys(KEY, lambda: 80, Sessions(), local), seconds)


def test_what_passes_is_passed_whole_and_leaves_without_cors() -> None:
    pieces = [b'{"a"', b": ", b"1}"]
    messages: list[Message] = [
        {"type": "http.request", "body": one, "more_body": True} for one in pieces
    ]
    messages.append({"type": "http.request"})
    status, headers, body = call(gate(), messages=messages)
    assert (status, json.loads(body)) == (200, {"caller": "token", "body": '{"a": 1}'})
    assert b"Access-Control-Allow-Origin" not in headers
    assert [value for name, value in headers.items() if name.lower() == b"cache-control"] == [
        b"no-store"
    ]


def test_a_body_of_the_largest_size_is_read_and_one_byte_more_is_not() -> None:
    full = b'"' + b"a" * (LARGEST_BODY - 2) + b'"'
    assert call(gate(), messages=[{"type": "http.request", "body": full}])[0] == 200
    assert call(gate(), messages=[{"type": "http.request", "body": full + b" "}])[0] == 413


def test_a_client_that_never_ends_its_body_is_sent_away() -> None:
    first: list[Message] = [{"type": "http.request", "body": b"{", "more_body": True}]
    status, _, body = call(gate(seconds=0.05), messages=first)
    assert (status, json.loads(body)["error"]["code"]) == (408, "body_too_slow")


def test_a_client_that_leaves_is_not_answered() -> None:
    left: list[Message] = [
        {"type": "http.request", "body": b"{}", "more_body": True},
        {"type": "http.disconnect"},
    ]
    assert call(gate(), messages=left)[0] == 0


def test_a_delete_needs_no_body() -> None:
    head = {name: value for name, value in GOOD.items() if name != "content-type"}
    empty: list[Message] = [{"type": "http.request", "body": b""}]
    assert call(gate(), "DELETE", headers=head, messages=empty)[0] == 200
    assert call(gate(), "DELETE", headers={**head, "content-length": "2"})[0] == 415
    assert call(gate(), "PUT", headers=head, messages=empty)[0] == 415


def test_through_the_socket_no_token_is_needed_but_a_web_page_has_no_way_in() -> None:
    plain = {"host": "dmm", "content-type": "application/json"}
    assert json.loads(call(gate(local=True), headers=plain)[2])["caller"] == "local"
    for name, value in (("origin", "null"), ("sec-fetch-site", "none")):
        assert call(gate(local=True), headers={**plain, name: value})[0] == 403
    assert call(gate(local=True), headers={"host": "dmm"})[0] == 415
    assert call(gate(), headers=plain)[0] == 403


def test_an_unforeseen_error_is_answered_once(caplog: pytest.LogCaptureFixture) -> None:
    async def fail(scope: Scope, receive: Receive, send: Send) -> None:
        raise ZeroDivisionError("sekrit")

    async def fail_late(scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        raise ZeroDivisionError("sekrit")

    status, _, body = call(gate(fail))
    assert (status, json.loads(body)["error"]["code"]) == (500, "unforeseen")
    assert call(gate(fail_late))[0] == 200
    assert caplog.text.count("unforeseen ZeroDivisionError at ") == 2
    assert "sekrit" not in caplog.text


def test_an_end_of_the_process_is_not_held_up() -> None:
    async def stop(scope: Scope, receive: Receive, send: Send) -> None:
        raise SystemExit(3)

    with pytest.raises(SystemExit):
        call(gate(stop))


def test_a_websocket_is_closed_at_once() -> None:
    sent: list[Message] = []

    async def keep(message: Message) -> None:
        sent.append(message)

    async def nothing() -> Message:
        return {"type": "websocket.connect"}

    asyncio.run(serve(gate(), {"type": "websocket", "path": "/", "headers": []}, nothing, keep))
    assert sent == [{"type": "websocket.close", "code": 1008}]


def test_other_applications_stand_behind_the_same_gate(projects: Projects) -> None:
    app = make_app(projects, token=KEY, port=lambda: 80, health=dict, mounts={"/mcp": echo})
    assert call(app, path="/mcp")[0] == 200
    assert call(app, path="/mcp/x")[0] == 200
    assert call(app, path="/mcpx")[0] == 404
    assert call(app, path="/mcp", headers={**GOOD, "authorization": "Bearer x"})[0] == 401
    assert call(app, path="/mcp", headers={**GOOD, "origin": "http://evil.example"})[0] == 403


def test_many_clients_at_once_each_get_their_number(server: Server) -> None:
    before = server.events()

    def write(number: int) -> int:
        fact = {"key": f"client {number}", "value": "here"}
        return int(server.ask("POST", "/v1/ledger/facts", fact).json()["seq"])

    with ThreadPoolExecutor(32) as pool:
        given = list(pool.map(write, range(64)))
    assert sorted(given) == list(range(before + 1, before + 65))


def test_a_slow_project_does_not_hold_up_another_request(server: Server) -> None:
    with (
        ThreadPoolExecutor(1) as pool,
        server.projects.find(server.root).recording(server.actor),
    ):
        fact = {"key": "wares", "value": "lanterns"}
        waiting = pool.submit(server.ask, "POST", "/v1/ledger/facts", fact)
        assert server.ask("GET", "/v1/nothing").status == 404
        for path in ("status", "ledger/context", "ledger/verify", "ledger/replay"):
            assert server.ask("GET", f"/v1/{path}").status == 200
        assert server.ask("POST", "/v1/query", {"query": ""}).status == 200
        assert not waiting.done()
    assert waiting.result().status == 200


def test_the_local_socket_serves_the_same_routes(
    projects: Projects,
    new_memory: Callable[[Path, bool], Path],
    serve_local: Callable[..., Server],
    tmp_path: Path,
) -> None:
    root = new_memory(tmp_path / "work", True)
    path = tmp_path / "s"
    server = serve_local(projects, root, path)
    head = server.head("GET", "/v1/ledger/context", (("Host", "dmm"), ("X-DMM-Root", str(root))))
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(os.fspath(path))
        connection.sendall(head)
        assert server.receive(connection).json()["current_seq"] == 0


def test_a_long_look_at_the_ledger_keeps_no_event_waiting(server: Server) -> None:
    """What only reads is held up by another reader, and never holds up who records."""
    with (
        ThreadPoolExecutor(1) as pool,
        server.projects.find(server.root).reading(server.actor),
    ):
        waiting = pool.submit(server.ask, "GET", "/v1/ledger/verify")
        fact = {"key": "opening", "value": "at nine"}
        assert server.ask("POST", "/v1/ledger/facts", fact).status == 200
        assert not waiting.done()
    assert waiting.result().json()["valid"] is True
