"""The team log on SQLite: one file, for a small team, a trial, or tests."""

from __future__ import annotations

import contextlib
import threading
from typing import TYPE_CHECKING

from dmm.storage.sqlite import connect, transaction, translated
from dmm.team.database import SCHEMA_VERSION, Database, group_columns
from dmm.team.migrations import STEPS, need_free, need_known, plan
from dmm.team.nearness import StoredVectors

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import apsw

    from dmm.team.database import Row, Rows, Vectors

TABLES = """
CREATE TABLE project (
    team_id TEXT NOT NULL, project_id TEXT NOT NULL,
    seq INTEGER NOT NULL, hash TEXT NOT NULL,
    PRIMARY KEY (team_id, project_id)
) STRICT;
CREATE TABLE writer (
    team_id TEXT NOT NULL, project_id TEXT NOT NULL, writer TEXT NOT NULL,
    key TEXT NOT NULL, role TEXT NOT NULL, name TEXT NOT NULL, token TEXT NOT NULL,
    wseq INTEGER NOT NULL, whash TEXT NOT NULL, revoked INTEGER NOT NULL,
    PRIMARY KEY (team_id, project_id, writer)
) STRICT;
CREATE TABLE invitation (
    team_id TEXT NOT NULL, token TEXT NOT NULL, project_id TEXT NOT NULL,
    role TEXT NOT NULL, expires TEXT NOT NULL, writer TEXT,
    PRIMARY KEY (team_id, token)
) STRICT;
CREATE TABLE event (
    team_id TEXT NOT NULL, project_id TEXT NOT NULL, seq INTEGER NOT NULL,
    writer TEXT NOT NULL, wseq INTEGER NOT NULL, id TEXT NOT NULL, type TEXT NOT NULL,
    at TEXT NOT NULL, salt TEXT NOT NULL, payload TEXT NOT NULL, whash TEXT NOT NULL,
    signature TEXT NOT NULL, hash TEXT NOT NULL,
    PRIMARY KEY (team_id, project_id, seq),
    UNIQUE (team_id, project_id, writer, wseq),
    UNIQUE (team_id, project_id, id)
) STRICT;
"""
COLUMNS = """
SELECT one.name, part.name FROM sqlite_schema AS one, pragma_table_info(one.name) AS part
WHERE one.type = 'table' ORDER BY one.name, part.cid
"""
ONLY_APPENDED = """
CREATE TRIGGER event_is_never_deleted BEFORE DELETE ON event
BEGIN SELECT RAISE(ABORT, 'events are never deleted'); END;
CREATE TRIGGER event_is_never_changed BEFORE UPDATE ON event
BEGIN SELECT RAISE(ABORT, 'events are never changed'); END;
"""


class SqliteDatabase(Database):
    """One file; one writer at a time, which a lock in this process also sees to."""

    vectors: Vectors = StoredVectors()

    def __init__(self, path: Path) -> None:
        self._path, self.where = path, str(path)
        self._connection = connect(path, durable=True)
        self._lock = threading.Lock()

    @contextlib.contextmanager
    def transaction(self, _team: str, /) -> Iterator[Rows]:
        """Begin a transaction; every statement names the team itself."""
        with self._lock, transaction(self._connection, self.where) as cursor:

            def run(statement: str, *values: str | int | bytes | None) -> list[Row]:
                return list(cursor.execute(statement, values))

            yield run

    @contextlib.contextmanager
    def reading(self, _team: str, /) -> Iterator[Rows]:
        """Begin a transaction of its own connection, which sees the file as it is now."""
        opened = contextlib.closing(connect(self._path, durable=True))
        with opened as connection, translated(self.where):
            connection.pragma("query_only", "ON")
            connection.execute("BEGIN")

            def run(statement: str, *values: str | int | bytes | None) -> list[Row]:
                return list(connection.execute(statement, values))

            yield run

    def _marked(self) -> int:
        return int(self._connection.pragma("user_version"))

    def version(self) -> int:
        """Return the version of the tables."""
        with self._lock, translated(self.where):
            return self._marked()

    def migrate(self, to: int = SCHEMA_VERSION) -> int:
        """Make the tables, or bring them to another version; all steps or none."""
        with self._lock, transaction(self._connection, self.where) as cursor:
            found = self._marked()
            need_known(found, self.where)
            for version, upwards in plan(found, to):
                self._take_step(cursor, version, upwards=upwards)
            cursor.execute(f"PRAGMA user_version = {to}")
        return found

    def _take_step(self, cursor: apsw.Cursor, version: int, *, upwards: bool) -> None:
        step = STEPS.get(version)
        if step is None:
            cursor.execute(TABLES + ONLY_APPENDED)
            return
        if not upwards and step.blocked:
            need_free(version, int(next(cursor.execute(step.blocked))[0]))
        cursor.execute(step.up if upwards else step.down)

    def teams(self) -> list[str]:
        """Name all teams."""
        with self._lock, translated(self.where):
            found = self._connection.execute("SELECT DISTINCT team_id FROM project ORDER BY 1")
            return [str(row[0]) for row in found]

    def columns(self) -> dict[str, tuple[str, ...]]:
        """Name the tables that hold rows of teams, and their columns."""
        with self._lock, translated(self.where):
            return group_columns(list(self._connection.execute(COLUMNS)))

    def faults(self) -> list[str]:
        """Check the file itself."""
        with self._lock, translated(self.where):
            found = [str(row[0]) for row in self._connection.execute("PRAGMA quick_check")]
        return [] if found == ["ok"] else found

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._connection.close()
