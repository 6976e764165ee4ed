"""Commits of memory files in the project's Git repository, made on request and for nothing else."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import tempfile
import textwrap
import time
from typing import TYPE_CHECKING

from dmm.errors import StorageError
from dmm.files.repository import find_repository

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path
    from typing import IO

# For each call of Git, with all hooks that it runs.
DEADLINE = 60.0
GRACE = 5.0
PAUSE = 0.02
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
    changed: list[str] = []
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
        # A hook that runs after the commit can outlast it.
        look = ("status", "--porcelain", "--untracked-files=all", "--", *changed)
        if not changed or _git(worktree, *look):
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
    # Files instead of pipes: what a hook leaves running in the background keeps nobody waiting.
    with (
        tempfile.TemporaryFile() as given,
        tempfile.TemporaryFile() as output,
        tempfile.TemporaryFile() as complaint,
    ):
        given.write(said.encode("utf-8", "replace"))
        given.seek(0)
        status = _run(worktree, arguments, (given, output, complaint))
        told, fault = (_read(file) for file in (output, complaint))
    if status is None:
        late = f"git {arguments[0]} took longer than {DEADLINE:g} s and was ended"
        raise StorageError(f"{late} (a hook of the repository?)", where=str(worktree))
    if status:
        remark = textwrap.shorten(fault or told, LONGEST_FAULT, placeholder=" ...")
        raise StorageError(f"git {arguments[0]} failed: {remark}", where=str(worktree))
    return told


def _read(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode("utf-8", "replace")


def _run(
    worktree: Path, arguments: Sequence[str], files: tuple[IO[bytes], IO[bytes], IO[bytes]]
) -> int | None:
    """Run git with its hooks in a session of their own; None where they had to be ended."""
    own = {name: value for name, value in os.environ.items() if name not in _FOREIGN}
    given, output, complaint = files
    try:
        process = subprocess.Popen(  # noqa: S603 - git itself, with arguments that no shell reads
            ["git", "-C", str(worktree), *arguments],  # noqa: S607 - the user's own git
            stdin=given,
            stdout=output,
            stderr=complaint,
            env=own,
            start_new_session=True,
        )
    except OSError as error:
        raise StorageError(f"git could not be run: {error}", where=str(worktree)) from error
    try:
        return process.wait(DEADLINE)
    except subprocess.TimeoutExpired:
        return None
    finally:
        if process.returncode is None:
            _end(process)


def _end(process: subprocess.Popen[bytes]) -> None:
    """End git and all that it started; asked politely first, it takes its lock files along."""
    os.killpg(process.pid, signal.SIGTERM)
    look = os.WEXITED | os.WNOHANG | os.WNOWAIT
    latest = time.monotonic() + GRACE
    while time.monotonic() < latest and os.waitid(os.P_PID, process.pid, look) is None:
        time.sleep(PAUSE)
    # Before it is waited for, its number can belong to nobody else.
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
