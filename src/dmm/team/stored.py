"""The team log in a database: the same statements on SQLite and on PostgreSQL."""

from __future__ import annotations

import datetime as dt
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dmm.domain.event import canonical
from dmm.errors import TeamError
from dmm.eventlog.chain import Head
from dmm.team.admission import Admitted, admit
from dmm.team.audit import Act, record
from dmm.team.chain import (
    SERVER,
    Entry,
    Placed,
    WriterHead,
    link_placed,
    seal,
    sign_head,
)
from dmm.team.port import MOST_PULLED, Page, Refused, Revoked, Taken
from dmm.team.roles import may
from dmm.team.sharing import ADDS, LIFTED

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dmm.team.chain import LogName
    from dmm.team.database import Database, Rows
    from dmm.team.keys import SigningKey
    from dmm.team.port import Batch, Outcome
    from dmm.team.roles import Right
    from dmm.team.sharing import Told

# Setting a row to what it is takes its lock, in every database: one push at a time per project.
LOCK_PROJECT = """
UPDATE project SET seq = seq WHERE team_id = ? AND project_id = ? RETURNING seq, hash
"""
HEAD = "SELECT seq, hash FROM project WHERE team_id = ? AND project_id = ?"
MOVE_PROJECT = "UPDATE project SET seq = ?, hash = ? WHERE team_id = ? AND project_id = ?"
WRITER = """
SELECT key, role, name, wseq, whash, revoked FROM writer
WHERE team_id = ? AND project_id = ? AND writer = ?
"""
MOVE_WRITER = """
UPDATE writer SET wseq = ?, whash = ? WHERE team_id = ? AND project_id = ? AND writer = ?
"""
HASH_OF = """
SELECT whash FROM event WHERE team_id = ? AND project_id = ? AND writer = ? AND wseq = ?
"""
APPEND = """
INSERT INTO event (team_id, project_id, seq, writer, wseq, id, type, at, salt, payload, whash,
    signature, hash)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT DO NOTHING RETURNING seq
"""
PAGE = """
SELECT seq, hash, writer, wseq, id, type, at, salt, payload, whash, signature FROM event
WHERE team_id = ? AND project_id = ? AND seq > ? AND seq <= ? ORDER BY seq LIMIT ?
"""
RULE = """
SELECT id, payload FROM event
WHERE team_id = ? AND project_id = ? AND seq = ? AND type IN (?, ?)
"""
LIFT = """
SELECT seq FROM event
WHERE team_id = ? AND project_id = ? AND seq > ? AND type = ? AND payload = ?
"""
CHANGE_ROLE = "UPDATE writer SET role = ? WHERE team_id = ? AND project_id = ? AND writer = ?"
REVOKE = "UPDATE writer SET revoked = 1 WHERE team_id = ? AND project_id = ? AND writer = ?"


def now() -> dt.datetime:
    """Return the time, in UTC."""
    return dt.datetime.now(dt.UTC)


class _Replayed(Exception):
    """Ends a transaction; it never leaves this module."""


@dataclass(frozen=True, slots=True)
class Place:
    """A project of a team, with the key that the server signs with."""

    database: Database
    key: SigningKey
    team: str
    project: str
    clock: Callable[[], dt.datetime] = now

    @property
    def log(self) -> LogName:
        """What the log is called."""
        return self.team, self.project

    def head(self, rows: Rows) -> Head:
        """Read where the log ends; TeamError where there is no such project."""
        return self._need(rows(HEAD, self.team, self.project))

    def lock(self, rows: Rows) -> Head:
        """Read where the log ends, and keep others from adding until the transaction is over."""
        return self._need(rows(LOCK_PROJECT, self.team, self.project))

    def _need(self, found: Sequence[tuple[object, ...]]) -> Head:
        if not found:
            what = f"there is no project {self.team}/{self.project}"
            raise TeamError("unknown", what, hint=f"dmm server add {self.team}/{self.project}")
        seq, hash_ = found[0]
        return Head(int(str(seq)), str(hash_))

    def writer(self, rows: Rows, name: str) -> WriterHead | None:
        """Read what is known of a writer."""
        found = rows(WRITER, self.team, self.project, name)
        if not found:
            return None
        key, role, shown, wseq, whash, revoked = found[0]
        return WriterHead(key, role, shown, wseq, whash, bool(revoked))

    def hash_of(self, rows: Rows, writer: str, wseq: int) -> str:
        """Read the hash of an entry of a writer; the one before the first is that of no entry."""
        found = rows(HASH_OF, self.team, self.project, writer, wseq)
        if found:
            return str(found[0][0])
        return Head().hash if wseq == 0 else ""

    def append(self, rows: Rows, head: Head, name: str, entries: Sequence[Entry]) -> Head:
        """Add entries of one writer at the end of the log, which is locked."""
        for one in entries:
            seq = head.seq + 1
            hash_ = link_placed(head.hash, seq, one.whash)
            placed = (one.type, one.at, one.salt, one.payload, one.whash, one.signature, hash_)
            at = (self.team, self.project, seq, one.writer, one.wseq, one.id)
            if not rows(APPEND, *at, *placed):
                raise _Replayed
            head = Head(seq, hash_)
        if entries:
            rows(MOVE_PROJECT, head.seq, head.hash, self.team, self.project)
            last = entries[-1]
            rows(MOVE_WRITER, last.wseq, last.whash, self.team, self.project, name)
        return head

    def record(self, rows: Rows, head: Head, told: Told) -> Head:
        """Add an event of the server itself."""
        own = self.writer(rows, SERVER)
        if own is None:
            raise TeamError("unknown", "the server's own chain is missing")
        entry = seal(self.key, self.log, SERVER, Head(own.wseq, own.whash), told)
        return self.append(rows, head, SERVER, (entry,))

    def note(self, rows: Rows, act: Act, writer: str = "", about: str = "") -> None:
        """Record who used the log."""
        record(rows, self.log, act, self.clock(), writer=writer, about=about)

    def revoke(self, writer: str, told: Told, by: str) -> bool:
        """Remove a writer and record it; False where it was removed before."""
        with self.database.transaction(self.team) as rows:
            head = self.lock(rows)
            known = self._need_member(rows, writer)
            if not known.revoked:
                self.record(rows, head, told)
                rows(REVOKE, self.team, self.project, writer)
                self.note(rows, Act.REVOKED, by, writer)
        return not known.revoked

    def change_role(self, writer: str, role: str, told: Told, by: str) -> bool:
        """Give a writer another role and record it; False where it has it already."""
        with self.database.transaction(self.team) as rows:
            head = self.lock(rows)
            known = self._need_member(rows, writer)
            if known.revoked:
                hint = "invite it again: dmm server invite"
                raise TeamError("revoked", f"the writer {writer} was removed", hint=hint)
            if known.role != role:
                self.record(rows, head, told)
                rows(CHANGE_ROLE, role, self.team, self.project, writer)
                self.note(rows, Act.ROLE, by, f"{writer}: {known.role} to {role}")
        return known.role != role

    def _need_member(self, rows: Rows, writer: str) -> WriterHead:
        known = None if writer == SERVER else self.writer(rows, writer)
        if known is None:
            raise TeamError("unknown", f"there is no writer {writer}", hint="dmm server list")
        return known

    def lift(self, seq: int, tell: Callable[[str, str], Told]) -> bool:
        """Lift a rule by its number and record it; False where it was lifted before."""
        with self.database.transaction(self.team) as rows:
            head = self.lock(rows)
            found = rows(RULE, self.team, self.project, seq, *map(str, ADDS))
            if not found:
                hint = "dmm team status shows the rules of others"
                raise TeamError("unknown", f"event {seq} of the team log is not a rule", hint=hint)
            identity, payload = found[0]
            told = canonical({"of": json.loads(payload).get("of", identity)})
            known = rows(LIFT, self.team, self.project, seq, str(LIFTED), told)
            if not known:
                self.record(rows, head, tell(LIFTED, told))
                self.note(rows, Act.LIFTED, about=f"team:{seq}")
        return not known


@dataclass(frozen=True, slots=True)
class StoredLog:
    """The log of one project in a database, for one writer."""

    place: Place
    writer: str

    def push(self, batch: Batch) -> Outcome:
        """Take entries; what is answered is committed."""
        place = self.place
        try:
            with place.database.transaction(place.team) as rows:
                head = place.lock(rows)
                known = place.writer(rows, self.writer)
                if known is None:
                    return Revoked()
                found = admit(
                    place.log,
                    self.writer,
                    known,
                    batch,
                    lambda at: place.hash_of(rows, self.writer, at),
                )
                if not isinstance(found, Admitted):
                    self._note_refused(rows, f"push: {type(found).__name__.lower()}")
                    return found
                place.append(rows, head, self.writer, found.new)
                place.note(rows, Act.PUSHED, self.writer)
                return Taken(known.wseq + len(found.new) + 1)
        except _Replayed:
            with place.database.transaction(place.team) as rows:
                self._note_refused(rows, "push: replayed")
            return Refused("an event that the log holds already, under another number")

    def need(self, right: Right) -> None:
        """Refuse a writer that does not have a right."""
        with self.place.database.transaction(self.place.team) as rows:
            known = self.place.writer(rows, self.writer)
            removed = known is None or known.revoked
            if known is not None and not removed and may(known.role, right):
                return
            self._note_refused(rows, str(right))
        if known is None or removed:
            raise TeamError("revoked", "this laptop was removed from the team")
        what = f"a {known.role} can't {right} the team"
        raise TeamError("forbidden", what, hint="ask an owner, or whoever runs the server")

    def _note_refused(self, rows: Rows, what: str) -> None:
        self.place.note(rows, Act.REFUSED, self.writer, what)

    def pull(self, after: int) -> Page | Revoked:
        """Read the entries after a number."""
        place = self.place
        with place.database.transaction(place.team) as rows:
            known = place.writer(rows, self.writer)
            if known is None or known.revoked:
                self._note_refused(rows, "pull: revoked")
                return Revoked()
            place.note(rows, Act.PULLED, self.writer)
            head = place.head(rows)
            # What was added since the end was read waits for a signature that covers it.
            found = rows(PAGE, place.team, place.project, after, head.seq, MOST_PULLED)
        placed = tuple(Placed(row[0], row[1], Entry(*row[2:])) for row in found)
        return Page(placed, sign_head(place.key, place.team, place.project, head))
