"""The ledger file's tables: append-only, durable when acknowledged."""

from __future__ import annotations

import contextlib
import secrets
from typing import TYPE_CHECKING, Protocol

from dmm.errors import LedgerBroken, LedgerRefused, StorageError
from dmm.eventlog import tables
from dmm.eventlog.chain import Head
from dmm.eventlog.file import PRIVATE_FOLDER, Guarded, first_of, has_own_tables, make_private
from dmm.eventlog.log_reader import LogReader
from dmm.eventlog.seal import SIZE, Seal
from dmm.eventlog.upcast import UPCASTS
from dmm.eventlog.writer import Writer
from dmm.files.durable import make_folder, sync_directory, translated
from dmm.storage import sqlite

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    import apsw

    from dmm.domain.event import Draft, Event
    from dmm.eventlog.mark import HighWaterMark
    from dmm.eventlog.upcast import Upcasts


class Announce(Protocol):
    """Is told the identity of a ledger that begins, before its first event is kept and after."""

    def __call__(self, first: str, *, settled: bool) -> None:
        """Record it."""
        ...


class EventLog(LogReader):
    """One ledger file."""

    def __init__(self, connection: apsw.Connection, where: str, upcasts: Upcasts = UPCASTS) -> None:
        super().__init__(connection, where, upcasts)
        self._transaction = sqlite.transaction(connection, where)
        self._stands: tuple[Path, int] | None = None
        self._writer: Writer | None = None
        self._version = 0
        self.where = where
        self.announce: Announce | None = None
        # What a trusted ledger has outside its file: where its newest event is noted, and the key.
        self.mark: HighWaterMark | None = None
        self.find_mark: Callable[[str], HighWaterMark] | None = None
        self.seal: Seal | None = None
        self.wrong_snapshots: set[int] = set()

    @classmethod
    def open(cls, path: Path, upcasts: Upcasts = UPCASTS) -> EventLog:
        """Open or create a ledger; one of a newer version is refused."""
        if path.is_symlink():
            raise LedgerRefused("the path contains a symbolic link", where=str(path))
        make_folder(path.parent, mode=PRIVATE_FOLDER)
        make_private(path)
        with Guarded(str(path)):
            log = cls(sqlite.connect(path, durable=True), str(path), upcasts)
        log._prepare()
        log._stands = path, path.stat().st_ino
        return log

    @classmethod
    def look(cls, path: Path, upcasts: Upcasts = UPCASTS) -> EventLog:
        """Open a ledger in a place that can't be written; nothing can be appended."""
        if path.is_symlink():
            raise LedgerRefused("the path contains a symbolic link", where=str(path))
        with Guarded(str(path)):
            log = cls(sqlite.connect_read_only(path), str(path), upcasts)
            if not log._is_current():
                refusal = log._refusal()
                log.close()
                raise refusal
            log._need_own_tables()
        log._stands = path, path.stat().st_ino
        return log

    @property
    def replaced(self) -> bool:
        """Whether another file stands in the place of this one, or none at all."""
        if self._stands is None:
            return False
        path, inode = self._stands
        try:
            # Only looked at, never opened: closing a second descriptor would drop SQLite's locks.
            return path.stat().st_ino != inode
        except OSError:
            return True

    @classmethod
    def in_memory(cls, upcasts: Upcasts = UPCASTS) -> EventLog:
        """Make a ledger that lives as long as the process, for stories and trials."""
        log = cls(sqlite.connect(None), sqlite.MEMORY, upcasts)
        log.seal = Seal(secrets.token_bytes(SIZE))
        log._prepare()
        return log

    def _prepare(self) -> None:
        try:
            with self._guarded:
                self._connection.pragma("secure_delete", "ON")
                if not self._is_current():
                    self._make_tables()
                self._need_own_tables()
        except BaseException:
            self.close()
            raise

    def _make_tables(self) -> None:
        """Make the tables in a new file; one that is something else is refused."""
        with sqlite.transaction(self._connection, self.where) as cursor:
            if self._is_current():
                return
            if any(self._marks("application_id", "user_version", "schema_version")):
                raise self._refusal()
            cursor.execute(tables.SCHEMA)
            self._connection.pragma("application_id", tables.APPLICATION_ID)
            self._connection.pragma("user_version", tables.SCHEMA_VERSION)

    def _need_own_tables(self) -> None:
        """Refuse a file in which other things go by our names."""
        if not has_own_tables(self._connection):
            hint = "move the file away; DMM did not write it"
            raise LedgerRefused("the file is not a ledger", where=self.where, hint=hint)

    def _is_current(self) -> bool:
        found = self._marks("application_id", "user_version")
        return found == (tables.APPLICATION_ID, tables.SCHEMA_VERSION)

    def _marks(self, *names: str) -> tuple[int, ...]:
        return tuple(int(str(self._connection.pragma(name))) for name in names)

    def _refusal(self) -> LedgerRefused:
        if self._marks("application_id") == (tables.APPLICATION_ID,):
            what = "the ledger was written by a newer version"
            hint = "update DMM; this version can't read it"
        else:
            what = "the file is not a ledger"
            hint = "move the file away; a new ledger is created in its place"
        return LedgerRefused(what, where=self.where, hint=hint)

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def first(self) -> str | None:
        """Return the identity of this ledger; None where it has no event yet."""
        with self._guarded:
            return first_of(self._connection)

    def _tell(self, *, settled: bool) -> None:
        """Announce the identity of a new ledger, before the commit and after it."""
        if self.announce is not None:
            first = self.first()
            if first is not None:
                self.announce(first, settled=settled)
                self.announce = None if settled else self.announce

    @contextlib.contextmanager
    def _changing(self) -> Iterator[apsw.Cursor]:
        with self._guarded, self._transaction as cursor:
            yield cursor

    @contextlib.contextmanager
    def writing(self) -> Iterator[Writer]:
        """Lock the log for a decision and its events: all are recorded, or none."""
        with self._guarded, self._transaction as cursor:
            writer = self._begin(cursor)
            yield writer
            self._tell(settled=False)
        self._settle(writer)

    def append(self, drafts: Iterable[Draft]) -> list[Event]:
        """Record some events in one transaction; they are kept when this returns."""
        # Not by `writing`: a generator more is felt in a single append.
        with self._guarded, self._transaction as cursor:
            writer = self._begin(cursor)
            recorded = [writer.append(draft) for draft in drafts]
            self._tell(settled=False)
        self._settle(writer)
        return recorded

    def _begin(self, cursor: apsw.Cursor) -> Writer:
        """Continue after the newest event, read again only if others may have written.

        Every commit gives the file another version, whichever connection or process makes it.
        """
        writer, self._writer = self._writer, None
        if writer is not None and self._version == self._connection.data_version():
            return writer
        return Writer(cursor, self._upcasts, Head(*next(cursor.execute(tables.HEAD), ())))

    def _settle(self, writer: Writer) -> None:
        """Remember where the log ends; a transaction that fails never comes here."""
        self._writer, self._version = writer, self._connection.data_version()
        self._tell(settled=True)
        if self.mark is None and self.find_mark is not None and writer.head.seq:
            self.mark = self.find_mark(self.first() or "")
        if self.mark is not None:
            self.mark.move(writer.head)

    def extend(self, drafts: Iterable[Draft]) -> Head:
        """Record a burst of events in one transaction; gives the newest, kept when this returns."""
        with self.writing() as writer:
            writer.extend(drafts)
            return writer.head

    def blank(self, seq: int, draft: Draft) -> Event:
        """Blank a leaked payload, record that, and erase its bytes; a second try is harmless."""
        recorded = self.blank_all({seq: draft})[0]
        self.erase_freed()
        return recorded

    def blank_all(self, drafts: Mapping[int, Draft]) -> list[Event]:
        """Blank leaked payloads, all of them or none; their bytes wait to be erased."""
        with self.writing() as writer:
            return [writer.blank(seq, draft) for seq, draft in drafts.items()]

    def erase_freed(self) -> None:
        """Erase the bytes of what was deleted; refused while another process reads."""
        with self._guarded:
            sqlite.erase_freed(self._connection, self.where)

    def nearest_snapshot(self, to: int, code: str) -> tuple[int, bytes] | None:
        """Find the newest snapshot up to an event that this code sealed for this very chain."""
        if self.seal is None:
            return None
        sealed_by = _name_code(code, self.seal)
        for seq, digest, sealed in self._select(tables.SNAPSHOTS_BEFORE, to, sealed_by):
            state = self.seal.open(seq, digest, sealed)
            if state is not None:
                return seq, state
            self.wrong_snapshots.add(seq)
        return None

    def snapshots(self, code: str) -> Iterator[tuple[int, bytes | None]]:
        """Read all snapshots that this code sealed with this key; None where the seal is broken."""
        if self.seal is None:
            return
        for seq, digest, sealed in self._select(tables.SNAPSHOTS, _name_code(code, self.seal)):
            yield seq, self.seal.open(seq, digest, sealed)

    def keep_snapshots(self, snapshots: Sequence[tuple[int, bytes]], code: str, at: int) -> None:
        """Keep states for later replays, unless a payload was blanked since redaction `at`.

        They can be made again at any time: a reader neither waits nor fails for them.
        """
        if self.seal is None:
            return
        seal, sealed_by = self.seal.close, _name_code(code, self.seal)
        rows = [
            (seq, sealed_by, seal(seq, self.hash_of(seq), state), at) for seq, state in snapshots
        ]
        if self._connection.in_transaction:
            self._connection.executemany(tables.KEEP_SNAPSHOT, rows)
            return
        try:
            with sqlite.impatient(self._connection), self._changing() as cursor:
                cursor.executemany(tables.KEEP_SNAPSHOT, rows)
        except LedgerBroken:
            raise
        except StorageError:
            return

    def damage(self) -> tuple[str, ...]:
        """Check the file itself for damage; return one line per finding."""
        try:
            lines = [str(row[0]) for row in self._select("PRAGMA integrity_check")]
        except LedgerBroken as error:
            return (error.what,)
        return () if lines == ["ok"] else tuple(lines)

    def forget_snapshots(self) -> None:
        """Leave out of a copy what can be made again."""
        with self._changing() as cursor:
            cursor.execute(tables.DROP_SNAPSHOTS, (0,))
        self.erase_freed()

    def take_events(self) -> None:
        """Let the copy of a moved ledger accept events again."""
        with self._changing() as cursor:
            cursor.execute(tables.UNMOVED)

    def backup(self, target: Path, *, derived: bool = True) -> Head:
        """Copy the ledger while others may write; gives the head of the copy.

        The copy appears under its name only when it is whole. What is derived can be left out.
        """
        if target.exists():
            raise LedgerRefused("the file already exists", where=str(target))
        temporary = target.with_name(f".{target.name}.{secrets.token_hex(6)}.tmp")
        try:
            make_private(temporary)
            with Guarded(str(temporary), ledger=self.where):
                sqlite.copy(self._connection, temporary)
            head = self._check_copy(temporary, derived=derived)
            with translated(target, "write the backup"):
                temporary.rename(target)
                sync_directory(target.parent)
        finally:
            temporary.unlink(missing_ok=True)
        return head

    def _check_copy(self, path: Path, *, derived: bool) -> Head:
        with contextlib.closing(EventLog.open(path, self._upcasts)) as copy:
            copy.take_events()
            if not derived:
                copy.forget_snapshots()
            found = copy.damage()
            if found:
                raise LedgerBroken(f"the copy is damaged: {found[0]}", where=str(path))
            return copy.head()


def _name_code(code: str, seal: Seal) -> str:
    """Name what made a snapshot: one of another code, or of a key that is lost, is replaced."""
    return f"{code}/{seal.name}"
