"""A server's database as lines of text, and back: the same on SQLite and on PostgreSQL.

A backup holds, for every project, the log up to the end that was read first, so it is whole
without anybody having to wait. What the tables say of writers is made anew from the log.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dmm.domain.event import canonical
from dmm.errors import TeamError
from dmm.eventlog.chain import Head
from dmm.team.chain import PARTS, SERVER, Entry, Placed, Trail
from dmm.team.keys import SigningKey
from dmm.team.migrations import DERIVED
from dmm.team.stored import PAGE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from dmm.team.chain import LogName
    from dmm.team.database import Database, Rows

    Value = str | int | None
    Columns = Mapping[str, Sequence[str]]
    # Where a log is to end; one that is not named is restored whole.
    Cuts = Mapping[LogName, int]

FORMAT = "dmm-server-backup-1"
PROJECT, WRITER, EVENT, INVITATION = "project", "writer", "event", "invitation"
READ_AT_ONCE = 1_000
PLACE_COLUMNS = ("team_id", "project_id")


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a table."""

    table: str
    values: Mapping[str, Value]

    @property
    def log(self) -> LogName:
        """The log that the row is about."""
        return str(self.values["team_id"]), str(self.values["project_id"])

    def placed(self) -> Placed:
        """Read a row of the log."""
        writer, wseq, *words = (str(self.values[name]) for name in PARTS)
        entry = Entry(writer, int(wseq), *words)
        return Placed(int(str(self.values["seq"])), str(self.values["hash"]), entry)


@dataclass(frozen=True, slots=True)
class Proved:
    """A backup whose chains and digest hold: the server's key, and how far each log goes."""

    key: SigningKey
    version: int
    trails: Mapping[LogName, Trail]


def write_lines(database: Database, key: SigningKey, at: str) -> Iterator[str]:
    """Yield a backup line by line; the last line holds a digest of the others."""
    digest, count = hashlib.sha256(), 0
    told = {"format": FORMAT, "schema": database.version(), "at": at, "key": key.secret}
    for one in (told, *_tell_rows(database)):
        line = canonical(one) + "\n"
        digest.update(line.encode())
        count += 1
        yield line
    yield canonical({"lines": count, "sha256": digest.hexdigest()}) + "\n"


def _tell_rows(database: Database) -> Iterator[Mapping[str, object]]:
    columns = database.columns()
    for team in database.teams():
        with database.transaction(team) as rows:
            # First, so that what is read after it covers every log up to this end.
            projects = _read_table(rows, PROJECT, columns[PROJECT], team)
            others = [
                row
                for table in sorted(columns.keys() - {PROJECT, EVENT, *DERIVED})
                for row in _read_table(rows, table, columns[table], team)
            ]
        for row in (*projects, *others):
            yield {"table": row.table, "row": row.values}
        for project in projects:
            yield from _tell_log(database, project.log, int(str(project.values["seq"])))


def _read_table(rows: Rows, table: str, columns: Sequence[str], team: str) -> list[Row]:
    names = ", ".join(columns)
    statement = f"SELECT {names} FROM {table} WHERE team_id = ? ORDER BY {names}"  # noqa: S608 - names of the catalogue
    return [Row(table, dict(zip(columns, row, strict=True))) for row in rows(statement, team)]


def _tell_log(database: Database, log: LogName, end: int) -> Iterator[Mapping[str, object]]:
    """Read a log in pages; what was appended since its end was read is left out."""
    names = (*PLACE_COLUMNS, "seq", "hash", *PARTS)
    after = 0
    while after < end:
        with database.transaction(log[0]) as rows:
            page = rows(PAGE, *log, after, end, READ_AT_ONCE)
        for row in page:
            yield {"table": EVENT, "row": dict(zip(names, (*log, *row), strict=True))}
        after = page[-1][0] if page else end


@dataclass(frozen=True, slots=True)
class Backup:
    """The lines of a backup; they are read more than once."""

    lines: Iterable[str]

    def rows(self) -> Iterator[Row]:
        """Yield the rows; the first line and the last are none."""
        for one in self._values():
            if "table" in one:
                yield _read_row(one)

    def prove(self, cuts: Cuts) -> Proved:
        """Check digest and chains, and return each log up to where it is to end."""
        try:
            return self._prove(cuts)
        except (KeyError, ValueError) as error:
            raise _unusable("one of its rows is malformed") from error

    def _prove(self, cuts: Cuts) -> Proved:
        key, version = self._header()
        ends: dict[LogName, Head] = {}
        trails: dict[LogName, Trail] = {}
        for row in self.rows():
            if row.table == PROJECT:
                ends[row.log] = Head(int(str(row.values["seq"])), str(row.values["hash"]))
                trails[row.log] = Trail(key.public, row.log)
            elif row.table == EVENT:
                placed = row.placed()
                if placed.seq <= cuts.get(row.log, placed.seq):
                    trails[row.log].follow((placed,))
        for log in cuts.keys() - ends.keys():
            raise _unusable(f"it has no project {'/'.join(log)}")
        for log, end in ends.items():
            _need_end(log, trails[log].head, cuts.get(log, end.seq), end)
        return Proved(key, version, trails)

    def _header(self) -> tuple[SigningKey, int]:
        first = next(self._values(), {})
        if first.get("format") != FORMAT:
            raise _unusable("it is not a backup of a team server")
        try:
            return SigningKey.read(str(first["key"])), int(str(first["schema"]))
        except (KeyError, ValueError) as error:
            raise _unusable("its first line can't be read") from error

    def _values(self) -> Iterator[Mapping[str, object]]:
        """Read all lines; the last one must be the digest of the others."""
        digest, count, ended = hashlib.sha256(), 0, False
        for line in self.lines:
            if ended:
                raise _unusable("it goes on after its last line")
            try:
                told = json.loads(line)
            except ValueError as error:
                raise _unusable(f"line {count + 1} can't be read") from error
            if not isinstance(told, dict):
                raise _unusable(f"line {count + 1} can't be read")
            if "sha256" in told:
                ended = told == {"lines": count, "sha256": digest.hexdigest()}
                if not ended:
                    raise _unusable("it was changed: its digest does not match")
                continue
            digest.update(line.encode())
            count += 1
            yield told
        if not ended:
            raise _unusable("it is cut off")


def _need_end(log: LogName, found: Head, wanted: int, end: Head) -> None:
    """Refuse a log that ends elsewhere than its project says, or than was asked for."""
    if found.seq != wanted or (wanted == end.seq and found != end):
        name = "/".join(log)
        raise _unusable(f"the log of {name} ends at {end.seq}; {wanted} was asked for")


def restore(database: Database, backup: Backup, proved: Proved, cuts: Cuts) -> None:
    """Fill an empty database; each team is one transaction."""
    columns = database.columns()
    rest = iter(backup.rows())
    row = next(rest, None)
    while row is not None:
        team = str(row.values["team_id"])
        with database.transaction(team) as rows:
            while row is not None and row.values["team_id"] == team:
                made = _make_row(row, proved, cuts)
                if made is not None:
                    _insert(rows, made, columns)
                row = next(rest, None)


def _make_row(row: Row, proved: Proved, cuts: Cuts) -> Row | None:
    """Return a row as it was at the end of its log; None where it came later."""
    if row.table == EVENT:
        return row if int(str(row.values["seq"])) <= cuts.get(row.log, 1 << 62) else None
    if row.table == PROJECT:
        head = proved.trails[row.log].head
        return Row(PROJECT, {**row.values, "seq": head.seq, "hash": head.hash})
    if row.table == INVITATION and row.values["writer"] is None:
        # It may have been used or ended since: whoever needs one is invited again.
        return None
    if row.table != WRITER:
        return row
    known = proved.trails[row.log].writers.get(str(row.values["writer"]))
    if known is None:
        return None
    state: dict[str, Value] = {"role": known.role, "wseq": known.wseq, "whash": known.whash}
    # One who was removed while laptops were awaited stays so; the log tells of it later.
    state["revoked"] = 1 if known.revoked else 2 * (row.values["revoked"] == 2)
    # They may hold more of the log than the backup: nothing is added before they have said so.
    state["awaited"] = int(not state["revoked"] and row.values["writer"] != SERVER)
    return Row(WRITER, {**row.values, **state})


def _insert(rows: Rows, row: Row, columns: Columns) -> None:
    names = list(row.values)
    if not set(names) <= set(columns.get(row.table, ())):
        raise _unusable(f"it holds a table {row.table} that is not known here")
    marks = ", ".join("?" * len(names))
    statement = f"INSERT INTO {row.table} ({', '.join(names)}) VALUES ({marks})"  # noqa: S608 - names of the catalogue
    rows(statement, *row.values.values())


def _read_row(told: Mapping[str, object]) -> Row:
    table, values = told.get("table"), told.get("row")
    if not isinstance(table, str) or not isinstance(values, dict):
        raise _unusable("one of its lines is not a row")
    return Row(table, values)


def _unusable(what: str) -> TeamError:
    return TeamError("backup", f"the backup can't be used: {what}", hint="use another backup")
