"""`dmm remember TEXT` through a running daemon, and `dmm -V`, without loading the command line.

Everything else, and whatever the daemon can't answer, is left to the command itself.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

VERB = "remember"
VERSION_FLAGS = (["--version"], ["-V"])


def run_quickly(arguments: Sequence[str]) -> int | None:
    """Carry out a plain `remember` or `-V`; return its status, or None for any other command."""
    if arguments in VERSION_FLAGS:
        return _show_version()
    if len(arguments) != 2 or arguments[0] != VERB:
        return None
    text = arguments[1]
    if not text.strip() or text.startswith("-"):
        return None
    from dmm.cli.daemon_call import call_notes

    told = call_notes(VERB, {"text": text, "replaces": None, "anyway": False})
    if told is None:
        return None
    from dmm.cli.format.notes import REFUSED, show_remembered
    from dmm.domain.text import neutralise

    status = _write("".join(f"{neutralise(line)}\n" for line in show_remembered(told)))
    return status or int(told["status"] == REFUSED)


def _show_version() -> int:
    from importlib.metadata import version

    return _write(f"dmm {version('dynamic-markdown-memory')}\n")


def _write(text: str) -> int:
    """Write an answer; return the exit status of whether that was possible."""
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except OSError as error:
        from dmm.cli.commands import report_system_error

        return report_system_error(error)
    return 0
