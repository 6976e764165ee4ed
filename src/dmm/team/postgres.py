"""The team log on PostgreSQL: pooled connections, row-level security by team.

Every transaction names its team in a setting of its own; without it no row is seen. The
statements run as a role that owns nothing and can't bypass row-level security.
"""

from __future__ import annotations

import contextlib
from functools import lru_cache
from typing import TYPE_CHECKING

from dmm.errors import StorageError, TeamError
from dmm.team.database import SCHEMA_VERSION, Database, group_columns
from dmm.team.migrations import NEAR, NEAR_SINCE, STEPS, need_free, need_known, plan
from dmm.team.nearness import StoredVectors
from dmm.team.sqlite import TABLES

try:
    import psycopg
    from psycopg_pool import ConnectionPool, PoolTimeout
except ImportError as _error:
    _HINT = "in a checkout of DMM: uv tool install --force '.[server]'"
    raise TeamError("schema", "the PostgreSQL driver is not installed", hint=_HINT) from _error
from dmm.team import pgvector

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dmm.team.database import Row, Rows, Vectors

    Connection = psycopg.Connection[Row]

ROLE = "dmm_server"
MOST_CONNECTIONS = 10
PATIENCE = 10.0
_TABLES = ("project", "writer", "invitation", "event")
ISOLATED = (*_TABLES, *(table for step in STEPS.values() for table in step.made))
# Two servers that start at once migrate one after the other.
MIGRATION_LOCK = 0x444D4D54

_RIGHTS = """
CREATE FUNCTION dmm_refuse_change() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN RAISE EXCEPTION 'events are only appended'; END $$;
CREATE TRIGGER event_is_only_appended BEFORE UPDATE OR DELETE OR TRUNCATE ON event
FOR EACH STATEMENT EXECUTE FUNCTION dmm_refuse_change();
DO $$ BEGIN
    CREATE ROLE dmm_server NOLOGIN NOBYPASSRLS;
EXCEPTION WHEN duplicate_object OR unique_violation THEN
    -- The role is that of all databases of a server; another one made it.
    NULL;
END $$;
GRANT dmm_server TO CURRENT_USER;
GRANT SELECT, INSERT, UPDATE ON project, writer, invitation TO dmm_server;
GRANT SELECT, INSERT ON event TO dmm_server;
GRANT SELECT ON dmm_schema TO dmm_server;
"""
_SCHEMA = """
CREATE TABLE dmm_schema (version INTEGER NOT NULL);
INSERT INTO dmm_schema VALUES (0);
"""
_ISOLATE = """
ALTER TABLE {table} ENABLE ROW LEVEL SECURITY;
ALTER TABLE {table} FORCE ROW LEVEL SECURITY;
CREATE POLICY of_team ON {table} USING (team_id = current_setting('dmm.team', true));
"""
_FIRST = (
    _SCHEMA
    + TABLES.replace(") STRICT", ")").replace("INTEGER", "BIGINT")
    + _RIGHTS
    + "".join(_ISOLATE.format(table=table) for table in _TABLES)
)
_GRANT = "GRANT SELECT, INSERT, UPDATE, DELETE ON {table} TO dmm_server;"
# The owner of the tables is held to row-level security, too, and would change no row.
_FORCE = "ALTER TABLE {table} {not_}FORCE ROW LEVEL SECURITY"
_COLUMNS = """
SELECT table_name::text, column_name::text FROM information_schema.columns
WHERE table_schema = current_schema() ORDER BY table_name, ordinal_position
"""
_VERSION = "SELECT to_regclass('dmm_schema') IS NOT NULL"


class PostgresDatabase(Database):
    """One database on a server."""

    def __init__(self, address: str) -> None:
        self._address = address
        self.where = _without_password(address)
        self._vectors: Vectors | None = None
        self._pool = ConnectionPool(
            address,
            min_size=0,
            max_size=MOST_CONNECTIONS,
            timeout=PATIENCE,
            open=False,
            configure=self.prepare,
            # Statements are prepared as they are, not searched for placeholders at every use.
            kwargs={"cursor_factory": psycopg.RawCursor},
            check=ConnectionPool.check_connection,
        )

    def prepare(self, connection: Connection) -> None:
        """Take the role that row-level security binds, on a new connection."""
        connection.execute(f"SET ROLE {ROLE}")
        connection.commit()

    @contextlib.contextmanager
    def transaction(self, team: str, /) -> Iterator[Rows]:
        """Begin a transaction that sees the rows of one team."""
        self._pool.open()
        with self._translated(), self._pool.connection() as connection:
            connection.execute("SELECT set_config('dmm.team', $1, true)", (team,))

            def run(statement: str, *values: str | int | bytes | None) -> list[Row]:
                cursor = connection.execute(_number(statement), values)
                return [] if cursor.description is None else cursor.fetchall()

            yield run

    def version(self) -> int:
        """Return the version of the tables."""
        with self._owner() as connection:
            return _read_version(connection)

    def migrate(self, to: int = SCHEMA_VERSION) -> int:
        """Make the tables, or bring them to another version; all steps or none."""
        with self._owner() as connection, connection.transaction():
            connection.execute("SELECT pg_advisory_xact_lock(%s)", (MIGRATION_LOCK,))
            found = _read_version(connection)
            need_known(found, self.where)
            for version, upwards in plan(found, to):
                _take_step(connection, version, upwards=upwards)
            connection.execute("UPDATE dmm_schema SET version = %s", (to,))
        if to >= NEAR_SINCE:
            with self._translated():
                pgvector.prepare(self._connect, _ISOLATE + _GRANT)
        return found

    @property
    def vectors(self) -> Vectors:
        """Where the vectors are: kept by pgvector, or as bytes where there is none."""
        if self._vectors is None:
            with self._owner() as connection:
                there = _scalar(connection, pgvector.THERE)
            self._vectors = pgvector.PgVectors(self._owner) if there else StoredVectors()
        return self._vectors

    def advice(self) -> list[str]:
        """Say what would make searching quicker."""
        with self._owner() as connection:
            return pgvector.advise(connection)

    def forget_failures(self) -> None:
        """Let the next migration try pgvector again."""
        with self._owner() as connection:
            pgvector.forget(connection)

    def teams(self) -> list[str]:
        """Name all teams; the owner is held to row-level security, too, but for this look."""
        with self._owner() as connection, connection.transaction():
            # Nobody else sees the table in between: it is locked until it is as it was.
            connection.execute(f"SET LOCAL lock_timeout = '{int(PATIENCE)}s'")
            connection.execute("ALTER TABLE project NO FORCE ROW LEVEL SECURITY")
            found = connection.execute("SELECT DISTINCT team_id FROM project ORDER BY 1").fetchall()
            connection.execute("ALTER TABLE project FORCE ROW LEVEL SECURITY")
        return [str(row[0]) for row in found]

    def columns(self) -> dict[str, tuple[str, ...]]:
        """Name the tables that hold rows of teams, and their columns."""
        with self._owner() as connection:
            return group_columns(connection.execute(_COLUMNS).fetchall())

    def faults(self) -> list[str]:
        """Check that the role can't bypass row-level security, and that it is forced."""
        with self._owner() as connection:
            free = connection.execute(
                "SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = %s", (ROLE,)
            ).fetchone()
            open_tables = connection.execute(
                "SELECT relname FROM pg_class WHERE relname = ANY(%s) AND relkind = 'r'"
                " AND NOT (relrowsecurity AND relforcerowsecurity) ORDER BY 1",
                ([*ISOLATED, NEAR],),
            ).fetchall()
        told = [f"row-level security is not forced on {name}" for (name,) in open_tables]
        if free is None or free[0]:
            told.append(f"the role {ROLE} is missing or bypasses row-level security")
        return told

    def _connect(self) -> Connection:
        return psycopg.connect(self._address, autocommit=True)

    @contextlib.contextmanager
    def _owner(self) -> Iterator[Connection]:
        with self._translated(), self._connect() as connection:
            yield connection

    @contextlib.contextmanager
    def _translated(self) -> Iterator[None]:
        """Translate the driver's errors; the only place that knows them."""
        try:
            yield
        except psycopg.errors.DiskFull as error:
            hint = "the disk is full: free some space and retry; nothing was recorded"
            raise StorageError(
                "no space left for the database", where=self.where, hint=hint
            ) from error
        except (psycopg.OperationalError, PoolTimeout) as error:
            hint = "check that PostgreSQL runs and that the address is right; nothing was recorded"
            what = f"the database can't be reached: {_first_line(error)}"
            raise StorageError(what, where=self.where, hint=hint) from error
        except psycopg.Error as error:
            raise StorageError(f"database error: {_first_line(error)}", where=self.where) from error

    def close(self) -> None:
        """Close all connections."""
        self._pool.close()


def _take_step(connection: Connection, version: int, *, upwards: bool) -> None:
    step = STEPS.get(version)
    if step is None:
        connection.execute(_FIRST)
        return
    if version == NEAR_SINCE and not upwards:
        connection.execute(f"DROP TABLE IF EXISTS {NEAR}")
    for table in step.changed:
        connection.execute(_FORCE.format(table=table, not_="NO "))
    if not upwards and step.blocked:
        need_free(version, _scalar(connection, step.blocked))
    connection.execute(_translate(step.up) if upwards else step.down)
    for table in step.changed:
        connection.execute(_FORCE.format(table=table, not_=""))
    for table in step.made if upwards else ():
        connection.execute((_ISOLATE + _GRANT).format(table=table))


def _translate(statement: str) -> str:
    return statement.replace("INTEGER", "BIGINT").replace("BLOB", "BYTEA")


@lru_cache(1_000)
def _number(statement: str) -> str:
    """Number the places for values; our statements have question marks for nothing else."""
    first, *rest = statement.split("?")
    return first + "".join(f"${place}{part}" for place, part in enumerate(rest, 1))


def _read_version(connection: Connection) -> int:
    there = connection.execute(_VERSION).fetchone()
    if there is None or not there[0]:
        return 0
    return _scalar(connection, "SELECT version FROM dmm_schema")


def _scalar(connection: Connection, statement: str) -> int:
    row = connection.execute(statement).fetchone()
    return 0 if row is None else int(row[0])


def _first_line(error: Exception) -> str:
    return str(error).strip().split("\n")[0] or type(error).__name__


def _without_password(address: str) -> str:
    try:
        known = psycopg.conninfo.conninfo_to_dict(address)
    except psycopg.Error:
        # The driver repeats what it can't read, and with it a password.
        what = "the address of the database is malformed"
        hint = "write it like postgresql://USER:PASSWORD@HOST/NAME; encode special characters"
        raise StorageError(what, hint=hint) from None
    return psycopg.conninfo.make_conninfo("", **(known | {"password": None}))
