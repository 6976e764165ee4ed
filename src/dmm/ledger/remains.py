"""Where a leaked text may remain outside the ledger: copies, spooled events, derived files."""

from __future__ import annotations

import contextlib
import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dmm.errors import DmmError
from dmm.eventlog.log import EventLog
from dmm.files.durable import translated
from dmm.losses import COUNTER
from dmm.storage.sqlite import find_logs

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from dmm.domain.event import Event

# Ledgers that were moved, rescued, replaced or not trusted are set aside under these names.
_COPY = re.compile(r"(?:moved|rescued-\d+|replaced-\d+|untrusted-[\d-]+)", re.ASCII)
_CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class Leaked:
    """What to look for: a text, in each form in which it is stored, and events to be blanked."""

    forms: tuple[str, ...] = ()
    events: frozenset[tuple[int, str]] = frozenset()

    @classmethod
    def of(cls, secret: str, events: Iterable[Event]) -> Leaked:
        """Search for a text, which may be empty, and for events."""
        return cls(write_forms(secret), frozenset((one.seq, one.hash) for one in events))

    def is_in(self, event: Event) -> bool:
        """Whether an event still holds it."""
        if event.payload is None:
            return False
        text = json.dumps(event.payload, ensure_ascii=False)
        return (event.seq, event.hash) in self.events or any(one in text for one in self.forms)

    def is_in_file(self, path: Path) -> bool:
        """Whether the text stands in the bytes of a file."""
        forms = [one.encode("utf-8", "surrogatepass") for one in self.forms]
        if not forms:
            return False
        kept = max(map(len, forms)) - 1
        with translated(path, "search the file"):
            try:
                file = path.open("rb")
            except FileNotFoundError:
                return False
            with file:
                rest = b""
                while chunk := file.read(_CHUNK):
                    data = rest + chunk
                    if any(one in data for one in forms):
                        return True
                    rest = data[-kept:]
        return False


@dataclass(frozen=True, slots=True)
class Remains:
    """The files around one ledger; `folders` are the .dmm folders of all worktrees that share it.

    `places` are where the ledger stands and where earlier versions kept it.
    """

    folders: tuple[Path, ...]
    places: tuple[Path, ...]
    spool: Path

    def find_copies(self, leaked: Leaked) -> tuple[list[Path], list[Path]]:
        """Find the ledgers set aside that hold it, and those that can't be read to the end."""
        holding, unread = [], []
        for path in self._set_aside():
            held = _holds(path, leaked)
            if held:
                holding.append(path)
            elif held is None:
                unread.append(path)
        return holding, unread

    def find_waiting(self, leaked: Leaked) -> list[Path]:
        """Find the events in the spool that hold it: waiting, damaged or half written."""
        found = sorted(path for path in self.spool.rglob("*") if path.is_file())
        return [path for path in found if path.name != COUNTER and leaked.is_in_file(path)]

    def find_derived(self) -> Iterator[Path]:
        """Find the files made from events, in every worktree; they can be made again."""
        for folder in self.folders:
            yield from folder.rglob("recall.db*")
            yield from folder.glob("packs/*last_pack.md*")
        for place in self.places:
            # Left by a process that was killed while it copied the ledger.
            yield from place.parent.glob(f".{place.name}.*.tmp*")

    def _set_aside(self) -> Iterator[Path]:
        for place in self.places:
            for path in sorted(place.parent.glob(f"{place.name}.*")):
                known = _COPY.fullmatch(path.name.removeprefix(f"{place.name}."))
                if known is not None and path.is_file() and not path.is_symlink():
                    yield path
            aside = place.parent.glob("team.db.damaged-*[0-9]")
            yield from (path for path in sorted(aside) if not path.is_symlink())


def remove(path: Path) -> list[str]:
    """Remove a file, and the logs beside it where it is a database; name what was removed."""
    removed = []
    for part in (path, *find_logs(path)):
        with translated(part, "remove the file"):
            if part.is_file():
                part.unlink()
                removed.append(str(part))
    return removed


def write_forms(secret: str) -> tuple[str, ...]:
    """Write a text in the forms in which payloads hold it."""
    escaped = json.dumps(secret)[1:-1]
    plain = json.dumps(secret, ensure_ascii=False)[1:-1]
    return tuple(dict.fromkeys((secret, plain, escaped))) if secret else ()


def _holds(path: Path, leaked: Leaked) -> bool | None:
    """Return whether a ledger holds it; None where it is damaged and its bytes do not show it."""
    try:
        # A long payload is stored in pieces: only its events tell for certain.
        log = EventLog.open(path) if find_logs(path) else EventLog.look(path)
        with contextlib.closing(log):
            return any(leaked.is_in(event) for event in log.events())
    except DmmError:
        return True if any(map(leaked.is_in_file, (path, *find_logs(path)))) else None
