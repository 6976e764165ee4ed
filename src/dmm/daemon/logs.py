"""The daemon's log: what it did, never what was said; rotated by size."""

from __future__ import annotations

import os
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

from dmm.endpoint import NO_LINK, make_private, state_folder

if TYPE_CHECKING:
    from typing import TextIO

FILE = "daemon.log"
LARGEST = 1 << 20
KEPT = 3
FOLDER = "logs"


def log_path() -> Path:
    """Return where the log is."""
    return Path(state_folder()) / FOLDER / FILE


class Log:
    """Lines with a time, in a file of limited size; payloads have no place in it."""

    def __init__(self, path: Path | None = None, *, echo: bool = False) -> None:
        self._path = path or log_path()
        self._echo = echo
        self._lock = threading.Lock()
        self._file: TextIO | None = None

    def write(self, line: str) -> None:
        """Write one line."""
        text = f"{time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime())} {line}\n"
        with self._lock:
            if self._echo:
                sys.stderr.write(text)
            try:
                self._append(text)
            except OSError:
                # A state folder that can't be written keeps nobody from being served.
                self._file = None

    def _append(self, text: str) -> None:
        if self._file is not None and self._file.tell() + len(text.encode()) > LARGEST:
            self._turn_over()
        if self._file is None:
            make_private(str(self._path.parent.parent))
            make_private(str(self._path.parent))
            flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | NO_LINK
            self._file = os.fdopen(os.open(self._path, flags, 0o600), "a", encoding="utf-8")
        self._file.write(text)
        self._file.flush()

    def _turn_over(self) -> None:
        """Rotate the file and drop the oldest."""
        self._release()
        names = [self._path, *(Path(f"{self._path}.{n}") for n in range(1, KEPT + 1))]
        for older, newer in zip(names[:0:-1], names[-2::-1], strict=True):
            if newer.exists():
                newer.replace(older)

    def _release(self) -> None:
        if self._file is not None:
            self._file.close()
        self._file = None

    def write_fault(self, what: str, error: BaseException) -> None:
        """Write where something unforeseen happened: the places in the code, not the values."""
        import traceback

        frames = traceback.extract_tb(error.__traceback__)[-6:]
        trail = " < ".join(f"{_short(f.filename)}:{f.lineno}" for f in reversed(frames))
        self.write(f"{what}: {type(error).__name__} at {trail}")

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._release()


def _short(name: str) -> str:
    return name.rpartition("/dmm/")[2] or name
