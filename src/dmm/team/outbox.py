"""A laptop's own chain, in its `team.db`: made from the ledger when it is sent, and what was sent.

Recording an event costs nothing more.
"""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING

from dmm.domain.event import EventType
from dmm.domain.payload import PayloadRedacted
from dmm.eventlog.chain import GENESIS, Head
from dmm.storage.sqlite import transaction, translated
from dmm.team import replica_tables as tables
from dmm.team.approving import Approver
from dmm.team.chain import (
    JOINED,
    PASSKEY,
    ROLE_CHANGED,
    SERVER,
    Entry,
    list_parts,
    read_payload,
    seal,
)
from dmm.team.port import MOST_PUSHED, Batch, fit
from dmm.team.proofs import APPROVED, Confirmed
from dmm.team.replica_tables import Membership, read_membership
from dmm.team.roles import may_send, read_role
from dmm.team.sharing import tell_new
from dmm.team.told import Told

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable
    from pathlib import Path

    import apsw

    from dmm.eventlog.log_reader import LogReader
    from dmm.passkeys.keyring import Keyring
    from dmm.team.credentials import Credentials
    from dmm.team.database import Row

# The fields of entries that hold words of an event.
_WORDS = frozenset(("text", "key", "value", "paths", "title", "counts"))


class Outbox:
    """What a laptop has to tell its team."""

    def __init__(self, path: Path | str, connection: apsw.Connection) -> None:
        self._where = str(path)
        self._connection = connection

    def _rows(self, statement: str, *values: str | int) -> list[Row]:
        with translated(self._where):
            return list(self._connection.execute(statement, values))

    def membership(self) -> Membership:
        """Return how far this laptop is."""
        return read_membership(self._rows(tables.MEMBERSHIP)[0])

    def role(self, held: Credentials) -> str:
        """Return the role that the log last told for this laptop; the server checks it, too."""
        found = self._rows(tables.ROLE, SERVER, JOINED, ROLE_CHANGED, held.writer)
        return read_role(found[0][0] if found else held.role)

    def passkeys(self, held: Credentials) -> Confirmed:
        """Return the passkeys that the log tells of this laptop's user."""
        found = Confirmed()
        for (told,) in self._rows(tables.PASSKEYS, SERVER, PASSKEY, held.writer):
            found.add(json.loads(told))
        return found

    def confirmed(self, held: Credentials) -> Confirmed:
        """Return the passkeys that the log tells of this laptop's user, and what is used up."""
        found = self.passkeys(held)
        for kind, told in self._rows(tables.PROVED, held.writer):
            found.use(held.log, held.writer, kind, json.loads(told))
        return found

    def collect(
        self, held: Credentials, log: LogReader, kinds: Collection[str], keyring: Keyring
    ) -> int:
        """Append the latest events of the ledger to the laptop's chain; return how many."""
        head = log.head()
        role, approver = self.role(held), Approver(held, keyring, partial(self.confirmed, held))
        ((taken,),) = self._rows("SELECT taken FROM membership")
        if next(log.events_of(tuple(APPROVED), taken, head.seq), None) is not None:
            # Read before the transaction, for which others wait.
            approver.answers()
        with transaction(self._connection, self._where) as cursor:
            since, taken, mark = next(cursor.execute("SELECT since, taken, mark FROM membership"))
            # In a ledger that was restored, other events may stand under the same numbers.
            start = taken if mark in ("", log.hash_of(taken)) else since
            self._withdraw(cursor, approver, _find_blanked(log, start, head.seq))
            if mark == head.hash or not next(cursor.execute("SELECT count(*) FROM event"))[0]:
                # Where the log was not read since joining, it may hold some of this already.
                return 0
            end, found, unproven = _read_end(cursor), 0, 0
            for told in tell_new(log, since, start, head.seq, kinds):
                # What the role may not send is passed over.
                if may_send(role, told.type) and not self._rows(tables.KNOWN, told.id):
                    proved = approver.prove(told)
                    if proved is None:
                        unproven += 1
                        continue
                    end, found = _append(cursor, held, end, proved), found + 1
            cursor.execute(tables.TAKE, (head.seq, head.hash, unproven))
        return found

    def _withdraw(self, cursor: apsw.Cursor, by: Approver, blanked: frozenset[str]) -> None:
        """Drop entries that were not sent, and seal those after them again.

        That is what was blanked, and what a passkey would have to confirm by now.
        """
        (held,) = next(cursor.execute(tables.HELD, (by.held.writer,)))
        waiting = [Entry(*row) for row in cursor.execute(tables.UNSENT, (held, -1))]
        lacking = {one.wseq for one in waiting if by.is_lacking(one)}
        # The log up to the passkeys is here, and since then no server took the first of these or
        # anything after it, even where it was offered and the answer is not known.
        sent = min([self._sent(by.held.writer), *(at - 1 for at in lacking)])
        later = [one for one in waiting if one.wseq > sent]
        kept = [one for one in later if not tells_of(one, blanked)]
        if len(kept) == len(later) and not lacking:
            return
        cursor.execute("DELETE FROM outbox WHERE wseq > ?", (sent,))
        end, unproven = _read_end(cursor), 0
        for one in kept:
            told = Told(one.id, one.type, one.at, one.payload)
            proved = by.prove_again(one) if one.wseq in lacking else told
            if proved is None:
                unproven += 1
            else:
                end = _append(cursor, by.held, end, proved)
        cursor.execute(tables.WITHDRAW, (sent, unproven))

    def _sent(self, writer: str) -> int:
        """Return how many own entries the server may hold; an answer may have been lost."""
        return int(self._rows(tables.SENT, writer)[0][0])

    def unsent(self) -> Batch:
        """Return the next entries to send."""
        ((sent, seen),) = self._rows("SELECT sent, head FROM membership")
        before = self._rows(tables.HASH_OF, sent)
        entries = fit(Entry(*row) for row in self._rows(tables.UNSENT, sent, MOST_PUSHED))
        return Batch(before[0][0] if before else GENESIS, entries, seen)

    def offer(self) -> tuple[Batch, int]:
        """Return the next entries to send, and how many were offered before.

        From now on none of them is sealed anew, unless they are taken back.
        """
        with transaction(self._connection, self._where) as cursor:
            batch = self.unsent()
            before = next(cursor.execute("SELECT offered FROM membership"))[0]
            if batch.entries:
                last = batch.entries[-1].wseq
                cursor.execute("UPDATE membership SET offered = max(offered, ?)", (last,))
        return batch, int(before)

    def take_back(self, batch: Batch, before: int) -> None:
        """Note that the server did not take what was offered: it can be withdrawn again.

        What was offered earlier stays so, as its answer may have been lost.
        """
        last = batch.entries[-1].wseq
        with transaction(self._connection, self._where) as cursor:
            cursor.execute("UPDATE membership SET offered = ? WHERE offered = ?", (before, last))

    def count_unsent(self) -> int:
        """Count the entries that wait to be sent."""
        return int(self._rows("SELECT count(*) FROM outbox, membership WHERE wseq > sent")[0][0])

    def acknowledge(self, last: Entry) -> None:
        """Note that the server holds the entries up to one, unless the laptop joined anew since."""
        with transaction(self._connection, self._where) as cursor:
            if [(last.whash,)] == list(cursor.execute(tables.HASH_OF, (last.wseq,))):
                cursor.execute("UPDATE membership SET sent = ?", (last.wseq,))

    def find_shared(self, ids: Iterable[str]) -> dict[str, bool]:
        """Return which of some events are shared, and whether they were sent."""
        found = self._rows(tables.FIND_SHARED, json.dumps(list(ids)))
        return {name: bool(sent) for name, sent in found}

    def send_from(self, wseq: int) -> None:
        """Send entries again from a number on."""
        with transaction(self._connection, self._where) as cursor:
            cursor.execute("UPDATE membership SET sent = ?", (wseq - 1,))

    def send_lost(self, held: Credentials, sent: int) -> int:
        """Send again what a server took and, by the log that was read since, holds no longer."""
        found = self._rows("SELECT coalesce(max(wseq), 0) FROM event WHERE writer = ?", held.writer)
        lost: int = sent - found[0][0]
        if lost > 0:
            self.send_from(sent - lost + 1)
        return max(0, lost)


def _read_end(cursor: apsw.Cursor) -> Head:
    """Return the end of the laptop's chain."""
    return Head(*next(cursor.execute(tables.LAST), (0, GENESIS)))


def _append(cursor: apsw.Cursor, held: Credentials, end: Head, told: Told) -> Head:
    """Append an event to the laptop's chain; return its new end."""
    entry = seal(held.key, held.log, held.writer, end, told)
    cursor.execute(tables.ADD_OUT, list_parts(entry))
    return Head(entry.wseq, entry.whash)


def _find_blanked(log: LogReader, after: int, to: int) -> frozenset[str]:
    """Return the ids of the events that were blanked within a part of a ledger."""
    told = map(PayloadRedacted.read, log.events_of((EventType.PAYLOAD_REDACTED,), after, to))
    events = (log.event(one.seq) for one in told if one is not None)
    return frozenset(one.id for one in events if one is not None)


def tells_of(entry: Entry, ids: frozenset[str]) -> bool:
    """Return whether an entry holds the words of some events: of its own, or of one accepted."""
    told = read_payload(entry)
    return not _WORDS.isdisjoint(told) and not ids.isdisjoint((entry.id, str(told.get("of"))))
