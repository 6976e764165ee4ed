"""`dmm daemon` starts, stops and shows the background process, and says plainly what is wrong."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from dmm import VERSION, endpoint
from dmm.project.doctor import check_daemon

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.conftest import Project
    from tests.daemon.conftest import Machine

pytestmark = pytest.mark.slow


@pytest.fixture
def taken_port() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as other:
        yield int(other.getsockname()[1])


def test_it_is_started_shown_and_stopped(machine: Machine, wait: Callable[..., Any]) -> None:
    started = machine.dmm("daemon", "start")
    (pid,) = machine.pids()
    assert (started.returncode, started.stdout) == (0, f"DMM daemon started (PID: {pid})\n")
    assert started.stderr == ""
    again = machine.dmm("daemon", "start")
    assert (again.returncode, again.stdout) == (0, f"DMM daemon already running (PID: {pid})\n")
    assert machine.pids() == [pid]
    stopped = machine.dmm("daemon", "stop")
    assert (stopped.returncode, stopped.stdout) == (0, "DMM daemon stopped\n")
    wait(lambda: not machine.pids(), "it is gone")
    assert sorted(path.name for path in machine.run.iterdir()) == ["daemon.lock"]


def test_where_none_runs_that_is_said(machine: Machine) -> None:
    told = [machine.dmm("daemon", name) for name in ("stop", "status", "health", "logs")]
    assert [one.returncode for one in told] == [0, 1, 1, 0]
    assert [one.stdout for one in told[:3]] == [
        "DMM daemon not running\n",
        "DMM daemon not running\n",
        "down\n",
    ]
    log = machine.state / "logs" / "daemon.log"
    assert told[3].stdout.replace("\n", "") == f"nothing logged yet: {log}"
    assert json.loads(machine.dmm("daemon", "status", "--json").stdout) == {"running": False}
    assert json.loads(machine.dmm("daemon", "health", "--json").stdout) == {"status": "down"}


def test_status_and_health_tell_what_it_holds(machine: Machine, lived_in: Project) -> None:
    pid = machine.start()
    machine.ask("query", start=str(lived_in.folder), request={"query": "passwords"})
    health = json.loads(machine.dmm("daemon", "health", "--json").stdout)
    assert health["status"] == "healthy"
    assert (health["pid"], health["version"]) == (pid, VERSION)
    assert re.fullmatch(r"healthy, up \d+ s\n", machine.dmm("daemon", "health").stdout)
    status = machine.status()
    assert status["running"] is True
    assert (status["agents"], status["connections"], status["spooled"]) == (0, 0, 0)
    assert status["model_loaded"] is True
    (project,) = status["projects"]
    assert project["root"] == str(lived_in.dmm)
    assert (project["trusted"], project["fault"]) == (True, None)
    assert project["indexed"] == health["indexed_count"] > 10
    shown = machine.dmm("daemon", "status").stdout.splitlines()
    assert shown[0] == f"DMM daemon running (PID: {pid}), version {VERSION}"
    assert f"  HTTP port   {status['port']}" in shown


def test_the_files_it_keeps_are_the_users_own(machine: Machine) -> None:
    machine.start()
    modes = {path.name: path.lstat().st_mode & 0o777 for path in machine.run.iterdir()}
    assert modes == dict.fromkeys(("daemon.json", "daemon.lock", "dmm.sock", "http.sock"), 0o600)
    assert machine.run.stat().st_mode & 0o777 == 0o700
    assert len(machine.about["token"]) == 64
    for path in (machine.state, machine.state / "logs"):
        assert path.stat().st_mode & 0o777 == 0o700
    assert (machine.state / "logs" / "daemon.log").stat().st_mode & 0o777 == 0o600


def test_logs_are_shown_from_their_end(machine: Machine) -> None:
    pid = machine.start()
    machine.dmm("daemon", "stop")
    lines = machine.dmm("daemon", "logs").stdout.splitlines()
    assert lines[0].endswith(f"Z started, version {VERSION}, process {pid}")
    assert lines[-1].endswith("Z stopped")
    assert machine.dmm("daemon", "logs", "--lines", "1").stdout.splitlines() == lines[-1:]


def test_a_port_that_is_taken_is_told_before_anything_starts(
    machine: Machine, taken_port: int
) -> None:
    for line in (["start"], ["start", "--foreground"], ["run"]):
        told = machine.dmm("daemon", *line, "--port", str(taken_port))
        assert told.returncode == 14
        assert told.stderr == (
            f"dmm: port {taken_port} is taken: Address already in use\n"
            "  hint:  choose another with --port; --port 0 picks a free one\n"
        )
    assert machine.pids() == []


def test_a_port_may_be_named_and_may_be_left_open(machine: Machine) -> None:
    assert machine.dmm("daemon", "start", "--port", "0").returncode == 0
    found = machine.status()["port"]
    assert found == machine.about["port"] > 0
    machine.dmm("daemon", "stop")
    assert machine.dmm("daemon", "start", "--port", str(found)).returncode == 0
    assert machine.status()["port"] == found
    again = machine.dmm("daemon", "start", "--port", str(found))
    assert "already running" in again.stdout


def test_the_process_is_written_to_a_file_and_that_file_stops_it(
    machine: Machine, tmp_path: Path
) -> None:
    file = tmp_path / "dmm.pid"
    machine.dmm("daemon", "start", "--pid-file", str(file))
    (pid,) = machine.pids()
    assert file.read_text() == f"{pid}\n"
    assert machine.dmm("daemon", "stop", "--pid-file", str(file)).stdout == "DMM daemon stopped\n"
    assert not file.exists()


def test_a_file_of_another_process_stops_nothing(machine: Machine, tmp_path: Path) -> None:
    pid = machine.start()
    file = tmp_path / "other.pid"
    file.write_text("1\n")
    told = machine.dmm("daemon", "stop", "--pid-file", str(file))
    assert told.returncode == 14
    assert told.stderr == (
        f"dmm: another daemon is running (PID: {pid})\n"
        f"  where: {file}\n"
        "  hint:  to stop it anyway, leave out --pid-file\n"
    )
    assert machine.pids() == [pid]
    assert file.read_text() == "1\n"


@pytest.mark.parametrize("verb", ["start", "stop"])
def test_a_file_that_holds_something_else_is_never_written_or_removed(
    machine: Machine, tmp_path: Path, verb: str
) -> None:
    file = tmp_path / "thesis.md"
    file.write_text("# Years of work\n")
    told = machine.dmm("daemon", verb, "--pid-file", str(file))
    assert told.returncode == 14
    assert "the file does not contain a process id" in told.stderr
    assert file.read_text() == "# Years of work\n"


@pytest.mark.parametrize("line", [["start", "--foreground"], ["run"]])
def test_in_the_foreground_it_ends_with_ctrl_c(
    machine: Machine, tmp_path: Path, line: list[str], wait: Callable[..., Any]
) -> None:
    file = tmp_path / "front.pid"
    command = [str(Path(sys.executable).with_name("dmm")), "daemon", *line]
    running = machine.begin([*command, "--pid-file", str(file)])
    wait(lambda: machine.about.get("port"), "it listens")
    assert machine.about["pid"] == running.pid == int(file.read_text())
    second = machine.dmm("daemon", "run", "--pid-file", str(file))
    assert (second.returncode, second.stderr) == (
        14,
        "dmm: a daemon is already running\n  hint:  stop it first: dmm daemon stop\n",
    )
    assert int(file.read_text()) == running.pid
    running.send_signal(signal.SIGINT)
    out, told = running.communicate(timeout=30)
    lines = told.decode().splitlines()
    assert (running.returncode, out) == (0, b"")
    assert lines[0].endswith(f"started, version {VERSION}, process {running.pid}")
    assert lines[-1].endswith("Z stopped")
    assert not (machine.run / "dmm.sock").exists()


def test_the_two_ways_to_start_exclude_each_other(machine: Machine) -> None:
    told = machine.dmm("daemon", "start", "--foreground", "--background")
    assert told.returncode == 2
    assert "choose --foreground or --background" in told.stderr


def test_a_process_that_was_stopped_halfway_is_reported(machine: Machine) -> None:
    pid = machine.start()
    os.kill(pid, signal.SIGSTOP)
    try:
        assert machine.dmm("daemon", "health").returncode == 1
    finally:
        os.kill(pid, signal.SIGCONT)
    assert machine.dmm("daemon", "health").returncode == 0


@pytest.fixture
def checked(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> Callable[[], dict[str, str]]:
    """Checks the process of this machine as `dmm doctor` does."""
    monkeypatch.setenv("DMM_RUN_DIR", str(machine.run))
    monkeypatch.setenv("DMM_STATE_DIR", str(machine.state))
    return lambda: {check.name: check.told for check in check_daemon()}


def test_a_checkup_finds_the_port_of_a_process_that_has_just_begun(
    machine: Machine, checked: Callable[[], dict[str, str]], wait: Callable[..., Any]
) -> None:
    machine.begin([sys.executable, "-m", "dmm.daemon"])
    wait(endpoint.connect_and_close, "it listens")
    assert checked()["HTTP"] == f"it answers on port {machine.about['port']}"


def test_a_checkup_tells_of_a_process_without_a_port(
    machine: Machine,
    checked: Callable[[], dict[str, str]],
    wait: Callable[..., Any],
    taken_port: int,
) -> None:
    machine.begin([sys.executable, "-m", "dmm.daemon", "--port", str(taken_port)])
    wait(endpoint.connect_and_close, "it listens")
    assert checked()["HTTP"] == "the daemon reports no port"
