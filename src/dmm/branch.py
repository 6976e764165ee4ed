"""Read the checked-out branch of a folder from Git's files; light to import."""

from __future__ import annotations

import os

PREFIX = "ref: refs/heads/"
LARGEST = 1 << 16


def find_branch(folder: str | os.PathLike[str]) -> str | None:
    """Return which branch is checked out around a folder, where that can be read."""
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


def find_checkout(project: str, cwd: str | None) -> str:
    """Find the folder that paths of a call are relative to: the project, or its like in a worktree.

    An agent may go to another worktree of the repository, and a folder may be gone by now.
    """
    if not cwd or f"{cwd}/".startswith(f"{project}/"):
        return project
    if not os.path.isdir(cwd):
        return cwd
    here, own = find_top(cwd), find_top(project)
    if here is None or own is None or find_common(here) != find_common(own):
        return project
    return os.path.normpath(os.path.join(here, os.path.relpath(os.path.realpath(project), own)))


def _find_git(folder: str | os.PathLike[str]) -> str | None:
    top = find_top(folder)
    return None if top is None else _git_folder(os.path.join(top, ".git"))


def find_top(folder: str | os.PathLike[str]) -> str | None:
    """Find the top folder of the checkout around a folder."""
    place = os.path.realpath(folder)
    while _git_folder(os.path.join(place, ".git")) is None:
        above = os.path.dirname(place)
        if above == place:
            return None
        place = above
    return place


def _git_folder(entry: str) -> str | None:
    """Resolve .git: the folder itself, or a file that names it."""
    if os.path.isdir(entry):
        return entry if os.path.exists(os.path.join(entry, "HEAD")) else None
    named = _read(entry).removeprefix("gitdir:").strip()
    target = os.path.join(os.path.dirname(entry), named)
    return target if named and os.path.isdir(target) else None


def _read(path: str) -> str:
    """Read a small file; empty if it is not a regular file or can't be read."""
    if not os.path.isfile(path):
        return ""
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            return file.read(LARGEST)
    except OSError:
        return ""
