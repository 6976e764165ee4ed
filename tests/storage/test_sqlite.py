"""SQLite as DMM opens it: safe settings, whole transactions, errors in our own words."""

from __future__ import annotations

import contextlib
import os
import stat
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import apsw
import pytest

from dmm.errors import IndexBroken, IndexBusy, StorageError
from dmm.storage import sqlite

if TYPE_CHECKING:
    from collections.abc import Iterator

BROKEN = {apsw.NotADBError, apsw.CorruptError, apsw.SQLError}
BUSY = {apsw.BusyError, apsw.LockedError}


def all_errors(kind: type[apsw.Error]) -> list[type[apsw.Error]]:
    return [kind, *(found for child in kind.__subclasses__() for found in all_errors(child))]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "a.db"


@pytest.fixture
def database(path: Path) -> Iterator[apsw.Connection]:
    connection = sqlite.connect(path)
    connection.execute("CREATE TABLE notes (text TEXT) STRICT")
    yield connection
    connection.close()


def notes(connection: apsw.Connection) -> list[str]:
    return [str(row[0]) for row in connection.execute("SELECT text FROM notes")]


def test_a_connection_has_the_settings_that_are_relied_on(database: apsw.Connection) -> None:
    names = ("journal_mode", "synchronous", "foreign_keys", "trusted_schema", "busy_timeout")
    assert [database.pragma(name) for name in names] == ["wal", 1, 1, 0, 10_000]
    assert database.pragma("journal_size_limit") == 16 * 1024 * 1024


def test_the_sqlite_in_use_has_no_known_corruption_bug() -> None:
    assert tuple(map(int, sqlite.version().split("."))) >= (3, 51, 3)


@pytest.mark.parametrize("kind", all_errors(apsw.Error), ids=lambda kind: kind.__name__)
def test_every_error_of_sqlite_is_translated(kind: type[apsw.Error]) -> None:
    error = kind("reason")
    with pytest.raises(StorageError) as raised, sqlite.translated("a.db"):
        raise error
    wanted = IndexBroken if kind in BROKEN else IndexBusy if kind in BUSY else StorageError
    assert type(raised.value) is wanted
    assert raised.value.where == "a.db"
    assert raised.value.__cause__ is error


@pytest.mark.parametrize(
    ("error", "message", "hint"),
    [
        (
            apsw.CorruptError("malformed"),
            "a.db: damaged database: malformed",
            "delete the index folder; it is rebuilt from the files",
        ),
        (
            apsw.BusyError("locked"),
            "a.db: database locked: locked",
            "another process is writing; retry",
        ),
        (
            apsw.FullError("full"),
            "a.db: no space left for the database",
            "the disk is full: free some space and retry",
        ),
        (
            apsw.ReadOnlyError("read-only"),
            "a.db: database can't be written: read-only",
            "check the owner and permissions of the folder",
        ),
        (
            apsw.SQLError("no such table: files"),
            "a.db: damaged database: no such table: files",
            "delete the index folder; it is rebuilt from the files",
        ),
        (apsw.IOError("disk I/O error"), "a.db: database error: disk I/O error", None),
    ],
)
def test_a_translated_error_says_what_where_and_the_way_out(
    error: apsw.Error, message: str, hint: str | None
) -> None:
    with pytest.raises(StorageError) as raised, sqlite.translated("a.db"):
        raise error
    assert (str(raised.value), raised.value.hint) == (message, hint)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    disk = tmp_path / "disk"
    disk.mkdir()
    options = ["-t", "tmpfs", "-o", "size=256k", "tmpfs", str(disk)]
    done = subprocess.run(["mount", *options], capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"no disk can be mounted here: {done.stderr.strip()}")
    yield disk
    subprocess.run(["umount", str(disk)], check=True)


def test_a_disk_that_is_full_before_a_database_is_opened_is_told_as_full(small_disk: Path) -> None:
    path = small_disk / "a.db"
    first = sqlite.connect(path)
    first.execute("CREATE TABLE notes (text TEXT)")
    first.close()
    with (small_disk / "fill").open("wb", buffering=0) as fill, contextlib.suppress(OSError):
        while fill.write(bytes(4096)):
            pass
    with pytest.raises(StorageError) as raised, sqlite.translated(str(path)):
        sqlite.connect(path).execute("SELECT * FROM notes").fetchall()
    assert (raised.value.what, raised.value.hint) == ("no space left for the database", sqlite.FULL)


def test_a_transaction_is_kept_whole(database: apsw.Connection, path: Path) -> None:
    with sqlite.transaction(database, "a.db") as cursor:
        cursor.execute("INSERT INTO notes VALUES ('one')")
        cursor.execute("INSERT INTO notes VALUES ('two')")
    other = sqlite.connect(path)
    assert notes(other) == ["one", "two"]
    other.close()


def test_a_transaction_can_be_entered_again(database: apsw.Connection) -> None:
    held = sqlite.transaction(database, "a.db")

    def write(text: str) -> None:
        with held as cursor:
            cursor.execute("INSERT INTO notes VALUES (?)", (text,))
            if text == "lost":
                raise ValueError(text)

    write("one")
    with pytest.raises(ValueError, match="lost"):
        write("lost")
    write("two")
    assert notes(database) == ["one", "two"]


def test_a_closed_database_begins_no_transaction(database: apsw.Connection) -> None:
    held = sqlite.transaction(database, "a.db")
    database.close()
    with pytest.raises(StorageError, match="database error"), held:
        pytest.fail("it is closed")
    with pytest.raises(StorageError, match="database error"):
        sqlite.transaction(database, "a.db")


@pytest.mark.parametrize("error", [ValueError("inside"), KeyboardInterrupt("inside")])
def test_a_transaction_that_fails_leaves_nothing(
    database: apsw.Connection, error: BaseException
) -> None:
    def fail() -> None:
        with sqlite.transaction(database, "a.db") as cursor:
            cursor.execute("INSERT INTO notes VALUES ('one')")
            raise error

    with pytest.raises(type(error), match="inside"):
        fail()
    assert notes(database) == []
    with sqlite.transaction(database, "a.db") as cursor:
        cursor.execute("INSERT INTO notes VALUES ('two')")
    assert notes(database) == ["two"]


def test_a_transaction_that_can_not_be_committed_is_rolled_back(
    database: apsw.Connection,
) -> None:
    database.execute("CREATE TABLE parents (id INTEGER PRIMARY KEY)")
    database.execute(
        "CREATE TABLE children (id INTEGER REFERENCES parents DEFERRABLE INITIALLY DEFERRED)"
    )
    with pytest.raises(StorageError), sqlite.transaction(database, "a.db") as cursor:
        cursor.execute("INSERT INTO children VALUES (1)")
    assert not database.in_transaction
    with sqlite.transaction(database, "a.db") as cursor:
        cursor.execute("INSERT INTO notes VALUES ('after')")
    assert notes(database) == ["after"]


def test_a_transaction_without_room_is_rolled_back_and_says_so(database: apsw.Connection) -> None:
    pages = int(str(database.pragma("page_count")))
    database.pragma("max_page_count", pages + 2)
    with pytest.raises(StorageError) as raised, sqlite.transaction(database, "a.db") as cursor:
        cursor.execute("INSERT INTO notes VALUES (?)", ("x" * 100_000,))
    assert str(raised.value) == "a.db: no space left for the database"
    assert not database.in_transaction
    assert notes(database) == []


def test_a_second_writer_waits_and_is_then_told(database: apsw.Connection, path: Path) -> None:
    other = sqlite.connect(path)
    other.set_busy_timeout(1)
    with (
        sqlite.transaction(database, "a.db"),
        pytest.raises(IndexBusy) as raised,
        sqlite.transaction(other, "a.db"),
    ):
        pytest.fail("two writers at once")
    assert str(raised.value) == "a.db: database locked: database is locked"
    with sqlite.transaction(other, "a.db") as cursor:
        cursor.execute("INSERT INTO notes VALUES ('free again')")
    other.close()


def open_files() -> set[str]:
    return {str(file.resolve()) for file in Path("/proc/self/fd").iterdir()}


def test_a_file_that_is_no_database_is_broken_and_left_closed(path: Path) -> None:
    path.write_bytes(b"not a database at all, but long enough to be looked at" * 100)
    with pytest.raises(IndexBroken) as raised:
        sqlite.connect(path)
    assert str(raised.value) == f"{path}: damaged database: file is not a database"
    assert not [name for name in open_files() if name.startswith(str(path))]


def test_a_database_opened_for_reading_can_not_be_written(
    database: apsw.Connection, path: Path
) -> None:
    database.execute("INSERT INTO notes VALUES ('one')")
    database.close()
    reader = sqlite.connect_read_only(path)
    assert notes(reader) == ["one"]
    with pytest.raises(StorageError, match="database can't be written"), sqlite.translated("a.db"):
        reader.execute("INSERT INTO notes VALUES ('two')")
    reader.close()


def test_a_database_that_is_not_there_can_not_be_read(path: Path) -> None:
    with pytest.raises(StorageError, match="unable to open database file"):
        sqlite.connect_read_only(path)
    assert not path.exists()


def test_a_database_in_memory_leaves_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    connection = sqlite.connect(None)
    connection.execute("CREATE TABLE notes (text TEXT)")
    connection.close()
    assert list(tmp_path.iterdir()) == []


@pytest.fixture(params=[0o022, 0o000])
def umask(request: pytest.FixtureRequest) -> Iterator[None]:
    before = os.umask(request.param)
    yield
    os.umask(before)


def modes(folder: Path) -> dict[str, int]:
    return {file.name: stat.S_IMODE(file.stat().st_mode) for file in folder.iterdir()}


@pytest.mark.usefixtures("umask")
@pytest.mark.parametrize("durable", [False, True])
def test_a_database_and_its_logs_are_for_this_user_alone(path: Path, durable: bool) -> None:
    connection = sqlite.connect(path, durable=durable)
    connection.execute("CREATE TABLE notes (text TEXT) STRICT")
    assert modes(path.parent) == {"a.db": 0o600, "a.db-wal": 0o600, "a.db-shm": 0o600}
    sqlite.copy(connection, path.with_name("copy.db"))
    assert modes(path.parent)["copy.db"] == 0o600
    connection.close()


def test_a_database_that_others_could_read_is_closed_to_them_when_it_is_opened(
    database: apsw.Connection, path: Path
) -> None:
    database.execute("INSERT INTO notes VALUES ('kept')")
    for name in ("a.db", "a.db-wal", "a.db-shm"):
        path.with_name(name).chmod(0o644)
    other = sqlite.connect(path)
    assert set(modes(path.parent).values()) == {0o600}
    assert notes(other) == ["kept"]
    other.close()


@pytest.mark.parametrize("kind", ["pipe", "folder"])
@pytest.mark.parametrize("name", ["a.db", "a.db-wal", "a.db-shm", "a.db-journal"])
def test_what_is_no_regular_file_is_refused_and_never_waited_for(
    path: Path, name: str, kind: str
) -> None:
    odd = path.with_name(name)
    os.mkfifo(odd) if kind == "pipe" else odd.mkdir()
    with pytest.raises(StorageError) as raised:
        sqlite.connect(path)
    assert str(raised.value) == f"{odd}: not a regular file, so not a database"
    if name == "a.db":
        with pytest.raises(StorageError, match="not a regular file"):
            sqlite.connect_read_only(path)
