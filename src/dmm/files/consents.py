"""The user's consent, by content, to files that instruct or configure.

A trusted project changes with every pull and checkout. Its memories are knowledge and need no new
consent; what tells agents what to do, or DMM how to behave, counts only in a text that the user has
agreed to. Until then the text they agreed to last holds on. The record is the user's own, never the
project's.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import re
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dmm.config import FILE_NAME
from dmm.domain.frozen import frozen
from dmm.domain.markers import WAY_OUT, WHAT, is_torn
from dmm.endpoint import make_private
from dmm.errors import StaleBase, StorageError, UsageError
from dmm.files.durable import translated, write_atomic
from dmm.files.lock import exclusive
from dmm.files.shipped import is_boot
from dmm.reading import read_regular

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from dmm.files.trusted import TrustStore

BOOT, POLICY = "BOOT.md", "policy.md"
FILES = (BOOT, POLICY, FILE_NAME)
FOLDERS = ("memory/baseline", "rules")
ABSENT = "absent"
VERSION = 1
MAX_BYTES = 1 << 20
MAX_RECORD = 32 << 20
# Each branch may have a text of its own; so many of one file are remembered.
MOST_VERSIONS = 50
PATIENCE = 5.0
SHOWN = 5
# A file written a moment ago may change again without a new stamp.
RACY_NS = 2_000_000_000


@frozen
class Change:
    """A file that differs from what the user agreed to; None where it is not there."""

    path: str
    before: bytes | None
    after: bytes | None

    @property
    def kind(self) -> str:
        """How it differs."""
        if self.before is None:
            return "new"
        return "removed" if self.after is None else "changed"

    @property
    def torn(self) -> bool:
        """Whether the file holds Git's conflict markers."""
        return is_torn(self.after)


@dataclass(slots=True)
class _Record:
    """The digests of all texts that were agreed to, by path, and the last text of each."""

    accepted: dict[str, list[str]] = field(default_factory=dict)
    last: dict[str, bytes | None] = field(default_factory=dict)

    def knows(self, path: str, named: str) -> bool:
        """Whether a text of a file was agreed to; a file that never was there may be absent."""
        if named in self.accepted.get(path, (ABSENT,)):
            return True
        if path in self.last and named == digest(self.last[path]):
            # Earlier versions noted the digest of the text with the line ends of its file.
            return True
        # Whoever never edited BOOT.md agreed to what DMM says of itself, in any version.
        own = path == BOOT and is_boot(named)
        return own and is_boot(digest(self.last.get(path)))

    def take(self, path: str, data: bytes | None) -> None:
        """Record consent to a text."""
        named = digest(data)
        known = [one for one in self.accepted.get(path, []) if one != named]
        self.accepted[path] = [*known, named][-MOST_VERSIONS:]
        self.last[path] = data

    def drop(self, path: str, data: bytes | None) -> None:
        """Withdraw consent to a text, unless it is the last one."""
        kept = digest(self.last.get(path))
        known = self.accepted.get(path, [])
        self.accepted[path] = [one for one in known if one == kept or one != digest(data)]


@dataclass(slots=True)
class Consents:
    """The consents of one project, kept in a file of the user's.

    Where nobody was `asked`, as in a project that is not trusted, every text counts as it stands.
    """

    root: Path
    place: Path
    asked: bool = True
    _held: tuple[tuple[int, int], _Record] | None = None
    _names: dict[str, tuple[tuple[int, ...], str]] = field(default_factory=dict)

    def effective(self, path: str) -> bytes | None:
        """Return the text that counts now of a file that instructs or configures."""
        return self.weigh(path)[0]

    def weigh(self, path: str) -> tuple[bytes | None, bool]:
        """Return the text that counts now, and whether the file is held back for another one.

        A file with conflict markers never counts, whoever agreed to it.
        """
        data, record = self._read(path), self._load()
        if not is_torn(data) and (record is None or record.knows(path, digest(data))):
            return data, False
        last = None if record is None else record.last.get(path)
        return None if is_torn(last) else last, True

    def agreed(self, folder: str) -> list[str]:
        """List the files in a folder that hold a text which the user agreed to."""
        record = self._load()
        last = {} if record is None else record.last
        return [one for one, data in last.items() if data is not None and one.startswith(folder)]

    def is_held(self, path: str) -> bool:
        """Return whether a file differs from every text that the user agreed to."""
        record = self._load()
        return record is not None and not record.knows(path, self._name(path))

    def list_files(self) -> list[str]:
        """List the files that may count: those that are there and those agreed to before."""
        record = self._load()
        return sorted({*self._find(), *(() if record is None else record.last)})

    def changes(self) -> list[Change]:
        """List what differs from what the user agreed to."""
        record = self._follow(self._load())
        if record is None:
            return []
        return [
            Change(path, record.last.get(path), self._read(path))
            for path in self.list_files()
            if not record.knows(path, self._name(path))
        ]

    def _follow(self, record: _Record | None) -> _Record | None:
        """Record which approved texts are current after a checkout.

        A change is then shown against, and held back for, what this worktree had before.
        """
        if record is None:
            return None
        named = {path: self._name(path) for path in record.last}
        moved = [
            path
            for path, name in named.items()
            if name != digest(record.last[path]) and record.knows(path, name)
        ]
        if moved:
            with contextlib.suppress(StorageError), self._alone():
                self._move(moved)
            return self._load()
        return record

    def _move(self, paths: Iterable[str]) -> None:
        record = self._parse() or _Record()
        for path in paths:
            data = self._read(path)
            # Read once more: nothing is agreed to here.
            if record.knows(path, digest(data)):
                record.last[path] = data
        self._save(record)

    def notice(self) -> str | None:
        """Return one line on what waits for consent, or an empty one."""
        changes = self.changes()
        torn = [change for change in changes if change.torn]
        others = [change for change in changes if not change.torn]
        told = []
        if torn:
            told.append(
                f"{WHAT}: {_name_some(torn)}; the text accepted before stays active ({WAY_OUT})"
            )
        if others:
            told.append(
                f"changes are inactive until you review them with dmm trust: {_name_some(others)}"
            )
        return "; ".join(told) or None

    def seal(self) -> str:
        """Return one digest of all the files that may count, as they stand."""
        named = {path: digest(self._read(path)) for path in self.list_files()}
        return digest(json.dumps(named, sort_keys=True).encode())

    def accept(self, paths: Iterable[str] | None = None) -> None:
        """Agree to some files as they stand, or to all."""
        if not self.asked:
            return
        with self._alone():
            record = self._parse() or _Record()
            for path in {*self._find(), *record.last} if paths is None else set(paths):
                data = self._read(path)
                if not is_torn(data):
                    record.take(path, data)
            self._save(record)

    def replace(self, path: str, before: bytes | None) -> None:
        """Agree to a file as it stands, in place of the text that counted before.

        That one does not count again when somebody puts it back.
        """
        if not self.asked:
            return
        with self._alone():
            record = self._parse() or _Record()
            record.take(path, self._read(path))
            record.drop(path, before)
            self._save(record)

    def accept_seen(self, changes: Iterable[Change]) -> None:
        """Agree to changes as they were shown; nothing where one is another by now."""
        seen = {change.path: change.after for change in changes}
        for path, data in seen.items():
            if self._read(path) != data:
                hint = "review it again: dmm trust"
                raise StaleBase("it changed while you were reviewing it", where=path, hint=hint)
            if is_torn(data):
                raise UsageError(f"it can't be accepted: {WHAT}", where=path, hint=WAY_OUT)
        self.accept(seen)

    def forget(self) -> None:
        """Drop all consents: the project is no longer trusted."""
        if self.asked:
            self.place.unlink(missing_ok=True)

    @property
    def stamp(self) -> tuple[int, int]:
        """Return a fingerprint of the record."""
        try:
            found = self.place.stat()
        except OSError:
            return (0, 0)
        return (found.st_mtime_ns, found.st_size)

    def _find(self) -> list[str]:
        """Find the files that instruct or configure."""
        found = [name for name in FILES if (self.root / name).exists()]
        for folder in FOLDERS:
            inside = sorted((self.root / folder).rglob("*.md"))
            found += [one.relative_to(self.root).as_posix() for one in inside if one.is_file()]
        return found

    def _name(self, path: str) -> str:
        """Name the text of a file by its digest; one that has not changed is not read again."""
        try:
            found = (self.root / path).lstat()
        except OSError:
            return ABSENT
        stamp = (found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)
        known = self._names.get(path)
        if known is not None and known[0] == stamp:
            return known[1]
        named = digest(self._read(path))
        if time.time_ns() - found.st_ctime_ns > RACY_NS:
            self._names[path] = (stamp, named)
        return named

    def _read(self, path: str) -> bytes | None:
        try:
            return with_plain_ends(read_regular(self.root / path, MAX_BYTES)[0])
        except OSError:
            return None

    def _load(self) -> _Record | None:
        """Load the record; where there is none yet, what stands there now is agreed to.

        Projects that were trusted before consents were kept have none.
        """
        if not self.asked:
            return None
        stamp = self.stamp
        if self._held is not None and self._held[0] == stamp:
            return self._held[1]
        record = self._parse()
        if record is None:
            with contextlib.suppress(StorageError):
                self.accept()
            record = self._parse()
        if record is not None:
            self._held = (self.stamp, record)
        return record

    def _parse(self) -> _Record | None:
        try:
            found = json.loads(read_regular(self.place, MAX_RECORD)[0])
            if found["version"] != VERSION:
                return None
            accepted = {str(k): [str(one) for one in v] for k, v in found["accepted"].items()}
            return _Record(accepted, {str(k): _encode(v) for k, v in found["last"].items()})
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return None

    def _save(self, record: _Record) -> None:
        last = {path: _decode(data) for path, data in record.last.items()}
        told = {"version": VERSION, "accepted": record.accepted, "last": last}
        with translated(self.place, "write the record of consents"):
            self.place.touch(0o600)
        write_atomic(self.place, json.dumps(told, sort_keys=True).encode())
        self._held = None

    @contextlib.contextmanager
    def _alone(self) -> Iterator[None]:
        with translated(self.place.parent, "make the folder of consents"):
            make_private(str(self.place.parent.parent))
            make_private(str(self.place.parent))
        what = "another process is recording consent"
        with exclusive(self.place.with_name("lock"), what=what, patience=PATIENCE):
            yield


def _name_some(changes: list[Change]) -> str:
    names = [change.path.removeprefix("memory/") for change in changes]
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return ", ".join(names[:SHOWN]) + more


def digest(data: bytes | None) -> str:
    """Name a text by its digest; one that is not there has a name too."""
    return ABSENT if data is None else hashlib.sha256(data).hexdigest()


def _decode(data: bytes | None) -> str | None:
    """Write bytes as JSON can hold them; what is no UTF-8 comes back as it was."""
    return None if data is None else data.decode("utf-8", "surrogateescape")


def _encode(text: str | None) -> bytes | None:
    return None if text is None else with_plain_ends(text.encode("utf-8", "surrogateescape"))


# A text that was changed twice has more than one.
_LINE_END = re.compile(rb"(?<!\r)\r+\n")


def with_plain_ends(data: bytes) -> bytes:
    """Return a text with the line ends that Git stores; a checkout may give it others."""
    return _LINE_END.sub(b"\n", data)


def without_consents(root: Path) -> Consents:
    """Accept every text of a project as it is."""
    return Consents(root, root, asked=False)


def find_consents(store: TrustStore, root: Path) -> Consents:
    """Find the consents of a project, which all its worktrees share."""
    found = store.find(root)
    if found is None:
        return without_consents(root)
    return Consents(root, store.path.parent / "consents" / f"{found.name}.json")
