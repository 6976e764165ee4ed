"""What a laptop keeps of its team: `team.db` beside the ledger.

It holds the laptop's own chain, which waits to be sent, and a copy of the server's log.
"""

from __future__ import annotations

import contextlib
from itertools import chain
from typing import TYPE_CHECKING, Literal

from dmm.errors import IndexBroken, TeamError
from dmm.eventlog.chain import GENESIS, Head
from dmm.storage.sqlite import MEMORY, connect, erase_freed, transaction, translated
from dmm.team import replica_tables as tables
from dmm.team.chain import Checkpoint, Entry, Placed, Trail, is_checkpoint, list_parts
from dmm.team.checked import WHOLE_EVERY, Checked, Known
from dmm.team.folding import Fold
from dmm.team.mark import damaged
from dmm.team.outbox import Outbox, tells_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from dmm.team.credentials import Credentials
    from dmm.team.port import Page

# The columns that hold why entries are not sent and not received.
Way = Literal["unsent", "unreceived"]
UNREACHABLE = "unreachable"
READ_AT_ONCE = 1_000


class Replica(Outbox):
    """The team.db of one project."""

    @classmethod
    @contextlib.contextmanager
    def opened(cls, path: Path, *, create: bool = False) -> Iterator[Replica]:
        """Open the file for a block; LedgerBroken where it is damaged or holds no membership.

        Only who joins creates it: an empty file in its place would lift all rules of the team.
        """
        if not create and not (path.exists() and path.stat().st_size):
            raise damaged("the copy of the team log is gone or empty", path)
        try:
            with contextlib.closing(connect(path, durable=True)) as connection:
                replica = cls(path, connection)
                replica._prepare(create=create)
                yield replica
        except IndexBroken as error:
            raise damaged("the copy of the team log is damaged", path) from error

    @classmethod
    @contextlib.contextmanager
    def in_memory(cls) -> Iterator[Replica]:
        """Open one that is gone after the block: for a log that is not proved yet."""
        with contextlib.closing(connect(None)) as connection:
            connection.execute(tables.SCHEMA)
            yield cls(MEMORY, connection)

    def _prepare(self, *, create: bool) -> None:
        with translated(self._where):
            found = int(self._connection.pragma("user_version"))
        if found > tables.SCHEMA_VERSION:
            what = f"team.db has version {found}; this dmm knows {tables.SCHEMA_VERSION}"
            raise TeamError("schema", what, where=self._where, hint="upgrade dmm")
        if found in tables.UPGRADES or (found == 0 and create):
            self._upgrade()
        elif found and not self._rows(tables.INDEXED):
            with transaction(self._connection, self._where) as cursor:
                cursor.execute(tables.INDEX)
        if not create and (found == 0 or not self._rows("SELECT 1 FROM membership")):
            raise damaged("the copy of the team log is empty", self._where)

    def _upgrade(self) -> None:
        """Make the tables, or bring those of an earlier version up to date."""
        with transaction(self._connection, self._where) as cursor:
            # Asked again: another process may have done it.
            found = int(self._connection.pragma("user_version"))
            if found == 0:
                cursor.execute(tables.SCHEMA)
            for version in range(found or tables.SCHEMA_VERSION, tables.SCHEMA_VERSION):
                cursor.execute(tables.UPGRADES[version])
            cursor.execute(f"PRAGMA user_version = {tables.SCHEMA_VERSION}")

    def join(self, writer: str, since: int) -> None:
        """Begin as a new writer; what the ledger holds up to `since` stays on the laptop."""
        with transaction(self._connection, self._where) as cursor:
            cursor.execute(tables.JOIN, (writer, since, GENESIS))

    def adopt(self, other: Replica) -> None:
        """Take the membership and the events of another instead of those held, at once."""
        with transaction(self._connection, self._where) as cursor:
            cursor.execute("DELETE FROM membership; DELETE FROM outbox; DELETE FROM event")
            cursor.execute(tables.ADD_MEMBERSHIP, other._rows("SELECT * FROM membership")[0])
            cursor.executemany(tables.ADD_EVENT, other._rows("SELECT * FROM event ORDER BY seq"))

    @contextlib.contextmanager
    def leaving(self) -> Iterator[None]:
        """End the membership after a block, and drop the copy; nothing is sent meanwhile.

        The file stays, without a writer: for one that is gone, rules would be missed.
        """
        with transaction(self._connection, self._where) as cursor:
            yield
            cursor.execute("DELETE FROM membership; DELETE FROM outbox; DELETE FROM event")
            cursor.execute(tables.JOIN, ("", 0, GENESIS))

    @contextlib.contextmanager
    def being(self, writer: str) -> Iterator[bool]:
        """Say for a block whether the laptop is a writer; it does not join or leave meanwhile."""
        with transaction(self._connection, self._where):
            yield self.membership().writer == writer

    def count_sent(self, writer: str, ids: frozenset[str]) -> int:
        """Count the entries that tell of some events and have left this laptop."""
        sent = self._sent(writer)
        own = (Entry(*row) for row in self._rows(tables.UNSENT, 0, sent))
        # Those of an earlier membership are known from the log alone.
        left = chain(own, (one.entry for one in self.events()))
        return len({one.id for one in left if tells_of(one, ids)})

    def erase_freed(self) -> None:
        """Leave no byte of what was dropped in the file; IndexBusy while another reads it."""
        erase_freed(self._connection, self._where)

    @contextlib.contextmanager
    def noting(self, way: Way) -> Iterator[None]:
        """Note why a block could not send or receive; a server out of reach is no fault."""
        try:
            yield
        except TeamError as error:
            if error.fault != UNREACHABLE:
                self._note(way, f"{error.what}; {error.hint}" if error.hint else error.what)
            raise
        self._note(way, "")

    def _note(self, way: Way, fault: str) -> None:
        if self._rows(tables.READ_FAULT[way])[0][0] != fault:
            with transaction(self._connection, self._where) as cursor:
                cursor.execute(tables.WRITE_FAULT[way], (fault,))

    def events(self, after: int = 0) -> Iterator[Placed]:
        """Read the copy of the log, a part at a time: it may be larger than memory."""
        while rows := self._rows(tables.EVENTS, after, READ_AT_ONCE):
            yield from map(Placed.read, rows)
            after = rows[-1][0]

    def find_lost(self, held: Credentials, point: Checkpoint) -> tuple[list[Placed], Checkpoint]:
        """Return what a server lost that ends earlier than this copy, and the end it signed.

        What no signed end covers is dropped: it had no effect, and its writers send it again.
        """
        self._need_signed(held, point)
        with transaction(self._connection, self._where) as cursor:
            self._need_same(point.seq, point.hash)
            known = self.membership().head
            if known.seq <= point.seq:
                cursor.execute("DELETE FROM event WHERE seq > ?", (point.seq,))
                return [], known
            return [one for one in self.events(point.seq) if one.seq <= known.seq], known

    def _need_signed(self, held: Credentials, point: Checkpoint) -> None:
        if not is_checkpoint(held.server_key, held.team, held.project, point):
            what = "the server's signature is not by the key it was joined with"
            raise TeamError("unsigned", what, hint="ask whoever runs the server")

    def receive(
        self, held: Credentials, page: Page, after: int, checked: Checked | None = None
    ) -> int:
        """Add a page that was asked for from a number on; return how many events are new.

        Another process may have received some of it since.
        """
        point, checked = page.head, checked or Checked()
        self._need_signed(held, point)
        with checked.lock, transaction(self._connection, self._where) as cursor:
            known, trail = self._follow(held, checked)
            # It continues below: if that fails, this is not what is kept.
            known.ahead = None
            if point.seq < trail.head.seq == after:
                what = f"the server's log ends at {point.seq}; this laptop has {after} events"
                raise TeamError("behind", what, hint="was the server restored from an old backup?")
            new = [one for one in page.placed if one.seq > trail.head.seq]
            for one in page.placed[: len(page.placed) - len(new)]:
                self._need_same(one.seq, one.hash)
            trail.follow(new)
            for one in new:
                cursor.execute(tables.ADD_EVENT, (one.seq, one.hash, *list_parts(one.entry)))
            if point.seq <= trail.head.seq:
                self._need_same(point.seq, point.hash)
            if new and trail.head.seq == point.seq:
                signed = (point.seq, point.hash, point.signature)
                cursor.execute("UPDATE membership SET head = ?, hash = ?, signature = ?", signed)
        known.ahead = trail
        return len(new)

    def _holds(self, seq: int, hash_: str) -> bool:
        return self._rows("SELECT hash FROM event WHERE seq = ?", seq) == [(hash_,)]

    def _need_same(self, seq: int, hash_: str) -> None:
        """Refuse another event under a number that is known here."""
        if seq and not self._holds(seq, hash_):
            what = f"the server signed another event {seq} than this laptop has"
            raise TeamError("forked", what, hint="ask whoever runs the server")

    def trail(self, held: Credentials, checked: Checked | None = None) -> Trail:
        """Follow the copy up to the last signed checkpoint; TeamError where it was changed.

        Entries that came after it, in a pull that broke off, are proved by their signatures.
        """
        return self._follow(held, checked or Checked())[1]

    def _follow(self, held: Credentials, checked: Checked) -> tuple[Known, Trail]:
        """Return what is checked up to the last signed checkpoint, and the trail to the end."""
        with checked.lock:
            known = self.check(held, checked)
            ahead, known.ahead = known.ahead, None
            # What is dropped before its end is missed when a signed end covers it.
            if ahead is None or not self._holds(ahead.head.seq, ahead.head.hash):
                ahead = known.trail.copy()
            ahead.follow(self.events(ahead.head.seq))
            known.ahead = ahead
            return known, ahead

    def check(self, held: Credentials, checked: Checked) -> Known:
        """Check what is new in the copy, up to the last signed checkpoint, and fold it.

        What this process has checked is checked again once in a while, and if some of it is gone.
        """
        with checked.lock:
            known, checked.known = self._find_known(held, checked), None
            point = self.membership().head
            for one in self.events(known.trail.head.seq):
                if one.seq > point.seq:
                    break
                known.trail.follow((one,), signed=False)
                known.fold.add(one)
            signed = is_checkpoint(held.server_key, held.team, held.project, point)
            if point.seq and (not signed or known.trail.head != Head(point.seq, point.hash)):
                what = "the copy of the team log was changed on this laptop"
                hint = "remove team.db and join again with a new invitation"
                raise TeamError("edited", what, where=self._where, hint=hint)
            checked.known = known
            return known

    def _find_known(self, held: Credentials, checked: Checked) -> Known:
        """Return what was checked of this very copy; nothing where it is time for the whole."""
        now, known = checked.clock(), checked.known
        if known is not None and now < known.until and known.trail.is_of(held.server_key, held.log):
            head = known.trail.head
            extent = (head.seq, head.hash if head.seq else "")
            if self._rows(tables.EXTENT, head.seq)[0] == extent:
                return known
        return Known(Trail(held.server_key, held.log), Fold(), now + WHOLE_EVERY)
