"""Which ledger a file holds: the one that was written here, or one that came in its place.

Git overwrites ignored files, so a branch or an archive can put another ledger where the user's was.
A ledger is known by its first event, hashed anew: the hash alone is no secret, since anchors tell
it, but nobody can make another event that has it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from dmm.errors import LedgerRefused, StorageError
from dmm.ledger.log import EventLog, first_of
from dmm.storage import sqlite

if TYPE_CHECKING:
    from pathlib import Path

_LOOK = "look at it and decide: dmm trust; or put back a backup of yours"


class Record(Protocol):
    """What is known outside the ledger of which one was written here."""

    @property
    def kept(self) -> tuple[str, bool] | None:
        """The identity that was noted, and whether its first event is known to be committed."""
        ...

    def note(self, first: str, *, settled: bool) -> None:
        """Note the identity of a ledger that begins."""
        ...


def open_own(path: Path, record: Record, *, sealed: bool = False) -> EventLog:
    """Open the ledger that was written here, or make the first one; any other is refused.

    One that is `sealed` is only looked at.
    """
    known = record.kept
    if known is not None and known[1] and not path.exists():
        hint = "put back a backup of it, or begin a new one: dmm trust"
        raise LedgerRefused("the ledger that was written here is gone", where=str(path), hint=hint)
    held = peek(path)
    if held is not None:
        _require(held, record, path)
    log = EventLog.look(path) if sealed else EventLog.open(path)
    try:
        found = log.first()
        if found is None and (known is None or not known[1]):
            log.announce = record.note
        else:
            _require(found, record, path)
    except BaseException:
        log.close()
        raise
    return log


def _require(found: str | None, record: Record, path: Path) -> None:
    # Asked anew: another process may just have written the first event.
    known = record.kept
    if known is None:
        what = "this ledger was not written here; it came with a branch or an archive"
        raise LedgerRefused(what, where=str(path), hint=_LOOK)
    if found != known[0]:
        what = "another ledger stands where the one that was written here was"
        raise LedgerRefused(what, where=str(path), hint=_LOOK)
    if not known[1]:
        record.note(known[0], settled=True)


def peek(path: Path) -> str | None:
    """Identify a ledger without the log beside it, which may belong to the one it replaced."""
    if path.is_symlink() or not path.is_file():
        return None
    try:
        connection = sqlite.connect_read_only(path)
        try:
            with sqlite.translated(str(path)):
                return first_of(connection)
        finally:
            connection.close()
    except StorageError:
        # Nothing in it yet, or no database: opening it will tell.
        return None
