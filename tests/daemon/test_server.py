"""The Unix socket serves its user whatever others say, or do not say, on it."""

from __future__ import annotations

import contextlib
import json
import os
import socket
from typing import TYPE_CHECKING, Any

import pytest

from dmm import VERSION
from dmm.daemon.incoming import LONGEST_HEADER, BadRequest, Incoming

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.daemon.conftest import Machine

HEALTH = b'{"verb": "health", "arguments": {}}'


def request(body: bytes, *, kind: str = "call", length: int | None = None) -> bytes:
    return f"DMM1 {VERSION} {kind} x {len(body) if length is None else length}\n".encode() + body


@pytest.fixture(scope="module")
def serving(
    new_machine: Callable[[Path], Machine], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Machine]:
    """One process that must outlive all that is said to it."""
    found = new_machine(tmp_path_factory.mktemp("serving"))
    pid = found.start()
    yield found
    assert found.pids() == [pid]
    found.clean_up()


def test_what_is_no_request_is_hung_up_on(serving: Machine) -> None:
    for data in (
        b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"DMM2 1.0.0 call x 0\n",
        b"DMM1 1.0.0 call x\n",
        b"DMM1 1.0.0 call x -1\n",
        b"DMM1 1.0.0 call x 1e3\n",
        b"\n",
        b"\xff\xfe\n",
        b"x" * 300,
        b"x" * 300 + b"\n",
        f"DMM1 {VERSION} call x {(32 << 20) + 1}\n".encode(),
        f"DMM1 {VERSION} call x {'9' * 200}\n".encode(),
        request(b"", kind="nothing"),
    ):
        assert serving.tell(data) == b""
    assert serving.ask("health")["status"] == "healthy"


@pytest.fixture
def line() -> Iterator[tuple[Incoming, socket.socket]]:
    """A connection as it is read, and its other end."""
    near, far = socket.socketpair()
    with near, far:
        yield Incoming(near), far


def test_a_first_line_that_is_too_long_is_not_waited_for(
    line: tuple[Incoming, socket.socket],
) -> None:
    incoming, far = line
    far.sendall(b"x" * (LONGEST_HEADER - 1))
    assert incoming.read() is None
    far.sendall(b"x")
    with pytest.raises(BadRequest):
        incoming.read()


def test_the_longest_first_line_is_read_and_nothing_behind_it(
    line: tuple[Incoming, socket.socket],
) -> None:
    incoming, far = line
    first, last = f"DMM1 {VERSION} mcp ", " 0\n"
    label = "x" * (LONGEST_HEADER - len(first) - len(last))
    far.sendall(f"{first}{label}{last}behind".encode())
    found = incoming.read()
    assert found is not None
    assert (found.kind, found.label, found.body) == ("mcp", label, b"")
    assert found.link.recv(10) == b"behind"


def test_a_call_that_is_none_is_answered_so(serving: Machine) -> None:
    for body in (b"", b"[]", b"null", b"{}", b'{"verb": "health"}', b"\xff", b"[" * 100_000):
        reply = serving.tell(request(body))
        assert json.loads(reply[1:])["error"]["code"] == "usage"


def test_a_request_is_served_however_it_is_cut(serving: Machine) -> None:
    with serving.connect() as link:
        for at, byte in enumerate(request(HEALTH)):
            link.sendall(bytes([byte]))
            assert at < 100
        assert link.recv(1) == b"+"


def test_half_a_request_and_silence_keeps_nobody_waiting(serving: Machine) -> None:
    with serving.connect() as silent, serving.connect() as half:
        silent.sendall(b"DMM1 ")
        half.sendall(request(HEALTH)[:-5])
        assert serving.ask("health")["status"] == "healthy"
        half.sendall(request(HEALTH)[-5:])
        assert half.recv(1) == b"+"


def test_a_hundred_connections_that_say_nothing_keep_nobody_waiting(serving: Machine) -> None:
    with contextlib.ExitStack() as open_ones:
        for _ in range(100):
            open_ones.enter_context(serving.connect())
        assert serving.ask("health")["status"] == "healthy"
    assert serving.ask("health")["status"] == "healthy"


def test_a_client_that_leaves_before_its_answer_harms_nobody(serving: Machine) -> None:
    for _ in range(20):
        with serving.connect() as link:
            link.sendall(request(HEALTH))
    assert serving.ask("health")["status"] == "healthy"


def test_the_largest_body_is_taken(serving: Machine) -> None:
    filler = b" " * ((32 << 20) - len(HEALTH))
    reply = serving.tell(request(HEALTH + filler))
    assert json.loads(reply[1:])["status"] == "healthy"


def test_a_request_under_way_is_answered_after_the_order_to_stop(
    machine: Machine, wait: Callable[..., Any]
) -> None:
    pid = machine.start()
    with machine.connect() as link:
        link.sendall(request(HEALTH)[:-1])
        machine.ask("stop")
        wait(lambda: not (machine.run / "dmm.sock").exists(), "nobody new is let in")
        assert machine.pids() == [pid]
        link.sendall(request(HEALTH)[-1:])
        reply = b""
        while part := link.recv(1 << 16):
            reply += part
    assert json.loads(reply[1:])["pid"] == pid
    wait(lambda: not machine.pids(), "it leaves")


def test_those_who_wait_at_the_door_are_answered_too(
    machine: Machine, wait: Callable[..., Any]
) -> None:
    machine.start()
    with contextlib.ExitStack() as open_ones:
        links = [open_ones.enter_context(machine.connect()) for _ in range(60)]
        machine.ask("stop")
        for link in links:
            link.sendall(request(HEALTH))
        answers = [link.recv(1) for link in links]
    assert answers == [b"+"] * 60
    wait(lambda: not machine.pids(), "it leaves")


def test_a_folder_that_others_can_write_is_closed_to_them_first(
    machine: Machine, tmp_path: Path
) -> None:
    machine.run.mkdir(mode=0o777)
    machine.run.chmod(0o777)
    machine.start()
    assert machine.run.stat().st_mode & 0o777 == 0o700


def test_a_folder_behind_a_link_is_not_used(machine: Machine, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    machine.run.symlink_to(tmp_path / "elsewhere")
    told = machine.dmm("daemon", "start")
    assert told.returncode == 14
    assert "dmm: not a folder of this user\n" in told.stderr
    assert list((tmp_path / "elsewhere").iterdir()) == []


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give a folder away")
def test_the_folder_of_another_user_is_not_used(machine: Machine) -> None:
    machine.run.mkdir(mode=0o700)
    os.chown(machine.run, 12345, 12345)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(machine.run / "dmm.sock"))
        listener.listen()
        told = machine.dmm("daemon", "start")
        assert told.returncode == 14
        assert told.stderr == (
            "dmm: not a folder of this user\n"
            f"  where: {machine.run}\n"
            "  hint:  name another folder with DMM_RUN_DIR\n"
        )
        listener.settimeout(0)
        with pytest.raises(BlockingIOError):
            listener.accept()


def test_a_socket_that_is_a_link_is_replaced_and_not_followed(
    machine: Machine, tmp_path: Path
) -> None:
    machine.run.mkdir(mode=0o700)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "o.sock"))
        (machine.run / "dmm.sock").symlink_to(tmp_path / "o.sock")
        machine.start()
    assert not (machine.run / "dmm.sock").is_symlink()
    assert (tmp_path / "o.sock").is_socket()


def test_a_path_too_long_for_a_socket_has_a_short_one_in_its_place(
    machine: Machine, tmp_path: Path
) -> None:
    machine.run = tmp_path / ("deep" * 30) / "run"
    told = machine.dmm("daemon", "start")
    assert told.returncode == 0, told.stderr
    status = machine.status()
    assert status["running"] is True
    assert machine.pids() == [status["pid"]]
    assert not machine.run.exists()
    assert machine.dmm("daemon", "stop").stdout == "DMM daemon stopped\n"
