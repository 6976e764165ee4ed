"""Ask the daemon on behalf of a command; light to import."""

from __future__ import annotations

import os

from dmm import endpoint

# A first query, or a first note, may have to wait for all files to be indexed.
ANSWER_WITHIN = 120.0
# The module `typing` would cost a short command more than all of this.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any

    Data = dict[str, Any]


def find_agent() -> str | None:
    """Tell by which variable a shell is known as one that an agent runs; None for a person's."""
    from dmm.clients.registry import all_clients

    names = (name for client in all_clients() for name in client.shell_variables)
    return next((name for name in names if os.environ.get(name)), None)


def call_daemon(verb: str, arguments: Data, root: Path | None) -> Data | None:
    """Ask the daemon, where one runs; what it can't answer is tried here, and reported.

    A daemon that lives is waited for however busy it is: to write a note here as well would
    write it twice.
    """
    named = root or os.environ.get("DMM_ROOT")
    try:
        start = os.path.realpath(named) if named else os.getcwd()
    except OSError:
        return None
    place = {"start": start, "exact": named is not None}
    told = endpoint.call(verb, arguments | place, timeout=ANSWER_WITHIN)
    return None if told is None or "error" in told else told


def call_notes(verb: str, arguments: Data, root: Path | None = None) -> Data | None:
    """Ask the daemon to remember or forget a note, in the name of whoever runs this shell."""
    by_agent = {"by_agent": find_agent() is not None}
    return call_daemon(verb, arguments | by_agent, root)
