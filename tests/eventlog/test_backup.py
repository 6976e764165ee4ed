"""Backups: a whole copy under its name, or none."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from dmm.errors import LedgerBroken, LedgerRefused, StorageError
from dmm.eventlog.log import EventLog
from dmm.eventlog.replay import replay
from dmm.eventlog.verify import verify

if TYPE_CHECKING:
    from pathlib import Path

    from tests.eventlog.conftest import Drafts


def names(folder: Path) -> list[str]:
    return sorted(file.name for file in folder.iterdir())


def test_a_backup_is_a_ledger_of_its_own(log: EventLog, draft: Drafts, tmp_path: Path) -> None:
    log.append([draft.fact("a", "x"), draft()])
    head = log.backup(tmp_path / "copy.db")
    log.append([draft()])
    copy = EventLog.open(tmp_path / "copy.db")
    assert copy.head() == head
    assert list(copy.events()) == list(log.events(to=2))
    assert replay(copy, 2).hash() == replay(log, 2).hash()
    copy.append([draft(text="its own way")])
    assert verify(copy.raw()).valid
    copy.close()
    assert names(tmp_path) == ["copy.db", "store"]


def test_a_log_in_memory_can_be_kept_as_a_file(draft: Drafts, tmp_path: Path) -> None:
    log = EventLog.in_memory()
    log.append([draft()])
    assert log.backup(tmp_path / "copy.db") == log.head()
    copy = EventLog.open(tmp_path / "copy.db")
    assert list(copy.events()) == list(log.events())
    copy.close()


def test_a_file_that_is_there_is_not_written_over(log: EventLog, tmp_path: Path) -> None:
    (tmp_path / "copy.db").write_text("precious")
    with pytest.raises(LedgerRefused, match="the file already exists"):
        log.backup(tmp_path / "copy.db")
    assert (tmp_path / "copy.db").read_text() == "precious"


def test_a_damaged_ledger_makes_no_backup(path: Path, draft: Drafts, tmp_path: Path) -> None:
    log = EventLog.open(path)
    log.append([draft(text="x" * 500) for _ in range(100)])
    log.close()
    data = bytearray(path.read_bytes())
    data[8192:-8192] = b"\xff" * (len(data) - 16_384)
    path.write_bytes(data)
    log = EventLog.open(path)
    with pytest.raises(LedgerBroken):
        log.backup(tmp_path / "copy.db")
    log.close()
    assert names(tmp_path) == ["store"]


def test_a_folder_that_is_not_there_is_told(log: EventLog, tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="No such file or directory"):
        log.backup(tmp_path / "nowhere" / "copy.db")
