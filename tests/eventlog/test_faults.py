"""Faults put into the system's calls: a kill, a bad disk or a full one at every write and sync."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from dmm.eventlog.log import EventLog
from dmm.eventlog.verify import verify

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [pytest.mark.usefixtures("traced"), pytest.mark.slow]
EVENTS = 14
CALLS = ("pwrite64", "fdatasync", "ftruncate")
# Tries each event until it is acknowledged, as a caller does who was told of a failure.
STUBBORN = """
import sys
from pathlib import Path
from dmm.domain.event import Draft
from dmm.errors import StorageError
from dmm.eventlog.log import EventLog

def insist(action):
    for _ in range(20):
        try:
            return action()
        except StorageError as error:
            print("failed", error.code, flush=True)
    raise SystemExit("gave up")

log = insist(lambda: EventLog.open(Path(sys.argv[1])))
log._connection.pragma("wal_autocheckpoint", 10)
for number in range(int(sys.argv[2])):
    draft = Draft("A", {"text": "x" * 200 * number}, f"e-{number}", "2026-01-31T12:00:00Z")
    (event,) = insist(lambda: log.append([draft]))
    print("kept", number, event.seq, flush=True)
log.close()
"""


def run(path: Path, fault: str) -> subprocess.CompletedProcess[str]:
    traced = f"trace={','.join(CALLS)}"
    command = ["strace", "-f", "-o", "/dev/null", "-e", traced, "-e", fault] if fault else []
    return subprocess.run(
        [*command, sys.executable, "-c", STUBBORN, str(path), str(EVENTS)],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        env={name: value for name, value in os.environ.items() if not name.startswith("COVERAGE")},
    )


def places(slow: bool) -> dict[str, range]:
    """Choose which of the calls fails: all of them, or a few."""
    if slow:
        return {"pwrite64": range(1, 166), "fdatasync": range(1, 36), "ftruncate": range(1, 6)}
    return {"pwrite64": range(2, 60, 19), "fdatasync": range(1, 20, 7), "ftruncate": range(1, 3)}


def check_whole(path: Path, told: list[str], events: int | None = None) -> int:
    log = EventLog.open(path)
    stored = {event.id: event.seq for event in log.events()}
    for line in told:
        word, *numbers = line.split()
        if word == "kept":
            assert stored[f"e-{numbers[0]}"] == int(numbers[1])
    assert [event.id for event in log.events()] == [f"e-{n}" for n in range(len(stored))]
    assert events in (None, len(stored))
    assert verify(log.raw()).valid
    assert log.damage() == ()
    log.close()
    return len(stored)


def test_a_kill_at_any_call_loses_nothing_that_was_acknowledged(tmp_path: Path, slow: bool) -> None:
    killed = 0
    for call, numbers in places(slow).items():
        for number in numbers:
            path = tmp_path / f"{call}{number}" / "store" / "ledger.db"
            path.parent.mkdir(parents=True)
            done = run(path, f"inject={call}:signal=KILL:when={number}")
            told = [line for line in done.stdout.splitlines(keepends=True) if line.endswith("\n")]
            killed += done.returncode != 0
            assert done.returncode in (0, -9, 137), done.stderr
            stored = check_whole(path, told)
            assert stored - len(told) in (0, 1)
            # The second try of everything completes the log.
            assert run(path, "").returncode == 0
            check_whole(path, told, EVENTS)
    assert killed >= (200 if slow else 7)


@pytest.mark.parametrize("error", ["EIO", "ENOSPC"])
def test_a_failed_call_is_told_and_a_second_try_is_recorded_once(
    tmp_path: Path, slow: bool, error: str
) -> None:
    failures = 0
    for call, numbers in places(slow).items():
        for number in numbers:
            path = tmp_path / f"{call}{number}" / "store" / "ledger.db"
            path.parent.mkdir(parents=True)
            done = run(path, f"inject={call}:error={error}:when={number}")
            assert done.returncode == 0, done.stderr
            failures += done.stdout.count("failed")
            check_whole(path, done.stdout.splitlines(), EVENTS)
    assert failures >= 3


@pytest.mark.parametrize("call", CALLS[:2])
def test_a_disk_that_stays_bad_acknowledges_nothing_more(tmp_path: Path, call: str) -> None:
    path = tmp_path / "case" / "store" / "ledger.db"
    path.parent.mkdir(parents=True)
    done = run(path, f"inject={call}:error=EIO:when=12+")
    assert "gave up" in done.stderr
    check_whole(path, done.stdout.splitlines())
