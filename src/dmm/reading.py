"""Read regular files within limits, following no links."""

from __future__ import annotations

import errno
import os
import stat
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

MAX_SCRIPT = 64 << 10
MAX_CHANGED = 4 << 20
_NO_FILES = ("/proc/", "/sys/", "/dev/")
_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_CLOEXEC", 0)
)


def read_regular(path: Path, limit: int) -> tuple[bytes, os.stat_result]:
    """Read a regular file of at most `limit` bytes; anything else is an OSError."""
    descriptor = os.open(path, _FLAGS)
    with os.fdopen(descriptor, "rb") as file:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise OSError(errno.EINVAL, "not a regular file")
        data = file.read(limit + 1)
    if len(data) > limit:
        raise OSError(errno.EFBIG, f"larger than {limit >> 10} KiB")
    return data, status


def read_script(cwd: str | None, path: str) -> str | None:
    """Read the text of a script as a shell in a directory would find it; none if it can't be.

    A link leads where it would lead the shell: to a regular file, or to nothing. Of a long file
    only the beginning is read.
    """
    data = _read_beginning(cwd, path, MAX_SCRIPT)
    return None if data is None else data.decode("utf-8", "replace")


def read_changed(cwd: str | None, path: str) -> str | None:
    """Read the text of a file that a tool in a directory is about to change; none if it can't be.

    A file that is too long to be read whole is not read.
    """
    data = _read_beginning(cwd, path, MAX_CHANGED + 1)
    return None if data is None or len(data) > MAX_CHANGED else data.decode("utf-8", "replace")


def _read_beginning(cwd: str | None, path: str, limit: int) -> bytes | None:
    try:
        whole = os.path.realpath(os.path.join(cwd or "", os.path.expanduser(path)))
        if not (path[:1] in "/~" or (cwd or "").startswith("/")) or whole.startswith(_NO_FILES):
            return None
        descriptor = os.open(whole, _FLAGS)
        with os.fdopen(descriptor, "rb") as file:
            regular = stat.S_ISREG(os.fstat(descriptor).st_mode)
            return file.read(limit) if regular else None
    except (OSError, ValueError):
        return None
