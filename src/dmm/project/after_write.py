"""What follows an applied write: the index and manifest are updated, conflicts are checked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dmm.errors import DmmError

if TYPE_CHECKING:
    from collections.abc import Callable

    from dmm.conflicts.service import Conflicts
    from dmm.memories.service import Memories
    from dmm.review.applied import AppliedWrite


def update_index(memories: Callable[[], Memories], write: AppliedWrite) -> list[str]:
    """Update index and manifest; the next query makes up for what fails."""
    if not write.paths or write.is_one_of_many:
        return []
    try:
        memories().follow(write.paths)
    except DmmError as error:
        return [f"written; it will be indexed later: {error}"]
    return []


def check_conflicts(conflicts: Callable[[], Conflicts], write: AppliedWrite) -> list[str]:
    """Check what was written for conflicts; where that fails, the next scan does it."""
    if not write.paths or write.is_one_of_many:
        return []
    try:
        found = conflicts().check(list(write.paths))
    except DmmError as error:
        return [f"written; conflicts were not checked: {error}"]
    return [f"{one.conflict_id} ({one.type.replace('_', ' ')}): {one.description}" for one in found]
