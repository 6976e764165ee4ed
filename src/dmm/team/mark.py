"""A note that a project has joined a team, outside its folder; light to import.

A `team.db` that was deleted is missed by every process that starts afterwards.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from dmm import endpoint
from dmm.files.durable import write_atomic

# Within the user's state folder; the credentials are there, too.
FOLDER = "team"


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
    joined_mark(home, path).unlink(missing_ok=True)
