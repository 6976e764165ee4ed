"""The examples for those who start the daemon themselves."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"

# Stands in for both programs, so that the test is about the script alone.
STAND_IN = """#!/bin/sh
echo "$(basename "$0") $*" >> "$LOG"
case "$(basename "$0") $1 $2" in
    "dmm daemon health") exit "$HEALTH" ;;
    "dmm daemon start") [ "$STARTS" = yes ] || exit 1; echo 1 > "$4" ;;
    "dmm daemon stop") rm "$4" ;;
    claude*) exit 7 ;;
esac
"""


def run_wrapper(folder: Path, *, health: int, starts: str = "yes") -> tuple[int, str, list[str]]:
    for name in ("dmm", "claude"):
        (folder / name).write_text(STAND_IN)
        (folder / name).chmod(0o755)
    variables = {"LOG": str(folder / "log"), "HEALTH": str(health), "STARTS": starts}
    variables |= {"PATH": f"{folder}:/usr/bin:/bin", "TMPDIR": str(folder)}
    done = subprocess.run(
        [str(EXAMPLES / "claude-with-dmm.sh"), "-p", "two words"],
        env=variables,
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    log = (folder / "log").read_text().replace(str(folder), "").splitlines()
    return done.returncode, done.stderr, [" ".join(line.split()[:3]) for line in log]


def test_the_wrapper_starts_the_daemon_runs_the_agent_and_stops_it(tmp_path: Path) -> None:
    status, told, log = run_wrapper(tmp_path, health=1)
    assert (status, told) == (7, "")
    assert log == ["dmm daemon health", "dmm daemon start", "claude -p two", "dmm daemon stop"]


def test_the_wrapper_leaves_a_daemon_that_ran_before(tmp_path: Path) -> None:
    status, told, log = run_wrapper(tmp_path, health=0)
    assert (status, told) == (7, "")
    assert log == ["dmm daemon health", "claude -p two"]


def test_the_wrapper_runs_the_agent_without_a_daemon_too(tmp_path: Path) -> None:
    status, told, log = run_wrapper(tmp_path, health=1, starts="no")
    assert status == 7
    assert told == "claude-with-dmm: going on without memory; see: dmm daemon logs\n"
    assert log == ["dmm daemon health", "dmm daemon start", "claude -p two"]


def test_the_supervisor_runs_commands_that_exist() -> None:
    processes = yaml.safe_load((EXAMPLES / "supervisor.yaml").read_text())["processes"]
    daemon, agent = processes["dmm-daemon"], processes["claude-code"]
    assert agent["depends_on"] == {"dmm-daemon": {"condition": "process_healthy"}}
    lines = [daemon["command"], daemon["readiness_probe"]["exec"]["command"]]
    assert lines == ["dmm daemon run", "dmm daemon health"]
    service = (EXAMPLES / "dmm.service").read_text()
    assert "ExecStart=%h/.local/bin/dmm daemon run\n" in service


def test_a_supervised_daemon_becomes_healthy_and_ends_when_told(tmp_path: Path) -> None:
    processes = yaml.safe_load((EXAMPLES / "supervisor.yaml").read_text())["processes"]
    daemon = processes["dmm-daemon"]
    dmm = str(Path(sys.executable).with_name("dmm"))
    own = {"HOME": str(tmp_path), "DMM_STATE_DIR": str(tmp_path / "state")}
    environment = os.environ | own | {"DMM_RUN_DIR": str(tmp_path / "run")}

    def line(command: str) -> list[str]:
        return [dmm, *shlex.split(command)[1:]]

    with subprocess.Popen(
        line(daemon["command"]), env=environment, stdout=subprocess.DEVNULL
    ) as process:
        try:
            probe = line(daemon["readiness_probe"]["exec"]["command"])
            for _ in range(100):
                told = subprocess.run(probe, env=environment, capture_output=True, check=False)
                if told.returncode == 0:
                    break
            else:
                pytest.fail("it never became healthy")
        finally:
            process.send_signal(daemon["shutdown"]["signal"])
        assert process.wait(timeout=daemon["shutdown"]["timeout_seconds"]) in (0, -15)
