"""The ledger file: private, with exactly DMM's tables."""

from __future__ import annotations

import contextlib
import os
from functools import cache
from typing import TYPE_CHECKING

from dmm.errors import IndexBroken, LedgerBroken
from dmm.eventlog import tables
from dmm.eventlog.chain import GENESIS, link
from dmm.eventlog.place import stands
from dmm.files.durable import translated
from dmm.storage import sqlite

if TYPE_CHECKING:
    from pathlib import Path

    import apsw

_RESTORE = "restore the last backup: dmm ledger restore; without one, start a new ledger: dmm trust"
PRIVATE = 0o600
PRIVATE_FOLDER = 0o700


class Guarded:
    """Tells damage as what it is here: an index can be built again, a ledger can't."""

    __slots__ = ("_ledger", "_where")

    def __init__(self, where: str, *, ledger: str | None = None) -> None:
        self._where = where
        self._ledger = ledger or where

    def __enter__(self) -> None:
        pass

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        if error is None:
            return
        told = sqlite.translate(error, self._where) or error
        if isinstance(told, IndexBroken) and told.where == self._where:
            raise LedgerBroken(told.what, where=self._ledger, hint=_RESTORE) from error
        if told is not error:
            raise told from error


def is_sealed(path: Path) -> bool:
    """Whether a ledger can only be read: its place can't be written, and no log stands beside it.

    What such a log holds could not be read along, so with one the ledger is not whole.
    """
    return (
        stands(path)
        and path.is_file()
        and not (os.access(path, os.W_OK) and os.access(path.parent, os.W_OK))
        and not has_log(path)
    )


def has_log(path: Path) -> bool:
    """Whether a log stands beside a ledger that holds events which are not in the file yet."""
    beside = path.with_name(f"{path.name}-wal")
    return stands(beside) and bool(beside.stat().st_size)


@cache
def list_made() -> frozenset[tuple[str, str, str | None]]:
    """Return what stands in a ledger file, whole or moved."""
    with contextlib.closing(sqlite.connect(None)) as connection:
        connection.execute(tables.SCHEMA + tables.MOVED)
        return frozenset(connection.execute(tables.MADE))


def has_own_tables(connection: apsw.Connection) -> bool:
    """Return whether a file holds what dmm made and nothing else: a view may never end."""
    return not set(connection.execute(tables.MADE)) - list_made()


def make_private(path: Path) -> None:
    """Make the file private; SQLite gives its companion files the same mode."""
    with translated(path, "make the file"):
        try:
            # Made before anybody has it open: closing it later would drop SQLite's locks.
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, PRIVATE))
        except FileExistsError:
            if path.is_file() and os.access(path, os.W_OK) and path.stat().st_mode & 0o077:
                path.chmod(PRIVATE)


def first_of(connection: apsw.Connection) -> str | None:
    """Identify a ledger by its first event, hashed anew; None where there is none yet."""
    row = next(connection.execute(tables.FIRST), None)
    return None if row is None else link(GENESIS, row)
