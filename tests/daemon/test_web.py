"""The real process serves HTTP and MCP on its port and on its socket, and counts them as use."""

from __future__ import annotations

import http.client
import json
import socket
import stat
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import dmm.hook

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.conftest import Project
    from tests.daemon.conftest import Machine, Session

pytestmark = pytest.mark.slow

HOOK = Path(dmm.hook.__path__[0]) / "__main__.py"
# An agent in small: it runs its hook, and then asks for a code.
AGENT = """
import subprocess, sys
subprocess.run([*sys.argv[1:], "--client", "claude-code"], input=sys.stdin.buffer.read(),
               capture_output=True, check=True)
ask = "import json; from dmm.endpoint import call; print(json.dumps(call('code', {}, timeout=9)))"
subprocess.run([sys.executable, "-c", ask], check=True)
"""

HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}


class Local(http.client.HTTPConnection):
    """HTTP over the Unix socket."""

    def __init__(self, path: Path) -> None:
        super().__init__("localhost", timeout=30)
        self._path = str(path)

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(30)
        self.sock.connect(self._path)


def reach(machine: Machine, door: str) -> http.client.HTTPConnection:
    if door == "socket":
        return Local(machine.run / "http.sock")
    return http.client.HTTPConnection("127.0.0.1", machine.about["port"], timeout=30)


def headers(machine: Machine, project: Project, door: str) -> dict[str, str]:
    own = {
        "X-DMM-Root": str(project.folder),
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
    }
    token = {"Authorization": f"Bearer {machine.about['token']}"} if door == "port" else {}
    return own | token


def ask(
    machine: Machine, project: Project, door: str, path: str, body: object = None
) -> tuple[int, Any]:
    link = reach(machine, door)
    sent = None if body is None else json.dumps(body)
    head = headers(machine, project, door)
    if body is None:
        del head["Content-Type"]
    link.request("GET" if body is None else "POST", path, sent, head)
    reply = link.getresponse()
    try:
        return reply.status, json.loads(reply.read())
    finally:
        link.close()


@pytest.mark.parametrize("door", ["port", "socket"])
def test_health_packs_and_mcp_are_served(machine: Machine, lived_in: Project, door: str) -> None:
    pid = machine.start()
    status, health = ask(machine, lived_in, door, "/v1/health")
    assert (status, health["status"]) == (200, "healthy")
    status, told = ask(machine, lived_in, door, "/v1/query", {"query": "store passwords"})
    assert status == 200
    assert "argon2" in told["pack_markdown"].lower() or told["pack"]
    status, greeting = ask(machine, lived_in, door, "/mcp", HELLO)
    assert (status, greeting["result"]["serverInfo"]["name"]) == (200, "dmm")
    assert machine.ask("status")["connections"] == 0
    assert machine.pids() == [pid]


def test_the_port_asks_for_the_token_and_the_socket_is_the_users_own(
    machine: Machine, lived_in: Project
) -> None:
    machine.start()
    link = reach(machine, "port")
    link.request("GET", "/v1/health")
    assert link.getresponse().status == 401
    link.close()
    for name in ("http.sock", "dmm.sock"):
        assert stat.S_IMODE((machine.run / name).stat().st_mode) == 0o600


def test_requests_over_http_keep_it(
    machine: Machine, lived_in: Project, wait: Callable[..., Any]
) -> None:
    machine.more["DMM_IDLE"] = "2"
    pid = machine.start()
    begun = time.monotonic()
    while time.monotonic() - begun < 6:
        assert ask(machine, lived_in, "socket", "/v1/health")[0] == 200
    assert machine.pids() == [pid]
    wait(lambda: not machine.pids(), "it leaves when nobody asks")


def test_a_request_over_http_is_answered_after_the_order_to_stop(
    machine: Machine, lived_in: Project, wait: Callable[..., Any]
) -> None:
    machine.start()
    assert ask(machine, lived_in, "port", "/v1/health")[0] == 200
    link = reach(machine, "port")
    body = json.dumps({"query": "store passwords"}).encode()
    link.putrequest("POST", "/v1/query")
    for name, value in headers(machine, lived_in, "port").items():
        link.putheader(name, value)
    link.putheader("Content-Length", str(len(body)))
    link.endheaders(body[:-1])
    wait(lambda: machine.ask("health")["pid"], "it lives")
    machine.ask("stop")
    wait(lambda: not (machine.run / "dmm.sock").exists(), "nobody new is let in")
    link.send(body[-1:])
    assert link.getresponse().status == 200
    link.close()
    wait(lambda: not machine.pids(), "it leaves")
    assert [path.name for path in machine.run.iterdir()] == ["daemon.lock"]


@pytest.mark.parametrize("door", ["port", "socket"])
def test_a_stream_tells_of_a_fact_and_ends_with_the_process(
    machine: Machine, lived_in: Project, wait: Callable[..., Any], door: str
) -> None:
    machine.more["DMM_IDLE"] = "1"
    pid = machine.start()
    link = reach(machine, door)
    link.request("GET", "/v1/stream", headers=headers(machine, lived_in, door))
    stream = link.getresponse()
    assert stream.readline() == b"retry: 1000\n"
    begun = time.monotonic()
    while time.monotonic() - begun < 4:
        # Only the stream keeps it: nothing else is asked.
        assert machine.pids() == [pid]
    machine.dmm("ledger", "fact", "region", "eu", within=lived_in.folder)
    lines = iter(lambda: stream.readline().decode(), "")
    assert "Fact: region = eu" in next(line for line in lines if "FactAdded" in line)
    machine.ask("stop")
    assert stream.read().endswith(b"\n\n") or stream.isclosed()
    link.close()
    wait(lambda: not machine.pids(), "it leaves")
    log = (machine.state / "logs" / "daemon.log").read_text()
    assert "stopped with unfinished requests" not in log


def test_a_code_from_the_process_signs_a_browser_in_once(
    machine: Machine, lived_in: Project
) -> None:
    machine.start()
    told = machine.ask("code")
    assert told["port"] == machine.about["port"]
    host = f"127.0.0.1:{told['port']}"
    seen = []
    for _ in range(2):
        link = reach(machine, "port")
        own = {"Content-Type": "application/json", "Origin": f"http://{host}"}
        link.request("POST", "/v1/session", json.dumps({"code": told["code"]}), own)
        reply = link.getresponse()
        reply.read()
        seen.append(
            (reply.status, f"dmm_session_{told['port']}=" in (reply.getheader("set-cookie") or ""))
        )
        link.close()
    assert seen == [(200, True), (401, False)]


def test_without_a_port_there_is_no_code(machine: Machine, wait: Callable[..., Any]) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        running = machine.begin(machine_line(port))
        try:
            wait(machine.listens, "it listens")
            assert machine.ask("code")["error"]["code"] == "daemon"
            assert machine.ask("status")["port_fault"]
        finally:
            running.terminate()
            running.wait(20)


def machine_line(port: int) -> list[str]:
    return [sys.executable, "-m", "dmm.daemon", "--port", str(port)]


def test_an_agent_is_given_no_code(machine: Machine, session: Session) -> None:
    """What a browser does counts as the user's word, so an agent may not become one."""
    machine.start()
    line = [sys.executable, "-c", AGENT, sys.executable, "-I", "-S", str(HOOK)]
    agent = machine.begin(line, within=session.folder)
    assert agent.stdin is not None
    assert agent.stdout is not None
    agent.stdin.write(json.dumps(session.start()).encode())
    agent.stdin.close()
    agent.stdin = None
    told = json.loads(agent.stdout.readline())
    assert told == {
        "error": {
            "code": "daemon",
            "what": "codes are for people, not for agents",
            "where": None,
            "hint": "use a terminal",
        }
    }
