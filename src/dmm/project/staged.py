"""Validate what is staged in Git's index, not what is in the working tree."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from dmm.errors import MemoryFileError
from dmm.files.roots import NAME, Root
from dmm.project.snapshots import read_staged

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dmm.domain.report import ValidationReport
    from dmm.files.tree import MemoryTree
    from dmm.memories.validation import Validation
    from dmm.project.snapshots import Files


def check_staged(validation: Validation) -> ValidationReport:
    """Check the staged files in a copy; near-duplicates need an index and are left out."""
    folder = validation.root.folder
    with tempfile.TemporaryDirectory(prefix="dmm-staged-") as place:
        copy = Root(Path(place).resolve() / NAME)
        copy.folder.mkdir()
        _write(copy.folder, read_staged(folder))
        cited = sorted(set(_list_cited(copy.tree)))
        _write(copy.project, read_staged(folder.parent, *cited) if cited else {})
        return replace(validation, root=copy, indexes=None).check()


def _write(folder: Path, files: Files) -> None:
    for path, data in files.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)


def _list_cited(tree: MemoryTree) -> Iterator[str]:
    """List the files that the staged memories cite."""
    for stamp in tree.scan().stamps:
        try:
            yield from (f":(literal){cite.path}" for cite in tree.load(stamp.path).memory.cites)
        except MemoryFileError:
            # The check itself reports it.
            continue
