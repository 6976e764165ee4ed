"""Apply edits to memory files, all or nothing per file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dmm.domain.proposal import Edit, digest
from dmm.errors import StaleBase

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dmm.files.tree import MemoryTree


def in_order(edits: Iterable[Edit]) -> list[Edit]:
    """Order edits so that at no moment something is lost: files are removed last."""
    return sorted(edits, key=lambda edit: edit.after is None)


def carry_out(tree: MemoryTree, edit: Edit) -> None:
    """Make one file what it shall be; one that is so already is left alone."""
    now = digest(tree.text_of(edit.path))
    if now == digest(edit.after):
        return
    if now != edit.base:
        raise StaleBase("the file has changed since", where=edit.path)
    if edit.after is None:
        tree.remove(edit.path)
    elif edit.before is None:
        tree.create(edit.path, edit.after)
    else:
        tree.replace(edit.path, edit.after)


def invert(edit: Edit) -> Edit:
    """Return the inverse of an edit."""
    return Edit(edit.path, before=edit.after, after=edit.before)
