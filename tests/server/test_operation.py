"""The server as a process: how it stops, what its figures say, and what a full disk does."""

from __future__ import annotations

import contextlib
import json
import re
import signal
import socket
import subprocess
import threading
from dataclasses import asdict, dataclass
from http.client import HTTPConnection
from typing import TYPE_CHECKING, Any

import pytest
from tests.team.conftest import Hall

from dmm.errors import TeamError
from dmm.server.setup import read_setup, set_up
from dmm.team.client import HttpLog
from dmm.team.port import PROTOCOL, Page, Taken

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.conftest import Command
    from tests.team.conftest import Laptop


@dataclass(frozen=True, slots=True)
class Running:
    """A server process, and a laptop or more that joined it."""

    process: subprocess.Popen[str]
    url: str
    folder: Path

    def join(self, role: str = "reviewer") -> Laptop:
        with read_setup(self.folder).registry() as registry:
            return Hall(registry, "acme", self.url).join(role)

    def metrics(self) -> dict[str, float]:
        connection = HTTPConnection(self.url.removeprefix("http://"), timeout=30)
        connection.request("GET", "/metrics")
        answer = connection.getresponse()
        assert answer.getheader("content-type") == "text/plain; version=0.0.4; charset=utf-8"
        lines = answer.read().decode().splitlines()
        connection.close()
        return {
            name: float(value)
            for line in lines
            if not line.startswith("#")
            for name, _, value in [line.rpartition(" ")]
        }


@contextlib.contextmanager
def run_server(command: Command, folder: Path, **more: Any) -> Iterator[Running]:
    line = command.line("server", "run", "--port", "0", "--folder", str(folder))
    env = command.environment()
    with subprocess.Popen(
        line,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        env=env,
        **more,
    ) as process:
        assert process.stdout is not None
        told = re.search(r"http://\S+", process.stdout.readline())
        assert told is not None
        try:
            yield Running(process, told[0], folder)
        finally:
            process.kill()


@pytest.fixture
def running(command: Command, folder: Path) -> Iterator[Running]:
    with run_server(command, folder) as made:
        yield made


def until(said: Callable[[], bool]) -> None:
    """Ask again until something is so; each question is a request to the server."""
    for _ in range(2_000):
        if said():
            return
    pytest.fail("it never came to be so")


def test_a_server_that_is_stopped_ends_waits_and_finishes_what_is_under_way(
    running: Running,
) -> None:
    ada, ben = running.join(), running.join()
    waiting = HttpLog.of(ben.credentials(running.url), wait=30.0)
    found: list[object] = []
    thread = threading.Thread(target=lambda: found.append(waiting.pull(2)))
    thread.start()
    until(lambda: running.metrics()["dmm_server_waiting_laptops"] == 1)
    ada.say("never push to main")
    batch = ada.batch()
    body = json.dumps(
        {"previous": batch.previous, "entries": [asdict(one) for one in batch.entries]}
    )
    host, port = running.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=30) as line:
        head = (
            f"POST /v1/team/push HTTP/1.1\r\nHost: x\r\nContent-Length: {len(body)}\r\n"
            f"DMM-Protocol: {PROTOCOL}\r\nAuthorization: Bearer {ada.joined.token}\r\n"
            "Expect: 100-continue\r\n\r\n"
        )
        line.sendall(head.encode())
        assert line.recv(100).startswith(b"HTTP/1.1 100")
        running.process.send_signal(signal.SIGTERM)
        # The wait ends at once, long before its thirty seconds.
        thread.join()
        assert isinstance(found[0], Page)
        assert found[0].placed == ()
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection((host, int(port)), timeout=30)
        line.sendall(body.encode())
        answer = b""
        while piece := line.recv(1_000):
            answer += piece
    assert b'{"outcome":"taken","next":2}' in answer
    assert running.process.wait(timeout=30) == 0
    with read_setup(running.folder).registry() as registry:
        log = registry.open(ben.joined.token)
        assert log is not None
        page = log.pull(2)
        assert isinstance(page, Page)
        assert [one.entry for one in page.placed] == ada.said


def test_figures_count_requests_and_events_and_name_nobody(running: Running) -> None:
    ada = running.join()
    ada.say("never push to main")
    ada.say("never use eval")
    assert ada.log.push(ada.batch()) == Taken(3)
    ada.log.pull(0)
    connection = HTTPConnection(running.url.removeprefix("http://"), timeout=30)
    for path in ("/acme/shop", "/v1/team/pull", "/health"):
        connection.request("GET", path, headers={"DMM-Protocol": str(PROTOCOL)})
        connection.getresponse().read()
    connection.close()
    told = running.metrics()
    count = "dmm_server_requests_total"
    assert told["dmm_server_events_total"] == 2
    assert told["dmm_server_active_requests"] == 1
    for path, method, status, times in (
        ("/v1/team/join", "POST", 200, 1),
        ("/v1/team/push", "POST", 200, 1),
        ("/v1/team/pull", "GET", 200, 1),
        ("/v1/team/pull", "GET", 401, 1),
        ("/health", "GET", 200, 1),
        ("other", "GET", 404, 1),
    ):
        assert told[f'{count}{{path="{path}",method="{method}",status="{status}"}}'] == times
    pulls = 'dmm_server_request_seconds_bucket{path="/v1/team/pull",le="%s"}'
    values = [
        told[pulls % most] for most in ("0.005", "0.025", "0.1", "0.5", "2.5", "10.0", "+Inf")
    ]
    assert values == sorted(values)
    assert values[-1] == told['dmm_server_request_seconds_count{path="/v1/team/pull"}'] == 2
    assert not {"acme", "shop", ada.joined.writer} & set(re.split(r"\W+", str(told)))


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    disk = tmp_path / "disk"
    disk.mkdir()
    options = ["-t", "tmpfs", "-o", "size=1m", "tmpfs", str(disk)]
    done = subprocess.run(["mount", *options], capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"no disk can be mounted here: {done.stderr.strip()}")
    yield disk
    subprocess.run(["umount", str(disk)], check=True)


def test_a_full_disk_on_the_server_loses_nothing_and_is_told(
    command: Command, small_disk: Path
) -> None:
    folder = small_disk / "server"
    with set_up(folder, "").registry() as registry:
        registry.add("acme", "shop")
    with run_server(command, folder) as running:
        ada = running.join()
        for number in range(40):
            ada.say(f"never call number {number}")
        assert ada.log.push(ada.batch(1, 1)) == Taken(2)
        filling = small_disk / "filling"
        with contextlib.suppress(OSError), filling.open("wb") as file:
            while True:
                file.write(bytes(4_096))
                file.flush()
        with pytest.raises(TeamError, match="database does not answer") as told:
            ada.log.push(ada.batch(2))
        assert (told.value.fault, told.value.hint) == ("storage", "try again later")
        filling.unlink()
        assert ada.log.push(ada.batch(2)) == Taken(41)
        page = ada.log.pull(1)
        assert isinstance(page, Page)
        assert [one.entry for one in page.placed] == ada.said
        running.process.terminate()
        assert running.process.wait(timeout=30) == 0
        assert running.process.stderr is not None
        assert "the disk is full: free some space and retry" in running.process.stderr.read()
