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


@dataclass(frozen=True, slots=True)
class _Pattern:
    test: re.Pattern[str]
    base: str
    anchored: bool
    folders_only: bool
    keeps: bool

    def fits(self, path: str, *, is_folder: bool) -> bool:
        if self.folders_only and not is_folder:
            return False
        inside = path[len(self.base) :]
        target = inside if self.anchored else inside.rpartition("/")[2]
        return self.test.match(target) is not None


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
    """Say whether patterns leave a path out; the last one that fits decides."""
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
    anchored = "/" in body
    body = body.removeprefix("/").removeprefix("**/") if anchored else body
    anchored = anchored and not line.removeprefix("!").startswith("**/")
    return _Pattern(re.compile(translate(body)), base, anchored, folders_only, keeps)
