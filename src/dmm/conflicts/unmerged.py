"""Memories that a Git merge left with two versions of a passage."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dmm.conflicts.members import Found
from dmm.domain.conflict import Clash, ConflictType
from dmm.domain.memory import Origin
from dmm.merge.notes import find_notes

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from dmm.conflicts.members import Member

_SUGGESTION = "edit the file: keep one version and delete the 'dmm merge' comments"


def find_unmerged(members: Iterable[Member]) -> Iterator[Found]:
    """Return the project's memories with two versions, each as a conflict with itself."""
    for member in members:
        notes = find_notes(member.memory.body) if member.origin is Origin.PROJECT else []
        if notes:
            more = f" and {len(notes) - 1} more" if len(notes) > 1 else ""
            what = f"a merge left {member.shown} undecided: {notes[0].what}{more}"
            first, second = (*notes[0].versions, "", "")[:2]
            clash = Clash(ConflictType.UNMERGED, 1.0, what, _SUGGESTION, (first, second))
            yield Found(member, member, clash, ())
