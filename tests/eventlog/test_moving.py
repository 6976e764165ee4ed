"""A ledger of an earlier version is moved to its new place, once and without losing an event."""

from __future__ import annotations

import multiprocessing
from typing import TYPE_CHECKING

import apsw
import pytest

from dmm.errors import LedgerRefused, StorageError
from dmm.eventlog import moving
from dmm.eventlog.log import EventLog
from dmm.eventlog.moving import move_ledger
from dmm.eventlog.verify import verify

if TYPE_CHECKING:
    from pathlib import Path

    from tests.eventlog.conftest import Drafts


@pytest.fixture
def old(tmp_path: Path, draft: Drafts) -> Path:
    path = tmp_path / "work" / ".dmm" / "ledger.db"
    log = EventLog.open(path)
    log.append([draft(text=str(number)) for number in range(20)])
    log.close()
    path.chmod(0o644)
    return path


@pytest.fixture
def new(tmp_path: Path) -> Path:
    return tmp_path / "work" / ".git" / "dmm" / "ledger.db"


def read(path: Path) -> list[str]:
    log = EventLog.open(path)
    try:
        assert verify(log.raw()).valid
        return [event.get("text") for event in log.events()]
    finally:
        log.close()


ALL = [str(number) for number in range(20)]


def test_every_event_is_in_the_new_place_and_a_rescue_copy_in_the_old(
    old: Path, new: Path, draft: Drafts
) -> None:
    move_ledger(old, new)
    assert read(new) == ALL
    assert not old.exists()
    aside = old.with_name("ledger.db.moved")
    assert read(aside) == ALL
    for path in (new, aside):
        assert path.stat().st_mode & 0o777 == 0o600
    assert new.parent.stat().st_mode & 0o777 == 0o700
    log = EventLog.open(new)
    log.append([draft(text="and on")])
    log.close()
    move_ledger(old, new)
    assert read(new) == [*ALL, "and on"]


def test_a_process_that_still_has_the_old_file_open_writes_nothing_that_would_be_lost(
    old: Path, new: Path, draft: Drafts
) -> None:
    log = EventLog.open(old)
    log.append([draft(text="last")])
    move_ledger(old, new)
    with pytest.raises((StorageError, apsw.Error)):
        log.append([draft(text="too late")])
    log.close()
    assert read(new) == [*ALL, "last"]


@pytest.mark.parametrize("step", ["_stop_writing", "_set_aside"])
def test_whoever_is_killed_on_the_way_leaves_it_to_the_next(
    old: Path, new: Path, step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = getattr(moving, step)

    def die(path: Path) -> None:
        if step == "_stop_writing":
            real(path)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(moving, step, die)
        with pytest.raises(KeyboardInterrupt):
            move_ledger(old, new)
    move_ledger(old, new)
    assert read(new) == ALL


@pytest.mark.slow
def test_of_many_processes_one_moves_it(old: Path, new: Path) -> None:
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=move_ledger, args=(old, new)) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
        assert worker.exitcode == 0
    assert read(new) == ALL


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE VIEW more AS WITH RECURSIVE n(x) AS (VALUES(1) UNION ALL SELECT x FROM n)"
        " SELECT x FROM n",
        "DROP TABLE events; CREATE VIEW events AS WITH RECURSIVE n(x) AS"
        " (VALUES(1) UNION ALL SELECT x FROM n) SELECT x AS seq FROM n",
        "DROP TABLE events; CREATE TABLE events (seq, id, type)",
        "CREATE TRIGGER more AFTER INSERT ON events BEGIN DELETE FROM snapshots; END",
    ],
)
def test_a_file_with_other_tables_or_views_is_no_ledger(old: Path, statement: str) -> None:
    connection = apsw.Connection(str(old))
    connection.execute(statement)
    connection.close()
    with pytest.raises(LedgerRefused, match="the file is not a ledger"):
        EventLog.open(old)
