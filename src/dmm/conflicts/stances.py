"""Clashes of stance: one asks for or allows what the other rules out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dmm.conflicts.meetings import Finding, Meeting, listed, placing, shown
from dmm.conflicts.signs import NEGATIVE, Sign, are_opposed
from dmm.conflicts.topics import cover
from dmm.conflicts.vocabulary import GENERIC
from dmm.domain.conflict import ConflictType

if TYPE_CHECKING:
    from dmm.conflicts.statements import Statement


_DENYING = NEGATIVE | {Sign.OPTIONAL}


_WHOLE = 0.9


_STRICT = 0.6


_ALIKE = 0.75


_UNLIKE = 0.5


def find_stances(meeting: Meeting) -> Finding | None:
    """One asks for or allows what the other rules out or leaves open."""
    one, other = meeting.one, meeting.other
    if not are_opposed(one.sign, other.sign):
        return None
    topic = meeting.topic()
    negative, positive = (one, other) if one.sign in _DENYING else (other, one)
    strict = cover(negative.terms, positive.terms, frozenset())
    whole = strict >= _WHOLE
    if topic.shared <= (placing(one) | placing(other)) - negative.subject:
        return None
    if _agrees_elsewhere(meeting, negative, positive):
        return None
    if strict < _WHOLE and 0 < meeting.likeness < _UNLIKE:
        return None
    enough = 0.65 if meeting.likeness >= _ALIKE else 0.75
    if (
        strict < _STRICT
        or not topic.shared
        or topic.most < enough
        or (topic.least < 0.45 and not whole)
    ):
        return None
    if topic.left and topic.right and topic.least < 0.6:
        return None
    if one.restricts or other.restricts or positive.exceptions:
        return None
    reason = f"One asks for what the other rules out ({shown(topic)})."
    certain = 0.6 + 0.35 * topic.least
    return meeting.finding(ConflictType.CONTRADICTION, certain, reason)


def _agrees_elsewhere(meeting: Meeting, negative: Statement, positive: Statement) -> bool:
    """Whether the memory that seems to ask for it rules the same out in another statement."""
    home = meeting.second if positive is meeting.other else meeting.first
    focus = negative.terms - positive.terms
    return any(
        focus & statement.terms for statement in home.statements if statement.sign in NEGATIVE
    )


def find_rejections(meeting: Meeting) -> Finding | None:
    """One goes without what the other has: "X, not Y" against Y."""
    for mine, yours in ((meeting.one, meeting.other), (meeting.other, meeting.one)):
        turned_down = frozenset(t for t in mine.rejected & yours.terms if t not in GENERIC)
        if not turned_down or yours.sign in NEGATIVE or mine.sign in NEGATIVE:
            continue
        topic = meeting.topic(turned_down)
        if topic.shared and topic.most >= 0.5:
            reason = f"One does without {listed(turned_down)}, the other has it."
            return meeting.finding(ConflictType.CONTRADICTION, 0.7, reason)
    return None


def find_confinement(meeting: Meeting) -> Finding | None:
    """One confines to a place what the other does elsewhere: "only in CI" against "locally"."""
    for mine, yours in ((meeting.one, meeting.other), (meeting.other, meeting.one)):
        if mine.sign in NEGATIVE or yours.sign in NEGATIVE:
            continue
        for dimension in mine.confined & yours.scopes.keys():
            if mine.scopes[dimension] & yours.scopes[dimension] or yours.past:
                continue
            topic = meeting.topic(mine.scopes[dimension] | yours.scopes[dimension])
            if topic.shared and topic.least >= 0.5 and not (topic.left and topic.right):
                reason = f"One confines to one {dimension} what the other does elsewhere."
                return meeting.finding(ConflictType.CONTRADICTION, 0.65, reason)
    return None
