"""MCP over HTTP: one exchange per request, the project named by a header or the address."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import pytest
from starlette.testclient import TestClient

from dmm.mcp.web import MOST_BYTES, make_app

if TYPE_CHECKING:
    from tests.mcp.conftest import Daemon

ACCEPT = {"accept": "application/json, text/event-stream"}


@pytest.fixture
def client(house: Daemon) -> TestClient:
    return TestClient(make_app(house.projects), headers=ACCEPT)


def call(client: TestClient, name: str, *, at: str = "/", **rest: Any) -> Any:
    params = {"name": name, "arguments": rest.pop("arguments", {})}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    reply = client.post(at, json=message, **rest)
    assert reply.status_code == 200
    (content,) = reply.json()["result"]["content"]
    return json.loads(content["text"])


def test_the_project_is_named_by_a_header_or_the_address(house: Daemon, client: TestClient) -> None:
    named = {"x-dmm-root": str(house.folder)}
    assert call(client, "get_memory_context", headers=named)["current_seq"] == 0
    at = f"/?root={quote(str(house.folder))}"
    assert call(client, "get_memory_context", at=at)["current_seq"] == 0


@pytest.mark.parametrize("root", ["", "work", "../work", "/work\0"])
def test_a_project_that_is_not_named_in_full_is_refused(client: TestClient, root: str) -> None:
    error = call(client, "get_memory_context", at=f"/?root={quote(root)}")["error"]
    assert (error["code"], error["what"]) == ("no_root", "no project is named")


def test_a_path_in_a_header_may_hold_any_letters(house: Daemon, client: TestClient) -> None:
    folder = house.folder.rename(house.folder.with_name("größe"))
    house.trust.trust(folder / ".dmm")
    named = {"x-dmm-root": str(folder).encode()}
    assert call(client, "get_memory_context", headers=named)["current_seq"] == 0


def test_client_and_session_are_recorded_where_they_are_named(
    house: Daemon, client: TestClient
) -> None:
    named = {"x-dmm-root": str(house.folder), "x-dmm-client": "cursor", "x-dmm-session": "s-1"}
    fact = {"key": "a", "value": "b"}
    call(client, "add_fact", arguments=fact, headers=named)
    bad = named | {"x-dmm-client": "<script>", "x-dmm-session": "a b"}
    call(client, "add_fact", arguments=fact, headers=bad)
    log = house.project.dmm.project_ledger.reading
    found = [log.event(seq) for seq in (1, 2)]
    told = [(one.actor, one.source, one.session) for one in found if one]
    assert told == [("cursor", "mcp", "s-1"), ("mcp", "mcp", None)]


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT"])
def test_there_is_no_stream_to_open_and_no_session_to_end(client: TestClient, method: str) -> None:
    reply = client.request(method, "/")
    assert (reply.status_code, reply.headers["allow"]) == (405, "POST")


def test_what_is_no_json_is_refused(client: TestClient) -> None:
    assert client.post("/", content=b"{", headers={"content-type": "text/plain"}).status_code == 400
    as_json = {"content-type": "application/json"}
    assert client.post("/", content=b"{", headers=as_json).status_code == 400
    large = client.post("/", content=b"x" * (MOST_BYTES + 1), headers=as_json)
    assert large.status_code == 413
