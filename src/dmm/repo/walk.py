"""Walk a folder without Git, respecting .gitignore."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from fnmatch import translate
from typing import TYPE_CHECKING

from dmm.errors import StorageError
from dmm.files.repository import read_text

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

IGNORES = ".gitignore"
MAX_DEPTH = 40
_MADE = frozenset(
    (
        *("node_modules", "__pycache__", "venv", "env", "target", "build", "dist", "out"),
        *("bower_components", "site-packages"),
    )
)


_ESCAPED = re.compile(r"\\(.)")
_NEVER = re.compile(r"(?!)")


@dataclass(frozen=True, slots=True)
class _Pattern:
    """A line of an ignore file; of its `parts`, one for each name of a path, None means any names.

    By hand, as pathspec takes seconds for a name of 150 letters and a pattern like *a*a*a*a*b.
    """

    parts: tuple[re.Pattern[str] | None, ...]
    base: str
    folders_only: bool
    keeps: bool

    def fits(self, path: str, *, is_folder: bool) -> bool:
        if self.folders_only and not is_folder:
            return False
        return self._leads_to(path[len(self.base) :].split("/"))

    def _leads_to(self, names: list[str]) -> bool:
        """Match greedily; where that fails, the last stretch of any names takes one more."""
        part = name = 0
        again: tuple[int, int] | None = None
        while name < len(names):
            test = self.parts[part] if part < len(self.parts) else _NEVER
            if test is None:
                part, again = part + 1, (part + 1, name + 1)
            elif test.match(names[name]):
                part, name = part + 1, name + 1
            elif again is not None:
                part, name = again
                again = (part, name + 1)
            else:
                return False
        # Two stars at the end stand for something below, not for the folder itself.
        return part == len(self.parts)


def walk(root: Path) -> Iterator[str]:
    """List the files below a folder in path order, as relative paths; links are not followed."""
    yield from _walk(root, "", [])


def _walk(root: Path, folder: str, above: list[_Pattern]) -> Iterator[str]:
    if folder.count("/") > MAX_DEPTH:
        return
    patterns = above + _patterns(root, folder)
    try:
        with os.scandir(root / folder) as found:
            entries = sorted(found, key=lambda entry: entry.name)
    except OSError:
        return
    for entry in entries:
        path = folder + entry.name
        is_folder = entry.is_dir(follow_symlinks=False)
        if entry.is_symlink() or is_ignored(path, patterns, is_folder=is_folder):
            continue
        if not is_folder:
            yield path
        elif not entry.name.startswith(".") and entry.name not in _MADE:
            yield from _walk(root, path + "/", patterns)


def is_ignored(path: str, patterns: list[_Pattern], *, is_folder: bool) -> bool:
    """Return whether patterns leave a path out; the last one that fits decides."""
    fitting = (one for one in reversed(patterns) if one.fits(path, is_folder=is_folder))
    last = next(fitting, None)
    return last is not None and not last.keeps


def _patterns(root: Path, folder: str) -> list[_Pattern]:
    try:
        lines = read_text(root / folder / IGNORES).splitlines()
    except StorageError:
        return []
    return [_read(line.rstrip(), folder) for line in lines if line.strip() and line[0] != "#"]


def _read(line: str, base: str) -> _Pattern:
    keeps = line.startswith("!")
    body = line.removeprefix("!")
    folders_only = body.endswith("/")
    body = body.rstrip("/")
    # A slash within ties a pattern to the folder of its file; without one it fits at any depth.
    body = body.removeprefix("/") if "/" in body else f"**/{body}"
    parts = [None if part == "**" else _test(part) for part in body.split("/")]
    return _Pattern(tuple(parts), base, folders_only, keeps)


def _test(glob: str) -> re.Pattern[str]:
    """Make the test of one name; in an ignore file a backslash takes a sign for itself."""
    plain = _ESCAPED.sub(lambda sign: f"[{sign[1]}]" if sign[1] in "*?[" else sign[1], glob)
    return re.compile(translate(plain.replace("[^", "[!")))
