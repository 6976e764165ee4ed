"""A terminal for a client that is used by hand: keys go in, and the screen can be read."""

from __future__ import annotations

import fcntl
import os
import pty
import struct
import subprocess
import termios
import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pyte
from tests.clients.waiting import wait_for

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

ROWS, COLUMNS = 45, 140
ENTER = "\r"


class Screen(pyte.Screen):
    """What a terminal shows; a program that asks where the cursor is gets an answer."""

    def __init__(self, keys: int) -> None:
        super().__init__(COLUMNS, ROWS)
        self._keys = keys

    def write_process_input(self, data: str) -> None:
        """Answer the program as if the answer were typed."""
        os.write(self._keys, data.encode())


@dataclass(slots=True)
class Terminal:
    """A program on a terminal of its own."""

    process: subprocess.Popen[bytes]
    _keys: int
    _screen: Screen = field(init=False)
    _closed: bool = False
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _reader: threading.Thread = field(init=False)

    def __post_init__(self) -> None:
        self._screen = Screen(self._keys)
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def _read(self) -> None:
        stream = pyte.ByteStream(self._screen)
        while True:
            try:
                part = os.read(self._keys, 1 << 16)
            except OSError:
                # The last program that had the terminal open is gone.
                return
            with self._lock:
                stream.feed(part)

    def read(self) -> str:
        """Read what is on the screen."""
        with self._lock:
            return "\n".join(line.rstrip() for line in self._screen.display)

    def wait_for(self, text: str, times: int = 1) -> None:
        """Wait until a text is on the screen, so many times."""
        wait_for(f"{text!r}", lambda: self.read().count(text) >= times, self.read)

    def enter(self, line: str) -> None:
        """Type a line and send it once the program shows it."""
        before = self.read().count(line)
        os.write(self._keys, line.encode())
        self.wait_for(line, before + 1)
        os.write(self._keys, ENTER.encode())

    def close(self) -> None:
        """End the program, if it still runs, and put the terminal away."""
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self._reader.join()
        if not self._closed:
            os.close(self._keys)
        self._closed = True


def open_terminal(line: Sequence[str], *, within: Path, env: Mapping[str, str]) -> Terminal:
    """Start a program on a new terminal."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    process = subprocess.Popen(
        line,
        cwd=within,
        env=env,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
    )
    os.close(theirs)
    return Terminal(process, ours)
