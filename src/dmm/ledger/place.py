"""Where the ledger of a project lives: worktrees of one repository share one.

It stands in the .dmm folder of the main worktree, at the same place within it. A repository that
has no main worktree (a bare one) keeps it in its own folder. All is read from files of Git; git is
not run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dmm.files.durable import translated

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

NAME = "ledger.db"
_LIMIT = 1 << 16


def find_ledger(folder: Path) -> Path:
    """Tell where the ledger of a .dmm folder is; the file need not be there yet."""
    folder = folder.resolve()
    for worktree in folder.parents:
        git = _git_folder(worktree / ".git")
        if git is not None:
            return _home(_common_folder(git)) / folder.relative_to(worktree) / NAME
    return folder / NAME


def _git_folder(entry: Path) -> Path | None:
    """Follow .git: the folder itself, or a file that names it."""
    if entry.is_dir():
        return entry if (entry / "HEAD").exists() else None
    named = _read(entry).removeprefix("gitdir:").strip() if entry.is_file() else ""
    target = entry.parent / named
    return target.resolve() if named and target.is_dir() else None


def _common_folder(git: Path) -> Path:
    """Find what all worktrees of a repository share."""
    named = _read(git / "commondir").strip()
    common = git / named
    return common.resolve() if named and common.is_dir() else git


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
    for line in (_read(common / "config") + "\n" + _read(common / "config.worktree")).splitlines():
        text = line.strip()
        if text.startswith("["):
            section = text.partition("]")[0].strip("[ ").lower()
        elif section == "core" and not text.startswith(("#", ";")):
            name, sign, value = text.partition("=")
            yield name.strip().lower(), value.strip().strip('"') if sign else "true"


def _read(path: Path) -> str:
    with translated(path, "read the file"):
        try:
            with path.open("rb") as file:
                return file.read(_LIMIT).decode("utf-8", "surrogateescape")
        except FileNotFoundError:
            return ""
