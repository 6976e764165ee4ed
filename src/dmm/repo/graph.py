"""Relations between files: imports and joint changes."""

from __future__ import annotations

import posixpath
from collections import Counter, defaultdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

MAX_FOLDER_TIES = 30

_ENTRIES = ("__init__", "index", "mod")
_ROOTS = ("src", "lib")


class Modules:
    """The files of a repository by the names under which others import them."""

    def __init__(self, paths: Sequence[str]) -> None:
        self._whole = {path: row for row, path in enumerate(paths)}
        self._by_module: dict[str, int] = {}
        self._by_last: dict[str, list[str]] = defaultdict(list)
        self._folders: dict[str, list[int]] = defaultdict(list)
        for row, path in enumerate(paths):
            module = _module(path)
            self._folders[posixpath.dirname(path)].append(row)
            if module not in self._by_module:
                self._by_module[module] = row
                self._by_last[module.rpartition("/")[2]].append(module)

    def resolve(self, importer: str, target: str) -> list[int]:
        """Find the files that an import leads to; none where it leads outside."""
        if target.endswith("/"):
            return self._folder(target.rstrip("/"))
        if target.startswith("."):
            joined = posixpath.normpath(posixpath.join(posixpath.dirname(importer), target))
            row = self._exact(joined)
        else:
            row = self._exact(target) if "/" in target else self._top(importer, target)
            row = self._suffix(target) if row is None and "/" in target else row
        return [] if row is None else [row]

    def _exact(self, path: str) -> int | None:
        row = self._whole.get(path)
        row = self._by_module.get(path) if row is None else row
        return self._by_module.get(_module(path)) if row is None and "." in path else row

    def _top(self, importer: str, name: str) -> int | None:
        """A bare name is a module at the top or beside the importer, not any file so called."""
        beside = posixpath.join(posixpath.dirname(importer), name)
        for path in (name, *(f"{root}/{name}" for root in _ROOTS), beside):
            row = self._exact(path)
            if row is not None:
                return row
        return None

    def _suffix(self, target: str) -> int | None:
        named = _module(target) if target not in self._by_module else target
        ending = f"/{named}"
        fitting = [m for m in self._by_last[named.rpartition("/")[2]] if m.endswith(ending)]
        return self._by_module[min(fitting, key=lambda m: (len(m), m))] if fitting else None

    def _folder(self, target: str) -> list[int]:
        """A package that is a folder, named by its full address: drop what is before the folder."""
        parts = target.split("/")
        for start in range(len(parts)):
            rows = self._folders.get("/".join(parts[start:]))
            if rows:
                return rows[:MAX_FOLDER_TIES]
        return []


def _module(path: str) -> str:
    folder, _, name = path.rpartition("/")
    stem = name.partition(".")[0] or name
    if stem in _ENTRIES and folder:
        return folder
    return f"{folder}/{stem}" if folder else stem


def import_ties(paths: Sequence[str], imports: Sequence[Sequence[str]]) -> list[tuple[int, int]]:
    """Return which file imports which, as pairs of rows in order, without repeats."""
    modules = Modules(paths)
    ties = {
        (row, other)
        for row, targets in enumerate(imports)
        for target in targets
        for other in modules.resolve(paths[row], target)
        if other != row
    }
    return sorted(ties)


def changed_together(touched: Iterable[Sequence[int]], row: int) -> Counter[int]:
    """Count how often each file was changed in one commit with a certain file."""
    return Counter(other for rows in touched if row in rows for other in rows if other != row)
