"""Where a project's ledger lives: shared by worktrees, out of any checkout's reach.

In a Git repository it stands in the folder that all worktrees share, at the same place within it.
Git leaves that folder alone, whatever a branch tracks. All is read from files of Git; git is not
run. Elsewhere it stands in the .dmm folder itself.
"""

from __future__ import annotations

import contextlib
import os
import zlib
from typing import TYPE_CHECKING

from dmm.errors import StorageError
from dmm.files.durable import translated
from dmm.files.repository import find_repository, list_worktrees, main_worktree

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from dmm.files.repository import Repository

NAME = "ledger.db"
FOLDER = "dmm"


def stands(path: Path) -> bool:
    """Return whether something stands in a place; one that can't be looked at is not empty."""
    with translated(path, "look at the ledger"):
        try:
            path.lstat()
        except (FileNotFoundError, NotADirectoryError):
            return False
        return True


def find_ledger(folder: Path) -> Path:
    """Return where the ledger of a .dmm folder is; the file need not be there yet."""
    folder = folder.resolve()
    found = _own_repository(folder)
    if found is None:
        return folder / NAME
    return found.common / FOLDER / folder.parent.relative_to(found.worktree) / NAME


def stamp_place(folder: Path) -> int:
    """Return a number that changes with the place of the ledger, as where Git comes later."""
    with contextlib.suppress(StorageError):
        return zlib.crc32(os.fsencode(find_ledger(folder)))
    # Opening the ledger reports why it can't be found.
    return 0


def _own_repository(folder: Path) -> Repository | None:
    """Find the repository, unless it is another worktree's: a file called .git can name any."""
    found = find_repository(folder)
    if found is None or found.vouched:
        return found
    unclaimed = found.git == found.common and main_worktree(found.common) is None
    return found if unclaimed else None


def find_folders(ledger: Path) -> Iterator[Path]:
    """Find the .dmm folders that share a ledger: those of the main worktree and of all others."""
    for folder in ledger.parents:
        common = folder.parent
        if folder.name == FOLDER and (common / "HEAD").is_file():
            place = ledger.parent.relative_to(folder)
            for worktree in list_worktrees(common):
                if (worktree / place / ".dmm").is_dir():
                    yield worktree / place / ".dmm"
            return


def find_earlier(folder: Path) -> tuple[Path, ...]:
    """Return where the ledger may still stand: in the .dmm folder, as earlier versions had it."""
    folder = folder.resolve()
    found = _own_repository(folder)
    if found is None:
        return ()
    home = main_worktree(found.common) or found.common
    return tuple(dict.fromkeys((home / folder.relative_to(found.worktree) / NAME, folder / NAME)))
