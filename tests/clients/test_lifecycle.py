"""The ends of a session, good and bad, and what is left afterwards."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.clients.conftest import Live, RealClaude, Stage

PATIENCE = 60.0
WORKING = {"command": "touch working.txt; sleep 20", "description": "Work for a while"}


@pytest.fixture
def work(tmp_path: Path, stage: Stage) -> Path:
    """A trusted project with DMM installed, and a daemon that leaves soon."""
    folder = tmp_path / "work"
    folder.mkdir()
    assert stage.dmm("init", within=folder).returncode == 0
    assert stage.dmm("install", "--client", "claude-code", within=folder).returncode == 0
    assert stage.dmm("daemon", "start", "--idle", "3", within=folder).returncode == 0
    return folder


def wait_for(what: str, condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > deadline:
            pytest.fail(f"{what} did not happen")
        time.sleep(0.05)


def is_free(lock: Path) -> bool:
    descriptor = os.open(lock, os.O_RDWR)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    finally:
        os.close(descriptor)
    return True


def processes_of(stage: Stage) -> list[str]:
    """List our processes that belong to this stage."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            line = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode()
            own = str(stage.run_folder).encode() in (folder / "environ").read_bytes()
            if own and "dmm" in line and "claude" not in line:
                found.append(line)
    return found


def start_working(claude: RealClaude, work: Path) -> Live:
    live = claude.start(work, [[("^Bash$", WORKING)], "Done."], "work for a while")
    wait_for("the work", (work / "working.txt").exists)
    return live


def kinds(stage: Stage, work: Path) -> list[str]:
    told = json.loads(stage.dmm("ledger", "log", "--json", within=work).stdout)
    return [event["type"] for event in told["events"]]


def wait_for_silence(stage: Stage) -> None:
    wait_for("the daemon's end", lambda: is_free(stage.run_folder / "daemon.lock"))
    wait_for("the end of all processes", lambda: not processes_of(stage))


def test_a_client_that_is_asked_to_end_is_recorded_and_leaves_no_process(
    claude: RealClaude, stage: Stage, work: Path
) -> None:
    live = start_working(claude, work)
    assert processes_of(stage)
    live.process.terminate()
    live.wait()
    wait_for_silence(stage)
    assert "SessionEnded" in kinds(stage, work)


def test_a_client_that_is_killed_leaves_no_process(
    claude: RealClaude, stage: Stage, work: Path
) -> None:
    live = start_working(claude, work)
    assert processes_of(stage)
    live.process.kill()
    live.wait()
    wait_for_silence(stage)
    assert "SessionStarted" in kinds(stage, work)


def test_a_compacted_session_gets_its_memory_again(
    claude: RealClaude, stage: Stage, work: Path
) -> None:
    claude(work, ["Hello."], "say hello")
    compacted = claude(work, ["Hello."], "/compact", "--continue")
    assert compacted.exit == 0
    assert {"ContextCompacted", "SessionCompacted"} & set(kinds(stage, work))
    again = claude(work, ["Hello.", "Again."], "say it again", "--continue")
    assert "dmm query" in again.main[0].text
