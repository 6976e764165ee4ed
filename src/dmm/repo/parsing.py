"""Send source to the parser process; a lost process costs one file."""

from __future__ import annotations

import contextlib
import json
import os
import select
import subprocess
import sys
import time

from dmm.repo.grammars import GRAMMARS
from dmm.repo.records import Symbol

MAX_PARSED = 400_000
PATIENCE = 60.0
# So many in a row are no matter of the files: the parser does not run here.
MOST_LOSSES = 8


class Parsing:
    """A parsing process that is started when first needed and started anew when it was lost.

    A file is handed over with `start` and its symbols are taken with `finish`: in between there
    is time for other work.
    """

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._asked = False
        self._losses = 0
        self.lost = False

    def __enter__(self) -> Parsing:
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    def start(self, language: str | None, data: bytes) -> None:
        """Hand a file over, if it is of a language that can be read and not too large."""
        self.lost = False
        readable = language in GRAMMARS and len(data) <= MAX_PARSED
        self._asked = readable and self._losses < MOST_LOSSES
        if not self._asked:
            return
        pipe = self._running().stdin
        try:
            if pipe is not None:
                pipe.write(f"{language} {len(data)}\n".encode() + data)
                pipe.flush()
        except BrokenPipeError:
            self._give_up()

    def finish(self) -> tuple[Symbol, ...]:
        """Return the symbols of the submitted file; none if the parser died."""
        if not self._asked:
            return ()
        self._asked = False
        answer = self._receive()
        if answer is None:
            self._give_up()
            return ()
        self._losses = 0
        return tuple(Symbol(*row) for row in json.loads(answer))

    def _give_up(self) -> None:
        self._end()
        self._asked = False
        self._losses += 1
        self.lost = True

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            # -P: the working directory may hold modules of the same names.
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", "dmm.repo.parser"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
        return self._process

    def _receive(self) -> bytes | None:
        pipe = None if self._process is None else self._process.stdout
        if pipe is None:
            return None
        deadline = time.monotonic() + PATIENCE
        answer = bytearray()
        while not answer.endswith(b"\n"):
            ready, _, _ = select.select([pipe], [], [], max(0.0, deadline - time.monotonic()))
            part = os.read(pipe.fileno(), 1 << 16) if ready else b""
            if not part:
                return None
            answer += part
        return bytes(answer)

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        for pipe in (process.stdin, process.stdout):
            # What was not sent yet is lost with the process.
            with contextlib.suppress(BrokenPipeError):
                if pipe is not None:
                    pipe.close()
        process.wait()
