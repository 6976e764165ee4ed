"""Attacks over the wire: each is refused, and the ledger holds no event more than before."""

from __future__ import annotations

import json
import os
import socket
from typing import TYPE_CHECKING

import pytest

from dmm.eventlog.place import find_ledger

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.http.conftest import Headers, Reply, Server

FACTS = "/v1/ledger/facts"
WRITE = b'{"key": "budget", "value": "3000"}'
JSON = ("Content-Type", "application/json")


@pytest.fixture(autouse=True)
def untouched(server: Server) -> Iterator[None]:
    """No attack of this file may write."""
    server.ask("GET", "/v1/ledger/context")
    before = server.events()
    yield
    assert server.events() == before


def refused(told: Reply, status: int, code: str) -> None:
    assert (told.status, told.code) == (status, code)
    names = {name.lower() for name, _ in told.headers}
    assert not [name for name in names if name.startswith("access-control-")]
    assert "set-cookie" not in names
    assert told.header("content-security-policy") == "default-src 'self'; frame-ancestors 'none'"
    assert told.header("x-content-type-options") == "nosniff"
    assert told.header("referrer-policy") == "no-referrer"
    assert told.header("cache-control") == "no-store"
    assert b"0123456789abcdef" not in told.body


def write(server: Server, *headers: tuple[str, str], without: tuple[str, ...] = ()) -> Reply:
    return server.ask("POST", FACTS, WRITE, headers=headers, without=without)


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:{port}",
        "127.0.0.1.evil.example:{port}",
        "127.0.0.1",
        "127.0.0.1:1",
        "localhost",
        "localhost.:{port}",
        "localhost:{port}.evil.example",
        "127.0.0.1:{port}@evil.example",
        "evil.example#@127.0.0.1:{port}",
        "127.1:{port}",
        "2130706433:{port}",
        "0.0.0.0:{port}",
        "[::]:{port}",
        "[::ffff:127.0.0.1]:{port}",
        "127.0.0.1:0{port}",
        "user@127.0.0.1:{port}",
        "127.0.0.1:{port}, evil.example",
        "",
    ],
)
def test_a_host_that_is_not_this_one_is_refused(server: Server, host: str) -> None:
    refused(write(server, ("Host", host.format(port=server.port))), 403, "host_refused")


def test_another_host_may_not_hide_behind_a_proxys_header(server: Server) -> None:
    evil = ("Host", "evil.example")
    forwarded = ("X-Forwarded-Host", server.host), ("Forwarded", f"host={server.host}")
    refused(write(server, evil, *forwarded), 403, "host_refused")
    absolute = server.ask("GET", f"http://{server.host}/v1/health", headers=(evil,))
    refused(absolute, 403, "host_refused")


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost", "LOCALHOST", "[::1]"])
def test_the_names_of_this_machine_are_served(server: Server, name: str) -> None:
    own = (("Host", f"{name}:{server.port}"),)
    assert server.ask("GET", "/v1/health", headers=own).status == 200
    origin = (*own, ("Origin", f"http://{name}:{server.port}".lower()))
    assert server.ask("GET", "/v1/health", headers=origin).status == 200


@pytest.mark.parametrize(
    "origin",
    [
        "null",
        "",
        "http://evil.example",
        "https://{host}",
        "http://localhost:{port}",
        "http://127.0.0.1",
        "http://127.0.0.1:1",
        "http://{host}.evil.example",
        "http://{host}/",
        "http://{host} http://evil.example",
        "file://",
        "chrome-extension://abcdefgh",
        "vscode-webview://abc",
    ],
)
def test_a_page_from_elsewhere_is_refused(server: Server, origin: str) -> None:
    named = origin.format(host=server.host, port=server.port)
    refused(write(server, ("Origin", named)), 403, "origin_refused")


@pytest.mark.parametrize("site", ["cross-site", "same-site", "Cross-Site", "", "no-such"])
def test_a_fetch_from_another_site_is_refused(server: Server, site: str) -> None:
    headers = ("Sec-Fetch-Site", site), ("Sec-Fetch-Mode", "no-cors")
    refused(write(server, *headers), 403, "origin_refused")
    reading = server.ask("GET", "/v1/ledger/context", headers=headers)
    refused(reading, 403, "origin_refused")


def test_a_preflight_gets_no_permission(server: Server) -> None:
    headers = (
        ("Origin", "http://evil.example"),
        ("Access-Control-Request-Method", "POST"),
        ("Access-Control-Request-Headers", "authorization, content-type"),
        ("Access-Control-Request-Private-Network", "true"),
    )
    told = server.ask("OPTIONS", FACTS, headers=headers, without=("Authorization",))
    refused(told, 403, "origin_refused")
    own = (("Origin", server.origin), *headers[1:])
    refused(
        server.ask("OPTIONS", FACTS, headers=own, without=("Authorization",)), 401, "unauthorized"
    )
    refused(server.ask("OPTIONS", FACTS, headers=own), 405, "method_not_allowed")


@pytest.mark.parametrize(
    "shown",
    [
        "",
        "Bearer",
        "Bearer ",
        "{token}",
        "Bearer {token:.63}",
        "Bearer {token:.32}",
        "Bearer {token}0",
        "Bearer {token} {token}",
        "Bearer {upper}",
        "Bearer {token},{token}",
        'Bearer "{token}"',
        "Basic {token}",
        "Token {token}",
        "Bearer " + "é" * 32,
        "Bearer None",
    ],
)
def test_without_the_whole_token_nothing_is_served(server: Server, shown: str) -> None:
    given = shown.format(token=server.token, upper=server.token.upper())
    refused(write(server, ("Authorization", given)), 401, "unauthorized")


@pytest.mark.parametrize(
    "path",
    [
        *("/v1", "/v1/health", "/health", "/v1/status", "/v1/openapi.json", "/v1/nothing", "/docs"),
        *("/mcp", "/..%2f..%2fetc/passwd", "//evil.example/", "/v1/session/", "/v1/sessions"),
    ],
)
def test_without_a_token_no_address_tells_whether_it_exists(server: Server, path: str) -> None:
    told = server.ask("GET", path, without=("Authorization",))
    refused(told, 401, "unauthorized")
    assert told.header("www-authenticate") == "Bearer"


def test_a_token_in_the_address_or_a_cookie_opens_nothing(server: Server) -> None:
    for path in (f"{FACTS}?token={server.token}", f"{FACTS}?access_token={server.token}"):
        told = server.ask("POST", path, WRITE, without=("Authorization",))
        refused(told, 401, "unauthorized")
    for cookie in (
        f"token={server.token}",
        f"dmm_session_{server.port}={server.token}",
        f"Authorization=Bearer {server.token}",
    ):
        told = write(server, ("Cookie", cookie), without=("Authorization",))
        refused(told, 401, "unauthorized")
    userinfo = server.ask(
        "GET", f"http://x:{server.token}@{server.host}/v1/health", without=("Authorization",)
    )
    refused(userinfo, 401, "unauthorized")


@pytest.mark.parametrize(
    "kind",
    [
        *("text/plain", "text/plain; charset=utf-8", "text/json", "application/jsonp"),
        *("application/x-www-form-urlencoded", "multipart/form-data; boundary=x"),
        *("application/json, text/plain", "text/plain; application/json", "application/json;a=b"),
        *("application/json; charset=utf-7", "application/vnd.api+json", "application/ json", ""),
    ],
)
def test_a_body_that_a_form_could_send_is_refused(server: Server, kind: str) -> None:
    refused(write(server, ("Content-Type", kind)), 415, "media_type")


def test_a_body_of_no_kind_or_packed_is_refused(server: Server) -> None:
    refused(write(server, without=("Content-Type",)), 415, "media_type")
    for encoding in ("gzip", "br", "identity, gzip"):
        refused(write(server, ("Content-Encoding", encoding)), 415, "media_type")


@pytest.mark.parametrize(
    "method", ["HEAD", "OPTIONS", "TRACE", "PATCH", "PROPFIND", "FETCH", "get"]
)
def test_other_methods_are_refused(server: Server, method: str) -> None:
    told = server.ask(method, FACTS, WRITE)
    assert told.status == 405
    assert told.header("allow") == "GET, POST, PUT, DELETE"
    if method != "HEAD":
        refused(told, 405, "method_not_allowed")


def test_reading_changes_nothing_and_carries_no_body(server: Server) -> None:
    refused(told := server.ask("GET", FACTS), 405, "method_not_allowed")
    assert b"use GET" not in told.body
    refused(server.ask("GET", FACTS, WRITE), 400, "body_refused")
    assert server.ask("GET", f"{FACTS}?key=a&value=b").status == 405
    for method in ("PUT", "DELETE"):
        refused(server.ask(method, FACTS, WRITE), 405, "method_not_allowed")
    override = server.ask("GET", FACTS, headers=(("X-HTTP-Method-Override", "POST"),))
    assert override.status == 405


@pytest.mark.parametrize(
    "header",
    [
        ("Host", "evil.example"),
        ("Origin", "http://evil.example"),
        ("Authorization", "Bearer other"),
        ("Content-Type", "text/plain"),
        ("Cookie", "a=b"),
        ("X-DMM-Root", "/"),
        ("Sec-Fetch-Site", "cross-site"),
    ],
)
def test_a_header_with_two_meanings_is_refused(server: Server, header: tuple[str, str]) -> None:
    usual = {"Host": server.host, "Origin": server.origin, "Sec-Fetch-Site": "none"}
    first: Headers = ((header[0], usual.get(header[0], header[1])),)
    told = server.ask("POST", FACTS, WRITE, headers=(*first, header))
    if header[0] == "Host":
        # The server's own parser refuses it before anything of ours is asked.
        assert told.status == 400
    else:
        refused(told, 400, "header_repeated")


def test_an_old_client_without_a_host_is_refused(server: Server) -> None:
    authorised = ("Authorization", f"Bearer {server.token}")
    told = server.send(server.head("GET", "/v1/health", (authorised,), version="1.0"))
    refused(told, 403, "host_refused")
    named = (("Host", server.host), authorised)
    assert server.send(server.head("GET", "/v1/health", named, version="1.0")).status == 200


def test_headers_have_limits(server: Server) -> None:
    many = tuple((f"X-{number}", "1") for number in range(150))
    refused(write(server, *many), 431, "headers_too_large")
    long = (("X-Long", "a" * 40_000),)
    refused(write(server, *long), 431, "headers_too_large")
    flood = server.ask(
        "POST", FACTS, WRITE, headers=many[:0] + tuple((f"X-{n}", "1") for n in range(10_000))
    )
    assert flood.status in (400, 431)
    refused(server.ask("GET", "/v1/health?" + "a" * 9_000), 414, "target_too_long")


def test_a_body_that_is_announced_too_large_is_not_read(server: Server) -> None:
    for length in (str((1 << 20) + 1), "9" * 18):
        head = server.head("POST", FACTS, (*usual(server), ("Content-Length", length)))
        with server.connect() as connection:
            connection.sendall(head)
            refused(server.receive(connection), 413, "body_too_large")


def usual(server: Server) -> Headers:
    return (("Host", server.host), ("Authorization", f"Bearer {server.token}"), JSON)


def chunk(data: bytes) -> bytes:
    return f"{len(data):x}\r\n".encode() + data + b"\r\n"


def test_a_body_that_grows_too_large_in_pieces_is_cut_off(server: Server) -> None:
    head = server.head("POST", FACTS, (*usual(server), ("Transfer-Encoding", "chunked")))
    large = b'{"key": "a", "value": "' + b"x" * (2 << 20) + b'"}'
    pieces = [large[at : at + 8192] for at in range(0, len(large), 8192)]
    body = b"".join(map(chunk, pieces)) + b"0\r\n\r\n"
    refused(server.send(head + body), 413, "body_too_large")


def test_a_length_told_twice_or_falsely_is_refused(server: Server) -> None:
    both = (*usual(server), ("Transfer-Encoding", "chunked"), ("Content-Length", "5"))
    told = server.send(server.head("POST", FACTS, both) + chunk(WRITE) + b"0\r\n\r\n")
    assert told.status == 400
    for length in ("-1", "+5", "0x10", "5 5", "5,6"):
        head = server.head("POST", FACTS, (*usual(server), ("Content-Length", length)))
        assert server.send(head + WRITE).status == 400


def test_a_second_request_hidden_in_a_body_is_not_served(server: Server) -> None:
    hidden = (
        server.head("POST", FACTS, (*usual(server), ("Content-Length", str(len(WRITE))))) + WRITE
    )
    first = (
        *usual(server)[:2],
        ("Content-Type", "text/plain"),
        ("Content-Length", str(len(hidden))),
    )
    with server.connect() as connection:
        connection.sendall(server.head("POST", FACTS, first) + hidden)
        refused(server.receive(connection), 415, "media_type")
        assert connection.recv(1) == b""


def test_a_body_that_ends_too_early_is_not_taken(server: Server) -> None:
    head = server.head("POST", FACTS, (*usual(server), ("Content-Length", str(len(WRITE) + 10))))
    with server.connect() as connection:
        connection.sendall(head + WRITE)
        connection.shutdown(socket.SHUT_WR)
        connection.settimeout(10)
        assert b" 200 " not in connection.recv(100)
    chunked = server.head("POST", FACTS, (*usual(server), ("Transfer-Encoding", "chunked")))
    with server.connect() as connection:
        connection.sendall(chunked + chunk(WRITE))
    assert server.ask("GET", "/v1/health").status == 200


def test_rubbish_on_the_line_harms_nobody(server: Server) -> None:
    for rubbish in (b"\x16\x03\x01\x02\x00\x01\x00", b"GET\r\n\r\n", os.urandom(64) + b"\r\n\r\n"):
        with server.connect() as connection:
            connection.sendall(rubbish)
            connection.shutdown(socket.SHUT_WR)
            connection.recv(1000)
    assert server.ask("GET", "/v1/health").status == 200


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"null",
        b"{",
        b"[" * 100_000,
        b'{"key":' * 50_000,
        b'{"key": "a", "value": ' + b"[" * 70 + b"]" * 70 + b"}",
        b'{"key": "a", "value": "b", "caused_by": ' + b"9" * 5_000 + b"}",
        b'{"key": "a", "value": "b", "caused_by": 18446744073709551616}',
        b'{"key": "a", "value": "b", "confidence": NaN}',
        b'{"key": "a", "value": "b", "confidence": Infinity}',
        b'{"key": "a", "value": "b", "confidence": 1e999}',
        b'{"key": "a", "value": "b", "key": "c"}',
        rb'{"key": "a", "value": "b", "\u006bey": "c"}',
        rb'{"key": "a", "value": "\ud800"}',
        rb'{"key": "\udfff\ud800", "value": "b"}',
        rb'{"key": "a", "value": "b", "\ud800": 1}',
        b'\xff\xfe{\x00"\x00',
        b'{"key": "a", "value": "\xed\xa0\x80"}',
        b'\xef\xbb\xbf{"key": "a", "value": "b"}',
        b'{"key": "a", "value": "b"} {}',
        b"key=a&value=b",
        b'{"key": "a", "value": "\x00"}',
    ],
)
def test_json_that_two_readers_could_read_differently_is_refused(
    server: Server, body: bytes
) -> None:
    told = server.ask("POST", FACTS, body)
    if body == b"null":
        refused(told, 422, "usage")
    else:
        refused(told, 400, "bad_json")
    assert len(told.body) < 500


@pytest.mark.parametrize(
    ("root", "status", "code"),
    [
        ("work", 403, "path_refused"),
        ("./work", 403, "path_refused"),
        ("~/work", 403, "path_refused"),
        ("", 403, "path_refused"),
        ("{root}/../work", 403, "path_refused"),
        ("{root}/..", 403, "path_refused"),
        ("{root}\0", 403, "path_refused"),
        ("{root}/\0/../..", 403, "path_refused"),
        ("file://{root}", 403, "path_refused"),
        ("{root}/" + "a" * 300, 403, "path_refused"),
        ("/" + "a/" * 2040, 404, "no_root"),
        ("/", 404, "no_root"),
        ("/etc/passwd", 404, "no_root"),
        ("/proc/self/root", 404, "no_root"),
        ("/dev/null", 404, "no_root"),
        ("{root}/missing", 404, "no_root"),
        ("{beside}/loop", 403, "path_refused"),
        ("{beside}/clone", 403, "not_trusted"),
        ("{beside}/link_to_clone", 403, "not_trusted"),
        ("{beside}/clone/.dmm", 403, "not_trusted"),
    ],
)
def test_a_root_that_is_no_project_of_the_user_is_refused(
    server: Server,
    new_memory: Callable[[Path, bool], Path],
    root: str,
    status: int,
    code: str,
) -> None:
    beside = server.root.parent
    clone = new_memory(beside / "clone", False)
    for name, target in (("loop", "loop"), ("link_to_clone", clone)):
        if not (beside / name).is_symlink():
            (beside / name).symlink_to(target)
    named = root.format(root=server.root, beside=beside)
    body = {**json.loads(WRITE), "root": named}
    refused(server.ask("POST", FACTS, body), status, code)
    assert not find_ledger(clone / ".dmm").exists()


def test_a_root_in_a_header_or_the_address_has_the_same_rules(server: Server) -> None:
    for named in ("work", f"{server.root}/../work"):
        told = write(server, ("X-DMM-Root", named))
        refused(told, 403, "path_refused")
        refused(server.ask("POST", f"{FACTS}?root={named}", WRITE), 403, "path_refused")
    refused(server.ask("POST", f"{FACTS}?root={server.root}%00", WRITE), 403, "path_refused")
    refused(server.ask("POST", f"{FACTS}?root=/%2e%2e/etc", WRITE), 403, "path_refused")
    # Two projects are named: it is not guessed which one is meant.
    refused(server.ask("POST", f"{FACTS}?root={server.root}&root=/etc", WRITE), 422, "usage")


def test_a_link_to_a_trusted_project_is_that_project(server: Server) -> None:
    link = server.root.parent / "shortcut"
    link.symlink_to(server.root)
    asked = server.ask("GET", "/v1/status", headers=(("X-DMM-Root", str(link)),))
    assert asked.json()["memory_root"] == str(server.root / ".dmm")


def test_a_clone_gives_nothing_away(
    server: Server, new_memory: Callable[[Path, bool], Path]
) -> None:
    clone = new_memory(server.root.parent / "other_clone", False)
    header = (("X-DMM-Root", str(clone)),)
    asked = server.ask("POST", "/v1/query", {"query": "identity"}, headers=header)
    refused(asked, 403, "not_trusted")
    refused(server.ask("POST", "/v1/reindex", {"full": True}, headers=header), 403, "not_trusted")
    refused(server.ask("GET", "/v1/ledger/context", headers=header), 403, "not_trusted")
    refused(server.ask("GET", "/v1/status", headers=header), 403, "not_trusted")
    assert [one["root"] for one in server.ask("GET", "/v1/status").json()["projects"]] == [
        str(server.root)
    ]
    assert not (clone / ".dmm" / "index" / "embeddings.db").exists()


def test_a_websocket_is_not_opened(server: Server) -> None:
    upgrade = (
        ("Upgrade", "websocket"),
        ("Connection", "Upgrade"),
        ("Sec-WebSocket-Version", "13"),
        ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="),
    )
    head = server.head("GET", "/v1/health", (("Host", server.host), *upgrade))
    assert server.send(head).status == 401
