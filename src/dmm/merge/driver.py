"""Register the merge driver in a repository, and remove it again.

`.dmm/.gitattributes` travels with the repository and names the driver; the command is in the
clone's own settings. A clone without it merges as Git always does.
"""

from __future__ import annotations

import shlex
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from dmm.errors import StorageError
from dmm.files.durable import translated, write_atomic
from dmm.repo import git

if TYPE_CHECKING:
    from typing import Literal

    State = Literal["installed", "updated", "unchanged", "removed", "absent"]

NAME = "dmm"
SECTION = f"merge.{NAME}"
TITLE = "DMM memory and rules"
ATTRIBUTES = ".gitattributes"
PATTERNS = ("memory/**", "rules/**", "BOOT.md", "policy.md")
LINES = tuple(f"{pattern} merge={NAME}" for pattern in PATTERNS)


@dataclass(frozen=True, slots=True)
class Step:
    """One place that was or would be changed."""

    what: str
    where: str
    result: State


def driver_line(program: Path) -> str:
    """Return the command of the driver; where DMM fails or is gone, Git merges itself."""
    own = f"{shlex.quote(str(program))} merge-file %O %A %B %P"
    return f"{own} || git merge-file -L ours -L base -L theirs %A %O %B"


def find_program() -> Path:
    """Return the `dmm` program of this installation."""
    return Path(sys.executable).with_name("dmm")


def register(folder: Path, program: Path, *, remove: bool, dry: bool) -> tuple[Step, Step]:
    """Register or remove DMM as the Git merge driver of a .dmm folder."""
    if git.text(folder, "rev-parse", "--git-dir") is None:
        hint = "create one with: git init"
        raise StorageError("this folder is not in a Git repository", where=str(folder), hint=hint)
    attributes = _write_attributes(folder / ATTRIBUTES, remove=remove, dry=dry)
    command = None if remove else driver_line(program)
    return attributes, _write_settings(folder, command, dry=dry)


def _write_attributes(path: Path, *, remove: bool, dry: bool) -> Step:
    """Add our lines to a file, or take them out; the file goes with its last line."""
    with translated(path, "read the file"):
        before = path.read_text("utf-8") if path.exists() else ""
    others = [line for line in before.splitlines() if line not in LINES]
    after = "".join(f"{line}\n" for line in [*others, *(() if remove else LINES)])
    if not dry and after != before:
        write_atomic(path, after.encode())
        _clear(path)
    had = len(others) < len(before.splitlines())
    return Step("attributes", str(path), _name(had, after != before, remove=remove))


def _clear(path: Path) -> None:
    """Remove a file that is empty."""
    with translated(path, "remove the file"):
        if not path.stat().st_size:
            path.unlink()


def _name(had: bool, changed: bool, *, remove: bool) -> State:
    if remove:
        return "removed" if had else "absent"
    return "unchanged" if not changed else "updated" if had else "installed"


def _write_settings(folder: Path, command: str | None, *, dry: bool) -> Step:
    """Set the driver in the clone's own settings, or remove it."""
    where = git.text(folder, "rev-parse", "--git-path", "config") or ".git/config"
    before = git.text(folder, "config", "--local", "--get", f"{SECTION}.driver")
    changed = before != (None if command is None else f"{command}\n")
    if changed and not dry:
        _configure(folder, command)
    shown = str((folder / where.strip()).resolve())
    result = _name(before is not None, changed, remove=command is None)
    return Step("merge driver", shown, result)


def _configure(folder: Path, command: str | None) -> None:
    steps = [(f"{SECTION}.name", TITLE), (f"{SECTION}.driver", command or "")]
    for words in steps if command else [("--remove-section", SECTION)]:
        if git.ask(folder, "config", "--local", *words) is None:
            what = "Git's settings could not be changed"
            hint = f"check with: git config --local --list | grep {SECTION}"
            raise StorageError(what, where=str(folder), hint=hint)
