"""Whether a ledger file is the one that was written here.

Git overwrites ignored files, so a branch or an archive can put another ledger where the user's was.
A ledger is known by its first event, hashed anew: the hash alone is no secret, since anchors tell
it, but nobody can make another event that has it.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Protocol

from dmm.errors import IndexBusy, LedgerBroken, LedgerRefused, StorageError
from dmm.eventlog.file import first_of, has_log, has_own_tables, is_sealed
from dmm.eventlog.log import EventLog
from dmm.eventlog.moving import move_ledger
from dmm.eventlog.place import stands
from dmm.storage import sqlite

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from dmm.eventlog.mark import HighWaterMark
    from dmm.eventlog.seal import Seal

_LOOK = "review it and decide: dmm trust; or restore a backup: dmm ledger restore"
_BEHIND = "restore a backup: dmm ledger restore; or review and decide: dmm trust"


class Record(Protocol):
    """What is known outside the ledger of which one was written here."""

    @property
    def kept(self) -> tuple[str, bool] | None:
        """The identity that was noted, and whether its first event is known to be committed."""
        ...

    def note(self, first: str, *, settled: bool) -> None:
        """Record the identity of a new ledger."""
        ...

    def mark(self, first: str) -> HighWaterMark:
        """Return where the newest event of a ledger is noted."""
        ...

    def seal(self) -> Seal | None:
        """Return the seal of the user's snapshots."""
        ...


def open_own(
    path: Path, record: Record, *, sealed: bool = False, earlier: Sequence[Path] = ()
) -> EventLog:
    """Open the ledger that was written here, or make the first one; any other is refused.

    One that is `sealed` is only looked at. One that still stands where an earlier version kept it
    is moved first; where that fails it is used there.
    """
    known = record.kept
    if known is not None and not sealed and not stands(path):
        path = _move_own(path, known[0], earlier)
        sealed = is_sealed(path)
    if known is not None and known[1] and not stands(path):
        hint = "restore a backup: dmm ledger restore; or start a new ledger: dmm trust"
        raise LedgerRefused(
            "the ledger that was written here is missing", where=str(path), hint=hint
        )
    held = peek(path)
    if held is not None:
        _require(held, record, path)
    log = EventLog.look(path) if sealed else EventLog.open(path)
    log.seal = record.seal()
    try:
        found = log.first()
        if found is None and (known is None or not known[1]):
            log.announce = record.note
            log.find_mark = record.mark
        else:
            log.mark = record.mark(_require(found, record, path))
            _require_whole(log, log.mark)
    except BaseException:
        log.close()
        raise
    return log


def _require_whole(log: EventLog, mark: HighWaterMark) -> None:
    """Refuse a ledger that does not hold the newest event that was noted, or that has gaps."""
    known = mark.read()
    if known is None:
        mark.move(log.head())
        return
    head, noted, missing = log.measure(known.seq)
    if head < known.seq:
        what = f"the ledger ends at event {head}, but event {known.seq} was recorded in it"
    elif noted != known.hash:
        what = f"the ledger was rewritten: event {known.seq} is not the one that was recorded"
    elif missing:
        what = f"{missing} events are missing from the ledger"
    else:
        return
    raise LedgerRefused(what, where=log.where, hint=_BEHIND)


def _move_own(path: Path, first: str, earlier: Sequence[Path]) -> Path:
    """Move the ledger from where an earlier version kept it; gives the place where it is now."""
    for old in earlier:
        if identify(old) == first:
            try:
                move_ledger(old, path)
            except IndexBusy:
                # Another process is moving it.
                raise
            except StorageError:
                return old
            return path
    return path


def identify(path: Path) -> str | None:
    """Identify a ledger with the log beside it; None for a file that is none.

    What can't be opened may be the ledger all the same, so that is not told as none.
    """
    if not stands(path) or path.is_symlink() or not path.is_file():
        return None
    try:
        log = EventLog.open(path) if has_log(path) else EventLog.look(path)
    except (LedgerRefused, LedgerBroken):
        return None
    try:
        return log.first()
    except LedgerBroken:
        return None
    finally:
        log.close()


def _require(found: str | None, record: Record, path: Path) -> str:
    # Asked again: another process may just have written the first event.
    known = record.kept
    if known is None:
        what = "this ledger was not written here; it came with a branch or an archive"
        raise LedgerRefused(what, where=str(path), hint=_LOOK)
    if found is None:
        what = "the ledger is empty: the events that were written here are gone"
        raise LedgerRefused(what, where=str(path), hint=_BEHIND)
    if found != known[0]:
        what = "another ledger has replaced the one that was written here"
        raise LedgerRefused(what, where=str(path), hint=_LOOK)
    if not known[1]:
        record.note(known[0], settled=True)
    return known[0]


def peek(path: Path) -> str | None:
    """Identify a ledger without the log beside it, which may belong to the one it replaced."""
    if not stands(path) or path.is_symlink() or not path.is_file():
        return None
    try:
        opened = contextlib.closing(sqlite.connect_read_only(path))
        with opened as connection, sqlite.translated(str(path)):
            return first_of(connection) if has_own_tables(connection) else None
    except StorageError:
        # Nothing in it yet, or no database: opening it will tell.
        return None
