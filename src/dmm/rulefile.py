"""The compiled rules in the user's state folder, for a hook that judges alone.

The rules are those of a .dmm folder: worktrees share one ledger and may have different rule files.
They are found by the folder, or by a session that began in it: it may be gone by the time of a
call. Only modules that cost nothing to load are used here.
"""

from __future__ import annotations

import os
import sys
import time

from dmm import endpoint

RULES = "rules"
ROOTS = "roots"
SESSIONS = "sessions"
TRUSTED = "trust.json"
LARGEST = 8 << 20
LONGEST_PATH = 8 << 10
# A session is remembered for so long after it was last heard of, and so many of them.
SESSION_SECONDS = 30 * 86_400
MOST_SESSIONS = 2_000


class RuleFiles:
    """The rule files in one state folder, that of this user unless another is named."""

    __slots__ = ("state",)

    def __init__(self, state: str | None = None) -> None:
        self.state = state or endpoint.state_folder()

    def read(self, root: str) -> bytes | None:
        """Read the rules of a .dmm folder; None where there are none for that very folder."""
        ledger = self.find_ledger(root)
        return None if ledger is None else _read(self._place(RULES, root), LARGEST) or None

    def write(self, root: str, ledger: str, rules: bytes) -> None:
        """Write the rules of a .dmm folder, all of them or nothing, and which ledger it has."""
        self._put(self._place(RULES, root), rules, LARGEST)
        line = b"%d %s\n%s" % (os.lstat(root).st_ino, _write_path(root), _write_path(ledger))
        self._put(self._place(ROOTS, root), line, LONGEST_PATH)

    def find_ledger(self, root: str) -> str | None:
        """Return the ledger whose rules hold for a .dmm folder.

        Another folder in its place is not under them; a folder that is gone still is.
        """
        known = _read_root(self._place(ROOTS, root))
        if known is None or known[1] != root:
            return None
        gone = not os.path.isdir(os.path.join(root, "memory"))
        return known[2] if gone or os.lstat(root).st_ino == known[0] else None

    def read_for(self, session: str, root: str) -> tuple[str, bytes] | None:
        """Read the rules that a call is under, with the .dmm folder they belong to.

        Those of the project that the session began in come first: a folder that an agent goes to
        may bring a .dmm of its own. A new worktree is under the rules of its repository.
        """
        began = self.recall(session) if session else None
        for folder in (began, *_upwards(root)):
            found = self.read(folder) if folder else None
            if folder and found:
                return folder, found
        found = self._read_of_repository(root)
        return None if found is None else (root, found)

    def _read_of_repository(self, root: str) -> bytes | None:
        from dmm.branch import find_common

        common = find_common(os.path.dirname(root))
        for _, known in self._roots() if common else ():
            if known[2].startswith(os.path.join(common or "", "dmm") + os.sep):
                found = _read(self._place(RULES, known[1]), LARGEST)
                if found:
                    return found
        return None

    def find_missing(self, folder: str) -> tuple[str, str] | None:
        """Find a .dmm above a folder that its repository has, but not in this checkout.

        Gives where it would be, and the one whose rules were written last. The nearest counts.
        """
        from dmm.branch import find_common, find_top

        top, common = find_top(folder), find_common(folder)
        shared = os.path.join(common or "", "dmm", "")
        if top is None or not os.path.isdir(shared):
            return None
        here = os.path.join(os.path.realpath(folder), "")
        found = []
        for _, (_, root, ledger) in self._roots():
            place = os.path.join(top, os.path.dirname(ledger.removeprefix(shared)))
            above = here.startswith(os.path.join(place.rstrip(os.sep), ""))
            missing = os.path.join(place, ".dmm")
            if ledger.startswith(shared) and above and not os.path.isdir(f"{missing}/memory"):
                found.append((len(missing), _heard(self._place(RULES, root)), missing, root))
        return max(found)[2:] if found else None

    def _roots(self) -> list[tuple[str, tuple[int, str, str]]]:
        folder = os.path.join(self.state, ROOTS)
        paths = [os.path.join(folder, name) for name in _list(folder)]
        return [(path, known) for path in paths if (known := _read_root(path)) is not None]

    def remove(self, root: str) -> None:
        """Clear the compiled rules of a .dmm folder that is no longer trusted."""
        own = _read_root(self._place(ROOTS, root))
        if own is None:
            return
        for path, known in self._roots():
            if known[2] == own[2]:
                os.unlink(path)
                rules = self._place(RULES, known[1])
                if os.path.lexists(rules):
                    os.unlink(rules)

    def remember(self, session: str, root: str) -> None:
        """Note which .dmm folder a session belongs to."""
        path = self._place(SESSIONS, session)
        if not self._put(path, os.fsencode(root), LONGEST_PATH):
            os.utime(path)

    def recall(self, session: str) -> str | None:
        """Return the .dmm folder that a session began in, where that was noted."""
        return os.fsdecode(_read(self._place(SESSIONS, session), LONGEST_PATH)) or None

    def forget_sessions(self, now: float) -> None:
        """Drop sessions that were silent for long, and the oldest beyond a limit."""
        folder = os.path.join(self.state, SESSIONS)
        known = sorted(
            ((_heard(path), path) for name in _list(folder) for path in [f"{folder}/{name}"]),
            reverse=True,
        )
        for number, (heard, path) in enumerate(known):
            if number >= MOST_SESSIONS or now - heard > SESSION_SECONDS:
                os.unlink(path)

    def is_trusted(self, root: str) -> bool:
        """Return whether the record of trusted projects names a .dmm folder or its repository."""
        import json

        from dmm.branch import find_common

        record = _read(os.path.join(self.state, TRUSTED), LARGEST)
        named = (root, find_common(os.path.dirname(root)))
        return any(json.dumps(one).encode() in record for one in named if one)

    def _place(self, kind: str, text: str) -> str:
        """Name a file by a digest: a path is too long for a name, a session's id is not ours."""
        import hashlib

        name = hashlib.sha256(os.fsencode(text)).hexdigest()[:32]
        return os.path.join(self.state, kind, name)

    def _put(self, path: str, data: bytes, largest: int) -> bool:
        """Write a private file beside its place, flush it and rename it; False if it is there."""
        if _read(path, largest) == data:
            return False
        endpoint.make_private(self.state)
        endpoint.make_private(os.path.dirname(path))
        temporary = f"{path}.{os.getpid()}-{time.monotonic_ns()}"
        try:
            endpoint.write_private(temporary, data)
            os.rename(temporary, path)
        except OSError:
            if os.path.lexists(temporary):
                os.unlink(temporary)
            raise
        return True


def read_own_settings() -> bytes:
    """Read the user's own settings: they say what to do where there are no rules on file."""
    return _read(os.path.join(endpoint.home_folder(), ".dmm", "daemon.config.json"), LARGEST)


def _upwards(root: str) -> list[str]:
    """List a .dmm folder and those in the folders above it."""
    folder = os.path.dirname(root)
    found = [root]
    while folder != os.path.dirname(folder):
        folder = os.path.dirname(folder)
        found.append(os.path.join(folder, ".dmm"))
    return found


def _list(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []


def _heard(path: str) -> float:
    try:
        return os.lstat(path).st_mtime
    except OSError:
        return 0.0


def _read_root(path: str) -> tuple[int, str, str] | None:
    line, _, ledger = _read(path, LONGEST_PATH).partition(b"\n")
    inode, _, root = line.partition(b" ")
    if not inode.isdigit() or not ledger:
        return None
    return int(inode), _read_path(root), _read_path(ledger)


def _write_path(path: str) -> bytes:
    """Write a path on one line: NUL, which is in no path, stands for a line break."""
    return os.fsencode(path).replace(b"\n", b"\0")


def _read_path(line: bytes) -> str:
    return os.fsdecode(line.replace(b"\0", b"\n"))


def _read(path: str, largest: int) -> bytes:
    """Read a file that this user alone may write; anything else holds nothing."""
    try:
        descriptor = os.open(path, os.O_RDONLY | endpoint.NO_LINK | getattr(os, "O_NONBLOCK", 0))
    except OSError:
        return b""
    try:
        found = os.fstat(descriptor)
        own = sys.platform != "win32" and found.st_uid == os.geteuid()
        own = own and found.st_mode & 0o170022 == 0o100000
        parts = []
        while own and found.st_size <= largest and (part := os.read(descriptor, 1 << 16)):
            parts.append(part)
        return b"".join(parts)
    except OSError:
        return b""
    finally:
        os.close(descriptor)
