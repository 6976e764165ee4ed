"""The files of a .dmm folder as Git holds them: in a commit, in its index, or on disk."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from dmm.domain.markers import WAY_OUT
from dmm.errors import StorageError, UsageError
from dmm.files.consents import FILES, MAX_BYTES
from dmm.reading import read_regular
from dmm.repo import git

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

Files = dict[str, bytes]
FOLDERS = ("memory", "rules")
_REGULAR = "100"


def read_commit(folder: Path, commit: str) -> Files:
    """Read what a commit holds of a .dmm folder, by path within it."""
    listed = git.text(
        folder, "ls-tree", "-r", "-z", "--end-of-options", commit, "--", *FOLDERS, *FILES
    )
    if listed is None:
        raise _unknown(folder, commit)
    return _read_blobs(folder, _entries(listed, column=2))


def _unknown(folder: Path, commit: str) -> UsageError:
    hint = "name a branch, a tag or a commit, or a range such as main...HEAD"
    return UsageError(f"Git has no commit {commit!r}", where=str(folder), hint=hint)


def read_staged(folder: Path, *paths: str) -> Files:
    """Read what Git's index holds of a .dmm folder; a file in conflict is not in it yet."""
    names = paths or (*FOLDERS, *FILES)
    listed = git.text(folder, "ls-files", "--stage", "-z", "--", *names, staged=True)
    if listed is None:
        hint = "create one with: git init"
        raise StorageError("this folder is not in a Git repository", where=str(folder), hint=hint)
    unmerged = [path for path, stage in _entries(listed, column=2) if stage != "0"]
    if unmerged:
        raise UsageError("Git has not merged it yet", where=unmerged[0], hint=WAY_OUT)
    return _read_blobs(folder, _entries(listed, column=1))


def read_disk(folder: Path) -> Files:
    """Read the files of a .dmm folder as they stand."""
    found = [folder / name for name in FILES]
    found += [path for top in FOLDERS for path in (folder / top).rglob("*.md")]
    regular = [path for path in found if path.is_file() and not path.is_symlink()]
    return {
        path.relative_to(folder).as_posix(): read_regular(path, MAX_BYTES)[0] for path in regular
    }


def find_base(folder: Path, one: str, other: str) -> str:
    """Return the commit that two branches come from."""
    for name in (one, other):
        if (
            git.text(
                folder, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}"
            )
            is None
        ):
            raise _unknown(folder, name)
    found = git.text(folder, "merge-base", "--end-of-options", one, other)
    if not found:
        hint = "compare them directly: with two dots instead of three"
        raise UsageError(f"{one} and {other} have no common commit", where=str(folder), hint=hint)
    return found.strip()


def _entries(listed: str, *, column: int) -> Iterable[tuple[str, str]]:
    """Read the path and one more column of each regular file that Git lists."""
    for line in filter(None, listed.split("\0")):
        about, _, path = line.partition("\t")
        if about.startswith(_REGULAR):
            yield path, about.split()[column]


def _read_blobs(folder: Path, entries: Iterable[tuple[str, str]]) -> Files:
    with contextlib.closing(git.ObjectReader(folder)) as reader:
        found = {path: reader.read(blob) for path, blob in entries}
    return {path: data for path, data in found.items() if data is not None}
