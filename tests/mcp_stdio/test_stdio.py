"""An MCP client on standard input and output reaches the background process, and its successors."""

from __future__ import annotations

import fcntl
import json
import os
import select
import signal
import subprocess
import sys
import termios
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.conftest import copy_project
from tests.daemon.conftest import Session, move_in

import dmm.mcp_stdio
from dmm.domain.event import EventType

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.conftest import Project
    from tests.daemon.conftest import Machine

    from dmm.domain.event import Event

ENTRY = Path(dmm.mcp_stdio.__path__[0]) / "__main__.py"
HELLO = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "test", "version": "1"},
}


@dataclass
class Client:
    """An MCP client in small, at the end of a pump's pipes."""

    process: subprocess.Popen[bytes]
    number: int = 0
    rest: bytes = b""
    heard: list[dict[str, Any]] = field(default_factory=list)

    def send(self, **message: Any) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self.process.stdin.flush()

    def unread(self) -> int:
        """Return how many bytes the process has not read yet."""
        assert self.process.stdin is not None
        held = fcntl.ioctl(self.process.stdin, termios.FIONREAD, bytes(4))
        return int.from_bytes(held, sys.byteorder)

    def begin(self, method: str, **params: Any) -> int:
        """Send a request without waiting for its answer."""
        self.number += 1
        self.send(id=self.number, method=method, params=params)
        return self.number

    def take(self, number: float) -> dict[str, Any]:
        """Wait for the answer to a request."""
        while True:
            for message in self.heard:
                if message.get("id") == number:
                    self.heard.remove(message)
                    return message
            self.heard.append(json.loads(self._line()))

    def _line(self) -> bytes:
        assert self.process.stdout is not None
        deadline = time.monotonic() + 60
        while b"\n" not in self.rest:
            ready, _, _ = select.select([self.process.stdout], [], [], deadline - time.monotonic())
            assert ready, "no answer came"
            part = os.read(self.process.stdout.fileno(), 1 << 16)
            assert part, "the pump has ended"
            self.rest += part
        line, _, self.rest = self.rest.partition(b"\n")
        return line

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        return self.take(self.begin(method, **params))

    def greet(self) -> dict[str, Any]:
        told = self.ask("initialize", **HELLO)
        self.send(method="notifications/initialized")
        return told

    def call(self, tool: str, **arguments: Any) -> str:
        told = self.ask("tools/call", name=tool, arguments=arguments)
        return str(told["result"]["content"][0]["text"])

    def leave(self) -> int:
        self.process.communicate(timeout=60)
        return self.process.returncode


def reach(machine: Machine, folder: Path) -> Client:
    line = [sys.executable, "-I", "-S", str(ENTRY), "--client", "claude-code"]
    return Client(machine.begin(line, within=folder))


@pytest.fixture
def connect(machine: Machine, lived_in: Project) -> Callable[..., Client]:
    return lambda: reach(machine, lived_in.folder)


@dataclass(frozen=True)
class Serving:
    """A machine with one process that serves all who come, and a project that it trusts."""

    machine: Machine
    project: Project

    def connect(self) -> Client:
        return reach(self.machine, self.project.folder)


@pytest.fixture(scope="module")
def serving(
    new_machine: Callable[[Path], Machine],
    lantern: Project,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Serving]:
    folder = tmp_path_factory.mktemp("serving")
    machine = new_machine(folder)
    project = move_in(copy_project(lantern, folder / "shop"), machine.home)
    pid = machine.start()
    yield Serving(machine, project)
    assert machine.pids() == [pid]
    machine.clean_up()


def test_a_cold_process_is_started_and_offers_its_tools(
    machine: Machine, connect: Callable[..., Client]
) -> None:
    client = connect()
    told = client.greet()
    assert told["result"]["serverInfo"]["name"] == "dmm"
    names = {tool["name"] for tool in client.ask("tools/list")["result"]["tools"]}
    assert {"memory_pack", "add_fact", "add_constraint", "record_decision"} <= names
    assert len(machine.pids()) == 1
    assert machine.ask("status")["connections"] == 1
    assert client.leave() == 0


def test_calls_and_hooks_of_one_agent_share_a_session(
    serving: Serving, ledger: Callable[..., list[Event]]
) -> None:
    machine, project = serving.machine, serving.project
    session = Session(project.folder)
    machine.hook(session.start())
    client = serving.connect()
    client.greet()
    pack = client.call("memory_pack", task="store the passwords of customers")
    assert "project/auth/passwords.md" in pack
    client.call("add_fact", key="wares", value="The shop sells lanterns.")
    events = ledger(project)
    served = next(one for one in events if one.source == "mcp")
    assert (served.type, served.session) == (EventType.PACK_SERVED, session.name)
    (fact,) = (one for one in events if one.type == EventType.FACT_ADDED)
    assert (fact.session, fact.actor, fact.source) == (session.name, "claude-code", "mcp")
    client.leave()
    machine.dmm("query", "passwords", within=project.folder)
    last = ledger(project)[-1]
    assert (last.type, last.actor, last.session) == (EventType.PACK_SERVED, "user", None)


@pytest.mark.slow
def test_what_was_under_way_when_the_process_died_gets_an_error_and_the_rest_works(
    machine: Machine, connect: Callable[..., Client], wait: Callable[..., Any]
) -> None:
    client = connect()
    client.greet()
    (first,) = machine.pids()
    os.kill(first, signal.SIGSTOP)
    pending = [client.begin("tools/list"), client.begin("tools/list")]
    # What is still in the pipe is not under way: the successor would answer it.
    wait(lambda: not client.unread(), "the relay has taken both")
    os.kill(first, signal.SIGKILL)
    for number in pending:
        told = client.take(number)
        assert told["error"]["code"] == -32603
        assert "retry the call" in told["error"]["message"]
    wait(lambda: "result" in client.ask("tools/list"), "the next one answers")
    assert client.ask("ping")["result"] == {}
    wait(lambda: len(machine.pids()) == 1, "one took over")
    assert client.heard == []
    assert client.leave() == 0


@pytest.mark.slow
def test_a_process_that_died_while_nothing_was_asked_is_not_missed(
    machine: Machine, connect: Callable[..., Client], wait: Callable[..., Any]
) -> None:
    client = connect()
    client.greet()
    (first,) = machine.pids()
    os.kill(first, signal.SIGKILL)
    wait(lambda: not machine.pids(), "it is dead")
    wait(lambda: "result" in client.ask("tools/list"), "the next one answers")
    assert client.heard == []


@pytest.mark.slow
def test_an_order_to_stop_is_obeyed_though_a_client_is_connected(
    machine: Machine, connect: Callable[..., Client], wait: Callable[..., Any]
) -> None:
    client = connect()
    client.greet()
    assert machine.dmm("daemon", "stop").stdout == "DMM daemon stopped\n"
    wait(lambda: not machine.pids(), "it is gone, and nobody calls another")
    assert "result" in client.ask("tools/list")
    assert len(machine.pids()) == 1


def test_all_answers_come_through_before_the_end(serving: Serving) -> None:
    client = serving.connect()
    lines: list[dict[str, Any]] = [
        {"id": 1, "method": "initialize", "params": HELLO},
        {"method": "notifications/initialized"},
        *({"id": number, "method": "tools/list", "params": {}} for number in range(2, 12)),
    ]
    text = "\n".join(json.dumps({"jsonrpc": "2.0"} | line) for line in lines)
    out, err = client.process.communicate(text.encode(), timeout=60)
    assert err == b""
    assert client.process.returncode == 0
    assert {json.loads(line)["id"] for line in out.splitlines()} == set(range(1, 12))


@pytest.mark.slow
def test_a_connection_keeps_the_process_and_its_end_lets_it_go(
    machine: Machine, connect: Callable[..., Client], wait: Callable[..., Any]
) -> None:
    machine.more["DMM_IDLE"] = "0.5"
    client = connect()
    client.greet()
    (pid,) = machine.pids()
    deadline = time.monotonic() + 2.0
    wait(lambda: time.monotonic() > deadline, "more than the idle time has passed")
    assert machine.pids() == [pid]
    client.leave()
    wait(lambda: not machine.pids(), "it leaves")


def test_where_none_can_be_started_every_request_is_told_so(
    machine: Machine, connect: Callable[..., Client]
) -> None:
    machine.run.write_text("a file where the folder should be")
    client = connect()
    for _ in range(3):
        told = client.ask("initialize", **HELLO)
        assert told["error"]["message"] == "the memory process can't be started; run dmm doctor"
    client.send(method="notifications/initialized")
    client.send(id=7.5, method="ping")
    assert client.take(7.5)["error"]["code"] == -32603
    assert client.leave() == 0


def test_what_is_no_message_is_answered_as_such(serving: Serving) -> None:
    client = serving.connect()
    client.greet()
    assert client.process.stdin is not None
    client.process.stdin.write(b"\n\nnonsense\n")
    client.process.stdin.flush()
    assert client.take(None)["error"]["code"] == -32700  # type: ignore[arg-type]  # its id is null
    assert "result" in client.ask("ping")


def test_a_memory_that_nobody_trusts_is_refused(serving: Serving, shop: Project) -> None:
    client = reach(serving.machine, shop.folder)
    client.greet()
    told = client.ask("tools/call", name="memory_pack", arguments={"task": "passwords"})
    assert told["result"]["isError"] is True
    assert "dmm trust" in told["result"]["content"][0]["text"]


EARLIER_ENTRY = Path(dmm.__file__).parent / "pump" / "__main__.py"


@pytest.mark.parametrize(
    "command",
    [
        [str(Path(sys.executable).with_name("dmm")), "serve"],
        [sys.executable, "-I", "-S", str(EARLIER_ENTRY)],
    ],
    ids=["the command", "the entry of an earlier version"],
)
def test_other_commands_serve_as_the_entry_does(serving: Serving, command: list[str]) -> None:
    line = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HELLO})
    done = subprocess.run(
        command,
        input=line + "\n",
        cwd=serving.project.folder,
        env=serving.machine.environment(),
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["result"]["serverInfo"]["name"] == "dmm"
