"""Commits of memory files in the project's Git repository, made on request and for nothing else."""

from __future__ import annotations

import contextlib
import os
import subprocess
import textwrap
from typing import TYPE_CHECKING

from dmm.errors import StorageError
from dmm.files.repository import find_repository

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

DEADLINE = 60.0
LONGEST_FAULT = 300
# A hook of Git names its own repository and index to whatever it starts.
_FOREIGN = (
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_PREFIX",
    "GIT_COMMON_DIR",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_NAMESPACE",
)


def commit(folder: Path, paths: Sequence[Path], message: str) -> str | None:
    """Commit some files and nothing that is staged beside them; None where nothing has changed."""
    repository = find_repository(folder)
    if repository is None or not repository.vouched:
        hint = "make one with git init, or set governance.git_commit to false"
        raise StorageError("no Git repository holds this folder", where=str(folder), hint=hint)
    worktree = repository.worktree
    try:
        changed = _stage(worktree, paths)
        if not changed:
            return None
        line = ("commit", "--quiet", "--only", "--cleanup=whitespace", "--file=-", "--", *changed)
        _git(worktree, *line, said=message)
    except StorageError:
        # What was not committed must not slip into the next commit of somebody else.
        with contextlib.suppress(StorageError):
            _git(worktree, "reset", "--quiet", "--", *map(_literal, paths))
        raise
    return _git(worktree, "rev-parse", "HEAD").strip()


def _stage(worktree: Path, paths: Sequence[Path]) -> list[str]:
    """Stage some files as they are, and name those that differ from the last commit."""
    there = [_literal(path) for path in paths if path.exists()]
    gone = [_literal(path) for path in paths if not path.exists()]
    if there:
        _git(worktree, "add", "--", *there)
    if gone:
        line = ("rm", "--cached", "--quiet", "--force", "--ignore-unmatch", "--", *gone)
        _git(worktree, *line)
    look = ("diff", "--cached", "--name-only", "--no-renames", "-z", "--", *there, *gone)
    return [_literal(name) for name in _git(worktree, *look).split("\0") if name]


def _literal(path: Path | str) -> str:
    """Name one file: without the mark, the signs of a pattern would take in other files."""
    return f":(literal){path}"


def _git(worktree: Path, *arguments: str, said: str = "") -> str:
    own = {name: value for name, value in os.environ.items() if name not in _FOREIGN}
    try:
        done = subprocess.run(  # noqa: S603 - git itself, with arguments that no shell reads
            ["git", "-C", str(worktree), *arguments],  # noqa: S607 - the user's own git
            capture_output=True,
            input=said.encode("utf-8", "replace"),
            env=own,
            timeout=DEADLINE,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise StorageError(f"git could not be run: {error}", where=str(worktree)) from error
    if done.returncode:
        said_back = (done.stderr or done.stdout).decode("utf-8", "replace")
        told = textwrap.shorten(said_back, LONGEST_FAULT, placeholder=" ...")
        raise StorageError(f"git {arguments[0]} failed: {told}", where=str(worktree))
    return done.stdout.decode("utf-8", "replace")
