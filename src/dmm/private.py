"""Files that only this user can read, private from creation.

SQLite gives the logs beside a database the mode of the database, so it has to be private first.
"""

from __future__ import annotations

import contextlib
import os
import stat
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

FOLDER = 0o700
FILE = 0o600
OTHERS = 0o077

_NEW = os.O_CREAT | os.O_EXCL | os.O_WRONLY | getattr(os, "O_NOFOLLOW", 0)


def make_private_folder(path: Path) -> None:
    """Make a folder that only this user may enter, or close one to others with the files in it.

    Folders above it that are missing are made as usual. A link is left as it is.
    """
    try:
        path.mkdir(mode=FOLDER, parents=True)
    except FileExistsError:
        if not path.is_dir():
            raise
        if _close(path):
            for file in path.iterdir():
                tighten(file)


def make_private_file(path: Path) -> None:
    """Make an empty file that only this user may read, or close an existing one to others.

    An existing file is never opened for this: closing it would drop the locks SQLite has on it.
    """
    try:
        descriptor = os.open(path, _NEW, FILE)
    except FileExistsError:
        tighten(path)
    else:
        os.close(descriptor)


def tighten(path: Path) -> None:
    """Close a file to others; anything but a regular file is left alone."""
    if not path.is_symlink() and path.is_file():
        _close(path)


def _close(path: Path) -> bool:
    """Remove the permissions of others; return whether there were any.

    What its owner may do stays: a folder that is made read-only is meant to be.
    """
    found = path.lstat()
    if os.name == "nt" or stat.S_ISLNK(found.st_mode) or not found.st_mode & OTHERS:
        return False
    # Somebody else's: it is used as it is.
    with contextlib.suppress(PermissionError):
        path.chmod(stat.S_IMODE(found.st_mode) & ~OTHERS)
    return True
