"""Who used a project's log, when and how often; never what was said.

Receiving, sending and being refused are counted by the hour, so the rows of a laptop are bounded.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dmm.team.chain import LogName
    from dmm.team.database import Rows

# Older rows are deleted when a new one is added.
KEPT = dt.timedelta(days=90)
HOUR = len("2026-01-31T12")


class Act(StrEnum):
    """What was done."""

    ADDED = "add"
    INVITED = "invite"
    JOINED = "join"
    PUSHED = "push"
    PULLED = "pull"
    REFUSED = "refused"
    ROLE = "role"
    REVOKED = "revoke"
    LIFTED = "lift"
    RETURNED = "give back"
    RESUMED = "resume"
    LISTED = "members"
    ENROLLED = "passkey"
    SEARCHED = "search"


_BY_THE_HOUR = frozenset(
    (Act.PUSHED, Act.PULLED, Act.REFUSED, Act.RETURNED, Act.LISTED, Act.SEARCHED)
)
_VALUES = "INSERT INTO audit VALUES (?, ?, ?, ?, ?, ?, ?, ?, 1)"
COUNT = f"""{_VALUES}
ON CONFLICT (team_id, project_id, slot, act, writer, about)
DO UPDATE SET last = excluded.last, count = audit.count + 1 RETURNING count
"""
# A laptop asks all the time; that costs no write but the first in an hour.
NOTE = f"{_VALUES} ON CONFLICT DO NOTHING RETURNING count"
PRUNE = "DELETE FROM audit WHERE team_id = ? AND project_id = ? AND slot < ?"
# Who can't be told apart is no part of any one project.
# A proof is valid once; its mark ends the description of the act.
PROVED = """
SELECT 1 FROM audit WHERE team_id = ? AND project_id = ? AND about LIKE ? LIMIT 1
"""
READ = """
SELECT first, last, act, writer, about, count FROM audit
WHERE team_id = ? AND project_id IN (?, '') ORDER BY last DESC, act, writer, about LIMIT ?
"""


@dataclass(frozen=True, slots=True)
class Access:
    """One thing that one laptop did to one other thing, or so many times within an hour.

    `writer` is empty for whoever runs the server, and for a stranger.
    """

    first: str
    last: str
    act: str
    writer: str
    about: str
    count: int


def record(
    rows: Rows, log: LogName, act: Act, at: dt.datetime, *, writer: str = "", about: str = ""
) -> None:
    """Record an access in the transaction that it is part of."""
    told = at.isoformat(timespec="milliseconds")
    slot = told[:HOUR] if act in _BY_THE_HOUR else told
    # A stranger causes no write but the first in an hour either, however often they try.
    noted = act in (Act.PULLED, Act.SEARCHED) or (act is Act.REFUSED and not writer)
    statement = NOTE if noted else COUNT
    made = rows(statement, *log, slot, act.value, writer, about, told, told)
    if made and made[0][0] == 1:
        rows(PRUNE, *log, (at - KEPT).isoformat()[:HOUR])


def read_accesses(rows: Rows, log: LogName, most: int) -> tuple[Access, ...]:
    """Read the last accesses, the newest first."""
    return tuple(Access(*row) for row in rows(READ, *log, most))
