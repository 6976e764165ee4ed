"""Count lost events in a file that is overwritten in place, so that it works on a full disk.

Only modules that cost nothing to load are used here.
"""

from __future__ import annotations

import os
import sys

from dmm import endpoint

SPOOL = "spool"
COUNTER = "lost"
# Earlier versions wrote one character for each event that found no room.
OLD_COUNTER = "dropped"
NONE = b"%020d\n" % 0


def spool_folder() -> str:
    """Return the folder of events that wait to be recorded."""
    return os.path.join(endpoint.state_folder(), SPOOL)


def prepare() -> None:
    """Make the spool and its counter while there is room for them."""
    folder = spool_folder()
    endpoint.make_private(os.path.dirname(folder))
    endpoint.make_private(folder)
    path = os.path.join(folder, COUNTER)
    if os.path.exists(path):
        return
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | endpoint.NO_LINK, 0o600)
    except FileExistsError:
        return
    try:
        os.write(descriptor, NONE)
    finally:
        os.close(descriptor)


def add(number: int) -> bool:
    """Count lost events; False where even that can't be written."""
    if sys.platform == "win32":  # pragma: no cover - no hook keeps events there
        return False
    import fcntl

    try:
        descriptor = os.open(os.path.join(spool_folder(), COUNTER), os.O_RDWR | endpoint.NO_LINK)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        known = int(os.pread(descriptor, len(NONE), 0) or b"0")
        os.pwrite(descriptor, b"%0*d\n" % (len(NONE) - 1, known + number), 0)
    except (OSError, ValueError):
        return False
    finally:
        os.close(descriptor)
    return True


def count() -> int:
    """Return how many events were lost so far."""
    folder = spool_folder()
    try:
        with open(os.path.join(folder, COUNTER), "rb") as file:
            known = int(file.read(len(NONE)) or b"0")
    except (OSError, ValueError):
        known = 0
    try:
        return known + os.stat(os.path.join(folder, OLD_COUNTER)).st_size
    except OSError:
        return known
