"""Compressed ledger backups in the user's state folder, and how to restore one."""

from __future__ import annotations

import contextlib
import gzip
import re
import secrets
import shutil
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dmm.domain.event import PERSONS
from dmm.domain.payload import LedgerRestored
from dmm.endpoint import make_private
from dmm.errors import LedgerBroken, LedgerRefused, StorageError, UsageError
from dmm.eventlog.file import PRIVATE, PRIVATE_FOLDER
from dmm.eventlog.log import EventLog
from dmm.eventlog.verify import verify
from dmm.files.durable import make_folder, sync_directory, translated
from dmm.ledger.results import Restored
from dmm.passkeys.acts import PersonAct

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from dmm.eventlog.open_ledger import TrustedLedger
    from dmm.rules.project_ledger import ProjectLedger

FOLDER = "backups"
KEPT = 3
LOGS = ("", "-wal", "-shm")
_NAME = re.compile(r"(\d{4}-\d{2}-\d{2})-(\d+)\.db\.gz", re.ASCII)
_LEVEL = 6


@dataclass(frozen=True, slots=True)
class Backup:
    """One backup: when it was made, the newest event in it, and its size in bytes."""

    path: Path
    day: str
    seq: int
    bytes: int


@dataclass(frozen=True, slots=True)
class Backups:
    """The backups of one project's ledger."""

    project_ledger: ProjectLedger

    @property
    def folder(self) -> Path | None:
        """Where the backups are; None for a ledger that nobody vouches for."""
        record = self.project_ledger.record_of
        known = None if record is None or not record.trusted else record.kept
        return None if record is None or known is None else record.state / FOLDER / known[0]

    def find(self) -> list[Backup]:
        """Find the backups, newest first."""
        return sorted(self._find(), key=lambda one: (one.day, one.seq), reverse=True)

    def _find(self) -> Iterator[Backup]:
        folder = self.folder
        if folder is None or not folder.is_dir():
            return
        for path in folder.iterdir():
            found = _NAME.fullmatch(path.name)
            if found is not None:
                yield Backup(path, found[1], int(found[2]), path.stat().st_size)

    def make(self) -> Backup | None:
        """Back the ledger up, unless nothing was recorded since; only a few are kept."""
        folder = self.folder
        if folder is None or not self.project_ledger.exists:
            return None
        known = self.find()
        head = self.project_ledger.reading.head()
        if head.seq == 0 or (known and known[0].seq == head.seq):
            return None
        with translated(folder, "make the folder of backups"):
            make_private(str(folder.parent))
            make_private(str(folder))
        backup = self._write(folder)
        for old in self.find()[KEPT:]:
            old.path.unlink(missing_ok=True)
        return backup

    def _write(self, folder: Path) -> Backup:
        copy = folder / f".{secrets.token_hex(6)}.db"
        try:
            head = self.project_ledger.reading.backup(copy, derived=False)
            day = self.project_ledger.now().date().isoformat()
            target = folder / f"{day}-{head.seq}.db.gz"
            packed = copy.with_name(f"{copy.name}.gz")
            with translated(target, "write the backup"):
                packed.touch(PRIVATE)
                with copy.open("rb") as source, gzip.open(packed, "wb", _LEVEL) as sink:
                    shutil.copyfileobj(source, sink)
                packed.rename(target)
                sync_directory(folder)
        finally:
            for path in folder.glob(f"{copy.name}*"):
                path.unlink(missing_ok=True)
        return Backup(target, day, head.seq, target.stat().st_size)

    def restore(self, source: Path | None = None) -> Restored:
        """Restore a backup over a missing, damaged or altered ledger.

        A ledger that is whole is not replaced, and one that is replaced is kept beside it.
        """
        record, path = self.project_ledger.record_of, self.project_ledger.path
        if record is None or path is None or not record.trusted:
            raise LedgerRefused("only the ledger of a trusted project can be restored")
        if self.project_ledger.actor.trust not in PERSONS:
            raise LedgerRefused(
                f"an agent can't {PersonAct.RESTORE.words}", hint="run it in a terminal of your own"
            )
        chosen = source or next((one.path for one in self.find()), None)
        if chosen is None:
            hint = "name a file that dmm ledger backup created; or start a new ledger: dmm trust"
            raise LedgerRefused("there is no backup of this ledger", hint=hint)
        if not chosen.is_file():
            raise UsageError("there is no such backup", where=str(chosen))
        self._refuse_whole()
        copy = self._unpack(chosen, path)
        try:
            seq = _examine(copy, record)
            aside = _set_aside(path)
            with translated(path, "restore the backup"):
                copy.rename(path)
                sync_directory(path.parent)
        finally:
            for end in LOGS:
                copy.with_name(copy.name + end).unlink(missing_ok=True)
        return self._settle(record, chosen, seq, aside)

    def _settle(
        self, record: TrustedLedger, source: Path, seq: int, aside: Path | None
    ) -> Restored:
        """Continue from the backup and record what is lost."""
        kept = record.kept
        mark = record.mark("" if kept is None else kept[0])
        lost = mark.read()
        mark.forget()
        self.project_ledger.close()
        missing = 0 if lost is None else max(0, lost.seq - seq)
        restored = LedgerRestored(seq=seq, missing=missing)
        self.project_ledger.record(self.project_ledger.draft(restored))
        return Restored(str(source), seq, missing, None if aside is None else str(aside))

    def _refuse_whole(self) -> None:
        """Refuse to replace a ledger that is as it was recorded."""
        if not self.project_ledger.exists:
            return
        try:
            found = verify(self.project_ledger.log.raw())
        except (LedgerRefused, StorageError):
            return
        if found.valid and found.events:
            what = f"the ledger is intact up to event {found.events}; a backup may lack some of it"
            raise LedgerRefused(what, hint="to restore anyway, move the ledger away first")

    def _unpack(self, source: Path, path: Path) -> Path:
        """Write a backup beside the place of the ledger, packed or not."""
        make_folder(path.parent, mode=PRIVATE_FOLDER)
        copy = path.with_name(f".{path.name}.{secrets.token_hex(6)}.tmp")
        with translated(source, "read the backup"):
            copy.touch(PRIVATE)
            packed = source.suffix == ".gz"
            try:
                with source.open("rb") as file, copy.open("wb") as sink:
                    shutil.copyfileobj(gzip.GzipFile(fileobj=file) if packed else file, sink)
            except (EOFError, gzip.BadGzipFile) as error:
                copy.unlink()
                raise LedgerBroken("the backup is damaged", where=str(source)) from error
        return copy


def _examine(copy: Path, record: TrustedLedger) -> int:
    """Prove that a backup is one of this ledger, and whole; give the number of its newest event."""
    with contextlib.closing(EventLog.open(copy)) as log:
        known = record.kept
        if known is None or log.first() != known[0]:
            raise LedgerRefused("this is not a backup of the ledger that was written here")
        found = verify(log.raw())
        if not found.valid:
            raise LedgerBroken(f"the backup is not valid: {found.reason}")
        return log.head().seq


def _set_aside(path: Path) -> Path | None:
    """Rename what stands in the place of the ledger; nothing is deleted."""
    if not path.exists():
        return None
    number = 1
    while (aside := path.with_name(f"{path.name}.replaced-{number}")).exists():
        number += 1
    with translated(path, "set the ledger aside"):
        for end in LOGS:
            part = path.with_name(path.name + end)
            if part.exists():
                part.rename(aside.with_name(aside.name + end))
    return aside
