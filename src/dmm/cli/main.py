"""The entry of the `dmm` command: light, so that it can be interrupted from the first moment."""

from __future__ import annotations

import io
import sys


def main() -> None:
    """Run the command line of this process and end with its exit status."""
    status: int | None
    try:
        _speak_utf8()
        # Loading takes a while; an interruption meanwhile is like one of the command itself.
        from dmm.cli.commands import run

        status = run()
    except KeyboardInterrupt:
        status = None
    from dmm.cli.failures import INTERRUPTED

    if status in (None, INTERRUPTED):
        sys.stderr.write("\ndmm: interrupted; what was finished is kept\n")
    sys.exit(INTERRUPTED if status is None else status)


def _speak_utf8() -> None:
    """Give the same bytes under every locale; what is no text at all becomes a question mark."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="replace")
