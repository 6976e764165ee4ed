"""Where the ledger of a project lives: worktrees of one repository share one.

It stands in the .dmm folder of the main worktree, at the same place within it. A repository that
has no main worktree (a bare one) keeps it in its own folder. All is read from files of Git; git is
not run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dmm.files.repository import find_repository, read_text

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

NAME = "ledger.db"


def find_ledger(folder: Path) -> Path:
    """Tell where the ledger of a .dmm folder is; the file need not be there yet."""
    folder = folder.resolve()
    found = find_repository(folder)
    if found is not None:
        return _home(found.common) / folder.relative_to(found.worktree) / NAME
    return folder / NAME


def _home(common: Path) -> Path:
    """Tell the main worktree, or the repository's own folder where there is none."""
    settings = dict(_core_settings(common))
    if settings.get("bare") in ("true", "yes", "on", "1"):
        return common
    if "worktree" in settings:
        return (common / settings["worktree"]).resolve()
    return common.parent if common.name == ".git" else common


def _core_settings(common: Path) -> Iterator[tuple[str, str]]:
    section = ""
    settings = read_text(common / "config") + "\n" + read_text(common / "config.worktree")
    for line in settings.splitlines():
        text = line.strip()
        if text.startswith("["):
            section = text.partition("]")[0].strip("[ ").lower()
        elif section == "core" and not text.startswith(("#", ";")):
            name, sign, value = text.partition("=")
            yield name.strip().lower(), value.strip().strip('"') if sign else "true"
