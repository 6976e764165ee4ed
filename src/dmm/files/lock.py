"""A writer lock across processes, on a file that is never deleted."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from typing import TYPE_CHECKING

from dmm.errors import IndexBusy
from dmm.files.durable import translated

PAUSE = 0.02

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

# A link would have the holder's number written over some other file.
_FLAGS = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)

if sys.platform == "win32":
    import msvcrt

    def _take(descriptor: int) -> None:
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except PermissionError as error:
            raise BlockingIOError from error
else:
    import fcntl

    def _take(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


@contextlib.contextmanager
def exclusive(path: Path, *, what: str, patience: float = 0.0) -> Iterator[None]:
    """Hold the lock for the block, or raise IndexBusy if another process keeps it for too long."""
    with translated(path, "open the lock file"):
        descriptor = os.open(path, _FLAGS, 0o600)
    try:
        with translated(path, "take the lock"):
            _claim(descriptor, path, what, time.monotonic() + patience)
        yield
    finally:
        os.close(descriptor)


@contextlib.contextmanager
def in_turn(path: Path, *, what: str, patience: float = 0.0) -> Iterator[None]:
    """Hold the lock like `exclusive`, but let waiting processes go first.

    One who takes it again and again has to pass a second lock each time, which the next in turn
    holds while waiting.
    """
    deadline = time.monotonic() + patience
    with contextlib.ExitStack() as held:
        with exclusive(path.with_suffix(".turn"), what=what, patience=patience):
            left = max(0.0, deadline - time.monotonic())
            held.enter_context(exclusive(path, what=what, patience=left))
        yield


def _claim(descriptor: int, path: Path, what: str, deadline: float) -> None:
    try:
        _take_by(descriptor, deadline)
    except BlockingIOError as error:
        holder = _holder(descriptor).decode("ascii", "replace").strip()
        by = f" (process {holder})" if holder.isdigit() else ""
        hint = "wait until it has finished, then retry"
        raise IndexBusy(f"{what}{by}", where=str(path), hint=hint) from error
    own = str(os.getpid()).encode()
    # A busy disk makes a write of a few bytes wait for milliseconds, and a lock is taken often.
    if _holder(descriptor) != own:
        os.ftruncate(descriptor, 0)
        os.lseek(descriptor, 0, os.SEEK_SET)
        os.write(descriptor, own)


def _holder(descriptor: int) -> bytes:
    os.lseek(descriptor, 0, os.SEEK_SET)
    return os.read(descriptor, 32)


def _take_by(descriptor: int, deadline: float) -> None:
    """Try until the deadline; the system has no lock that waits for a while."""
    while True:
        try:
            return _take(descriptor)
        except BlockingIOError:
            if time.monotonic() >= deadline:
                raise
            time.sleep(PAUSE)
