"""Vectors in PostgreSQL with pgvector: exact where a project is small, quantised where it is large.

A large project has an index of its own: one over several would find too little of each. It holds
the signs of the components; what it finds is compared again in full.
"""

from __future__ import annotations

import hashlib
import struct
import time
from typing import TYPE_CHECKING

import psycopg
from psycopg.adapt import Dumper

from dmm.team.migrations import NEAR
from dmm.team.names import NAME
from dmm.team.nearness import TableVectors, choose, fill, flatten, keep_best

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from contextlib import AbstractContextManager

    from dmm.team.chain import LogName
    from dmm.team.database import Row, Rows, Spot

    Connection = psycopg.Connection[Row]
    Connect = Callable[[], AbstractContextManager[Connection]]

# From so many windows on a project has an index: comparing all takes too long, and signs may miss.
LARGE = 200_000
# What the index is asked for, and compared again: at least so many, and one in so many windows.
SHORTLIST, SHORTLIST_SHARE = 600, 50
# The most that the index takes in one step; the next step continues from there.
MOST_AT_ONCE = 1_000
# A passage may have several windows among the nearest.
SPARE = 3
LONGEST_RECOVERY = 30.0
# PostgreSQL tells nobody that it is back, so it is asked this often.
PAUSE = 0.05
TABLE = """
CREATE TABLE passage_near (
    team_id TEXT NOT NULL, project_id TEXT NOT NULL, seq BIGINT NOT NULL, part BIGINT NOT NULL,
    vector halfvec NOT NULL, PRIMARY KEY (team_id, project_id, seq, part)
);
"""
# What the index of a large project needs, on a few vectors; some builds of the library end the
# server at it, on processors that they were not made for.
PROBE = """
CREATE TEMPORARY TABLE dmm_probe AS
SELECT array_agg(sin(n * k) ORDER BY n)::real[]::halfvec(384) AS vector
FROM generate_series(1, 384) AS n, generate_series(1, 64) AS k GROUP BY k;
CREATE INDEX ON dmm_probe USING hnsw ((binary_quantize(vector)::bit(384)) bit_hamming_ops);
SELECT sum((one.vector <#> other.vector)
    + (binary_quantize(one.vector)::bit(384) <~> binary_quantize(other.vector)::bit(384)))
FROM dmm_probe AS one, dmm_probe AS other;
DROP TABLE dmm_probe;
SET hnsw.iterative_scan = relaxed_order;
"""
AVAILABLE = "SELECT count(*) FROM pg_available_extensions WHERE name = 'vector'"
MADE = "SELECT count(*) FROM pg_extension WHERE extname = 'vector'"
RELEASE = "SELECT extversion FROM pg_extension WHERE extname = 'vector'"
# A failed try is noted at the table that is used instead, and goes with it.
NOTE = "COMMENT ON TABLE passage_vector IS {}"
NOTED = "SELECT obj_description(to_regclass('passage_vector'), 'pg_class')"
FAILED = "pgvector failed: "
TRIAL_LOCK = 0x444D4D50
ALONE = "SELECT pg_advisory_lock(%s)"
TAKE = "SELECT pg_try_advisory_lock(hashtextextended(%s, 0))::int"
GIVE_BACK = "SELECT pg_advisory_unlock(hashtextextended(%s, 0))"
THERE = "SELECT count(*) FROM pg_class WHERE oid = to_regclass('passage_near')"

# Megabytes of vectors, and of what PostgreSQL keeps in its own memory.
ROOM = """
SELECT pg_relation_size('passage_near') >> 20, setting::bigint * 8 >> 10
FROM pg_settings WHERE name = 'shared_buffers'
"""

ADD = "INSERT INTO passage_near VALUES {places}"
# Distance and number of a row are one value: PostgreSQL sorts numbers without copying rows. The
# distance of unit vectors is kept to 28 binary places, and 33 bits are left for the number.
SCALE, BITS = 1 << 28, 33
EXACT = """
SELECT project, packed FROM (VALUES {places}) AS named (project), LATERAL (
    SELECT ((vector <#> ?::halfvec) * {scale})::bigint << {bits} | seq AS packed
    FROM passage_near WHERE team_id = ? AND project_id = project ORDER BY packed LIMIT ?
) AS near ORDER BY packed LIMIT ?
"""
CHOSEN = """
SELECT project_id, seq, vector <#> ?::halfvec FROM passage_near
WHERE team_id = ? AND (project_id, seq) IN (VALUES {places})
"""
# The planner takes the index of a project where the statement names it as the index does.
QUANTISED = """
SELECT project_id, seq, vector <#> ?::halfvec FROM (
    SELECT project_id, seq, vector FROM passage_near
    WHERE team_id = '{team}' AND project_id = '{project}'
    ORDER BY binary_quantize(vector)::bit({size}) <~> binary_quantize(?::halfvec)::bit({size})
    LIMIT {most}
) AS found
"""
MAKE_INDEX = """
CREATE INDEX CONCURRENTLY {name} ON passage_near
USING hnsw ((binary_quantize(vector)::bit({size})) bit_hamming_ops)
WHERE team_id = '{team}' AND project_id = '{project}'
"""
SCAN = {"ef_search": MOST_AT_ONCE, "iterative_scan": "relaxed_order"}
VALID = """
SELECT relname::text, indisvalid FROM pg_class JOIN pg_index ON indexrelid = pg_class.oid
WHERE relname IN ({places})
"""
REBUILD = (
    "build pgvector for this machine (make OPTFLAGS='' && make install), or take the package of "
    "your distribution; then: dmm server migrate --retry-pgvector"
)


class Half(bytes):
    """A window, for the driver to send as a `halfvec`: to write its numbers out takes long."""


class _HalfDumper(Dumper):
    """Writes a window as pgvector receives it: so many numbers, then these, the high byte first."""

    format = psycopg.pq.Format.BINARY

    def dump(self, obj: bytes) -> bytes:
        """Return the bytes that are sent."""
        size = len(obj) // 2
        return struct.pack(f">HH{size}H", size, 0, *struct.unpack(f"<{size}H", obj))


psycopg.adapters.register_dumper(Half, _HalfDumper)


class PgVectors(TableVectors):
    """Vectors that are compared by the database; `owner` may make indexes."""

    name, table = "halfvec", NEAR

    def __init__(self, owner: Connect) -> None:
        self._owner = owner

    def add(self, rows: Rows, log: LogName, seq: int, windows: Sequence[bytes]) -> None:
        """Keep those of a passage."""
        values: list[str | int | bytes] = []
        for part, window in enumerate(windows):
            values += (*log, seq, part, Half(window))
        rows(ADD.format(places=fill("(?, ?, ?, ?, ?::halfvec)", windows)), *values)

    def nearest(
        self, rows: Rows, team: str, projects: Mapping[str, int], query: bytes, most: int
    ) -> dict[Spot, float]:
        """Find the most similar passages: by index in large projects, exactly in all others."""
        large = _find_indexed(rows, team, projects)
        small = [one for one in projects if one not in large]
        half = Half(query)
        found: list[Row] = []
        if small:
            places, best = fill("(?::text)", small), SPARE * most
            statement = EXACT.format(places=places, scale=SCALE, bits=BITS)
            found += map(_unpack, rows(statement, *small, half, team, best, best))
        for project in large:
            most_signs = max(SHORTLIST, projects[project] // SHORTLIST_SHARE)
            for name, value in SCAN.items():
                rows(f"SET LOCAL hnsw.{name} = {value}")
            rows(f"SET LOCAL hnsw.max_scan_tuples = {4 * most_signs}")
            names = {"team": team, "project": project, "size": len(query) // 2, "most": most_signs}
            found += rows(QUANTISED.format(**names), half, half)
        return choose(_read(found), most)

    def similarities(
        self, rows: Rows, team: str, spots: Sequence[Spot], query: bytes
    ) -> dict[Spot, float]:
        """Return how similar given passages are."""
        statement = CHOSEN.format(places=fill("(?, ?)", spots))
        return _read(rows(statement, Half(query), team, *flatten(spots)))

    def settle(self, log: LogName, windows: int, size: int) -> None:
        """Make the index of a project that has become large."""
        if windows < LARGE:
            return
        name = _name_index(*log)
        with self._owner() as connection:
            if not _count(connection, TAKE, name):
                # Another one makes it; the lock ends with the connection that holds it.
                return
            found = connection.execute(VALID.format(places="%s"), (name,)).fetchall()
            if found and not found[0][1]:
                # It was being made when the server stopped.
                connection.execute(f"DROP INDEX CONCURRENTLY {name}")
            if not found or not found[0][1]:
                names = {"name": name, "team": log[0], "project": log[1], "size": size}
                connection.execute(MAKE_INDEX.format(**names))
            # PostgreSQL ends a closed connection in its own time, and its locks with that.
            connection.execute(GIVE_BACK, (name,))


def prepare(connect: Connect, isolate: str) -> None:
    """Make the table where pgvector is there and works; without it, vectors are kept as bytes.

    A version that has failed is not tried again: to try may end the whole database server.
    """
    with connect() as connection:
        # It is held while another connection tries, so that two servers do not both.
        connection.execute(ALONE, (TRIAL_LOCK,))
        if _count(connection, THERE) or not _count(connection, AVAILABLE):
            return
        try:
            connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
        except psycopg.errors.InsufficientPrivilege:
            return
        if _has_failed(connection):
            return
        # Before the try: it may end this process, too, or whoever waits for it.
        _note(connection, f"{FAILED}{_read_text(connection, RELEASE)}")
        if not survives(connect):
            return
        with connect() as other, other.transaction():
            other.execute(TABLE + isolate.format(table=NEAR))
            _note(other, None)


def forget(connection: Connection) -> None:
    """Forget that pgvector has failed here."""
    if _read_text(connection, NOTED):
        _note(connection, None)


def advise(connection: Connection) -> list[str]:
    """Say why pgvector is not used or is slow, and what to do; nothing where all is well."""
    if _count(connection, THERE):
        return tell_cramped(*(connection.execute(ROOM).fetchone() or (0, 1)))
    available, made = (bool(_count(connection, one)) for one in (AVAILABLE, MADE))
    return [tell_missing(available=available, made=made, failed=_has_failed(connection))]


def tell_cramped(vectors: int, buffers: int) -> list[str]:
    """Say where vectors are read anew for every search: they are larger than what is kept."""
    if vectors < buffers:
        return []
    way = f"set shared_buffers to {2 * vectors} MB or more in postgresql.conf, and restart it"
    return [f"{vectors} MB of vectors, but PostgreSQL keeps {buffers} MB in memory: {way}"]


def tell_missing(*, available: bool, made: bool, failed: bool) -> str:
    """Say why pgvector is not used, and what to do."""
    slow = "search compares all vectors in the server itself, which is slow from 10,000 passages on"
    if not available:
        way = "install pgvector 0.8 or later on the database's machine; then: dmm server migrate"
        return f"pgvector is not installed: {slow}; {way}"
    if not made:
        way = "as a superuser: CREATE EXTENSION vector; then: dmm server migrate"
        return f"pgvector is not set up in this database: {slow}; {way}"
    if not failed:
        return f"pgvector is not used yet: {slow}; dmm server migrate"
    return f"pgvector does not run on this processor, or is older than 0.8: {slow}; {REBUILD}"


def survives(connect: Connect) -> bool:
    """Try all that is needed; where it ends the server, wait until that is back."""
    with connect() as witness:
        try:
            with connect() as connection:
                connection.execute(PROBE)
        except psycopg.OperationalError as error:
            _await_recovery(connect, None if error.sqlstate else witness)
            return False
        except psycopg.Error:
            return False
        return True


def _await_recovery(connect: Connect, witness: Connection | None) -> None:
    """Wait until the server takes connections; one that broke off ends the witness first."""
    until = time.monotonic() + LONGEST_RECOVERY
    while witness is not None and time.monotonic() < until:
        # The server takes connections for a moment longer, before it notices what happened.
        try:
            witness.execute("SELECT 1")
        except psycopg.OperationalError:
            break
        time.sleep(PAUSE)
    while True:
        try:
            with connect():
                return
        except psycopg.OperationalError:
            if time.monotonic() > until:
                raise
            time.sleep(PAUSE)


def _count(connection: Connection, statement: str, *values: str) -> int:
    row = connection.execute(statement, values).fetchone()
    return 0 if row is None else int(row[0])


def _read_text(connection: Connection, statement: str) -> str:
    row = connection.execute(statement).fetchone()
    return "" if row is None or row[0] is None else str(row[0])


def _has_failed(connection: Connection) -> bool:
    """Return whether the version that is set up has been tried and did not work."""
    noted = _read_text(connection, NOTED)
    return bool(noted) and noted == f"{FAILED}{_read_text(connection, RELEASE)}"


def _note(connection: Connection, text: str | None) -> None:
    connection.execute(psycopg.sql.SQL(NOTE).format(psycopg.sql.Literal(text)))


def _find_indexed(rows: Rows, team: str, projects: Mapping[str, int]) -> list[str]:
    """Return the projects that have an index that can be used."""
    names = {
        _name_index(team, one): one
        for one, windows in projects.items()
        if windows >= LARGE and NAME.fullmatch(team) and NAME.fullmatch(one)
    }
    if not names:
        return []
    found = rows(VALID.format(places=fill("?", tuple(names))), *names)
    return [names[str(name)] for name, valid in found if valid]


def _name_index(team: str, project: str) -> str:
    return f"near_{hashlib.sha256(f'{team}/{project}'.encode()).hexdigest()[:24]}"


def _unpack(row: Row) -> Row:
    """Return the project, number and distance of a row that was found exactly."""
    project, packed = row
    return project, packed % (1 << BITS), (packed >> BITS) / SCALE


def _read(found: Iterable[Row]) -> dict[Spot, float]:
    """Return the similarity of each passage; a distance is its negative."""
    return keep_best((str(project), int(seq), -float(value)) for project, seq, value in found)
