"""After a write: update index and manifest, check for conflicts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dmm.errors import DmmError

if TYPE_CHECKING:
    from dmm.conflicts.service import Conflicts
    from dmm.memories.service import Memories


def settle(
    memories: Memories, conflicts: Conflicts, paths: tuple[str, ...], *, mapped: bool = True
) -> list[str]:
    """Do what can be done now; the write stands anyway, and what failed is made up for later."""
    if not paths:
        return []
    notices = []
    try:
        memories.follow(paths, mapped=mapped)
    except DmmError as error:
        notices.append(f"written; it will be indexed later: {error}")
    try:
        found = conflicts.check(list(paths))
        notices += [_tell(record) for record in found]
    except DmmError as error:
        notices.append(f"written; conflicts were not checked: {error}")
    return notices


def _tell(record: dict[str, object]) -> str:
    return f"{record['conflict_id']} ({record['type']}): {record['description']}"
