"""Commit memory files to the project's Git repository."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import textwrap
import threading
import time
from typing import TYPE_CHECKING

from dmm.errors import StorageError
from dmm.files.repository import find_repository

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path
    from typing import IO

    from dmm.files.repository import Repository

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

# What Git is in the middle of, by the file in its folder that tells so.
_UNFINISHED = {
    "MERGE_HEAD": "merge",
    "CHERRY_PICK_HEAD": "cherry-pick",
    "REVERT_HEAD": "revert",
    "rebase-merge": "rebase",
    "rebase-apply": "rebase",
    "BISECT_LOG": "bisection",
}


def are_ignored(folder: Path, paths: Sequence[Path]) -> bool:
    """Whether the user keeps all of some files out of Git."""
    return not _wanted(_repository_of(folder).worktree, paths)


def find_ignored(folder: Path, paths: Sequence[str]) -> dict[str, str]:
    """Return the paths below a folder that Git ignores, each with the pattern that ignores it.

    A tracked file is not lost. Without a repository, or without git, nothing is.
    """
    repository = find_repository(folder)
    if repository is None or not repository.vouched or not paths:
        return {}
    look = ("check-ignore", "--verbose", "-z", "--stdin")
    try:
        told = _git(folder, *look, said="\0".join(paths), fine=(0, 1)).split("\0")
    except StorageError:
        return {}
    found = zip(told[0::4], told[1::4], told[2::4], told[3::4], strict=False)
    return {path: f"{file}:{line}: {by}" for file, line, by, path in found if by[:1] != "!"}


def commit(folder: Path, paths: Sequence[Path], message: str) -> str | None:
    """Commit some files and nothing that is staged beside them; None where nothing has changed.

    Those that the user keeps out of Git are left out.
    """
    repository = _repository_of(folder)
    _refuse_unfinished(repository.git)
    worktree = repository.worktree
    paths = _wanted(worktree, paths)
    if not paths:
        return None
    staged, head = _staged(worktree, paths), _head(worktree)
    changed: list[str] = []
    made = False
    try:
        changed = _stage(worktree, paths)
        if changed:
            line = ("--quiet", "--only", "--cleanup=whitespace", "--file=-", "--", *changed)
            _git(worktree, "commit", *line, said=message)
        made = True
    except StorageError:
        # A hook that runs after the commit can outlast it.
        made = _is_made(worktree, changed, head)
        if not made:
            raise
    finally:
        with contextlib.suppress(StorageError):
            if made:
                # What a hook has changed on its way must not be taken back by the next commit.
                _git(worktree, "reset", "--quiet", "--", *map(_literal, paths))
            else:
                # What was not committed must not slip into the next commit of somebody else.
                _restore(worktree, paths, staged)
    return _head(worktree) if changed else None


def _repository_of(folder: Path) -> Repository:
    repository = find_repository(folder)
    if repository is None or not repository.vouched:
        hint = "create one with git init, or set governance.git_commit to false"
        raise StorageError("this folder is not in a Git repository", where=str(folder), hint=hint)
    return repository


def _refuse_unfinished(git: Path) -> None:
    """Refuse during a Git operation, such as a merge or a rebase."""
    for name, what in _UNFINISHED.items():
        if (git / name).exists():
            hint = f"finish the {what}, or abort it"
            raise StorageError(f"a {what} is in progress in this repository", hint=hint)


def _head(worktree: Path) -> str:
    """Name the last commit; empty before the first one."""
    return _git(worktree, "rev-parse", "--quiet", "--verify", "HEAD", fine=(0, 1)).strip()


def _is_made(worktree: Path, changed: Sequence[str], head: str) -> bool:
    """Whether a commit that was broken off is there nevertheless."""
    if not changed or _head(worktree) == head:
        return False
    return not _git(worktree, "diff", "--name-only", "HEAD", "--", *changed)


def _staged(worktree: Path, paths: Sequence[Path]) -> str:
    """Return what is staged of some files: a line for each, as `git update-index` reads them."""
    return _git(worktree, "ls-files", "--stage", "-z", "--", *map(_literal, paths))


def _restore(worktree: Path, paths: Sequence[Path], staged: str) -> None:
    """Restore the staged state of some files in one step."""
    entries = [line.partition("\t") for line in _staged(worktree, paths).split("\0") if line]
    gone = [f"0 {'0' * len(about.split()[1])}\t{name}\0" for about, _, name in entries]
    _git(worktree, "update-index", "-z", "--index-info", said="".join(gone) + staged)


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


def _wanted(worktree: Path, paths: Sequence[Path]) -> list[Path]:
    """Leave out the files that the user keeps out of Git."""
    names = map(_literal, paths)
    look = ("ls-files", "--others", "--ignored", "--exclude-standard", "-z", "--", *names)
    ignored = {worktree / name for name in _git(worktree, *look).split("\0") if name}
    return [path for path in paths if path.resolve() not in ignored]


def _literal(path: Path | str) -> str:
    """Name one file: without the mark, the signs of a pattern would take in other files."""
    return f":(literal){path}"


def _git(worktree: Path, *arguments: str, said: str = "", fine: Sequence[int] = (0,)) -> str:
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
        late = f"git {arguments[0]} took longer than {DEADLINE:g} s and was stopped"
        raise StorageError(f"{late} (a repository hook?)", where=str(worktree))
    if status not in fine:
        remark = textwrap.shorten(fault or told, LONGEST_FAULT, placeholder=" ...")
        remark = remark or f"status {status}, no message (a repository hook?)"
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
    with contextlib.ExitStack() as starting:
        starting.enter_context(_holding_interrupts())
        try:
            process = subprocess.Popen(  # noqa: S603 - git itself, arguments that no shell reads
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
            starting.close()
            return process.wait(DEADLINE)
        except subprocess.TimeoutExpired:
            return None
        finally:
            if process.returncode is None:
                _end(process)


@contextlib.contextmanager
def _holding_interrupts() -> Iterator[None]:
    """Let an interrupt wait: while a process is started, nobody could end it yet."""
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(before):
        yield
        return
    came: list[int] = []
    signal.signal(signal.SIGINT, lambda number, _: came.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        for number in came[:1]:
            signal.raise_signal(number)


def _end(process: subprocess.Popen[bytes]) -> None:
    """Terminate git and its children; SIGTERM first, so that it removes its locks."""
    if sys.platform == "win32":  # pragma: no cover - there are no groups of processes there
        process.kill()
        process.wait()
        return
    os.killpg(process.pid, signal.SIGTERM)
    _await_end(process)
    # Before it is waited for, its number can belong to nobody else.
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _await_end(process: subprocess.Popen[bytes]) -> None:
    """Wait briefly for a process to end, without releasing its pid where possible."""
    if sys.platform == "linux":
        look = os.WEXITED | os.WNOHANG | os.WNOWAIT
        latest = time.monotonic() + GRACE
        while time.monotonic() < latest and os.waitid(os.P_PID, process.pid, look) is None:
            time.sleep(PAUSE)
    else:
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(GRACE)
