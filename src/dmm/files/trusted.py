"""The projects whose memory the user trusts, in the user's own state folder.

A project is known by its .dmm folder: the path and what the file system calls the folder, so that
another one put in its place is another project. The worktrees of a trusted repository are trusted
at the same place within it, where the repository itself knows them. With a project stands which
ledger was written in it: Git overwrites ignored files, so a branch can bring another one.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import os
import stat
import sys
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dmm.domain.frozen import frozen
from dmm.endpoint import make_private, state_folder
from dmm.errors import NotTrusted, StorageError
from dmm.files.durable import translated, write_atomic
from dmm.files.lock import exclusive
from dmm.files.repository import find_repository
from dmm.reading import read_regular

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

FILE_NAME = "trust.json"
LOCK_NAME = "trust.lock"
VERSION = 1
MAX_BYTES = 4 << 20
PATIENCE = 5.0
_OTHERS_MAY_WRITE = 0o022
# The request for an inode's generation on Linux: a number that is new each time it is used again.
_GENERATION = 0x80087601
_MEND = "move the file away; then, in each of your projects: dmm trust --with-ledger"


@frozen
class Mark:
    """A folder, told from any other that comes to stand at the same path."""

    path: str
    mark: str


@frozen
class Shared:
    """The repository of a project, by what all its worktrees share, and the place within it."""

    common: Mark
    place: str


@frozen
class Kept:
    """The ledger of a project, by the hash of its first event; settled once that is committed."""

    first: str
    settled: bool = True


@frozen
class Trusted:
    """One trusted project."""

    folder: Mark
    shared: Shared | None = None
    ledger: Kept | None = None

    @property
    def identity(self) -> str:
        """What a project and its worktrees are known by."""
        shared = self.shared
        return self.folder.path if shared is None else f"{shared.common.path}\n{shared.place}"

    @property
    def name(self) -> str:
        """What the files are called that the state folder keeps of it."""
        return hashlib.sha256(self.identity.encode("utf-8", "surrogateescape")).hexdigest()[:32]

    def covers(self, other: Trusted) -> bool:
        """Whether the other one is this project, or a worktree of it."""
        same = self.shared is not None and self.shared == other.shared
        return same or self.folder == other.folder


@frozen
class TrustStore:
    """What the user trusts, kept in one file; a file that can't be believed trusts nothing."""

    path: Path

    @classmethod
    def of_user(cls, home: Path | None = None) -> TrustStore:
        """Return the store of this user."""
        return cls(Path(state_folder(None if home is None else str(home))) / FILE_NAME)

    def is_trusted(self, folder: Path) -> bool:
        """Return whether the memory in a .dmm folder may be used without being asked for."""
        return self.find(folder) is not None

    def find(self, folder: Path) -> Trusted | None:
        """Find what is known of a trusted .dmm folder."""
        try:
            known = self._read()
        except StorageError:
            return None
        found = _identify(folder) if known else None
        return None if found is None else _covering(known, found)

    def require(self, folder: Path) -> None:
        """Refuse a folder that is not trusted."""
        if not self.is_trusted(folder):
            fault = self.fault()
            what = "this project's memory is not trusted here"
            hint = f"review it and decide: dmm trust --root {folder.parent}"
            raise NotTrusted(f"{what}; {fault}" if fault else what, where=str(folder), hint=hint)

    def fault(self) -> str | None:
        """Return why nothing is trusted, where the file can't be believed."""
        try:
            self._read()
        except StorageError as error:
            return str(error)
        return None

    def list(self) -> tuple[Trusted, ...]:
        """List the trusted projects in path order."""
        return tuple(sorted(self._read(), key=lambda one: one.folder.path))

    def is_there(self, one: Trusted) -> bool:
        """Return whether a trusted folder still stands where it was."""
        return _mark(Path(one.folder.path)) == one.folder

    def trust(self, folder: Path) -> None:
        """Trust a .dmm folder from now on."""
        found = _identify(folder)
        if found is None:
            raise StorageError("there is no such folder", where=str(folder))
        path = found.folder.path
        with self._held():
            known = self._read()
            before = _covering(known, found)
            if before is not None:
                found = replace(found, ledger=before.ledger)
            self._write([*(one for one in known if one.folder.path != path), found])

    def keep_ledger(self, folder: Path, kept: Kept | None) -> None:
        """Note which ledger was written in a trusted project, or that none is."""
        found = _identify(folder)
        with self._held():
            known = self._read()
            if found is None or _covering(known, found) is None:
                return
            self._write(replace(one, ledger=kept) if one.covers(found) else one for one in known)

    def revoke(self, folder: Path) -> bool:
        """Trust a folder no more, nor other worktrees of its repository; say whether it was."""
        if not self._read():
            return False
        found = _identify(folder) or Trusted(Mark(str(folder.resolve()), ""))
        path = found.folder.path
        with self._held():
            known = self._read()
            kept = [one for one in known if one.folder.path != path and not one.covers(found)]
            if len(kept) < len(known):
                self._write(kept)
        return len(kept) < len(known)

    @contextlib.contextmanager
    def _held(self) -> Iterator[None]:
        """Be the only one that changes the file."""
        with translated(self.path.parent, "make the folder of the user's state"):
            make_private(str(self.path.parent))
        what = "another process is changing the trusted projects"
        with exclusive(self.path.with_name(LOCK_NAME), what=what, patience=PATIENCE):
            yield

    def _write(self, known: Iterable[Trusted]) -> None:
        data = {"version": VERSION, "projects": [asdict(one) for one in known]}
        write_atomic(self.path, json.dumps(data, indent=2).encode() + b"\n", private=True)

    def _read(self) -> tuple[Trusted, ...]:
        """Read the file, or raise where it is not what this user wrote."""
        try:
            data, status = read_regular(self.path, MAX_BYTES)
            _refuse_strangers(self.path, status)
            return _parse(data)
        except FileNotFoundError:
            return ()
        except OSError as error:
            what = f"the record of trusted projects can't be read: {error.strerror}"
        except (ValueError, TypeError, KeyError, RecursionError):
            what = "the record of trusted projects is damaged"
        raise StorageError(what, where=str(self.path), hint=_MEND)


def _refuse_strangers(path: Path, status: os.stat_result) -> None:
    if path.parent.is_symlink():
        raise OSError(errno.ELOOP, "its folder is a symbolic link")
    if sys.platform == "win32":  # pragma: no cover - owners are kept elsewhere there
        return
    if status.st_uid != os.geteuid():
        raise OSError(errno.EPERM, "it belongs to another user")
    if status.st_mode & _OTHERS_MAY_WRITE:
        raise OSError(errno.EPERM, "other users can write to it")


def _parse(data: bytes) -> tuple[Trusted, ...]:
    found = json.loads(data)
    if found["version"] != VERSION:
        raise ValueError("written by another version")
    return tuple(
        Trusted(
            _parse_mark(one["folder"]),
            _parse_shared(one["shared"]),
            _parse_kept(one.get("ledger")),
        )
        for one in found["projects"]
    )


def _parse_mark(found: Mapping[str, Any]) -> Mark:
    path, mark = found["path"], found["mark"]
    if not (isinstance(path, str) and path and isinstance(mark, str) and mark):
        raise ValueError("not a folder")
    return Mark(path, mark)


def _parse_shared(found: Mapping[str, Any] | None) -> Shared | None:
    return None if found is None else Shared(_parse_mark(found["common"]), str(found["place"]))


def _parse_kept(found: Mapping[str, Any] | None) -> Kept | None:
    return None if found is None else Kept(str(found["first"]), bool(found["settled"]))


def _covering(known: Iterable[Trusted], found: Trusted) -> Trusted | None:
    """Find a project among those known; one whose ledger is known tells more."""
    all_of_it = [one for one in known if one.covers(found)]
    return max(all_of_it, key=lambda one: one.ledger is not None, default=None)


def _identify(folder: Path) -> Trusted | None:
    folder = folder.resolve()
    own = _mark(folder)
    return None if own is None else Trusted(own, _shared(folder))


def _shared(folder: Path) -> Shared | None:
    """Name the repository, where it can be read and knows the worktree itself."""
    try:
        found = find_repository(folder)
        common = _mark(found.common) if found is not None and found.vouched else None
    except (StorageError, OSError):
        return None
    if found is None or common is None:
        return None
    return Shared(common, folder.relative_to(found.worktree).as_posix())


def _mark(folder: Path) -> Mark | None:
    """Return what the file system calls a folder; None where there is none.

    A number of an inode is given again once its folder is gone, so its generation counts too. Where
    none is known, the device must be the same; elsewhere it may change from one start to the next.
    """
    try:
        status = folder.lstat()
    except OSError:
        return None
    if not stat.S_ISDIR(status.st_mode):
        return None
    born = _generation(folder) or getattr(status, "st_birthtime", None)
    rest = f"device {status.st_dev}" if born is None else f"generation {born}"
    return Mark(str(folder), f"inode {status.st_ino} {rest}")


def _generation(folder: Path) -> int | None:
    if sys.platform != "linux":
        return None
    import fcntl

    answer = bytearray(8)
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError:
        return None
    try:
        fcntl.ioctl(descriptor, _GENERATION, answer)
    except OSError:
        # Not every file system has generations.
        return None
    finally:
        os.close(descriptor)
    return int.from_bytes(answer[:4], sys.byteorder) or None
