"""Where the ledger of a project lives: worktrees of one repository share one.

It stands in the .dmm folder of the main worktree, at the same place within it. A repository that
has no main worktree (a bare one) keeps it in its own folder. All is read from files of Git; git is
not run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dmm.files.repository import find_repository, main_worktree

if TYPE_CHECKING:
    from pathlib import Path

NAME = "ledger.db"


def find_ledger(folder: Path) -> Path:
    """Tell where the ledger of a .dmm folder is; the file need not be there yet."""
    folder = folder.resolve()
    found = find_repository(folder)
    if found is None:
        return folder / NAME
    home = main_worktree(found.common) or found.common
    return home / folder.relative_to(found.worktree) / NAME
