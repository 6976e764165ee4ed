"""The process ends when told to, whatever it is at, and survives what goes wrong within it."""

from __future__ import annotations

import contextlib
import json
import logging
import os
import signal
import socket
import threading
from typing import TYPE_CHECKING, Any

import pytest
from tests.daemon.conftest import take_all

from dmm import VERSION, endpoint
from dmm.daemon.app import REST, Daemon
from dmm.daemon.logs import Log
from dmm.daemon.server import AT_ONCE, Server
from dmm.daemon.web import route
from dmm.http import SERVER

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.conftest import MemoryText, Project
    from tests.daemon.conftest import Machine, Session

    from dmm.daemon.incoming import Request

pytestmark = pytest.mark.slow

SOON = 20.0


def request(body: bytes, kind: str, label: str) -> bytes:
    return f"DMM1 {VERSION} {kind} {label} {len(body)}\n".encode() + body


def test_an_order_to_stop_ends_a_long_run_of_indexing(
    machine: Machine,
    lived_in: Project,
    session: Session,
    memory_text: MemoryText,
    wait: Callable[..., Any],
) -> None:
    words = ("lantern", "oil", "wick", "glass", "brass", "customer", "order", "stock", "price")
    for number in range(700):
        body = " ".join(words[(number * step) % len(words)] + str(step) for step in range(250))
        text = memory_text(f"Note {number}", body, id=f"mem_2026_01_31_{number:03d}")
        lived_in.write(f"project/notes/note_{number}.md", text)
    assert machine.hook(session.start()) is not None
    (pid,) = machine.pids()
    wait(lambda: lived_in.index.exists(), "indexing has begun")
    os.kill(pid, signal.SIGTERM)
    wait(lambda: not machine.pids(), "it has ended")
    assert [path.name for path in machine.run.iterdir()] == ["daemon.lock"]
    assert "stopped" in machine.dmm("daemon", "logs", "--lines", "1").stdout


def test_hooks_that_hang_leave_room_for_health_and_stop(tmp_path: Path) -> None:
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(tmp_path / "s"))
    listener.listen(128)
    go_on = threading.Event()

    def handle(asked: Request) -> bytes:
        if asked.kind == "hook":
            assert go_on.wait(SOON)
        return asked.label.encode()

    server = Server(listener, handle, Log(tmp_path / "logs" / "log"))
    server.start()
    hung = []
    try:
        for _ in range(AT_ONCE["hook"] + 6):
            link = socket.socket(socket.AF_UNIX)
            link.connect(str(tmp_path / "s"))
            link.sendall(request(b"", "hook", "x"))
            hung.append(link)
        for verb in ("health", "stop", "query"):
            with socket.socket(socket.AF_UNIX) as link:
                link.settimeout(SOON)
                link.connect(str(tmp_path / "s"))
                link.sendall(request(b"{}", "call", verb))
                assert link.recv(100) == b"+" + verb.encode()
    finally:
        go_on.set()
        assert server.drain(SOON)
        listener.close()
        for link in hung:
            link.close()


def test_a_duty_that_fails_is_logged_once_and_tried_again(house: Daemon, tmp_path: Path) -> None:
    tried = []

    def duty() -> None:
        tried.append(1)
        raise ValueError("password=hunter2")

    for _ in range(3):
        house._survive(duty)
    text = (tmp_path / "logs" / "daemon.log").read_text()
    assert len(tried) == 3
    assert text.count("duty failed (ValueError)") == 1
    assert "hunter2" not in text


def test_a_watcher_that_ended_is_begun_again_after_a_rest(house: Daemon, lived_in: Project) -> None:
    house._watch()
    first = house._watches[lived_in.dmm]
    assert first.await_sync(1, SOON)
    assert first.stop()
    house._watch()
    assert house._watches[lived_in.dmm] is first
    assert house.observe().projects[0].watcher == "stopped"
    first._ended -= 2 * REST
    house._watch()
    second = house._watches[lived_in.dmm]
    assert second is not first
    assert second.await_sync(1, SOON)


def test_a_door_that_can_not_be_served_is_closed_and_told(
    house: Daemon, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(SERVER, "no_such_setting", True)
    house.open()
    port = house.observe().port
    with socket.create_connection(("127.0.0.1", port), timeout=SOON) as link:
        # The door may be closed before anything is said.
        with contextlib.suppress(ConnectionError):
            link.sendall(b"GET / HTTP/1.1\r\n\r\n")
        assert take_all(link) == b""
    told = house.observe()
    assert (told.port, told.port_fault) == (None, "HTTP can't be served: TypeError")
    assert json.loads((tmp_path / "run" / "daemon.json").read_text())["port"] is None
    assert "HTTP can't be served: TypeError" in (tmp_path / "logs" / "daemon.log").read_text()


def test_what_the_http_surface_logs_reaches_the_log_of_the_process(tmp_path: Path) -> None:
    log = Log(tmp_path / "logs" / "daemon.log")
    loggers = {name: logging.getLogger(name) for name in ("dmm.http", "uvicorn.error")}
    before = {name: (one.handlers, one.level) for name, one in loggers.items()}
    try:
        for name, one in loggers.items():
            route(name, log)
            # A server that ran in this process before may have been told to log less.
            one.setLevel(logging.ERROR)
        logging.getLogger("dmm.http").error("unforeseen %s at %s", "KeyError", "app.py:1")
        logging.getLogger("uvicorn.error").error("it returned %s", "password=hunter2")
        fault = ValueError("password=hunter2")
        logging.getLogger("uvicorn.error").error("in the application", exc_info=fault)
    finally:
        for name, (handlers, level) in before.items():
            found = loggers[name]
            found.handlers, found.propagate = handlers, True
            found.setLevel(level)
        log.close()
    lines = [line.split(" ", 1)[1] for line in log_lines(tmp_path)]
    assert lines[:2] == [
        "dmm.http: unforeseen KeyError at app.py:1",
        "uvicorn.error: it returned %s",
    ]
    assert lines[2].startswith("uvicorn.error: ValueError at ")


def log_lines(folder: Path) -> list[str]:
    return (folder / "logs" / "daemon.log").read_text().splitlines()


def test_half_an_answer_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DMM_RUN_DIR", str(tmp_path / "run"))
    (tmp_path / "run").mkdir(mode=0o700)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "run" / "dmm.sock"))
        listener.listen()
        for reply in (b'+{"status": "hea', b"+", b"+[]", b"+\xff"):

            def answer(reply: bytes = reply) -> None:
                link, _ = listener.accept()
                link.recv(1 << 16)
                link.sendall(reply)
                link.close()

            thread = threading.Thread(target=answer)
            thread.start()
            assert endpoint.call("health", {}, timeout=SOON) is None
            thread.join()
