"""Move a ledger from where an earlier version kept it.

Whoever is killed on the way leaves either place whole: the old file first stops taking events,
then it is copied, checked and put in place, and at last it is set aside as a rescue copy.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from dmm.eventlog import tables
from dmm.eventlog.file import PRIVATE, PRIVATE_FOLDER
from dmm.eventlog.log import EventLog
from dmm.eventlog.place import stands
from dmm.files.durable import make_folder, sync_directory, translated
from dmm.files.lock import exclusive
from dmm.storage import sqlite

if TYPE_CHECKING:
    from pathlib import Path

ASIDE = ".moved"
LOGS = ("-wal", "-shm")
PATIENCE = 30.0


def move_ledger(old: Path, new: Path) -> None:
    """Move a ledger; where another process has just done so, nothing is left to do."""
    make_folder(new.parent, mode=PRIVATE_FOLDER)
    lock = new.with_name(f"{new.name}.lock")
    with exclusive(lock, what="another process is moving the ledger", patience=PATIENCE):
        if stands(new) or not stands(old):
            return
        _stop_writing(old)
        with contextlib.closing(EventLog.open(old)) as log:
            log.backup(new)
        _set_aside(old)


def _stop_writing(old: Path) -> None:
    """Make the old file refuse events, also from a process that has it open."""
    with contextlib.closing(sqlite.connect(old, durable=True)) as connection:
        with sqlite.transaction(connection, str(old)) as cursor:
            cursor.execute(tables.MOVED)
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _set_aside(old: Path) -> None:
    with translated(old, "set the old ledger aside"):
        aside = old.with_name(old.name + ASIDE)
        aside.unlink(missing_ok=True)
        old.chmod(PRIVATE)
        old.rename(aside)
        for end in LOGS:
            old.with_name(old.name + end).unlink(missing_ok=True)
        sync_directory(old.parent)
