"""Blanking: a leaked secret leaves every file of the store, and the chain still holds."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from dmm.errors import IndexBusy, LedgerRefused
from dmm.eventlog import replay as replaying
from dmm.eventlog.log import EventLog
from dmm.eventlog.replay import replay
from dmm.eventlog.state import CODE
from dmm.eventlog.verify import verify

if TYPE_CHECKING:
    from pathlib import Path

    from tests.eventlog.conftest import Drafts

SECRET = "sk-live-9f8e7d6c5b4a39281706"
SEARCH = """
import sys
from pathlib import Path
secret = sys.argv[2].encode()
for file in sorted(Path(sys.argv[1]).rglob("*")):
    if secret in file.read_bytes():
        print(file.name)
"""


def holding(path: Path) -> list[str]:
    """Name the files that hold the secret; from outside, for a read would drop SQLite's locks."""
    command = [sys.executable, "-c", SEARCH, str(path.parent), SECRET]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return done.stdout.split()


@pytest.fixture
def short_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replaying, "EVERY", 8)


def fill(log: EventLog, draft: Drafts, long: str = "") -> None:
    log.append([draft(text=f"before {n} " + "x" * 300) for n in range(30)])
    log.append([draft.fact("token", SECRET + long)])
    log.append([draft(text=f"after {n} " + "x" * 300) for n in range(30)])


@pytest.mark.parametrize("long", ["", "y" * 50_000], ids=["in a page", "over many pages"])
@pytest.mark.usefixtures("short_steps")
def test_no_file_holds_a_blanked_secret(path: Path, draft: Drafts, long: str) -> None:
    log = EventLog.open(path)
    fill(log, draft, long)
    assert replay(log, 61).facts["token"].value == SECRET + long
    assert holding(path)
    log.blank(31, draft.redaction(31))
    assert holding(path) == []
    assert {file.name for file in path.parent.iterdir()} > {"ledger.db"}
    result = verify(log.raw())
    assert (result.valid, result.events, result.blanked) == (True, 62, 1)
    assert replay(log, 62).facts == {}
    assert holding(path) == []
    log.close()
    assert holding(path) == []


def test_no_file_holds_a_secret_whose_neighbours_were_blanked_before(
    path: Path, draft: Drafts
) -> None:
    log = EventLog.open(path)
    fill(log, draft)
    for seq in (*range(25, 31), *range(32, 38), 31):
        log.blank(seq, draft.redaction(seq))
    assert holding(path) == []
    assert verify(log.raw()).blanked == 13
    log.close()


@pytest.mark.usefixtures("short_steps")
def test_snapshots_that_may_hold_the_payload_are_dropped_and_the_others_stay(
    log: EventLog, draft: Drafts
) -> None:
    fill(log, draft)
    replay(log, 61)
    assert [seq for seq, _ in log.snapshots(CODE)] == [8, 16, 24, 32, 40, 48, 56]
    log.blank(31, draft.redaction(31))
    assert [seq for seq, _ in log.snapshots(CODE)] == [8, 16, 24]


@pytest.mark.usefixtures("short_steps")
def test_a_state_from_before_the_blanking_is_neither_used_nor_kept(
    log: EventLog, path: Path, draft: Drafts
) -> None:
    fill(log, draft)
    old = replay(log, 40, keep=False)
    late = log.last_redaction()
    log.blank(31, draft.redaction(31))
    assert replay(log, 61, start=old, keep=False).facts == {}
    log.keep_snapshots([(40, SECRET.encode())], CODE, late)
    assert 40 not in dict(log.snapshots(CODE))
    assert holding(path) == []


def test_a_second_try_after_a_crash_erases_the_bytes(path: Path, draft: Drafts) -> None:
    log = EventLog.open(path)
    fill(log, draft)
    # As if the process had died between the commit and the erasing.
    with log.writing() as writer:
        writer.blank(31, draft.redaction(31, known="once"))
    assert holding(path)
    log.blank(31, draft.redaction(31, known="once"))
    assert holding(path) == []
    assert log.head().seq == 62
    log.close()


def test_old_bytes_that_a_reader_still_needs_are_told(
    log: EventLog, path: Path, draft: Drafts
) -> None:
    fill(log, draft)
    other = EventLog.open(path)
    reading = other.events()
    next(reading)
    log._connection.set_busy_timeout(1)
    with pytest.raises(IndexBusy) as raised:
        log.blank(31, draft.redaction(31, known="once"))
    assert str(raised.value) == f"{path}: deleted bytes are still in the file"
    assert raised.value.hint is not None
    assert "retry" in raised.value.hint
    assert len(list(reading)) == 60
    log.blank(31, draft.redaction(31, known="once"))
    other.close()
    assert holding(path) == []
    assert log.head().seq == 62


def test_blanking_is_refused_without_its_record(log: EventLog, draft: Drafts) -> None:
    fill(log, draft)
    with pytest.raises(LedgerRefused, match="does not say that event 31 is blanked"):
        log.blank(31, draft.redaction(30))
    with pytest.raises(LedgerRefused, match="does not say that event 31 is blanked"):
        log.blank(31, draft(seq=31))
    with pytest.raises(LedgerRefused, match="there is no event 99"):
        log.blank(99, draft.redaction(99))
    assert log.head().seq == 61


def test_the_record_of_a_blanking_is_not_blanked(log: EventLog, draft: Drafts) -> None:
    fill(log, draft)
    log.blank(31, draft.redaction(31))
    with pytest.raises(LedgerRefused, match="it can't be blanked itself"):
        log.blank(62, draft.redaction(62))
    assert verify(log.raw()).valid
