"""What the passkeys of laptops confirmed, as a server's log tells it."""

from __future__ import annotations

import datetime as dt
import json
from typing import TYPE_CHECKING

from dmm.errors import ProofRefused
from dmm.team import statements
from dmm.team.chain import PASSKEY, read_payload
from dmm.team.nearness import fill
from dmm.team.proofs import APPROVED, NEVER, Confirmed

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from dmm.team.chain import Entry, LogName
    from dmm.team.database import Rows

# Stands for all that a laptop's events had used up when they were read for the table.
READ = "read"
# Stands before the time at which the last of them was asked for.
ASKED = "asked "
MOST_MARKED = 1_000


def read_confirmed(log: LogName, rows: Rows, writer: str) -> Confirmed:
    """Read the passkeys that a log tells of a laptop's user."""
    found = Confirmed()
    for (payload,) in rows(statements.OF_TYPE, *log, PASSKEY):
        told = json.loads(payload)
        if told["writer"] == writer:
            found.add(told)
    return found


def find_unproven(log: LogName, rows: Rows, writer: str, entries: Sequence[Entry]) -> str:
    """Say which entry a person had to confirm and did not; empty where there is none."""
    found = [(one, read_payload(one)) for one in entries if one.type in APPROVED]
    if not found:
        return ""
    known = read_confirmed(log, rows, writer)
    said = Confirmed()
    for one, told in found:
        said.use(log, writer, one.type, told)
    known.used = _read_used(log, rows, writer, said.used)
    known.latest = before = _read_latest(log, rows, writer)
    for one, told in found:
        try:
            known.take(log, writer, one.type, told, one.at)
        except ProofRefused as error:
            return f"event {one.wseq}: {error.what}"
    _mark(log, rows, writer, said.used)
    if known.latest > before:
        _move_latest(log, rows, writer, known.latest)
    return ""


def forget_used(log: LogName, rows: Rows) -> None:
    """Forget what was used up: it is read from the log again when it is needed."""
    rows(statements.UNMARK, *log)


def _read_used(log: LogName, rows: Rows, writer: str, marks: set[str]) -> set[str]:
    """Return which of some confirmations were used before."""
    if not marks:
        return marks
    asked = (READ, *marks)
    statement = statements.MARKED.format(places=fill("?", asked))
    found = {str(mark) for (mark,) in rows(statement, *log, writer, *asked)}
    if READ in found:
        return found
    before = Confirmed()
    for kind, payload in rows(statements.PROVED, *log, writer):
        before.use(log, writer, str(kind), json.loads(payload))
    before.used.add(READ)
    _mark(log, rows, writer, before.used)
    _move_latest(log, rows, writer, before.latest)
    return before.used


def _read_latest(log: LogName, rows: Rows, writer: str) -> dt.datetime:
    """Return when the last confirmation was asked for that a laptop has used."""
    found = rows(statements.LATEST, *log, writer, f"{ASKED}%")[0][0]
    return NEVER if found is None else dt.datetime.fromisoformat(found.removeprefix(ASKED))


def _move_latest(log: LogName, rows: Rows, writer: str, latest: dt.datetime) -> None:
    rows(statements.UNMARK_LATEST, *log, writer, f"{ASKED}%")
    _mark(log, rows, writer, (f"{ASKED}{latest.isoformat()}",))


def _mark(log: LogName, rows: Rows, writer: str, marks: Iterable[str]) -> None:
    every = sorted(marks)
    for start in range(0, len(every), MOST_MARKED):
        some = every[start : start + MOST_MARKED]
        values = [value for mark in some for value in (*log, writer, mark)]
        rows(statements.MARK.format(places=fill("(?, ?, ?, ?)", some)), *values)
