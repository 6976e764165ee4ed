"""Run jobs in a separate process, to release all they load.

To look for conflicts takes tables and models that nobody else needs; in the daemon they would stay
until it ends.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from dmm import endpoint
from dmm.daemon.jobs import ACTOR, ENDED, carry_out
from dmm.errors import DaemonError, DmmError

if TYPE_CHECKING:
    import threading

PAUSE = 0.2
# Others come first; the system sees to that.
NICE = 10
LONGEST_TOLD = 2_000


def do_apart(root: Path, chore: str, last: float | None, leaving: threading.Event) -> None:
    """Run a job in another process, which ends with this one."""
    since = () if last is None else (str(last),)
    line = [sys.executable, "-m", "dmm.daemon.apart", str(root), chore, *since]
    with subprocess.Popen(  # noqa: S603 - our own program, by its full path
        line,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env=endpoint.environment(),
        cwd=os.sep,
    ) as child:
        told = _wait(child, leaving)
    if child.returncode:
        raise DaemonError(told or f"its process exited with status {child.returncode}")


def _wait(child: subprocess.Popen[bytes], leaving: threading.Event) -> str:
    while True:
        try:
            told = child.communicate(timeout=PAUSE)[1]
        except subprocess.TimeoutExpired:
            if leaving.is_set():
                child.kill()
                raise DaemonError(ENDED) from None
        else:
            return told[-LONGEST_TOLD:].decode("utf-8", "replace").strip().rpartition("\n")[2]


def main(arguments: list[str]) -> int:
    """Run one job of one project."""
    from dmm.bootstrap import open_root, own_home
    from dmm.files.roots import Root

    if sys.platform != "win32":
        os.nice(NICE)
    root, chore, *last = arguments
    try:
        with contextlib.closing(open_root(Root(Path(root)), own_home()).as_actor(ACTOR)) as dmm:
            carry_out(dmm, chore, float(last[0]) if last else None, now=time.time())
    except DmmError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
