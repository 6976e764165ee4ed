"""A note that a project has joined a team, outside its folder; light to import.

A `team.db` that was deleted or emptied is missed by every process that starts afterwards.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from dmm import endpoint
from dmm.errors import LedgerBroken
from dmm.files.durable import translated, write_atomic

# Within the user's state folder; the credentials are there, too.
FOLDER = "team"
WAY_OUT = (
    "leave the team with dmm team leave,"
    " or join again with a new invitation: dmm team join URL INVITATION"
)


def joined_mark(home: Path, path: Path) -> Path:
    """Return the file that is there if the project of a `team.db` has joined a team."""
    name = hashlib.sha256(os.fsencode(path)).hexdigest()
    return Path(endpoint.state_folder(str(home))) / FOLDER / f"{name}.joined"


def note_joined(home: Path, path: Path) -> None:
    """Note that a project has joined a team; the file holds the path, for people."""
    mark = joined_mark(home, path)
    if not mark.exists():
        write_atomic(mark, os.fsencode(path), private=True)


def forget_joined(home: Path, path: Path) -> None:
    """Forget that a project had joined a team, once it has left it."""
    mark = joined_mark(home, path)
    with translated(mark, "delete the note that this project is in a team"):
        mark.unlink(missing_ok=True)


def need_left(home: Path, path: Path) -> None:
    """Refuse a copy of the log that says the laptop has left, while the note says it has not."""
    if joined_mark(home, path).exists():
        raise damaged("the copy of the team log names no laptop", path)


def damaged(what: str, where: Path | str) -> LedgerBroken:
    """Return the error for a copy of the log that can't be used, with the ways out of it."""
    return LedgerBroken(what, where=str(where), hint=WAY_OUT)
