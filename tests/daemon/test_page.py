"""The page of a real daemon: `dmm ui` signs a browser in, at an address that stays the same."""

from __future__ import annotations

import http.client
import json
import re
import socket
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.daemon.conftest import Machine

pytestmark = pytest.mark.slow

Told = tuple[int, str, dict[str, Any]]


def show(machine: Machine, *options: str) -> dict[str, Any]:
    told = machine.dmm("ui", "--json", *options)
    assert told.returncode == 0, told.stderr
    return dict(json.loads(told.stdout))


def ask(
    port: int,
    method: str,
    path: str,
    body: object = None,
    host: str = "127.0.0.1",
    cookie: str = "",
) -> Told:
    """Ask as the page does."""
    link = http.client.HTTPConnection(host, port, timeout=30)
    origin = f"http://127.0.0.1:{port}"
    own = {"Host": f"127.0.0.1:{port}", "Origin": origin, "X-DMM-Page": "1", "Cookie": cookie}
    sent = None if body is None else json.dumps(body)
    typed = {} if body is None else {"Content-Type": "application/json"}
    try:
        link.request(method, path, sent, own | typed)
        reply = link.getresponse()
        given = (reply.getheader("set-cookie") or "").partition(";")[0]
        data = reply.read()
    finally:
        link.close()
    is_json = reply.getheader("content-type") == "application/json"
    return reply.status, given, json.loads(data) if is_json else {"text": data.decode()}


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def sign_in(about: dict[str, Any]) -> str:
    code = str(about["address"]).partition("#code=")[2]
    status, cookie, _ = ask(about["port"], "POST", "/v1/session", {"code": code})
    assert status == 200
    return cookie


def test_dmm_ui_starts_the_daemon_and_prints_an_address_that_signs_in_once(
    machine: Machine,
) -> None:
    told = machine.dmm("ui", "--print")
    assert told.returncode == 0, told.stderr
    named = re.search(r"http://(dmm-[0-9a-f]{8}\.localhost):(\d+)/#code=(\S+)", told.stdout)
    plain = re.search(r"http://127\.0\.0\.1:(\d+)/#code=(\S+)", told.stdout)
    assert named is not None
    assert plain is not None
    assert named.groups()[1:] == plain.groups()
    port, code = int(named[2]), named[3]
    for host in ("127.0.0.1", *(["::1"] if socket.has_ipv6 else [])):
        status, _, page = ask(port, "GET", "/", host=host)
        assert (status, "<!doctype html>" in page["text"].lower()) == (200, True)
    assert ask(port, "POST", "/v1/session", {"code": code})[0] == 200
    status, _, again = ask(port, "POST", "/v1/session", {"code": code})
    assert (status, "used" in again["error"]["what"]) == (401, True)


def test_a_browser_stays_signed_in_when_the_daemon_is_started_again(
    machine: Machine, wait: Callable[..., Any]
) -> None:
    first = show(machine)
    cookie = sign_in(first)
    assert machine.dmm("daemon", "stop").returncode == 0
    wait(lambda: not machine.pids(), "it stopped")
    machine.start()
    port = machine.about["port"]
    assert port == first["port"]
    status, _, session = ask(port, "GET", "/v1/session", cookie=cookie)
    assert (status, session["signed_in"], session["sessions"]) == (200, True, 1)
    assert "Signed out: 1 browser." in machine.dmm("ui", "--sign-out").stdout
    assert ask(port, "GET", "/v1/session", cookie=cookie)[2] == {"signed_in": False}
    assert ask(port, "GET", "/v1/health", cookie=cookie)[0] == 401


def test_signing_out_needs_no_daemon(machine: Machine) -> None:
    about = show(machine)
    cookie = sign_in(about)
    machine.dmm("daemon", "stop")
    assert "Signed out: 1 browser." in machine.dmm("ui", "--sign-out").stdout
    machine.start()
    assert ask(about["port"], "GET", "/v1/session", cookie=cookie)[2] == {"signed_in": False}
    assert ask(about["port"], "GET", "/v1/health", cookie=cookie)[0] == 401


@pytest.mark.parametrize("family", [socket.AF_INET, socket.AF_INET6])
def test_a_port_that_another_program_took_is_told_and_kept_for_later(
    machine: Machine, family: socket.AddressFamily
) -> None:
    usual = show(machine)
    machine.dmm("daemon", "stop")
    with socket.socket(family) as other:
        other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        other.bind(("127.0.0.1" if family == socket.AF_INET else "::1", usual["port"]))
        other.listen()
        here = show(machine)
        assert here["port"] != usual["port"]
        assert str(usual["port"]) in here["fault"]
        assert "dmm ui --port" in machine.dmm("ui", "--print").stdout
        machine.dmm("daemon", "stop")
    assert show(machine)["port"] == usual["port"]


def test_another_port_is_used_from_then_on(machine: Machine) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
        refused = machine.dmm("ui", "--print", "--port", str(port))
        assert (refused.returncode != 0, str(port) in refused.stderr) == (True, True)
    assert show(machine, "--port", str(port))["port"] == port
    busy = machine.dmm("ui", "--print", "--port", str(port + 1))
    assert (busy.returncode != 0, "dmm daemon stop" in busy.stderr) == (True, True)
    machine.dmm("daemon", "stop")
    assert show(machine)["port"] == port


def test_a_port_that_could_not_be_kept_is_told(machine: Machine) -> None:
    folder = machine.home / ".local" / "state" / "dmm" / "page"
    (folder / "address.json" / "in the way").mkdir(parents=True)
    port = free_port()
    told = machine.dmm("ui", "--print", "--port", str(port))
    assert (told.returncode != 0, told.stdout) == (True, "")
    assert f"port {port} could not be kept" in told.stderr
    assert str(folder) in told.stderr


def test_the_port_of_a_running_daemon_is_kept_too(machine: Machine) -> None:
    show(machine)
    machine.dmm("daemon", "stop")
    port = free_port()
    machine.dmm("daemon", "start", "--port", str(port))
    assert show(machine, "--port", str(port))["port"] == port
    machine.dmm("daemon", "stop")
    assert show(machine)["port"] == port


def test_an_agents_shell_is_not_shown_the_address(machine: Machine) -> None:
    machine.more["CLAUDECODE"] = "1"
    told = machine.dmm("ui", "--print")
    assert (told.returncode != 0, told.stdout) == (True, "")
    assert "an agent can't sign in" in told.stderr
