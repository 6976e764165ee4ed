"""There is exactly one background process; it comes when it is needed and goes without a trace."""

from __future__ import annotations

import json
import os
import signal
import socket
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import dmm.hook
from dmm import endpoint

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable

    from tests.conftest import Opener, Project
    from tests.daemon.conftest import Machine, Session

pytestmark = pytest.mark.slow

HOOK = Path(dmm.hook.__path__[0]) / "__main__.py"
# An agent in small: it runs the hook once for each line it is told, until it is told no more.
AGENT = """
import subprocess, sys
for line in sys.stdin:
    done = subprocess.run(sys.argv[1:], input=line.encode(), capture_output=True)
    print(len(done.stdout), flush=True)
"""

# The daemon in a process whose other threads never leave the library that loads the model.
LOADING = """
import sys, threading
from dmm.daemon.run import main
from dmm.embed.model import Embedder

def load():
    while True:
        Embedder.load()

for _ in range(8):
    threading.Thread(target=load, daemon=True).start()
sys.exit(main(["--idle", "0.5"]))
"""


def begin_agent(machine: Machine) -> subprocess.Popen[bytes]:
    hook = [sys.executable, "-I", "-S", str(HOOK), "--client", "claude-code"]
    return machine.begin([sys.executable, "-c", AGENT, *hook])


def say(agent: subprocess.Popen[bytes], payload: dict[str, Any]) -> int:
    """Let the agent run its hook, and give the length of the answer."""
    assert agent.stdin is not None
    assert agent.stdout is not None
    agent.stdin.write(json.dumps(payload).encode() + b"\n")
    agent.stdin.flush()
    return int(agent.stdout.readline())


def test_one_that_nobody_uses_leaves_nothing_but_the_lock(
    machine: Machine, wait: Callable[..., Any]
) -> None:
    told = machine.dmm("daemon", "start", "--idle", "0.5")
    assert told.returncode == 0
    wait(lambda: not machine.pids(), "it leaves by itself")
    assert [path.name for path in machine.run.iterdir()] == ["daemon.lock"]
    assert machine.dmm("daemon", "logs", "--lines", "1").stdout.rstrip().endswith("stopped")


def test_it_ends_well_while_the_model_loads(machine: Machine) -> None:
    daemon = machine.begin([sys.executable, "-c", LOADING])
    assert daemon.wait(timeout=60) == 0


def test_an_agent_keeps_it_and_the_agents_death_lets_it_go(
    machine: Machine, session: Session, wait: Callable[..., Any]
) -> None:
    machine.more["DMM_IDLE"] = "0.5"
    agent = begin_agent(machine)
    assert say(agent, session.start()) > 500
    (pid,) = machine.pids()
    # Far longer than it stays without an agent: the log shows that it looked at the clock.
    for number in range(5):
        say(agent, session.bash("ls", number))
        wait(lambda: machine.ask("health")["pid"] == pid, "it lives")
    assert machine.ask("status")["agents"] == 1
    agent.kill()
    wait(lambda: not machine.pids(), "it leaves after the agent")
    assert [path.name for path in machine.run.iterdir()] == ["daemon.lock"]


def test_the_first_hook_starts_it_and_is_answered(machine: Machine, session: Session) -> None:
    told = machine.hook(session.start())
    assert told is not None
    assert "Lantern" in told["hookSpecificOutput"]["additionalContext"]
    assert len(machine.pids()) == 1
    line = Path(f"/proc/{machine.pids()[0]}/stat").read_text().rpartition(")")[2].split()
    assert line[1] == "1" or Path(f"/proc/{line[1]}/comm").read_text() != "python\n"
    assert int(line[3]) != os.getsid(0)


def test_what_a_killed_one_left_behind_is_replaced(
    machine: Machine, session: Session, wait: Callable[..., Any]
) -> None:
    first = machine.start()
    before = machine.about
    os.kill(first, signal.SIGKILL)
    wait(lambda: first not in machine.pids(), "it is dead")
    assert (machine.run / "dmm.sock").exists()
    assert machine.about == before
    assert machine.dmm("daemon", "status").returncode == 1
    assert machine.hook(session.start()) is not None
    (second,) = machine.pids()
    wait(lambda: machine.about["port"], "it has a port")
    assert machine.about["pid"] == second != first
    assert machine.about["token"] != before["token"]


def test_twelve_starters_make_one(
    machine: Machine,
    lived_in: Project,
    session: Session,
    open_project: Opener,
    wait: Callable[..., Any],
) -> None:
    # On a slow machine some of them judge alone.
    dmm = open_project(lived_in)
    dmm.ledger.add_constraint("never run terraform destroy")
    dmm.close()
    payloads = [session.bash("ls", number) for number in range(12)]
    running = [machine.begin_hook(payload) for payload in payloads]
    answers = [one.communicate(timeout=60) for one in running]
    assert answers == [(b"", b"")] * 12
    # It may be the last to get ready: nobody waited for it longer than for an answer.
    wait(lambda: len(machine.pids()) == 1 and machine.listens(), "one is left, and listens")
    assert machine.ask("status")["pid"] == machine.pids()[0]
    log = (machine.state / "logs" / "daemon.log").read_text()
    assert log.count("started, version") == 1


def test_twelve_commands_at_once_start_one(machine: Machine, wait: Callable[..., Any]) -> None:
    line = [str(Path(sys.executable).with_name("dmm")), "daemon", "start"]
    running = [machine.begin(line) for _ in range(12)]
    told = [one.communicate(timeout=120)[0].decode() for one in running]
    wait(lambda: len(machine.pids()) == 1, "one is left")
    (pid,) = machine.pids()
    assert {one.rpartition(" (")[2] for one in told} == {f"PID: {pid})\n"}


def test_a_starter_that_comes_while_one_leaves_waits_its_turn(
    machine: Machine, session: Session, wait: Callable[..., Any]
) -> None:
    first = machine.start()
    with machine.connect() as link:
        link.sendall(b"DMM1 ")
        machine.ask("stop")
        wait(lambda: not (machine.run / "dmm.sock").exists(), "it leaves")
        hook = machine.begin_hook(session.start())
    assert hook.communicate(timeout=60)[0] != b""
    wait(lambda: first not in machine.pids(), "the first is gone")
    assert len(machine.pids()) == 1


def test_an_idle_one_makes_room_for_a_newer_version(
    machine: Machine, session: Session, wait: Callable[..., Any]
) -> None:
    pid = machine.start()
    assert machine.ask("health", version="99.0.0")["pid"] == pid
    wait(lambda: not machine.pids(), "it leaves")
    assert "a newer version asks" in machine.dmm("daemon", "logs").stdout


def test_an_idle_one_makes_room_for_a_later_build_of_the_same_version(
    machine: Machine, wait: Callable[..., Any]
) -> None:
    pid = machine.start()
    version, _, built = endpoint.version().rpartition(".")
    assert machine.ask("health", version=f"{version}.{int(built) - 1}")["pid"] == pid
    assert machine.ask("health", version=f"{version}.{int(built) + 1}")["pid"] == pid
    wait(lambda: not machine.pids(), "it leaves")


def test_an_older_or_equal_version_changes_nothing(machine: Machine) -> None:
    pid = machine.start()
    for version in ("0.0.1", "garbage", "..."):
        assert machine.ask("health", version=version)["pid"] == pid
    assert machine.ask("health")["pid"] == pid


def test_one_with_an_agent_stays_for_it(machine: Machine, session: Session) -> None:
    agent = begin_agent(machine)
    say(agent, session.start())
    (pid,) = machine.pids()
    assert machine.ask("health", version="99.0.0")["pid"] == pid
    assert machine.ask("health")["pid"] == pid


def test_a_newer_hook_is_answered_by_an_idle_older_one_which_then_leaves(
    machine: Machine, lived_in: Project, session: Session, wait: Callable[..., Any]
) -> None:
    machine.start()
    body = os.fsencode(lived_in.dmm) + b"\n" + json.dumps(session.start()).encode()
    reply = machine.tell(f"DMM1 99.0.0 hook claude-code {len(body)}\n".encode() + body)
    assert b"Lantern" in reply
    wait(lambda: not machine.pids(), "it leaves")


def test_a_program_in_its_place_is_not_taken_for_it(machine: Machine, session: Session) -> None:
    """Somebody of the same user listens, and says what is no answer: the hook goes on without."""
    machine.run.mkdir(mode=0o700)
    with socket.socket(socket.AF_UNIX) as other:
        other.bind(str(machine.run / "dmm.sock"))
        other.listen()
        other.settimeout(30)
        hook = machine.begin_hook(session.payload("Stop"))
        link, _ = other.accept()
        link.close()
        assert hook.communicate(timeout=30) == (b"", b"")
    assert len(list((machine.state / "spool").glob("*.event"))) == 1


def test_starts_that_fail_are_given_up_for_a_while(
    machine: Machine, session: Session, wait: Callable[..., Any]
) -> None:
    # A folder where the socket should be can't be listened on.
    (machine.run / "dmm.sock").mkdir(parents=True)
    machine.run.chmod(0o700)
    for number in range(6):
        assert machine.hook(session.bash("ls", number, "PostToolUse")) is None
    assert (machine.run / "attempts").stat().st_size <= 3
    wait(lambda: not machine.pids(), "the last attempt has failed")
    assert len(list((machine.state / "spool").glob("*.event"))) == 6


def test_a_prompt_does_not_wait_while_starts_fail(
    machine: Machine, session: Session, wait: Callable[..., Any]
) -> None:
    (machine.run / "dmm.sock").mkdir(parents=True)
    machine.run.chmod(0o700)
    tries = machine.run / "attempts"
    tries.write_bytes(b".")
    past = tries.stat().st_mtime - 120
    os.utime(tries, (past, past))
    assert machine.hook(session.prompt("how are passwords stored")) is None
    # Whoever waits tries again meanwhile.
    assert tries.stat().st_size == 1
    wait(lambda: not machine.pids(), "the attempt has failed")
