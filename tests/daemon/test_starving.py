"""Nobody on this machine can take from hooks what they need to be answered."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.daemon.conftest import take_all

from dmm import VERSION
from dmm.daemon.instance import claim
from dmm.daemon.logs import Log
from dmm.daemon.loop import Loop
from dmm.daemon.server import Limits, Server
from dmm.daemon.web import Limits as WebLimits
from dmm.daemon.web import Web
from dmm.projects import Projects, SharedModel

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.conftest import Project
    from tests.daemon.conftest import Machine, Session

    from dmm.daemon.incoming import Request
    from dmm.daemon.instance import Instance

pytestmark = pytest.mark.slow

SOON = 30.0
HALF = b"GET /v1/health HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: "
# Opens connections that never end their request, tells that all are there, and keeps them.
FLOOD = """
import resource, socket, sys
_, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 4096), hard))
kept = []
for _ in range(int(sys.argv[2])):
    link = socket.socket()
    link.settimeout(5)
    try:
        link.connect(("127.0.0.1", int(sys.argv[1])))
        link.sendall(sys.argv[3].encode())
    except OSError:
        pass
    kept.append(link)
print("all", flush=True)
sys.stdin.read()
"""


def count_descriptors(pid: int | str = "self") -> int:
    return len(list(Path(f"/proc/{pid}/fd").iterdir()))


def is_closed(link: socket.socket) -> bool:
    """Say whether the other side has hung up; what it said before is taken."""
    link.setblocking(False)
    try:
        while link.recv(1 << 16):
            pass
    except BlockingIOError:
        return False
    except OSError:
        pass
    return True


def test_a_flood_of_half_requests_from_another_process_takes_no_ruling_from_a_hook(
    machine: Machine, lived_in: Project, session: Session, wait: Callable[..., Any]
) -> None:
    machine.dmm("ledger", "constraint", "Never run terraform destroy.", within=lived_in.folder)
    # As few descriptors as many systems give; none of them can be had in addition.
    line = f"ulimit -n 1024; exec {sys.executable} -m dmm.daemon --idle 60"
    daemon = machine.begin(["/bin/bash", "-c", line])
    wait(lambda: machine.about.get("port"), "it listens")
    assert machine.ask("health")["status"] == "healthy"
    port = str(machine.about["port"])
    with socket.create_connection(("127.0.0.1", int(port)), timeout=SOON) as link:
        link.sendall(HALF + b"\r\n\r\n")
        assert take_all(link).startswith(b"HTTP/1.1 403 ")
    assert machine.hook(session.bash("terraform destroy", 1_000)) is not None
    before = count_descriptors(daemon.pid)
    flood = machine.begin([sys.executable, "-c", FLOOD, port, "1015", HALF.decode()])
    assert flood.stdout is not None
    answers = []
    for number in range(100):
        payload = json.dumps(session.bash("terraform destroy", number)).encode()
        body = f"{number}-1\n{lived_in.dmm}\n".encode() + payload
        reply = machine.tell(f"DMM1 {VERSION} hook claude-code {len(body)}\n".encode() + body)
        answers.append(json.loads(reply[2:])["hookSpecificOutput"]["permissionDecision"])
        if number == 50:
            assert flood.stdout.readline() == b"all\n"
    assert answers == ["deny"] * 100
    assert machine.status()["running"] is True
    assert count_descriptors(daemon.pid) < 700
    assert flood.stdin is not None
    flood.stdin.close()
    flood.stdin = None
    flood.wait()
    # The project itself is still being opened: its files are few.
    wait(lambda: count_descriptors(daemon.pid) <= before + 20, "the descriptors are given back")


def test_a_low_limit_of_descriptors_is_raised_as_far_as_is_allowed(
    machine: Machine, wait: Callable[..., Any]
) -> None:
    line = f"ulimit -Sn 256; ulimit -Hn 2048; exec {sys.executable} -m dmm.daemon --idle 60"
    daemon = machine.begin(["/bin/bash", "-c", line])
    wait(lambda: machine.about.get("port"), "it listens")
    limits = Path(f"/proc/{daemon.pid}/limits").read_text().splitlines()
    (found,) = [one.split()[3:5] for one in limits if one.startswith("Max open files")]
    assert found == ["2048", "2048"]


@pytest.fixture
def instance(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Instance]:
    monkeypatch.setenv("DMM_RUN_DIR", str(tmp_path / "run"))
    found = claim(tmp_path / "run", patience=0.0)
    assert found is not None
    yield found
    found.release()


class Door:
    """The port of a process in small, with the token that opens it."""

    def __init__(self, web: Web, token: str) -> None:
        assert web.port is not None
        self.port = web.port
        self.web = web
        self._head = (
            f"GET /v1/health HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\n"
            f"Authorization: Bearer {token}\r\n"
        ).encode()

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=SOON)

    def ask(self, link: socket.socket, *more: bytes) -> None:
        link.sendall(b"".join((self._head, *more, b"\r\n")))

    def hear(self, link: socket.socket) -> int:
        """Take one answer and give its status."""
        link.settimeout(SOON)
        with link.makefile("rb") as heard:
            status = int(heard.readline().split()[1])
            lines = [line.lower() for line in iter(heard.readline, b"\r\n")]
            (length,) = [int(one.split()[1]) for one in lines if one.startswith(b"content-length")]
            heard.read(length)
        return status

    def get(self) -> int:
        with self.connect() as link:
            self.ask(link)
            return self.hear(link)


@pytest.fixture
def open_door(instance: Instance, tmp_path: Path, home: Path) -> Iterator[Callable[..., Door]]:
    """Doors with limits of a test's own, closed with it."""
    with contextlib.ExitStack() as stack:

        def make(limits: WebLimits, health: Callable[[], dict[str, Any]] = dict) -> Door:
            log = Log(tmp_path / "logs" / "log")
            projects = Projects(home=home, model=SharedModel(lambda: pytest.fail("no model")))
            loop = Loop(log)
            web = Web(instance, projects, loop, health, 0, log, limits)
            web.open()
            for close in (log.close, projects.close, web.close, loop.stop):
                stack.callback(close)
            door = Door(web, instance.token)
            assert door.get() == 200
            return door

        yield make


def test_three_hundred_slow_writers_are_hung_up_on_however_often_they_send(
    open_door: Callable[..., Door], wait: Callable[..., Any]
) -> None:
    door = open_door(WebLimits(most=400, head=0.3))
    before = count_descriptors()
    with contextlib.ExitStack() as open_ones:
        slow = {open_ones.enter_context(door.connect()) for _ in range(300)}
        for link in slow:
            link.sendall(HALF)

        def trickle() -> bool:
            for link in list(slow):
                with contextlib.suppress(OSError):
                    link.send(b"x")
                if is_closed(link):
                    slow.remove(link)
            return not slow

        wait(trickle, "all of them are hung up on")
        assert door.get() == 200
    # The log was opened meanwhile.
    wait(lambda: count_descriptors() <= before + 1, "the descriptors are given back")


def test_a_second_request_has_as_little_time_as_the_first(
    open_door: Callable[..., Door], wait: Callable[..., Any]
) -> None:
    door = open_door(WebLimits(head=0.3))
    with door.connect() as link:
        door.ask(link)
        assert door.hear(link) == 200
        link.sendall(HALF)

        def trickle() -> bool:
            with contextlib.suppress(OSError):
                link.send(b"x")
            return is_closed(link)

        wait(trickle, "it is hung up on")


def test_where_there_are_too_many_an_idle_one_goes_first_and_then_the_slowest(
    open_door: Callable[..., Door], wait: Callable[..., Any]
) -> None:
    door = open_door(WebLimits(most=3, head=SOON))
    with contextlib.ExitStack() as open_ones:
        slow = [open_ones.enter_context(door.connect()) for _ in range(2)]
        for link in slow:
            link.sendall(HALF)
        idle = open_ones.enter_context(door.connect())
        door.ask(idle)
        assert door.hear(idle) == 200
        first = open_ones.enter_context(door.connect())
        door.ask(first)
        assert door.hear(first) == 200
        wait(lambda: is_closed(idle), "the idle one makes room")
        assert not any(is_closed(link) for link in slow)
        second = open_ones.enter_context(door.connect())
        second.sendall(HALF)
        wait(lambda: is_closed(first), "the next idle one makes room")
        third = open_ones.enter_context(door.connect())
        door.ask(third)
        assert door.hear(third) == 200
        wait(lambda: is_closed(slow[0]), "the slowest makes room")
        assert not is_closed(slow[1])
        assert not is_closed(second)


def test_a_request_under_way_is_answered_whoever_comes_meanwhile(
    open_door: Callable[..., Door],
) -> None:
    go_on, asked = threading.Event(), threading.Event()
    go_on.set()

    def health() -> dict[str, Any]:
        asked.set()
        assert go_on.wait(SOON)
        return {}

    door = open_door(WebLimits(most=4, head=SOON), health)
    go_on.clear()
    asked.clear()
    with contextlib.ExitStack() as open_ones:
        link = open_ones.enter_context(door.connect())
        door.ask(link)
        assert asked.wait(SOON)
        for _ in range(40):
            open_ones.enter_context(door.connect()).sendall(HALF)
        go_on.set()
        assert door.hear(link) == 200
        assert door.get() == 200


def test_a_body_that_does_not_come_keeps_nobody_out(open_door: Callable[..., Door]) -> None:
    """A sign-in is heard without a token, so its body is no request under way."""
    door = open_door(WebLimits(most=4, head=SOON))
    head = (
        f"POST /v1/session HTTP/1.1\r\nHost: 127.0.0.1:{door.port}\r\n"
        "Content-Type: application/json\r\nContent-Length: 50\r\n\r\n{"
    ).encode()
    with contextlib.ExitStack() as open_ones:
        for _ in range(12):
            open_ones.enter_context(door.connect()).sendall(head)
        assert door.get() == 200


@pytest.fixture
def listener(tmp_path: Path) -> Iterator[socket.socket]:
    with socket.socket(socket.AF_UNIX) as found:
        found.bind(str(tmp_path / "s"))
        found.listen(128)
        yield found


@pytest.fixture
def serve(listener: socket.socket, tmp_path: Path) -> Iterator[Callable[[Limits], Server]]:
    """A server on a Unix socket that repeats what it is told."""
    with contextlib.ExitStack() as stack:

        def make(limits: Limits) -> Server:
            log = Log(tmp_path / "logs" / "log")

            def handle(asked: Request) -> bytes:
                return asked.body

            server = Server(listener, handle, log, limits)
            server.start()
            stack.callback(log.close)
            stack.callback(server.drain, SOON)
            return server

        yield make


def knock(tmp_path: Path) -> socket.socket:
    link = socket.socket(socket.AF_UNIX)
    link.settimeout(SOON)
    link.connect(str(tmp_path / "s"))
    return link


def ask(tmp_path: Path, body: bytes = b"here") -> bytes:
    with knock(tmp_path) as link:
        link.sendall(f"DMM1 {VERSION} hook x {len(body)}\n".encode() + body)
        return take_all(link)


@pytest.mark.parametrize("said", [b"", b"DMM1 ", f"DMM1 {VERSION} hook x 9\nhalf".encode()])
def test_more_silent_connections_than_there_is_room_for_keep_nobody_waiting(
    serve: Callable[[Limits], Server], tmp_path: Path, said: bytes, wait: Callable[..., Any]
) -> None:
    serve(Limits(head=SOON, body=SOON, most=16))
    before = count_descriptors()
    with contextlib.ExitStack() as open_ones:
        for _ in range(200):
            open_ones.enter_context(knock(tmp_path)).sendall(said)
            assert ask(tmp_path) == b"+here"
        assert count_descriptors() - before <= 200 + 16 + 2
    # The log was opened meanwhile.
    wait(lambda: count_descriptors() <= before + 1, "the descriptors are given back")


@pytest.mark.parametrize("said", [b"DMM1 ", f"DMM1 {VERSION} hook x 99999\nhalf".encode()])
def test_whoever_sends_byte_by_byte_for_too_long_is_hung_up_on(
    serve: Callable[[Limits], Server], tmp_path: Path, said: bytes, wait: Callable[..., Any]
) -> None:
    serve(Limits(head=0.2, body=0.2))
    with knock(tmp_path) as link:
        link.sendall(said)

        def trickle() -> bool:
            with contextlib.suppress(OSError):
                link.send(b"x")
            return is_closed(link)

        wait(trickle, "it is hung up on")
    assert ask(tmp_path) == b"+here"


def test_without_a_free_descriptor_a_silent_connection_gives_its_own(
    serve: Callable[[Limits], Server], tmp_path: Path
) -> None:
    import resource

    serve(Limits(head=SOON))
    silent = [knock(tmp_path) for _ in range(8)]
    assert ask(tmp_path) == b"+here"
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    link = socket.socket(socket.AF_UNIX)
    link.settimeout(SOON)
    highest = max(int(one.name) for one in Path("/proc/self/fd").iterdir())
    try:
        # No descriptor above those in use can be had from here on; gaps below are filled first.
        with contextlib.ExitStack() as gaps:
            while (found := os.open(os.devnull, os.O_RDONLY)) < highest:
                gaps.callback(os.close, found)
            os.close(found)
            resource.setrlimit(resource.RLIMIT_NOFILE, (highest + 1, hard))
            link.connect(str(tmp_path / "s"))
            link.sendall(f"DMM1 {VERSION} hook x 4\nhere".encode())
            assert take_all(link) == b"+here"
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        for one in (link, *silent):
            one.close()
