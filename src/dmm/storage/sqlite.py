"""SQLite connections with the settings DMM relies on, and mapped errors."""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import time
from typing import TYPE_CHECKING

import apsw

from dmm.errors import IndexBroken, IndexBusy, StorageError
from dmm.private import make_private_file, tighten

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

BUSY_TIMEOUT_MS = 10_000
SMALL_CACHE_KB = 256
MEMORY = ":memory:"
LOGS = ("-wal", "-shm", "-journal")
SHARED_BYTES = 32_768
FULL = "the disk is full: free some space and retry"


def translate(error: BaseException, where: str) -> StorageError | None:
    """Translate an error of SQLite; the only place that knows them."""
    return _tell(error, where) if isinstance(error, _TOLD) else None


def _tell(error: Exception, where: str) -> StorageError:
    if isinstance(error, _DAMAGED):
        hint = "delete the index folder; it is rebuilt from the files"
        return IndexBroken(f"damaged database: {error}", where=where, hint=hint)
    if isinstance(error, apsw.BusyError | apsw.LockedError):
        hint = "another process is writing; retry"
        return IndexBusy(f"database locked: {error}", where=where, hint=hint)
    # The file that readers share is made before any page, and fails as any input or output does.
    if isinstance(error, apsw.FullError) or (isinstance(error, apsw.IOError) and is_full(where)):
        return StorageError("no space left for the database", where=where, hint=FULL)
    if isinstance(error, apsw.ReadOnlyError | apsw.CantOpenError | apsw.PermissionsError):
        hint = "check the owner and permissions of the folder"
        return StorageError(f"database can't be written: {error}", where=where, hint=hint)
    return StorageError(f"database error: {error}", where=where)


def is_full(where: str) -> bool:
    """Return whether the disk that a database lies on has no room for the file readers share."""
    from pathlib import Path

    with contextlib.suppress(OSError):
        return shutil.disk_usage(Path(where).parent).free < SHARED_BYTES
    return False


_TOLD = (apsw.Error, UnicodeDecodeError)
# SQLError: our statements are fixed, so it is the tables that are not as we made them.
_DAMAGED = (apsw.NotADBError, apsw.CorruptError, apsw.SQLError, UnicodeDecodeError)


# Blocks are classes here: as generators, nested as they are, they were a fifth of an append's CPU.
class _Translated:
    __slots__ = ("_where",)

    def __init__(self, where: str) -> None:
        self._where = where

    def __enter__(self) -> None:
        pass

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        told = None if error is None else translate(error, self._where)
        if told is not None:
            raise told from error


def translated(where: str) -> _Translated:
    """Translate SQLite's errors within a block."""
    return _Translated(where)


class Transaction:
    """A block that is one immediate transaction; it can be entered again when it is over."""

    __slots__ = ("_connection", "_cursor", "_where")

    def __init__(self, connection: apsw.Connection, where: str) -> None:
        self._connection = connection
        self._cursor = connection.cursor()
        self._where = where

    def __enter__(self) -> apsw.Cursor:
        try:
            self._cursor.execute("BEGIN IMMEDIATE")
        except _TOLD as error:
            raise _tell(error, self._where) from error
        return self._cursor

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        try:
            if error is None:
                self._commit()
                return
            self._roll_back()
        except _TOLD as fault:
            raise _tell(fault, self._where) from fault
        told = translate(error, self._where)
        if told is not None:
            raise told from error

    def _commit(self) -> None:
        try:
            self._cursor.execute("COMMIT")
        except BaseException:
            self._roll_back()
            raise

    def _roll_back(self) -> None:
        if self._connection.in_transaction:
            self._cursor.execute("ROLLBACK")


def transaction(connection: apsw.Connection, where: str) -> Transaction:
    """Run a block as one immediate transaction: all of it or nothing."""
    with translated(where):
        return Transaction(connection, where)


def connect(path: Path | None, *, durable: bool = False) -> apsw.Connection:
    """Open a database for reading and writing; None opens one that lives in memory.

    Durable means that a commit survives a power cut; a derived database needs no more than to
    survive a crash. A file is for this user alone, with its logs.
    """
    name = MEMORY if path is None else str(path)
    if path is not None:
        for file in (path, *find_logs(path)):
            _refuse_irregular(file)
        _make_private(path)
    with translated(name):
        connection = apsw.Connection(name)
        try:
            _set_up(connection, durable=durable)
        except apsw.Error:
            connection.close()
            raise
        return connection


def find_logs(path: Path) -> list[Path]:
    """Name the files beside a database that are part of it; those that are there."""
    logs = (path.with_name(path.name + suffix) for suffix in LOGS)
    return [log for log in logs if os.path.lexists(log)]


def _refuse_irregular(path: Path) -> None:
    """Refuse anything but a regular file: a pipe or device could block."""
    try:
        mode = path.stat().st_mode
    except OSError:
        # Not there, or not to be looked at: SQLite says what it makes of that.
        return
    if not stat.S_ISREG(mode):
        what = "not a regular file, so not a database"
        raise StorageError(what, where=str(path), hint="remove it")


def _make_private(path: Path) -> None:
    try:
        make_private_file(path)
        for log in find_logs(path):
            tighten(log)
    except OSError:
        # A folder that can't be written, or a log that is just removed: SQLite says the rest.
        return


def _set_up(connection: apsw.Connection, *, durable: bool) -> None:
    connection.set_busy_timeout(BUSY_TIMEOUT_MS)
    _enter_wal(connection)
    connection.pragma("synchronous", "FULL" if durable else "NORMAL")
    connection.pragma("foreign_keys", "ON")
    kept = (connection.pragma("journal_mode"), connection.pragma("synchronous")) == ("wal", 2)
    if durable and not kept:
        raise apsw.CantOpenError("the database does not persist acknowledged writes")
    if not durable:
        # Derived data is read whole, once; 2 MB of cache for each file are held for nothing.
        connection.pragma("cache_size", -SMALL_CACHE_KB)
    connection.pragma("trusted_schema", "OFF")
    connection.pragma("journal_size_limit", 16 * 1024 * 1024)


def _enter_wal(connection: apsw.Connection) -> None:
    """Switch to the write-ahead log; unlike others, this statement does not wait by itself."""
    deadline = time.monotonic() + BUSY_TIMEOUT_MS / 1_000
    while True:
        try:
            connection.pragma("journal_mode", "WAL")
        except apsw.BusyError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.005)
        else:
            return


def connect_read_only(path: Path) -> apsw.Connection:
    """Open a database in a folder that can't be written: no lock, no log beside it."""
    _refuse_irregular(path)
    with translated(str(path)):
        uri = f"{path.absolute().as_uri()}?immutable=1"
        return apsw.Connection(uri, flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI)


@contextlib.contextmanager
def impatient(connection: apsw.Connection) -> Iterator[None]:
    """Do not wait for other writers within the block."""
    connection.set_busy_timeout(0)
    try:
        yield
    finally:
        connection.set_busy_timeout(BUSY_TIMEOUT_MS)


def copy(connection: apsw.Connection, target: Path) -> None:
    """Copy a database as it is now to a new file, while other processes may write to it.

    It is done in one step: in several, every write in between would start it again.
    """
    with (
        contextlib.closing(connect(target, durable=True)) as other,
        translated(str(target)),
        other.backup("main", connection, "main") as backup,
    ):
        while not backup.done:
            backup.step()


def erase_freed(connection: apsw.Connection, where: str) -> None:
    """Write the database anew, so that no byte of what was deleted is left in its files."""
    with translated(where):
        connection.execute("VACUUM")
        busy, *_ = next(connection.execute("PRAGMA wal_checkpoint(TRUNCATE)"))
    if busy:
        hint = "another process is reading; retry to erase the old bytes"
        raise IndexBusy("deleted bytes are still in the file", where=where, hint=hint)


def version() -> str:
    """The version of SQLite in use."""
    return apsw.sqlite_lib_version()
