"""The routes of the team server: what is malformed, foreign or of another version is refused."""

from __future__ import annotations

import http.client
import json
import queue
import socket
import struct
import threading
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import pytest
from tests.team.conftest import Hall, served

from dmm.errors import TeamError
from dmm.server.fairness import MOST_AT_ONCE
from dmm.team.client import HttpLog, HttpMembers, join
from dmm.team.credentials import Credentials
from dmm.team.keys import SigningKey
from dmm.team.port import PROTOCOL, Page, Taken
from dmm.team.registry import Registry
from dmm.team.sqlite import SqliteDatabase

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

OWN = {"DMM-Protocol": str(PROTOCOL)}


@dataclass(frozen=True, slots=True)
class Server:
    """A server with one project, and bare requests to it."""

    registry: Registry
    url: str

    def ask(
        self, method: str, path: str, body: Any = None, headers: Any = None
    ) -> tuple[int, dict[str, Any]]:
        connection = http.client.HTTPConnection(self.url.removeprefix("http://"), timeout=30)
        data = body if isinstance(body, bytes | None) else json.dumps(body).encode()
        try:
            connection.request(method, path, data, OWN if headers is None else headers)
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read())
        finally:
            connection.close()


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    database = SqliteDatabase(tmp_path / "server.db")
    database.migrate()
    registry = Registry(database, SigningKey.make())
    registry.add("acme", "shop")
    with served(registry) as url:
        yield Server(registry, url)
    database.close()


def test_health_tells_whether_the_database_answers(server: Server) -> None:
    assert server.ask("GET", "/health", headers={}) == (200, {"ok": True, "protocol": PROTOCOL})
    server.registry.database.close()
    assert server.ask("GET", "/health", headers={}) == (503, {"ok": False})


def test_a_laptop_of_another_version_is_told_to_upgrade(server: Server) -> None:
    for headers in ({}, {"DMM-Protocol": "1"}, {"DMM-Protocol": str(PROTOCOL + 1)}):
        status, told = server.ask("GET", "/v1/team/pull", headers=headers)
        assert status == 426
        assert told["error"]["fault"] == "protocol"
        assert "upgrade dmm" in told["error"]["hint"]


@pytest.mark.parametrize("token", ["", "acme", "acme.x.y", "zeta.x.y", "acme..", "é"])
@pytest.mark.parametrize(("method", "path"), [("POST", "/v1/team/push"), ("GET", "/v1/team/pull")])
def test_an_unknown_token_gets_the_same_answer_for_all(
    server: Server, token: str, method: str, path: str
) -> None:
    headers = OWN | {"Authorization": f"Bearer {token}".encode("latin-1")}
    status, told = server.ask(method, path, b"{}", headers)
    assert status == 401
    assert told["error"]["what"] == "the server does not know this laptop"


def test_a_body_that_is_no_batch_is_refused_where_it_is_wrong(server: Server) -> None:
    laptop = Hall(server.registry, "acme", server.url).join()
    entry = asdict(laptop.say("never push to main"))
    headers = OWN | {"Authorization": f"Bearer {laptop.joined.token}"}
    zero = "0" * 64
    cases: list[tuple[Any, str]] = [
        (b"not json", ""),
        ({"previous": zero}, "entries"),
        ({"previous": zero, "entries": [], "more": 1}, "more"),
        ({"previous": "x", "entries": []}, "previous"),
        ({"previous": zero, "entries": [entry | {"wseq": 0}]}, "entries.0.wseq"),
        ({"previous": zero, "entries": [entry | {"wseq": "1"}]}, "entries.0.wseq"),
        ({"previous": zero, "entries": [entry | {"id": "a\u0000b"}]}, "entries.0.id"),
        ({"previous": zero, "entries": [entry | {"payload": "\ud800"}]}, ""),
        ({"previous": zero, "entries": [entry | {"payload": "x" * 99_999}]}, "entries.0.payload"),
        ({"previous": zero, "entries": [entry] * 101}, "entries"),
    ]
    for body, where in cases:
        status, told = server.ask("POST", "/v1/team/push", body, headers)
        assert status == 400, body
        assert told["error"]["what"] == f"the request is malformed at '{where}'"
    large = b" " * (5 << 20)
    assert server.ask("POST", "/v1/team/push", large, headers)[0] == 413


def test_a_join_is_short_or_refused_before_it_is_read(server: Server) -> None:
    for size, status in ((4 << 10, 400), ((4 << 10) + 1, 413)):
        assert server.ask("POST", "/v1/team/join", b" " * size)[0] == status


@pytest.mark.parametrize("query", ["after=-1", "after=x", "wait=-1", "wait=nan", "after=1e99"])
def test_a_pull_with_a_wrong_number_is_refused(server: Server, query: str) -> None:
    laptop = Hall(server.registry, "acme", server.url).join()
    headers = OWN | {"Authorization": f"Bearer {laptop.joined.token}"}
    assert server.ask("GET", f"/v1/team/pull?{query}", headers=headers)[0] == 400


def test_a_pull_that_waits_is_answered_by_the_next_push(server: Server) -> None:
    hall = Hall(server.registry, "acme", server.url)
    ada, ben = hall.join(), hall.join()
    waiting = HttpLog.of(Credentials.of(server.url, ben.joined, ben.key), wait=30.0)
    page = waiting.pull(0)
    assert isinstance(page, Page)
    said = ada.say("never push to main")
    found: list[object] = []
    thread = threading.Thread(target=lambda: found.append(waiting.pull(2)))
    thread.start()
    ada.log.push(ada.batch())
    thread.join()
    assert isinstance(found[0], Page)
    assert [one.entry for one in found[0].placed] == [said]


def test_a_database_that_fails_is_told_without_its_words(
    server: Server, capfd: pytest.CaptureFixture[str]
) -> None:
    laptop = Hall(server.registry, "acme", server.url).join()
    server.registry.database.close()
    headers = OWN | {"Authorization": f"Bearer {laptop.joined.token}"}
    status, told = server.ask("GET", "/v1/team/pull", headers=headers)
    assert status == 503
    assert told["error"]["what"] == "the server's database does not answer"
    assert "dmm server:" in capfd.readouterr().err


def test_an_answer_of_something_else_is_named(server: Server) -> None:
    with pytest.raises(TeamError, match="not one of a team server") as told:
        join(f"{server.url}/elsewhere", "acme.x.y", SigningKey.make(), "laptop")
    assert told.value.fault == "malformed"


def test_the_second_wait_of_a_laptop_ends_its_first(server: Server) -> None:
    hall = Hall(server.registry, "acme", server.url)
    ada, ben = hall.join(), hall.join()
    waiting = HttpLog.of(Credentials.of(server.url, ben.joined, ben.key), wait=30.0)
    found: queue.SimpleQueue[object] = queue.SimpleQueue()
    threads = [
        threading.Thread(target=lambda: found.put(waiting.pull(2)), daemon=True) for _ in range(3)
    ]
    for thread in threads:
        thread.start()
    # All but one are answered before there is any news.
    early = [found.get(timeout=20) for _ in range(2)]
    assert [one.placed for one in early if isinstance(one, Page)] == [(), ()]
    ada.say("never push to main")
    ada.log.push(ada.batch())
    last = found.get(timeout=20)
    assert isinstance(last, Page)
    assert [one.entry for one in last.placed] == ada.said


def test_a_laptop_with_too_many_requests_under_way_is_told_so_and_others_are_not(
    server: Server,
) -> None:
    hall = Hall(server.registry, "acme", server.url)
    ada, ben = hall.join(), hall.join()
    host, port = server.url.removeprefix("http://").split(":")
    lines = [socket.create_connection((host, int(port))) for _ in range(MOST_AT_ONCE)]
    head = (
        "POST /v1/team/push HTTP/1.1\r\nHost: x\r\nContent-Length: 99\r\n"
        f"DMM-Protocol: {PROTOCOL}\r\n"
        f"Authorization: Bearer {ada.joined.token}\r\nExpect: 100-continue\r\n\r\n"
    )
    for line in lines:
        line.sendall(head.encode())
        # The server asks for the body: the request is counted.
        assert line.recv(100).startswith(b"HTTP/1.1 100")
    headers = OWN | {"Authorization": f"Bearer {ada.joined.token}"}
    status, told = server.ask("GET", "/v1/team/pull", headers=headers)
    assert (status, told["error"]["fault"]) == (429, "busy")
    assert isinstance(ben.log.pull(0), Page)
    for line in lines:
        line.sendall(b" " * 99)
        assert line.recv(100).startswith(b"HTTP/1.1 400")
        line.close()
    assert server.ask("GET", "/v1/team/pull", headers=headers)[0] == 200


def test_a_server_with_too_many_connections_counts_as_out_of_reach(server: Server) -> None:
    ada = Hall(server.registry, "acme", server.url).join()
    with served(server.registry, most=1) as url:
        host, port = url.removeprefix("http://").split(":")
        with socket.create_connection((host, int(port))):
            busy = HttpLog.of(ada.credentials(url))
            with pytest.raises(TeamError, match="HTTP 503") as told:
                busy.pull(0)
    assert told.value.fault == "unreachable"


def test_an_owner_manages_the_laptops_of_the_own_project(server: Server) -> None:
    hall = Hall(server.registry, "acme", server.url)
    ada, ben = hall.join("owner"), hall.join("reader")
    members = HttpMembers.of(Credentials.of(server.url, ada.joined, ada.key))
    assert {one.writer: one.role for one in members.list()} == {
        ada.joined.writer: "owner",
        ben.joined.writer: "reader",
    }
    assert members.change_role(ben.joined.writer, "reviewer")
    assert not members.change_role(ben.joined.writer, "reviewer")
    ben.say("never push to main")
    assert isinstance(ben.log.push(ben.batch()), Taken)
    joined = join(server.url, members.invite("contributor"), SigningKey.make(), "laptop")
    assert joined.role == "contributor"
    assert members.revoke(joined.writer)
    assert not members.revoke(joined.writer)


@pytest.mark.parametrize("role", ["reader", "contributor", "reviewer"])
def test_nobody_but_an_owner_manages_a_project(server: Server, role: str) -> None:
    eve = Hall(server.registry, "acme", server.url).join(role)
    writer = eve.joined.writer
    members = HttpMembers.of(Credentials.of(server.url, eve.joined, eve.key))
    acts: list[Callable[[], object]] = [
        members.list,
        lambda: members.invite("owner"),
        lambda: members.change_role(writer, "owner"),
        lambda: members.revoke(writer),
    ]
    for act in acts:
        with pytest.raises(TeamError, match=f"a {role} can't manage the team") as told:
            act()
        assert told.value.fault == "forbidden"
    assert [one.role for one in server.registry.members("acme", "shop")] == [role]
    server.registry.change_role("acme", "shop", writer, "owner")
    server.registry.revoke("acme", "shop", writer)
    for act in acts:
        with pytest.raises(TeamError, match="was removed"):
            act()


def send_head(server: Server, path: str, token: str, size: int) -> socket.socket:
    """Send a request without its body; return when the server asks for that."""
    host, port = server.url.removeprefix("http://").split(":")
    line = socket.create_connection((host, int(port)))
    head = (
        f"POST {path} HTTP/1.1\r\nHost: x\r\nContent-Length: {size}\r\n"
        f"DMM-Protocol: {PROTOCOL}\r\n"
        f"Authorization: Bearer {token}\r\nExpect: 100-continue\r\n\r\n"
    )
    line.sendall(head.encode())
    assert line.recv(100).startswith(b"HTTP/1.1 100")
    return line


def test_who_loses_the_right_while_the_body_is_on_its_way_manages_nothing(server: Server) -> None:
    hall = Hall(server.registry, "acme", server.url)
    ada, ben = hall.join("owner"), hall.join("reader")
    acts = {
        "/v1/team/invite": {"role": "owner"},
        "/v1/team/role": {"writer": ben.joined.writer, "role": "owner"},
        "/v1/team/revoke": {"writer": ben.joined.writer},
    }
    bodies = {path: json.dumps(body).encode() for path, body in acts.items()}
    lines = {
        path: send_head(server, path, ada.joined.token, len(body)) for path, body in bodies.items()
    }
    server.registry.revoke("acme", "shop", ada.joined.writer)
    for path, line in lines.items():
        line.sendall(bodies[path])
        assert line.recv(100).startswith(b"HTTP/1.1 403")
        line.close()
    found = {one.writer: one for one in server.registry.members("acme", "shop")}
    assert (found[ben.joined.writer].role, found[ben.joined.writer].revoked) == ("reader", False)


def test_an_owners_requests_are_limited_as_all_others(server: Server) -> None:
    ada = Hall(server.registry, "acme", server.url).join("owner")
    token = ada.joined.token
    lines = [send_head(server, "/v1/team/invite", token, 99) for _ in range(MOST_AT_ONCE)]
    headers = OWN | {"Authorization": f"Bearer {token}"}
    for method, path in (("GET", "/v1/team/members"), ("POST", "/v1/team/leave")):
        assert server.ask(method, path, headers=headers)[0] == 429
    for line in lines:
        line.close()


def test_a_role_that_there_is_not_is_a_wrong_request(server: Server) -> None:
    ada = Hall(server.registry, "acme", server.url).join("owner")
    headers = OWN | {"Authorization": f"Bearer {ada.joined.token}"}
    status, told = server.ask("POST", "/v1/team/invite", {"role": "king"}, headers)
    assert (status, told["error"]["what"]) == (400, "unknown role 'king'")
    assert "one of reader" in told["error"]["hint"]


def test_an_owner_of_one_project_is_nobody_in_another(server: Server) -> None:
    server.registry.add("zeta", "shop")
    ada = Hall(server.registry, "acme", server.url).join("owner")
    zoe = Hall(server.registry, "zeta", server.url).join("reader")
    members = HttpMembers.of(Credentials.of(server.url, ada.joined, ada.key))
    for writer in (zoe.joined.writer, "0" * 16):
        with pytest.raises(TeamError, match="there is no writer"):
            members.revoke(writer)
    assert zoe.joined.writer not in str(members.list())


def test_a_push_that_breaks_off_takes_nothing_and_fails_nowhere(
    server: Server, capfd: pytest.CaptureFixture[str]
) -> None:
    ada = Hall(server.registry, "acme", server.url).join()
    host, port = server.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port))) as line:
        head = (
            "POST /v1/team/push HTTP/1.1\r\nHost: x\r\nContent-Length: 99\r\n"
            f"DMM-Protocol: {PROTOCOL}\r\n"
            f"Authorization: Bearer {ada.joined.token}\r\nExpect: 100-continue\r\n\r\n"
        )
        line.sendall(head.encode())
        assert line.recv(100).startswith(b"HTTP/1.1 100")
        line.sendall(b'{"previous"')
        line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    ada.say("never push to main")
    assert ada.log.push(ada.batch()) == Taken(2)
    assert "Traceback" not in capfd.readouterr().err


def test_an_answer_that_breaks_off_counts_as_none(server: Server) -> None:
    ada = Hall(server.registry, "acme", server.url).join()
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def answer() -> None:
            line, _ = listening.accept()
            with line:
                line.recv(10_000)
                line.sendall(b'HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{"placed"')

        thread = threading.Thread(target=answer)
        thread.start()
        url = f"http://127.0.0.1:{listening.getsockname()[1]}"
        with pytest.raises(TeamError, match="the answer was cut off") as told:
            HttpLog.of(ada.credentials(url)).pull(0)
        thread.join()
    assert told.value.fault == "unreachable"


def test_an_older_laptop_refuses_a_newer_server_and_says_what_to_do(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    laptop = Hall(server.registry, "acme", server.url).join()
    monkeypatch.setattr("dmm.team.client.PROTOCOL", PROTOCOL - 1)
    acts: list[Callable[[], object]] = [
        lambda: laptop.log.pull(0),
        lambda: laptop.log.push(laptop.batch()),
        lambda: join(server.url, "acme.x.y", SigningKey.make(), "laptop"),
    ]
    for act in acts:
        with pytest.raises(TeamError, match=f"speaks version {PROTOCOL}") as told:
            act()
        assert (told.value.fault, "upgrade dmm" in str(told.value.hint)) == ("protocol", True)
        assert f"this dmm speaks version {PROTOCOL - 1}" in told.value.what
