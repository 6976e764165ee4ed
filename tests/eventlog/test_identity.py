"""Which ledger a file holds: the one that was written here, or another in its place."""

from __future__ import annotations

import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import apsw
import pytest

from dmm.domain.event import Draft, EventType
from dmm.errors import LedgerRefused, StorageError
from dmm.eventlog.identity import open_own, peek
from dmm.eventlog.log import EventLog
from dmm.eventlog.mark import HighWaterMark

if TYPE_CHECKING:
    from dmm.eventlog.seal import Seal


@dataclass
class Noted:
    """A record that lives as long as the test."""

    kept: tuple[str, bool] | None = None
    fails: bool = False
    folder: Path | None = None

    def note(self, first: str, *, settled: bool) -> None:
        if self.fails:
            raise StorageError("no room")
        self.kept = (first, settled)

    def mark(self, first: str) -> HighWaterMark:
        return HighWaterMark((self.folder or Path("/nonexistent")) / "marks" / first, first)

    def seal(self) -> Seal | None:
        return None


def draft(text: str) -> Draft:
    at = "2026-01-31T12:00:00.000+00:00"
    return Draft(EventType.USER_MESSAGE_RECEIVED, {"text": text}, id=f"id-{text}", at=at)


def write(path: Path, *texts: str, record: Noted | None = None) -> str:
    log = EventLog.open(path) if record is None else open_own(path, record)
    try:
        for text in texts:
            log.append([draft(text)])
        return log.first() or ""
    finally:
        log.close()


def noted(record: Noted) -> bool:
    return record.kept is not None


def refusal(path: Path, record: Noted) -> str:
    with pytest.raises(LedgerRefused) as refused:
        open_own(path, record)
    assert refused.value.where == str(path)
    assert "dmm trust" in (refused.value.hint or "")
    return refused.value.what


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "ledger.db"


def test_a_ledger_is_noted_when_its_first_event_is_written(path: Path) -> None:
    record = Noted()
    write(path, record=record)
    assert not noted(record)
    first = write(path, "one", "two", record=record)
    assert record.kept == (first, True)
    assert write(path, "three", record=record) == first


def test_a_decision_in_one_transaction_begins_a_ledger_too(path: Path) -> None:
    record = Noted()
    log = open_own(path, record)
    with log.writing() as writer:
        writer.append(draft("one"))
        assert not noted(record)
    assert record.kept == (log.first(), True)
    log.close()


def test_another_ledger_in_its_place_is_refused_and_stays_as_it_is(
    path: Path, tmp_path: Path
) -> None:
    record = Noted()
    write(path, "mine", record=record)
    write(tmp_path / "other.db", "yours")
    path.unlink()
    shutil.copy(tmp_path / "other.db", path)
    before = path.read_bytes()
    assert refusal(path, record) == ("another ledger has replaced the one that was written here")
    assert path.read_bytes() == before


def test_a_ledger_that_came_where_none_was_written_is_refused(path: Path) -> None:
    write(path, "yours")
    assert refusal(path, Noted()) == (
        "this ledger was not written here; it came with a branch or an archive"
    )


def test_an_empty_ledger_in_its_place_is_refused(path: Path) -> None:
    record = Noted()
    write(path, "mine", record=record)
    path.unlink()
    write(path)
    assert refusal(path, record).startswith("the ledger is empty")


def test_a_ledger_that_is_gone_is_not_begun_anew(path: Path) -> None:
    record = Noted()
    write(path, "mine", record=record)
    path.unlink()
    assert refusal(path, record) == "the ledger that was written here is missing"
    assert not path.exists()


def test_a_backup_that_is_put_back_is_the_ledger_again(path: Path, tmp_path: Path) -> None:
    record = Noted()
    write(path, "mine", record=record)
    log = open_own(path, record)
    log.backup(tmp_path / "copy.db")
    log.close()
    path.unlink()
    shutil.copy(tmp_path / "copy.db", path)
    write(path, "more", record=record)


def test_a_hash_that_is_only_written_there_deceives_nobody(path: Path) -> None:
    record = Noted()
    known = write(path, "mine", record=record)
    path.unlink()
    write(path, "yours")
    connection = apsw.Connection(str(path))
    connection.execute("DROP TRIGGER events_are_never_changed")
    connection.execute("UPDATE events SET hash = ? WHERE seq = 1", (known,))
    connection.close()
    assert refusal(path, record).startswith("another ledger has replaced")


def test_the_log_of_the_ledger_that_was_replaced_does_not_speak_for_the_other(
    path: Path, tmp_path: Path
) -> None:
    record = Noted()
    write(tmp_path / "other.db", "yours")
    held = open_own(path, record)
    held.append([draft("mine")])
    assert path.with_name("ledger.db-wal").stat().st_size
    path.unlink()
    shutil.copy(tmp_path / "other.db", path)
    assert refusal(path, record).startswith("another ledger has replaced")
    held.close()


def test_a_crash_before_the_first_commit_costs_nothing(path: Path) -> None:
    record = Noted(("0" * 64, False))
    first = write(path, "one", record=record)
    assert record.kept == (first, True)
    record.kept = (first, False)
    assert write(path, record=record) == first
    assert record.kept == (first, True)


def test_a_first_event_that_can_not_be_noted_is_not_kept(path: Path) -> None:
    log = open_own(path, Noted(fails=True))
    with pytest.raises(StorageError, match="no room"):
        log.append([draft("one")])
    assert log.head().seq == 0
    log.close()


def test_a_look_at_a_ledger_leaves_the_locks_of_this_process_alone(path: Path) -> None:
    write(path, "mine")
    log = EventLog.open(path)
    script = (
        "import sys, apsw\n"
        "connection = apsw.Connection(sys.argv[1])\n"
        "connection.set_busy_timeout(0)\n"
        "try:\n    connection.execute('BEGIN IMMEDIATE')\n"
        "except apsw.BusyError:\n    print('locked')\n"
    )
    with log.writing():
        assert peek(path) == log.first()
        line = [sys.executable, "-c", script, str(path)]
        told = subprocess.run(line, capture_output=True, text=True, check=True)
    log.close()
    assert told.stdout == "locked\n"


def test_an_event_that_another_process_appends_meanwhile_takes_nothing_away(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = Noted(folder=tmp_path)
    write(path, "one", record=record)
    other = EventLog.open(path)
    reads = 0

    def append_before(_: object, statement: str, __: object) -> bool:
        nonlocal reads
        if statement.lstrip().startswith("SELECT"):
            reads += 1
            other.append([draft(f"meanwhile-{reads}")])
        return True

    def trace(connection: apsw.Connection) -> None:
        connection.exec_trace = append_before

    monkeypatch.setattr(apsw, "connection_hooks", [*apsw.connection_hooks, trace])
    open_own(path, record).close()
    assert reads > 3
    assert other.head().seq == reads + 1
    other.close()


@pytest.mark.parametrize("data", [b"", b"no database", b"SQLite format 3\0" + b"\xff" * 4096])
def test_a_file_that_is_no_ledger_has_no_identity(path: Path, data: bytes) -> None:
    path.write_bytes(data)
    assert peek(path) is None
    path.unlink()
    path.symlink_to("elsewhere")
    assert peek(path) is None
