"""Read names and contents from Git, never running repository code."""

from __future__ import annotations

import os
import shutil
import subprocess
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

PATIENCE = 120

# A repository's own settings may name programs to run; these are the ones that reading could meet.
_QUIET = (
    *("-c", "core.fsmonitor=false", "-c", f"core.hooksPath={os.devnull}"),
    *("-c", "log.showSignature=false", "-c", "core.quotePath=false", "--no-pager"),
)
_SETTINGS = {
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
}
_ELSEWHERE = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_EXTERNAL_DIFF", "GIT_TRACE")


def ask(folder: Path, *words: str, staged: bool = False) -> bytes | None:
    """Ask Git something about a folder; None where there is no Git, or where it refuses.

    With `staged`, the index is the one that a hook of Git was given.
    """
    program = shutil.which("git")
    if program is None:
        return None
    try:
        done = subprocess.run(  # noqa: S603 - git with fixed words
            [program, *_QUIET, *words],
            cwd=folder,
            env=_environment() | (_given_index() if staged else {}),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=PATIENCE,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return None if done.returncode else done.stdout


def text(folder: Path, *words: str, staged: bool = False) -> str | None:
    """Ask Git for text; a path that is no UTF-8 comes with its odd bytes escaped."""
    answer = ask(folder, *words, staged=staged)
    return None if answer is None else answer.decode("utf-8", "surrogateescape")


def _environment() -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name not in _ELSEWHERE}
    return kept | _SETTINGS


def _given_index() -> dict[str, str]:
    """Name the index that Git gave to its hook, which runs at the top of the worktree."""
    given = os.environ.get("GIT_INDEX_FILE")
    # A relative name counts from the folder of the hook; unlike pathlib, abspath also drops "..".
    return {"GIT_INDEX_FILE": os.path.abspath(given)} if given else {}  # noqa: PTH100


class ObjectReader:
    """One running `git cat-file` that hands out blobs by their hashes."""

    def __init__(self, folder: Path) -> None:
        program = shutil.which("git") or "git"
        self._process = subprocess.Popen(  # noqa: S603 - git with fixed words
            [program, *_QUIET, "cat-file", "--batch"],
            cwd=folder,
            env=_environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )

    def read(self, blob: str) -> bytes | None:
        """Read one blob; None where the repository does not hold it."""
        asked, answer = self._process.stdin, self._process.stdout
        if asked is None or answer is None:
            return None
        try:
            asked.write(f"{blob}\n".encode())
            asked.flush()
        except BrokenPipeError:
            return None
        head = answer.readline().split()
        if len(head) != 3:
            return None
        data = answer.read(int(head[2]))
        answer.read(1)
        return data if head[1] == b"blob" else None

    def close(self) -> None:
        """End the process."""
        if self._process.stdin is not None:
            self._process.stdin.close()
        if self._process.stdout is not None:
            self._process.stdout.close()
        self._process.wait()
