"""Clashes of answers: the same question about the same thing, answered in two ways."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dmm.conflicts.answers import ASKING
from dmm.conflicts.meetings import Finding, Meeting, listed
from dmm.conflicts.signs import NEGATIVE
from dmm.domain.conflict import ConflictType

if TYPE_CHECKING:
    from dmm.conflicts.topics import Topic


def find_answers(meeting: Meeting) -> Finding | None:
    """The same question about the same thing, answered in two ways."""
    one, other = meeting.one, meeting.other
    if one.sign in NEGATIVE or other.sign in NEGATIVE:
        return None
    for question, mine in one.answers:
        for asked, yours in other.answers:
            if question != asked or mine & yours:
                continue
            if mine <= meeting.second.context or yours <= meeting.first.context:
                continue
            topic = meeting.topic((mine | yours | ASKING) - {question.split()[0]})
            if topic.shared and _same_question(topic):
                reason = (
                    f"They answer the same question differently ({question}): "
                    f"{listed(mine)} against {listed(yours)}."
                )
                return meeting.finding(ConflictType.APPROACHES, 0.5 + 0.3 * topic.least, reason)
    return None


def _same_question(topic: Topic) -> bool:
    if topic.left and topic.right:
        return False
    return topic.least >= 0.65 or (topic.most >= 0.85 and topic.least >= 0.4)


def find_names(meeting: Meeting) -> Finding | None:
    """Two names in the same place of the same claim."""
    one, other = meeting.one, meeting.other
    if one.sign in NEGATIVE or other.sign in NEGATIVE:
        return None
    owned = "owner" in one.terms & other.terms
    mine = (
        one.names - other.terms - meeting.second.context - (frozenset() if owned else one.subject)
    )
    yours = (
        other.names - one.terms - meeting.first.context - (frozenset() if owned else other.subject)
    )
    if not mine or not yours or (one.quantities and other.quantities):
        return None
    topic = meeting.topic(mine | yours)
    if len(topic.shared) < 1 or topic.least < 0.6:
        return None
    if topic.left and topic.right:
        return None
    reason = f"They name different things for the same: {listed(mine)} against {listed(yours)}."
    return meeting.finding(ConflictType.APPROACHES, 0.55 + 0.2 * topic.least, reason)
