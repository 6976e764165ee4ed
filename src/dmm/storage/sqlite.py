"""SQLite connections with the settings DMM relies on, and its errors in our own words."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

import apsw

from dmm.errors import IndexBroken, IndexBusy, StorageError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

BUSY_TIMEOUT_MS = 10_000
MEMORY = ":memory:"


@contextlib.contextmanager
def translated(where: str) -> Iterator[None]:
    """Translate SQLite's errors; the only place that knows them."""
    try:
        yield
    except (apsw.NotADBError, apsw.CorruptError, apsw.SQLError, UnicodeDecodeError) as error:
        # SQLError: our statements are fixed, so it is the tables that are not as we made them.
        hint = "delete the index folder; it is built again from the files"
        raise IndexBroken(f"damaged database: {error}", where=where, hint=hint) from error
    except (apsw.BusyError, apsw.LockedError) as error:
        hint = "another process is writing; run the command again"
        raise IndexBusy(f"database locked: {error}", where=where, hint=hint) from error
    except apsw.FullError as error:
        hint = "the disk is full: free some space and run the command again"
        raise StorageError("no room left for the database", where=where, hint=hint) from error
    except (apsw.ReadOnlyError, apsw.CantOpenError, apsw.PermissionsError) as error:
        hint = "check the owner and permissions of the folder"
        raise StorageError(f"database can't be written: {error}", where=where, hint=hint) from error
    except apsw.Error as error:
        raise StorageError(f"database error: {error}", where=where) from error


def connect(path: Path | None) -> apsw.Connection:
    """Open a database for reading and writing; None opens one that lives in memory."""
    name = MEMORY if path is None else str(path)
    with translated(name):
        connection = apsw.Connection(name)
        try:
            _set_up(connection)
        except apsw.Error:
            connection.close()
            raise
        return connection


def _set_up(connection: apsw.Connection) -> None:
    connection.set_busy_timeout(BUSY_TIMEOUT_MS)
    for pragma in ("journal_mode=WAL", "synchronous=NORMAL", "foreign_keys=ON"):
        connection.pragma(*pragma.split("="))
    connection.pragma("trusted_schema", "OFF")
    connection.pragma("journal_size_limit", 16 * 1024 * 1024)


def connect_read_only(path: Path) -> apsw.Connection:
    """Open a database in a folder that can't be written: no lock, no log beside it."""
    with translated(str(path)):
        uri = f"{path.absolute().as_uri()}?immutable=1"
        return apsw.Connection(uri, flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI)


@contextlib.contextmanager
def transaction(connection: apsw.Connection, where: str) -> Iterator[apsw.Cursor]:
    """Run a block as one immediate transaction: all of it or nothing."""
    with translated(where):
        cursor = connection.cursor()
        cursor.execute("BEGIN IMMEDIATE")
        try:
            yield cursor
            cursor.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                cursor.execute("ROLLBACK")
            raise


def version() -> str:
    """The version of SQLite in use."""
    return apsw.sqlite_lib_version()
