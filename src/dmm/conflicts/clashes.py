"""The surest clash between two memories, found statement by statement."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dmm.conflicts.amounts import find_amounts
from dmm.conflicts.choices import find_choices
from dmm.conflicts.distances import Distance, distance_of
from dmm.conflicts.meetings import Finding, Meeting
from dmm.conflicts.replies import find_answers, find_names
from dmm.conflicts.stances import find_confinement, find_rejections, find_stances
from dmm.conflicts.supersession import is_superseded
from dmm.conflicts.vocabulary import GENERIC

if TYPE_CHECKING:
    from dmm.conflicts.readings import Reading
    from dmm.conflicts.statements import Statement


def find_clash(first: Reading, second: Reading, likeness: float | None) -> Finding | None:
    """The surest clash between two memories, if there is one."""
    best: Finding | None = None
    mine = {statement.text for statement in first.statements}
    shared = mine & {statement.text for statement in second.statements}
    for one in first.statements:
        for other in second.statements:
            if one.text in shared or other.text in shared or not _may_meet(one, other):
                continue
            found = _clash(Meeting(one, other, first, second, likeness or 0.0))
            if found is not None and (best is None or found.confidence > best.confidence):
                best = found
    return best


def _may_meet(one: Statement, other: Statement) -> bool:
    shared = one.terms & other.terms
    if any(term not in GENERIC for term in shared):
        return True
    mine = {family for family, _ in one.chosen | one.refused}
    return any(family in mine for family, _ in other.chosen | other.refused)


def _clash(meeting: Meeting) -> Finding | None:
    found = find_amounts(meeting) or find_choices(meeting) or find_stances(meeting)
    found = found or find_rejections(meeting) or find_answers(meeting) or find_names(meeting)
    if found is None:
        return find_confinement(meeting)
    distance = distance_of(meeting.one, meeting.other, meeting.first, meeting.second)
    if distance != Distance():
        return None
    if is_superseded(meeting.one, meeting.other) or is_superseded(meeting.other, meeting.one):
        return None
    return found
