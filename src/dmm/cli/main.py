"""The entry point of `dmm`: light, so that it can be interrupted at once."""

from __future__ import annotations

import gc
import io
import os
import sys

FEW_COLLECTIONS = 100_000
INTERRUPTED = 130


def main() -> None:
    """Run the command line of this process and end with its exit status."""
    status: int | None
    try:
        _start_lightly()
        _speak_utf8()
        from dmm.cli.quick import run_quickly

        status = run_quickly(sys.argv[1:])
        if status is None:
            # Loading takes a while; an interruption meanwhile is like one of the command itself.
            from dmm.cli.commands import run

            status = run()
    except KeyboardInterrupt:
        status = None
    except MemoryError:
        # Not even the command line could be loaded.
        sys.exit("dmm: out of memory")
    if status in (None, INTERRUPTED):
        sys.stderr.write("\ndmm: interrupted; finished work is kept\n")
    # The process ends: looking through all that was loaded for cycles would free nothing of use.
    gc.freeze()
    sys.exit(INTERRUPTED if status is None else status)


def _start_lightly() -> None:
    """Spare a short command what pays off in a long process only.

    numpy's BLAS library starts a thread per CPU when it is loaded, and nothing here multiplies
    matrices; most of what loading allocates stays, so a search for cycles finds none.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    gc.set_threshold(FEW_COLLECTIONS)


def _speak_utf8() -> None:
    """Write UTF-8 under every locale; what can't be encoded becomes a question mark."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="replace")
