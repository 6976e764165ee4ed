"""The database under the team log, as the one set of statements needs it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from dmm.errors import TeamError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from contextlib import AbstractContextManager

    from dmm.team.chain import LogName

    Row = tuple[Any, ...]
    # A passage of a team: its project, and the number of its event.
    Spot = tuple[str, int]

# The versions of the tables that this code knows: the first, and the one that it uses.
FIRST_VERSION, SCHEMA_VERSION = 1, 10


class Rows(Protocol):
    """Runs a statement within a transaction; `?` stands for a value."""

    def __call__(self, statement: str, *values: str | int | bytes | None) -> list[Row]:
        """Return the rows of the answer, if it has any."""


class Vectors(Protocol):
    """Keeps the vectors of passages, each of one or more windows."""

    @property
    def name(self) -> str:
        """What they are kept as; another name needs another index."""

    def add(self, rows: Rows, log: LogName, seq: int, windows: Sequence[bytes]) -> None:
        """Keep those of a passage."""

    def drop(self, rows: Rows, log: LogName, seqs: Sequence[int]) -> None:
        """Forget those of passages."""

    def clear(self, rows: Rows, log: LogName) -> None:
        """Forget those of a project."""

    def nearest(
        self, rows: Rows, team: str, projects: Mapping[str, int], query: bytes, most: int
    ) -> dict[Spot, float]:
        """Find the most similar passages of projects, of which each has so many windows."""

    def similarities(
        self, rows: Rows, team: str, spots: Sequence[Spot], query: bytes
    ) -> dict[Spot, float]:
        """Return how similar given passages are."""

    def settle(self, log: LogName, windows: int, size: int) -> None:
        """Prepare for a project that has grown to so many windows of so many components."""


class Database(Protocol):
    """One database with the tables of the team log."""

    # Where it is, without a password.
    where: str

    @property
    def vectors(self) -> Vectors:
        """Where the vectors of passages are."""

    def transaction(self, team: str, /) -> AbstractContextManager[Rows]:
        """Begin a transaction that sees the rows of one team; all of it is kept, or nothing."""

    def reading(self, team: str, /) -> AbstractContextManager[Rows]:
        """Begin a transaction that changes nothing and keeps nobody from writing meanwhile."""
        return self.transaction(team)

    def migrate(self, to: int = SCHEMA_VERSION) -> int:
        """Bring the tables to a version, step by step; return the version they had."""

    def version(self) -> int:
        """Return the version of the tables; 0 where there are none."""

    def need_ready(self) -> None:
        """Refuse tables of another version."""
        need_current(self.version(), self.where)

    def teams(self) -> list[str]:
        """Name all teams; only who looks after the whole database asks this."""

    def columns(self) -> dict[str, tuple[str, ...]]:
        """Name the tables that hold rows of teams, and their columns."""

    def faults(self) -> list[str]:
        """Say what of the set-up is not as it must be."""

    def advice(self) -> list[str]:
        """Say what would be better otherwise, although nothing is wrong."""
        return []

    def forget_failures(self) -> None:
        """Let the next migration try again what has failed on this machine."""
        return

    def close(self) -> None:
        """Close all connections."""


def need_current(found: int, where: str) -> None:
    """Refuse tables of another version; those of a later one may hold what is unknown here."""
    if found > SCHEMA_VERSION:
        what = f"the database has schema version {found}; this dmm knows {SCHEMA_VERSION}"
        raise TeamError("schema", what, where=where, hint="upgrade dmm on this machine")
    if found < SCHEMA_VERSION:
        what = f"the database has schema version {found}, not {SCHEMA_VERSION}"
        raise TeamError("schema", what, where=where, hint="dmm server migrate")


def group_columns(found: Iterable[Row]) -> dict[str, tuple[str, ...]]:
    """Group the columns by their tables; tables without a team are those of the database itself."""
    tables: dict[str, tuple[str, ...]] = {}
    for table, column in found:
        tables[table] = (*tables.get(table, ()), column)
    return {table: names for table, names in tables.items() if "team_id" in names}
