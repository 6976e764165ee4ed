"""Find a project's .dmm folder by walking up."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dmm.errors import RootNotFound, StorageError
from dmm.files.durable import translated
from dmm.files.repository import find_repository
from dmm.private import make_private_folder

if TYPE_CHECKING:
    from pathlib import Path

    from dmm.files.tree import MemoryTree

NAME = ".dmm"


@dataclass(frozen=True, slots=True)
class Root:
    """One .dmm folder and the places in it."""

    folder: Path

    @property
    def project(self) -> Path:
        """The folder that the memory is about."""
        return self.folder.parent

    @property
    def tree(self) -> MemoryTree:
        """The memory files."""
        from dmm.files.tree import MemoryTree

        return MemoryTree(self.folder / "memory")

    @property
    def packs(self) -> Path:
        """Where compiled packs are kept."""
        return self.folder / "packs"

    def make_packs(self) -> Path:
        """Make the folder of packs; one that leads elsewhere is refused."""
        return _make_own(self.packs)

    def make_run(self) -> Path:
        """Make the folder of locks; one that leads elsewhere is refused."""
        return _make_own(self.folder / "run")

    @property
    def manifest(self) -> Path:
        """The map of the memory."""
        return self.folder / "index" / "manifest.json"


def _make_own(folder: Path) -> Path:
    with translated(folder, "make the folder"):
        make_private_folder(folder)
    if folder.is_symlink():
        raise StorageError("the path contains a symbolic link", where=str(folder))
    return folder


def _had_memory(start: Path) -> bool:
    """Return whether the repository around a folder has a ledger: its memory is on a branch."""
    with contextlib.suppress(StorageError):
        found = find_repository(start / NAME)
        return found is not None and (found.common / "dmm").is_dir()
    return False


def find_root(start: Path, override: Path | None, home: Path) -> Root:
    """Find the nearest .dmm folder from `start` upwards; an override names it or its parent.

    The user's own folder in `home` overlays every project and is no project itself, unless one
    stands in `home` or names it.
    """
    if override is not None:
        folder = override if override.name == NAME else override / NAME
        if folder.is_dir():
            return Root(folder.resolve())
        hint = f"create one with: dmm init --root {folder.parent}"
        raise RootNotFound("there is no memory here", where=str(folder), hint=hint)
    start, home = start.resolve(), home.resolve()
    linked = None
    for folder in (start, *start.parents):
        if (folder / NAME / "memory").is_dir() and (folder != home or start == home):
            # A repository can bring a link to the memory of another project.
            if not (folder / NAME).is_symlink():
                return Root((folder / NAME).resolve())
            linked = linked or folder / NAME
    what = f"no {NAME} folder here or above"
    hint = "create one in your project's folder with: dmm init"
    if _had_memory(start):
        what += ", so nothing of this repository's memory and rules applies here"
        hint = f"if another branch has it: git checkout BRANCH -- {NAME}; if none has: dmm init"
    if linked is not None:
        hint = f"{linked} is a symbolic link, which is not followed; name its target with --root"
    raise RootNotFound(what, where=str(start), hint=hint)
