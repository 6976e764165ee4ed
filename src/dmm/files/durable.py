"""Atomic writes that survive a power cut."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import stat
from typing import TYPE_CHECKING

from dmm.errors import FileExists, StorageError
from dmm.private import FILE as PRIVATE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

_HINTS = {
    errno.ENOSPC: "the disk is full: free some space and retry",
    errno.EDQUOT: "the disk quota is exceeded: free some space and retry",
    errno.EROFS: "the file system is read-only",
    errno.EACCES: "check the owner and permissions of the folder",
    errno.EPERM: "check the owner and permissions of the folder",
}
_NO_HARD_LINKS = (errno.EPERM, errno.ENOTSUP, errno.ENOSYS)


@contextlib.contextmanager
def translated(path: Path, doing: str) -> Iterator[None]:
    """Turn the system's refusal into a StorageError that names the file and the way out."""
    try:
        yield
    except OSError as error:
        what = f"could not {doing}: {error.strerror or error}"
        raise StorageError(what, where=str(path), hint=_HINTS.get(error.errno or 0)) from error


def write_atomic(path: Path, data: bytes, *, durable: bool = True, private: bool = False) -> None:
    """Replace a file's content through a temporary file beside it; its permissions stay.

    A private file is for this user alone, whatever it was before.
    """
    with translated(path, "write the file"):
        mode = PRIVATE if private else _mode(path)
        temporary = _write_beside(path, data, mode=mode, durable=durable)
        with _undone(temporary):
            temporary.replace(path)
        if durable:
            sync_directory(path.parent)


def write_derived(path: Path, data: bytes | Callable[[int], bytes]) -> None:
    """Write a file that can be made again at any time, quickly; it may hold its own inode.

    It is for this user alone. The old one is removed first: a rename over it makes some file
    systems write the new one out at once, which costs milliseconds.
    """
    with translated(path, "write the file"):
        temporary = _write_beside(path, data, mode=PRIVATE, durable=False)
        with _undone(temporary):
            path.unlink(missing_ok=True)
            temporary.replace(path)


def create(path: Path, data: bytes) -> None:
    """Write a file that must not exist yet; nothing is left behind if that fails."""
    with translated(path, "create the file"):
        temporary = _write_beside(path, data, mode=None, durable=True)
        try:
            claim(temporary, path)
        except FileExistsError:
            raise FileExists("the file already exists", where=str(path)) from None
        finally:
            temporary.unlink(missing_ok=True)
        with _undone(path):
            sync_directory(path.parent)


def make_folder(path: Path, *, mode: int = 0o777) -> None:
    """Create a folder and those above it that are missing, so that they outlast a power cut."""
    with translated(path, "create the folder"):
        missing = []
        folder = path
        while not folder.exists():
            missing.append(folder)
            folder = folder.parent
        for folder in reversed(missing):
            folder.mkdir(mode=mode, exist_ok=True)
            sync_directory(folder.parent)


def claim(temporary: Path, path: Path) -> None:
    """Give a file its name, which must be free; unlike a rename, it never replaces a file."""
    try:
        path.hardlink_to(temporary)
    except OSError as error:
        if isinstance(error, FileExistsError) or error.errno not in _NO_HARD_LINKS:
            raise
        # A file system without hard links: claim the name first, then put the content under it.
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o644))
        with _undone(path):
            temporary.replace(path)


def _mode(path: Path) -> int | None:
    try:
        return stat.S_IMODE(path.stat().st_mode)
    except FileNotFoundError:
        return None


def _write_beside(
    path: Path, data: bytes | Callable[[int], bytes], *, mode: int | None, durable: bool
) -> Path:
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(6)}.tmp")
    descriptor = os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, mode or 0o644)
    with _undone(temporary):
        try:
            if mode is not None:
                temporary.chmod(mode)
            content = data(os.fstat(descriptor).st_ino) if callable(data) else data
            view = memoryview(content)
            while view:
                view = view[os.write(descriptor, view) :]
            if durable:
                os.fsync(descriptor)
        finally:
            os.close(descriptor)
    return temporary


@contextlib.contextmanager
def _undone(path: Path) -> Iterator[None]:
    """Remove a file again if the block fails or is interrupted."""
    try:
        yield
    except BaseException:
        path.unlink(missing_ok=True)
        raise


def sync_directory(directory: Path) -> None:
    """Make a rename in a directory durable; Windows has no such call and needs none."""
    if os.name == "nt":
        return
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
