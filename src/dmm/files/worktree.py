"""What Git knows of the files in a worktree: which are changed, which are ignored."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

from dmm.files.repository import find_repository

if TYPE_CHECKING:
    from pathlib import Path

# Whoever writes a note waits for this; without an answer the note is placed by its text.
WITHIN = 0.5
MOST = 200


def list_changed(folder: Path) -> tuple[str, ...]:
    """Return the files that differ from the last commit, relative to the worktree."""
    told = _ask(folder, "status", "--porcelain", "-z", "--no-renames")
    names = [line[3:] for line in (told or "").split("\0") if len(line) > 3]
    return tuple(names[:MOST])


def is_ignored(folder: Path, path: Path) -> bool:
    """Return whether Git would lose a file at this path."""
    return bool(_ask(folder, "check-ignore", "--no-index", "--", str(path)))


def _ask(folder: Path, *arguments: str) -> str | None:
    """Ask git, without its hooks and locks; None where there is no answer in time."""
    repository = find_repository(folder)
    if repository is None or not repository.vouched:
        return None
    line = ["git", "--no-optional-locks", "-c", "core.fsmonitor=false"]
    own = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    try:
        done = subprocess.run(  # noqa: S603 - the user's own git, and no shell reads the arguments
            [*line, "-C", str(repository.worktree), *arguments],
            env=own,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            errors="surrogateescape",
            timeout=WITHIN,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode == 0 else None
