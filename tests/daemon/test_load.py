"""Many at once, and death in the middle: what was acknowledged is kept, and everything once."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from dmm.domain.event import EventType

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.conftest import Project
    from tests.daemon.conftest import Machine, Session

    from dmm.domain.event import Event

pytestmark = pytest.mark.slow

CLIENTS = 32


def commands(events: list[Event], kind: str = EventType.TOOL_REQUESTED) -> Counter[str]:
    return Counter(event.get("input")["command"] for event in events if event.type == kind)


def test_thirty_two_clients_at_once_are_all_recorded_once(
    machine: Machine,
    lived_in: Project,
    session: Session,
    ledger: Callable[..., list[Event]],
    wait: Callable[..., Any],
) -> None:
    machine.start()
    sessions = [type(session)(lived_in.folder, f"session-{n:02d}") for n in range(CLIENTS)]
    running = [
        machine.begin_hook(one.bash(f"echo {number}", number))
        for number, one in enumerate(sessions)
    ]
    assert [one.communicate(timeout=120) for one in running] == [(b"", b"")] * CLIENTS
    # On a busy machine some judge alone, and what they kept is fetched.
    wait(lambda: machine.ask("status")["spooled"] == 0, "all are fetched")
    events = ledger(lived_in)
    asked = [event for event in events if event.type == EventType.TOOL_REQUESTED]
    assert commands(events) == {f"echo {number}": 1 for number in range(CLIENTS)}
    assert {event.session for event in asked} == {one.name for one in sessions}


def test_the_same_call_told_by_two_hooks_is_stored_once(
    machine: Machine, lived_in: Project, session: Session, ledger: Callable[..., list[Event]]
) -> None:
    machine.start()
    for event in ("PreToolUse", "PostToolUse"):
        running = [machine.begin_hook(session.bash("make", 1, event)) for _ in range(8)]
        assert all(one.communicate(timeout=60) == (b"", b"") for one in running)
    for _ in range(3):
        running = [machine.begin_hook(session.prompt("thanks, continue")) for _ in range(2)]
        assert all(one.communicate(timeout=60) == (b"", b"") for one in running)
    machine.hook(session.bash("make", 1))
    kinds = Counter(event.type for event in ledger(lived_in))
    assert kinds[EventType.TOOL_REQUESTED] == 1
    assert kinds[EventType.TOOL_USED] == 1
    assert kinds[EventType.USER_MESSAGE_RECEIVED] == 1


def test_a_call_told_again_to_the_next_process_is_stored_once(
    machine: Machine, lived_in: Project, session: Session, ledger: Callable[..., list[Event]]
) -> None:
    machine.hook(session.bash("make", 1))
    machine.dmm("daemon", "stop")
    machine.hook(session.bash("make", 1))
    assert commands(ledger(lived_in)) == {"make": 1}


def test_what_happened_while_none_could_run_arrives_once_and_in_order(
    machine: Machine,
    lived_in: Project,
    session: Session,
    ledger: Callable[..., list[Event]],
    wait: Callable[..., Any],
) -> None:
    (machine.run / "dmm.sock").mkdir(parents=True)
    machine.run.chmod(0o700)
    for number in range(5):
        machine.hook(session.bash(f"echo {number}", number, "PostToolUse"))
    machine.hook(session.bash("echo 0", 0, "PostToolUse"))
    assert ledger(lived_in) == []
    (machine.run / "dmm.sock").rmdir()
    machine.start()
    wait(lambda: machine.ask("status")["spooled"] == 0, "all are fetched")
    used = [event for event in ledger(lived_in) if event.type == EventType.TOOL_USED]
    assert [event.get("input")["command"] for event in used] == [f"echo {n}" for n in range(5)]
    assert {event.session for event in used} == {session.name}
    assert all(event.get("late") is True for event in used)
    assert list((machine.state / "spool").glob("*.event")) == []


def test_a_kept_event_that_is_damaged_stops_no_other(
    machine: Machine,
    lived_in: Project,
    session: Session,
    ledger: Callable[..., list[Event]],
    wait: Callable[..., Any],
) -> None:
    spool = machine.state / "spool"
    spool.mkdir(parents=True, mode=0o700)
    payload = json.dumps(session.bash("make", 1, "PostToolUse"))
    (spool / "0-1.event").write_bytes(b"\xff\xff no event\n")
    (spool / "0-2.event").write_bytes(b"DMM1 claude-code 5\n/nowhere/.dmm\n{}")
    (spool / "0-3.event").symlink_to("/etc/passwd")
    (spool / "0-4.event").write_text(f"DMM1 claude-code 5\n{lived_in.dmm}\n{payload}")
    machine.start()
    wait(lambda: machine.ask("status")["spooled"] == 0, "all are fetched")
    assert commands(ledger(lived_in), EventType.TOOL_USED) == {"make": 1}
    assert sorted(path.name for path in spool.iterdir()) == ["aside", "lost"]
    aside = sorted(path.name for path in (spool / "aside").iterdir())
    assert aside == ["0-1.damaged", "0-3.damaged"]
    assert machine.ask("status")["damaged"] == 2


def test_killed_under_load_it_loses_nothing(
    machine: Machine,
    lived_in: Project,
    session: Session,
    ledger: Callable[..., list[Event]],
    wait: Callable[..., Any],
) -> None:
    first = machine.start()
    acknowledged: list[str] = []
    failed: list[object] = []

    def work(worker: int) -> None:
        own = type(session)(lived_in.folder, f"session-{worker}")
        for number in range(12):
            command = f"echo {worker} {number}"
            payload = own.bash(command, worker * 100 + number, "PostToolUse")
            out, err = machine.begin_hook(payload).communicate(timeout=60)
            acknowledged.append(command)
            failed.extend(one for one in (out, err) if one)

    def look() -> None:
        for _ in range(3):
            line = [str(Path(sys.executable).with_name("dmm")), "query", "passwords"]
            told = subprocess.run(
                line, cwd=lived_in.folder, env=machine.environment(), capture_output=True
            )
            failed.extend([told.stderr] if told.returncode else [])

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    threads.append(threading.Thread(target=look))
    for thread in threads:
        thread.start()
    wait(lambda: len(acknowledged) >= 12, "they work")
    os.kill(first, signal.SIGKILL)
    for thread in threads:
        thread.join()
    assert failed == []
    wait(lambda: len(machine.pids()) == 1, "exactly one took over")
    assert machine.pids() != [first]
    wait(lambda: machine.ask("status")["spooled"] == 0, "what was kept is fetched")
    found = commands(ledger(lived_in), EventType.TOOL_USED)
    assert found == {f"echo {worker} {n}": 1 for worker in range(4) for n in range(12)}
    assert machine.ask("status")["dropped"] == 0
