"""Commits of memory files in the project's Git repository, made on request and for nothing else."""

from __future__ import annotations

import os
import subprocess
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
    """Commit some files and nothing that is staged beside them; None outside a repository."""
    repository = find_repository(folder)
    if repository is None or not repository.vouched:
        return None
    # Without the mark, the signs of a pattern in one name would take in other files.
    names = [f":(literal){path}" for path in paths]
    _git(repository.worktree, "add", "--all", "--", *names)
    line = ("commit", "--quiet", "--only", "--cleanup=whitespace", "--file=-", "--", *names)
    _git(repository.worktree, *line, said=message)
    return _git(repository.worktree, "rev-parse", "HEAD").strip()


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
        told = (done.stderr or done.stdout).decode("utf-8", "replace").strip()[:LONGEST_FAULT]
        raise StorageError(f"git {arguments[0]} failed: {told}", where=str(worktree))
    return done.stdout.decode("utf-8", "replace")
