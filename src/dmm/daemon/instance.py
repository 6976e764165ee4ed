"""The single instance: a lock held for life is the only truth."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import socket
import stat
import sys
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dmm import VERSION, endpoint

if TYPE_CHECKING:
    from pathlib import Path

BACKLOG = 128
# Asks for the HTTP port that is the user's own and stays the same.
STEADY = -1
# Another process is waited for, and the system has no way to be told of it: look again, briefly.
PAUSE = 0.02


@dataclass(slots=True)
class Instance:
    """What the running process holds: its lock, its socket and what it tells about itself."""

    folder: Path
    lock: int
    listener: socket.socket
    inode: int
    token: str
    started: float

    @property
    def socket_path(self) -> Path:
        """Where local clients connect."""
        return self.folder / endpoint.SOCKET

    @property
    def about_path(self) -> Path:
        """Where clients read how to reach the HTTP port."""
        return self.folder / endpoint.ABOUT

    def tell(self, port: int | None) -> None:
        """Write down who and where this process is; only its user can read it."""
        about = {
            "pid": os.getpid(),
            "version": VERSION,
            "port": port,
            "token": self.token,
            "started": self.started,
        }
        write_private(self.about_path, json.dumps(about).encode())

    def settle(self) -> None:
        """Reset the count of failed starts."""
        with contextlib.suppress(OSError):
            (self.folder / endpoint.TRIES).unlink()

    def leave(self) -> None:
        """Stop accepting: remove the socket if it is ours, never a successor's."""
        with contextlib.suppress(OSError):
            if self.socket_path.lstat().st_ino == self.inode:
                self.socket_path.unlink()

    def release(self) -> None:
        """Remove the rest and let a successor in."""
        with contextlib.suppress(OSError, ValueError):
            if read_about(self.folder).get("pid") == os.getpid():
                self.about_path.unlink()
        self.listener.close()
        os.close(self.lock)


def claim(folder: Path, *, patience: float) -> Instance | None:
    """Become the one instance, or None where another lives; one that is leaving is waited for."""
    endpoint.make_private(str(folder))
    flags = os.O_RDWR | os.O_CREAT | endpoint.NO_LINK
    lock = os.open(folder / endpoint.LOCK, flags, 0o600)
    deadline = time.monotonic() + patience
    while not _take(lock):
        if endpoint.connect_and_close() or time.monotonic() > deadline:
            os.close(lock)
            return None
        time.sleep(PAUSE)
    return _listen(folder, lock)


def _take(lock: int) -> bool:
    if sys.platform == "win32":  # pragma: no cover - no Unix sockets, no background process
        return False
    import fcntl

    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _listen(folder: Path, lock: int) -> Instance:
    if sys.platform == "win32":  # pragma: no cover - the daemon runs on POSIX systems only
        raise OSError(errno.ENOSYS, "no Unix sockets")
    path = folder / endpoint.SOCKET
    # Whoever left it behind is dead: the lock is ours.
    with contextlib.suppress(FileNotFoundError):
        if not stat.S_ISDIR(path.lstat().st_mode):
            path.unlink()
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listener.bind(str(path))
    # Nobody else can enter the folder; the mask belongs to all threads and is left alone.
    path.chmod(0o600)
    listener.listen(BACKLOG)
    inode = path.lstat().st_ino
    return Instance(folder, lock, listener, inode, os.urandom(32).hex(), time.time())


def write_private(path: Path, data: bytes) -> None:
    """Install a file that only its owner may read."""
    part = path.with_name(f"{path.name}.{os.getpid()}")
    part.unlink(missing_ok=True)
    descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        os.write(descriptor, data)
    finally:
        os.close(descriptor)
    part.replace(path)


def read_about(folder: Path) -> dict[str, object]:
    """Read what a running process told about itself; nothing where there is none."""
    try:
        about = json.loads((folder / endpoint.ABOUT).read_bytes()[: 1 << 16])
    except (OSError, ValueError):
        return {}
    return about if isinstance(about, dict) else {}
