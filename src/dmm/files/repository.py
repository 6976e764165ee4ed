"""Find the Git repository of a folder by reading Git's files, without running git."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dmm.files.durable import translated

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_LIMIT = 1 << 16
_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)


@dataclass(frozen=True, slots=True)
class Repository:
    """A worktree, its Git folder, and the folder that all worktrees of the repository share."""

    worktree: Path
    git: Path
    common: Path

    @property
    def vouched(self) -> bool:
        """Whether the repository itself knows this worktree.

        A file or a link called .git can name any repository; one that came in an archive may name
        another project's. The repository has to name the worktree too.
        """
        entry = self.worktree / ".git"
        if entry.is_symlink():
            return False
        if entry.is_dir():
            return entry.resolve() == self.common and _named_worktree(self.common) in (
                None,
                self.worktree,
            )
        if self.git == self.common:
            return main_worktree(self.common) == self.worktree
        named = read_text(self.git / "gitdir").strip()
        if not named or "\0" in named or self.git.parent != self.common / "worktrees":
            return False
        return (self.git / named).resolve() == entry.resolve()


def find_repository(folder: Path) -> Repository | None:
    """Find the repository around a folder; the nearest one counts."""
    folder = folder.resolve()
    for worktree in folder.parents:
        entry = worktree / ".git"
        git = _git_folder(entry) if entry.exists() else None
        if git is not None:
            return Repository(worktree, git, _common_folder(git))
    return None


def _git_folder(entry: Path) -> Path | None:
    """Resolve .git: the folder itself, or a file that names it."""
    if entry.is_dir():
        return entry if (entry / "HEAD").exists() else None
    named = read_text(entry).removeprefix("gitdir:").strip() if entry.is_file() else ""
    target = entry.parent / named
    return target.resolve() if named and target.is_dir() else None


def _common_folder(git: Path) -> Path:
    """Find what all worktrees of a repository share."""
    named = read_text(git / "commondir").strip()
    common = git / named
    return common.resolve() if named and common.is_dir() else git


def main_worktree(common: Path) -> Path | None:
    """Return the main worktree of a repository; None where it has none, or none that is known.

    The settings may name any folder; it is believed only where its own .git leads back.
    """
    if dict(_core_settings(common)).get("bare") in ("true", "yes", "on", "1"):
        return None
    named = _named_worktree(common)
    if named is not None and _leads_to(named, common):
        return named
    return common.parent if common.name == ".git" else None


def list_worktrees(common: Path) -> Iterator[Path]:
    """List the worktrees that a repository knows, the main one first; some may be gone."""
    main = main_worktree(common)
    if main is not None:
        yield main
    try:
        entries = sorted((common / "worktrees").iterdir())
    except OSError:
        return
    for entry in entries:
        named = read_text(entry / "gitdir").strip()
        if named and "\0" not in named:
            yield (entry / named).parent.resolve()


def _leads_to(worktree: Path, common: Path) -> bool:
    git = _git_folder(worktree / ".git")
    return git is not None and _common_folder(git.resolve()) == common


def _named_worktree(common: Path) -> Path | None:
    named = dict(_core_settings(common)).get("worktree")
    return None if not named or "\0" in named else (common / named).resolve()


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


def read_text(path: Path) -> str:
    """Read a small file of Git; one that is not there is empty, and a pipe is not waited for."""
    with translated(path, "read the file"):
        try:
            descriptor = os.open(path, _FLAGS)
        except FileNotFoundError:
            return ""
        with os.fdopen(descriptor, "rb") as file:
            regular = stat.S_ISREG(os.fstat(descriptor).st_mode)
            return file.read(_LIMIT).decode("utf-8", "surrogateescape") if regular else ""
