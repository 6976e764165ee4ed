"""The branch that is checked out around a folder, read from the files of Git; light to load."""

from __future__ import annotations

import os

PREFIX = "ref: refs/heads/"
LARGEST = 1 << 16


def find_branch(folder: str | os.PathLike[str]) -> str | None:
    """Tell which branch is checked out around a folder, where that can be read."""
    git = _find_git(folder)
    head = "" if git is None else _read(os.path.join(git, "HEAD")).strip()
    return head.removeprefix(PREFIX) if head.startswith(PREFIX) else None


def find_common(folder: str | os.PathLike[str]) -> str | None:
    """Find the folder that all worktrees of the repository around a folder share."""
    git = _find_git(folder)
    if git is None:
        return None
    named = _read(os.path.join(git, "commondir")).strip()
    return os.path.realpath(os.path.join(git, named))


def _find_git(folder: str | os.PathLike[str]) -> str | None:
    place = os.path.realpath(folder)
    while True:
        git = _git_folder(os.path.join(place, ".git"))
        if git is not None:
            return git
        above = os.path.dirname(place)
        if above == place:
            return None
        place = above


def _git_folder(entry: str) -> str | None:
    """Follow .git: the folder itself, or a file that names it."""
    if os.path.isdir(entry):
        return entry if os.path.exists(os.path.join(entry, "HEAD")) else None
    named = _read(entry).removeprefix("gitdir:").strip()
    target = os.path.join(os.path.dirname(entry), named)
    return target if named and os.path.isdir(target) else None


def _read(path: str) -> str:
    """Read a small file; what is no regular file, or can't be read, is empty."""
    if not os.path.isfile(path):
        return ""
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            return file.read(LARGEST)
    except OSError:
        return ""
