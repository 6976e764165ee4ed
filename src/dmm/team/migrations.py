"""The later versions of the tables: each step goes both ways, in one transaction.

The statements are the same on SQLite and PostgreSQL.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dmm.errors import TeamError, UsageError
from dmm.team.database import FIRST_VERSION, SCHEMA_VERSION, need_current

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


@dataclass(frozen=True, slots=True)
class Step:
    """How a version is reached, and how it is left; `blocked` finds rows that can't go back."""

    up: str
    down: str
    # Tables whose rows of all teams are read or changed, and tables that are new.
    changed: tuple[str, ...] = ()
    made: tuple[str, ...] = ()
    blocked: str = ""
    unknown: str = "roles"
    hint: str = ""


STEPS: Mapping[int, Step] = {
    # The roles reader and maintainer became four.
    2: Step(
        up=(
            "UPDATE writer SET role = 'owner' WHERE writer = 'server';"
            "UPDATE writer SET role = 'reviewer' WHERE role = 'maintainer';"
            "UPDATE invitation SET role = 'reviewer' WHERE role = 'maintainer';"
        ),
        down=(
            "UPDATE writer SET role = 'maintainer' WHERE role = 'reviewer' OR writer = 'server';"
            "UPDATE invitation SET role = 'maintainer' WHERE role = 'reviewer';"
        ),
        changed=("writer", "invitation", "event"),
        # Laptops of the first version can't read a log with another role or a change of role.
        # An invitation counts to the end of the day on which it expires.
        blocked=(
            "SELECT count(*) FROM ("
            "SELECT role FROM writer WHERE writer <> 'server' AND revoked = 0"
            " AND role IN ('contributor', 'owner')"
            " UNION ALL SELECT role FROM invitation WHERE writer IS NULL"
            " AND role IN ('contributor', 'owner')"
            " AND substr(expires, 1, 10) >= substr(CAST(CURRENT_TIMESTAMP AS TEXT), 1, 10)"
            " UNION ALL SELECT type FROM event WHERE writer = 'server'"
            " AND (type = 'WriterRoleChanged'"
            """ OR replace(payload, '"role":"reviewer"', '') <> payload"""
            """ OR replace(payload, '"role":"contributor"', '') <> payload"""
            """ OR replace(payload, '"role":"owner"', '') <> payload)"""
            ") AS held"
        ),
        hint=(
            "make laptops readers or reviewers: dmm server role; what the log tells stays:"
            " keep this version, or restore a backup of the one before"
        ),
    ),
    # Who used a log and when.
    3: Step(
        up=(
            "CREATE TABLE audit ("
            " team_id TEXT NOT NULL, project_id TEXT NOT NULL, slot TEXT NOT NULL,"
            " act TEXT NOT NULL, writer TEXT NOT NULL, about TEXT NOT NULL,"
            " first TEXT NOT NULL, last TEXT NOT NULL, count INTEGER NOT NULL,"
            " PRIMARY KEY (team_id, project_id, slot, act, writer, about));"
        ),
        down="DROP TABLE audit;",
        made=("audit",),
    ),
    # Laptops that have not come back since the server was restored from a backup.
    4: Step(
        up="ALTER TABLE writer ADD COLUMN awaited INTEGER NOT NULL DEFAULT 0;",
        down="ALTER TABLE writer DROP COLUMN awaited;",
    ),
    # Who signed in with a laptop.
    5: Step(
        up="ALTER TABLE writer ADD COLUMN person TEXT NOT NULL DEFAULT '';",
        down="ALTER TABLE writer DROP COLUMN person;",
    ),
    # The owner's laptop that an invitation is from; it ends with the owner's right.
    6: Step(
        up="ALTER TABLE invitation ADD COLUMN made_by TEXT NOT NULL DEFAULT '';",
        down="ALTER TABLE invitation DROP COLUMN made_by;",
    ),
    # The index of what projects share; it can be rebuilt from the log.
    7: Step(
        up=(
            "CREATE TABLE indexing ("
            " team_id TEXT NOT NULL, project_id TEXT NOT NULL, seq INTEGER NOT NULL,"
            " version TEXT NOT NULL, passages INTEGER NOT NULL, length INTEGER NOT NULL,"
            " windows INTEGER NOT NULL, PRIMARY KEY (team_id, project_id));"
            "CREATE TABLE passage ("
            " team_id TEXT NOT NULL, project_id TEXT NOT NULL, seq INTEGER NOT NULL,"
            " key TEXT NOT NULL, type TEXT NOT NULL, writer TEXT NOT NULL, at TEXT NOT NULL,"
            " text TEXT NOT NULL, length INTEGER NOT NULL, windows INTEGER NOT NULL,"
            " PRIMARY KEY (team_id, project_id, seq), UNIQUE (team_id, project_id, key));"
            "CREATE TABLE posting ("
            " team_id TEXT NOT NULL, project_id TEXT NOT NULL, term INTEGER NOT NULL,"
            " seq INTEGER NOT NULL, weight INTEGER NOT NULL,"
            " PRIMARY KEY (team_id, project_id, term, seq));"
            "CREATE TABLE passage_vector ("
            " team_id TEXT NOT NULL, project_id TEXT NOT NULL, seq INTEGER NOT NULL,"
            " part INTEGER NOT NULL, vector BLOB NOT NULL,"
            " PRIMARY KEY (team_id, project_id, seq, part));"
        ),
        down=(
            "DROP TABLE passage_vector; DROP TABLE posting; DROP TABLE passage;DROP TABLE indexing;"
        ),
        made=("indexing", "passage", "posting", "passage_vector"),
    ),
    # Passkeys confirm decisions; a server that does not check them would take what laptops refuse.
    8: Step(
        up="",
        down="",
        changed=("event",),
        blocked=(
            "SELECT count(*) FROM event WHERE writer = 'server' AND type = 'WriterPasskeyAdded'"
            """ AND replace(payload, '"scope":"approvals"', '') <> payload"""
        ),
        unknown="passkeys for decisions",
        hint="what the log tells stays: keep this version, or restore a backup of the one before",
    ),
    # What passkeys confirmed, to be found without reading all that a laptop ever said.
    9: Step(
        up=(
            "CREATE TABLE confirmation ("
            " team_id TEXT NOT NULL, project_id TEXT NOT NULL, writer TEXT NOT NULL,"
            " mark TEXT NOT NULL, PRIMARY KEY (team_id, project_id, writer, mark));"
        ),
        down="DROP TABLE confirmation;",
        made=("confirmation",),
    ),
    # Proofs with salts, which servers before take for none.
    10: Step(
        up="",
        down="",
        changed=("event",),
        blocked=(
            r"""SELECT count(*) FROM event WHERE replace(payload, '\"salt\":', '') <> payload"""
        ),
        unknown="salted proofs",
        hint="what the log tells stays: keep this version, or restore a backup of the one before",
    ),
}


# A table beside those of the seventh version, where PostgreSQL has pgvector.
NEAR, NEAR_SINCE = "passage_near", 7
# What can be rebuilt from the log is in no backup.
DERIVED = (*STEPS[7].made, *STEPS[9].made, NEAR)


def plan(found: int, to: int) -> Iterator[tuple[int, bool]]:
    """Yield the steps between two versions: the step, and whether it is taken upwards."""
    if not FIRST_VERSION <= to <= SCHEMA_VERSION:
        hint = f"between {FIRST_VERSION} and {SCHEMA_VERSION}"
        raise UsageError(f"there is no version {to} of the tables", hint=hint)
    for version in range(found + 1, to + 1):
        yield version, True
    for version in range(found, to, -1):
        yield version, False


def need_known(found: int, where: str) -> None:
    """Refuse tables of a later version, which no step here is for."""
    if found > SCHEMA_VERSION:
        need_current(found, where)


def need_free(version: int, rows: int) -> None:
    """Refuse to leave a version while some rows can't be written in the one before."""
    if rows:
        unknown = f"{rows} {STEPS[version].unknown} are unknown before it"
        what = f"version {version} of the tables can't be left: {unknown}"
        raise TeamError("schema", what, hint=STEPS[version].hint)
