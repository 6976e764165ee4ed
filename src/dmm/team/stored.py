"""The team log in a database: the same statements on SQLite and on PostgreSQL."""

from __future__ import annotations

import datetime as dt
import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from dmm.domain.event import canonical
from dmm.errors import TeamError
from dmm.eventlog.chain import Head
from dmm.team import statements
from dmm.team.admission import Admitted, admit, examine
from dmm.team.audit import Act, record
from dmm.team.chain import (
    REVOKED,
    SERVER,
    Entry,
    Placed,
    Trail,
    WriterHead,
    is_checkpoint,
    link_placed,
    list_parts,
    seal,
    sign_head,
)
from dmm.team.confirming import find_unproven, forget_used
from dmm.team.port import MOST_PULLED, Page, Refused, Revoked, Taken, fit
from dmm.team.roles import Right, may
from dmm.team.sharing import ADDS, LIFTED
from dmm.team.told import tell

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dmm.team.chain import LogName
    from dmm.team.database import Database, Row, Rows
    from dmm.team.keys import SigningKey
    from dmm.team.port import Batch, Lost, Outcome

# Setting a row to what it is takes its lock, in every database: one push at a time per project.
LOCK_PROJECT = """
UPDATE project SET seq = seq WHERE team_id = ? AND project_id = ? RETURNING seq, hash, (
    SELECT count(*) FROM writer
    WHERE writer.team_id = project.team_id AND writer.project_id = project.project_id
        AND awaited = 1 AND revoked = 0
), (
    SELECT count(*) FROM writer
    WHERE writer.team_id = project.team_id AND writer.project_id = project.project_id
        AND revoked = 2
)
"""
HEAD = "SELECT seq, hash FROM project WHERE team_id = ? AND project_id = ?"
MOVE_PROJECT = "UPDATE project SET seq = ?, hash = ? WHERE team_id = ? AND project_id = ?"
WRITER = """
SELECT key, role, name, wseq, whash, revoked, awaited FROM writer
WHERE team_id = ? AND project_id = ? AND writer = ?
"""
WRITERS = """
SELECT writer, key, role, name, wseq, whash, revoked, awaited FROM writer
WHERE team_id = ? AND project_id = ? ORDER BY writer
"""
# Where WRITERS has whether a writer was removed.
REVOKED_AT = 6
MOVE_WRITER = """
UPDATE writer SET wseq = ?, whash = ? WHERE team_id = ? AND project_id = ? AND writer = ?
"""
HASH_OF = """
SELECT whash FROM event WHERE team_id = ? AND project_id = ? AND writer = ? AND wseq = ?
"""
APPEND = """
INSERT INTO event (team_id, project_id, seq, writer, wseq, id, type, at, salt, payload, whash,
    signature, hash)
VALUES {rows} ON CONFLICT DO NOTHING RETURNING seq
"""
APPENDED = "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
PAGE = """
SELECT seq, hash, writer, wseq, id, type, at, salt, payload, whash, signature FROM event
WHERE team_id = ? AND project_id = ? AND seq > ? AND seq <= ? ORDER BY seq LIMIT ?
"""


def now() -> dt.datetime:
    """Return the time, in UTC."""
    return dt.datetime.now(dt.UTC)


class _Replayed(Exception):
    """Ends a transaction; it never leaves this module."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A page of a log, and who was removed at that time and is not given it."""

    page: Page
    removed: frozenset[str]


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
        return self.need(rows(HEAD, self.team, self.project))

    def lock(self, rows: Rows) -> Head:
        """Read where the log ends, and keep others from adding until the transaction is over.

        After a restore, nothing is added before all laptops have given back what they hold.
        """
        found = rows(LOCK_PROJECT, self.team, self.project)
        head = self.need(found)
        awaited = int(str(found[0][2]))
        if awaited:
            what = f"the server was restored from a backup and waits for {awaited} of the laptops"
            hint = f"it goes on by itself; or on the server: dmm server resume {'/'.join(self.log)}"
            raise TeamError("recovering", what, hint=hint)
        return self._tell_revoked(rows, head) if found[0][3] else head

    def lock_always(self, rows: Rows) -> Head:
        """Keep others from adding, even while laptops are awaited; nothing may be added then."""
        return self.need(rows(LOCK_PROJECT, self.team, self.project))

    def _tell_revoked(self, rows: Rows, head: Head) -> Head:
        """Record who was removed while laptops were awaited, of which the log does not tell yet."""
        for (writer,) in rows(statements.REVOKED_FIRST, *self.log):
            head = self.record(rows, head, REVOKED, writer=str(writer))
            rows(statements.REVOKE, *self.log, str(writer))
        return head

    def resume(self, laptop: str = "") -> int:
        """Wait no longer for laptops, or for one, after a restore; return how many it was."""
        with self.database.transaction(self.team) as rows:
            self.head(rows)
            if laptop:
                self.need_member(rows, laptop)
            self.note(rows, Act.RESUMED, about=laptop)
            if laptop:
                return len(rows(statements.REPORT, *self.log, laptop))
            return len(rows(statements.RESUME, *self.log))

    def trail(self, rows: Rows, head: Head) -> Trail:
        """Return what is known of the log at its end; ids are left to the table."""
        found = rows(WRITERS, self.team, self.project)
        # Whoever was removed while laptops were awaited is not removed in the log so far.
        writers = {
            str(row[0]): replace(_writer(row[1:]), revoked=row[REVOKED_AT] == 1) for row in found
        }
        return Trail(self.key.public, self.log, head, writers)

    def need(self, found: Sequence[tuple[object, ...]]) -> Head:
        """Read the end of the log in the row of the project."""
        if not found:
            what = f"there is no project {self.team}/{self.project}"
            raise TeamError("unknown", what, hint=f"dmm server add {self.team}/{self.project}")
        seq, hash_ = found[0][:2]
        return Head(int(str(seq)), str(hash_))

    def read(self, after: int) -> Reading:
        """Read the entries after a number for several writers at once."""
        with self.database.transaction(self.team) as rows:
            removed = frozenset(
                str(row[0]) for row in rows(statements.REMOVED, self.team, self.project)
            )
            return Reading(self.page(rows, after), removed)

    def page(self, rows: Rows, after: int) -> Page:
        """Read the entries after a number."""
        head = self.head(rows)
        # What was added since the end was read waits for a signature that covers it.
        found = rows(PAGE, self.team, self.project, after, head.seq, MOST_PULLED)
        placed = fit(map(Placed.read, found))
        return Page(placed, sign_head(self.key, self.team, self.project, head))

    def writer(self, rows: Rows, name: str) -> WriterHead | None:
        """Read what is known of a writer."""
        found = rows(WRITER, self.team, self.project, name)
        return _writer(found[0]) if found else None

    def hash_of(self, rows: Rows, writer: str, wseq: int) -> str:
        """Read the hash of an entry of a writer; the one before the first is that of no entry."""
        found = rows(HASH_OF, self.team, self.project, writer, wseq)
        if found:
            return str(found[0][0])
        return Head().hash if wseq == 0 else ""

    def append(self, rows: Rows, head: Head, name: str, entries: Sequence[Entry]) -> Head:
        """Add entries of one writer at the end of the log, which is locked."""
        placed = []
        for one in entries:
            head = Head(head.seq + 1, link_placed(head.hash, head.seq + 1, one.whash))
            placed.append(Placed(head.seq, head.hash, one))
        if entries:
            self._insert(rows, placed)
            rows(MOVE_PROJECT, head.seq, head.hash, self.team, self.project)
            last = entries[-1]
            rows(MOVE_WRITER, last.wseq, last.whash, self.team, self.project, name)
        return head

    def _insert(self, rows: Rows, placed: Sequence[Placed]) -> None:
        """Insert some with one statement: a round trip to the database costs more than a row."""
        values: list[str | int] = []
        for one in placed:
            values += (*self.log, one.seq, *list_parts(one.entry), one.hash)
        added = rows(APPEND.format(rows=", ".join([APPENDED] * len(placed))), *values)
        if len(added) < len(placed):
            raise _Replayed

    def append_again(self, rows: Rows, trail: Trail, placed: Sequence[Placed]) -> None:
        """Add entries where they stood, and what they say of writers; the trail must take them."""
        before = dict(trail.writers)
        trail.follow(placed)
        forget_used(self.log, rows)
        if placed:
            self._insert(rows, placed)
        rows(MOVE_PROJECT, trail.head.seq, trail.head.hash, self.team, self.project)
        for name, writer in trail.writers.items():
            if writer != before.get(name):
                known = (writer.key, writer.role, writer.name)
                chain = (writer.wseq, writer.whash, int(writer.revoked))
                rows(statements.KEEP_WRITER, *self.log, name, *known, *chain)
                if writer.revoked or not may(writer.role, Right.MANAGE):
                    self.end_invitations(rows, name)

    def record(self, rows: Rows, head: Head, kind: str, **said: str) -> Head:
        """Add an event of the server itself."""
        own = self.writer(rows, SERVER)
        if own is None:
            what = "the server's own chain is missing"
            raise TeamError("unknown", what, hint="restore a backup: dmm server restore FILE")
        told = tell(kind, canonical(said), self.clock())
        entry = seal(self.key, self.log, SERVER, Head(own.wseq, own.whash), told)
        return self.append(rows, head, SERVER, (entry,))

    def note(self, rows: Rows, act: Act, writer: str = "", about: str = "") -> None:
        """Record who used the log."""
        record(rows, self.log, act, self.clock(), writer=writer, about=about)

    def end_invitations(self, rows: Rows, writer: str) -> None:
        """End the unused invitations of a writer who no longer manages the project."""
        at = self.clock().isoformat()
        rows(statements.END_INVITATIONS, at, self.team, self.project, writer, at)

    def need_member(self, rows: Rows, writer: str) -> WriterHead:
        """Read what is known of a laptop; TeamError where there is none of this name."""
        known = None if writer == SERVER else self.writer(rows, writer)
        if known is None:
            hint = "dmm team members, or dmm server list"
            raise TeamError("unknown", f"there is no writer {writer}", hint=hint)
        return known

    def lift(self, seq: int) -> bool:
        """Lift a rule by its number and record it; False where it was lifted before."""
        with self.database.transaction(self.team) as rows:
            head = self.lock(rows)
            found = rows(statements.RULE, self.team, self.project, seq, *map(str, ADDS))
            if not found:
                hint = "dmm team status shows the rules of others"
                raise TeamError("unknown", f"event {seq} of the team log is not a rule", hint=hint)
            identity, payload = found[0]
            of = json.loads(payload).get("of", identity)
            lifts = rows(statements.LIFTS, self.team, self.project, seq, str(LIFTED))
            known = any(json.loads(lift).get("of") == of for (lift,) in lifts)
            if not known:
                self.record(rows, head, LIFTED, of=of)
                self.note(rows, Act.LIFTED, about=f"team:{seq}")
        return not known


@dataclass(frozen=True, slots=True)
class StoredLog:
    """The log of one project in a database, for one writer with its public key."""

    place: Place
    writer: str
    key: str

    def push(self, batch: Batch) -> Outcome:
        """Take entries; what is answered is committed."""
        place = self.place
        # Before the lock, for which all others of the project wait.
        examined = examine(place.log, self.writer, self.key, batch)
        try:
            with place.database.transaction(place.team) as rows:
                head = place.lock(rows)
                _need_ahead(batch, head)
                known = place.writer(rows, self.writer)
                if known is None or known.key != self.key:
                    return Revoked()
                found = admit(
                    known, batch, examined, lambda at: place.hash_of(rows, self.writer, at)
                )
                if isinstance(found, Admitted):
                    unproven = find_unproven(place.log, rows, self.writer, found.new)
                    found = Refused(unproven) if unproven else found
                if not isinstance(found, Admitted):
                    self._note_refused(rows, f"push: {type(found).__name__.lower()}")
                    return found
                place.append(rows, head, self.writer, found.new)
                if found.new:
                    place.note(rows, Act.PUSHED, self.writer)
                return Taken(known.wseq + len(found.new) + 1)
        except _Replayed:
            with place.database.transaction(place.team) as rows:
                self._note_refused(rows, "push: replayed")
            return Refused("an event that the log already holds, under another number")

    def take_back(self, lost: Lost) -> Outcome:
        """Take entries that this log gave out before it was restored from a backup."""
        place = self.place
        try:
            with place.database.transaction(place.team) as rows:
                head = place.lock_always(rows)
                known = place.writer(rows, self.writer)
                if known is None or known.revoked:
                    self._note_refused(rows, "give back: revoked")
                    return Revoked()
                place.note(rows, Act.RETURNED, self.writer)
                new = tuple(one for one in lost.placed if one.seq > head.seq)
                if new:
                    _need_own_order(place.key.public, place.log, lost)
                    place.append_again(rows, place.trail(rows, head), new)
                return Taken(head.seq + len(new) + 1)
        except _Replayed:
            return Refused("an event that the log already holds, under another number")

    def enter(self) -> bool:
        """Return whether the laptop is a member, who may search; whichever role it has."""
        with self.place.database.transaction(self.place.team) as rows:
            known = self.place.writer(rows, self.writer)
            member = known is not None and not known.revoked
            if member:
                self.place.note(rows, Act.SEARCHED, self.writer)
            else:
                self._note_refused(rows, "search: revoked")
        return member

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
            page = place.page(rows, after)
            if known.awaited and after <= page.head.seq:
                rows(statements.REPORT, place.team, place.project, self.writer)
        return page


def _need_ahead(batch: Batch, head: Head) -> None:
    """Refuse a batch of a laptop that has seen more of the log than it holds."""
    if batch.seen > head.seq:
        what = f"the server's log ends at {head.seq}; this laptop has {batch.seen} events"
        raise TeamError("behind", what, hint="give them back first: dmm team sync")


def _need_own_order(public: str, log: LogName, lost: Lost) -> None:
    """Refuse entries in an order that the server did not sign.

    Their writers signed them, too, so no laptop can add or leave out anything by giving back.
    """
    last = lost.placed[-1]
    end = Head(last.seq, last.hash)
    for whash in lost.rest:
        end = Head(end.seq + 1, link_placed(end.hash, end.seq + 1, whash))
    if not is_checkpoint(public, *log, lost.head) or end != Head(lost.head.seq, lost.head.hash):
        what = "the server did not sign the order of these events"
        raise TeamError("forked", what, hint="ask whoever runs the server")


def _writer(row: Row) -> WriterHead:
    key, role, name, wseq, whash, revoked, awaited = row
    return WriterHead(key, role, name, wseq, whash, bool(revoked), bool(awaited))
