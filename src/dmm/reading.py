"""Read regular files within limits, following no links."""

from __future__ import annotations

import errno
import os
import stat
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

MAX_SCRIPT = 64 << 10
MAX_CHANGED = 4 << 20
_NO_FILES = ("/proc/", "/sys/")
_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_CLOEXEC", 0)
)


def is_device(path: str) -> bool:
    """Return whether a path names a device; what lies in /dev/shm are files like any others."""
    top, _, rest = path.removeprefix("/dev/").partition("/")
    return path.startswith("/dev/") and not (top == "shm" and rest)


def read_table(name: str) -> list[str]:
    """Read the lines of a table that comes with the package, without its comments."""
    # pathlib takes longer to load than all else that a hook needs.
    folder = os.path.dirname(__file__)
    with open(os.path.join(folder, "data", name), encoding="utf-8") as file:
        return [line.rstrip("\n") for line in file if line.strip() and line[0] != "#"]


def read_sections(name: str) -> dict[str, list[str]]:
    """Read a table that is divided by names in brackets."""
    found: dict[str, list[str]] = {}
    rows: list[str] = []
    for line in read_table(name):
        if line.startswith("["):
            rows = found.setdefault(line.strip("[]"), [])
        else:
            rows.append(line)
    return found


def part_rows(lines: list[str]) -> dict[str, list[str]]:
    """Part the rows of a table: what stands before the colon, and the words behind it."""
    parted = (line.partition(": ") for line in lines)
    return {lead: words.split() for lead, _, words in parted}


def word_set(text: str) -> frozenset[str]:
    """Read the words that a text lists, blanks between them."""
    return frozenset(text.split())


def read_regular(path: Path, limit: int) -> tuple[bytes, os.stat_result]:
    """Read a regular file of at most `limit` bytes; anything else is an OSError."""
    descriptor = os.open(path, _FLAGS)
    with os.fdopen(descriptor, "rb") as file:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise OSError(errno.EINVAL, "not a regular file")
        data = file.read(limit + 1)
    if len(data) > limit:
        raise OSError(errno.EFBIG, f"larger than {limit >> 10} KiB")
    return data, status


def read_script(cwd: str | None, path: str) -> str | None:
    """Read the text of a script as a shell in a directory would find it; none if it can't be.

    A link leads where it would lead the shell: to a regular file, or to nothing. Of a long file
    only the beginning is read.
    """
    data = _read_beginning(cwd, path, MAX_SCRIPT)
    return None if data is None else data.decode("utf-8", "replace")


def read_changed(cwd: str | None, path: str) -> str | None:
    """Read the text of a file that a tool in a directory is about to change; none if it can't be.

    A file that is too long to be read whole is not read.
    """
    data = _read_beginning(cwd, path, MAX_CHANGED + 1)
    return None if data is None or len(data) > MAX_CHANGED else data.decode("utf-8", "replace")


def _read_beginning(cwd: str | None, path: str, limit: int) -> bytes | None:
    try:
        whole = os.path.realpath(os.path.join(cwd or "", os.path.expanduser(path)))
        if not (path[:1] in "/~" or (cwd or "").startswith("/")):
            return None
        if whole.startswith(_NO_FILES) or is_device(whole):
            return None
        descriptor = os.open(whole, _FLAGS)
        with os.fdopen(descriptor, "rb") as file:
            regular = stat.S_ISREG(os.fstat(descriptor).st_mode)
            return file.read(limit) if regular else None
    except (OSError, ValueError):
        return None


# So much of a tree is looked at, what lies near its root first.
MAX_ENTRIES = 5_000
_STATUS_SECONDS = 2.0
_STATUS = "status --porcelain=v1 -z --untracked-files=all --ignored=traditional --no-renames -- ."
# Folders that tools fill; they count as a whole.
_FILLED = frozenset(
    {".git", "node_modules", ".venv", "venv", "__pycache__", "target", ".tox", ".cache", ".gradle"}
)


class WorkTree:
    """The files of a working tree as they are now, looked up when first asked for."""

    def __init__(self, root: str) -> None:
        self._root = os.path.realpath(root)
        self._below: dict[str, tuple[str, ...]] = {}
        self._states: dict[str, tuple[str, ...]] | None = None

    def resolve(self, path: str, *, last: bool) -> str:
        """Follow the links in a path, that in its last part only if `last` is set."""
        try:
            whole = os.path.join(self._root, path)
            head, name = os.path.split(whole)
            real = os.path.realpath(whole) if last else os.path.join(os.path.realpath(head), name)
        except (OSError, ValueError):
            return path
        if real == os.path.normpath(whole):
            return path
        inside = real.startswith(f"{self._root}/")
        return real[len(self._root) + 1 :] if inside else real

    def below(self, folder: str) -> tuple[str, ...]:
        """List the files and folders that a folder holds, as far as they are looked at."""
        if folder not in self._below:
            found: list[str] = []
            waiting = ["" if folder == "." else folder]
            while waiting and len(found) < MAX_ENTRIES:
                waiting += self._list(waiting.pop(0), found)
            self._below[folder] = tuple(found[:MAX_ENTRIES])
        return self._below[folder]

    def _list(self, folder: str, found: list[str]) -> list[str]:
        """Add what one folder holds, and give the folders to look into next."""
        inner = []
        try:
            with os.scandir(os.path.join(self._root, folder)) as entries:
                for entry in entries:
                    path = f"{folder}/{entry.name}" if folder else entry.name
                    found.append(path)
                    if entry.name not in _FILLED and entry.is_dir(follow_symlinks=False):
                        inner.append(path)
                    if len(found) >= MAX_ENTRIES:
                        break
        except (OSError, ValueError):
            return []
        return inner

    def states(self) -> dict[str, tuple[str, ...]]:
        """Return which files are changed, staged, untracked or ignored; nothing without Git."""
        if self._states is None:
            lines = filter(None, self._status().split("\0"))
            self._states = dict(_state(line, self._inside()) for line in lines)
        return self._states

    def _inside(self) -> str:
        """Return where in its repository the tree lies: Git names files from the top."""
        top = self._root
        while not os.path.lexists(f"{top}/.git") and top != os.path.dirname(top):
            top = os.path.dirname(top)
        return f"{self._root[len(top) :].lstrip('/')}/" if top != self._root else ""

    def _status(self) -> str:
        import subprocess

        command = ["git", "-C", self._root, "-c", "core.fsmonitor=false", *_STATUS.split()]
        environment = {name: one for name, one in os.environ.items() if name[:4] != "GIT_"}
        environment["GIT_OPTIONAL_LOCKS"] = "0"
        try:
            done = subprocess.run(  # noqa: S603 - the words are our own
                command, capture_output=True, timeout=_STATUS_SECONDS, check=True, env=environment
            )
        except (OSError, ValueError, subprocess.SubprocessError):
            return ""
        return os.fsdecode(done.stdout)


def _state(line: str, inside: str) -> tuple[str, tuple[str, ...]]:
    """Read a line of Git's status: two letters, for the index and for the working tree."""
    letters, path = line[:2], line[3:].removeprefix(inside).rstrip("/")
    if letters in ("??", "!!"):
        return path, ("untracked" if letters == "??" else "ignored",)
    staged, changed = letters[0] != " ", letters[1] != " "
    return path, ("staged",) * staged + ("changed",) * changed
