"""Files for this user alone: made so before anything is in them, and tightened where they are not.

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
    else:
        # What the user masks may not be less than what is wanted.
        path.chmod(FOLDER)
        return
    if _is_open_to_others(path):
        with contextlib.suppress(PermissionError):
            path.chmod(FOLDER)
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
    """Close a file to others; what is no regular file, or somebody else's, stays as it is."""
    if not path.is_symlink() and path.is_file() and _is_open_to_others(path):
        with contextlib.suppress(PermissionError):
            path.chmod(FILE)


def _is_open_to_others(path: Path) -> bool:
    found = path.lstat()
    return os.name != "nt" and not stat.S_ISLNK(found.st_mode) and bool(found.st_mode & OTHERS)
