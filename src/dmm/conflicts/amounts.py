"""Clashes of amounts: two numbers for the same thing that cannot both hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dmm.conflicts.meetings import Finding, Meeting, shown
from dmm.conflicts.quantities import Quantity, are_near
from dmm.conflicts.statements import ATTRIBUTES
from dmm.conflicts.topics import Topic, are_about_version
from dmm.conflicts.vocabulary import concepts
from dmm.domain.conflict import ConflictType

if TYPE_CHECKING:
    from decimal import Decimal

    from dmm.conflicts.readings import Reading


def find_amounts(meeting: Meeting) -> Finding | None:
    """Two amounts for the same thing that cannot both hold."""
    one, other = meeting.one, meeting.other
    if not one.quantities or not other.quantities:
        return None
    topic = meeting.topic()
    for here, quantity in enumerate(one.quantities):
        for there, rival in enumerate(other.quantities):
            if quantity.measure != rival.measure or _agree(quantity, rival):
                continue
            if _repeats(quantity, meeting.second) or _repeats(rival, meeting.first):
                continue
            if not _same_attribute(meeting, here, there):
                continue
            if not _same_subject(meeting, topic, quantity):
                continue
            certain = 0.7 + 0.25 * topic.least
            reason = f"They give different amounts for the same thing ({shown(topic)})."
            return meeting.finding(ConflictType.NUMERIC, certain, reason)
    return None


def _repeats(quantity: Quantity, reading: Reading) -> bool:
    """Whether the other memory gives the same amount somewhere too."""
    return any(
        quantity.shown() == known.shown()
        for statement in reading.statements
        for known in statement.quantities
    )


def _agree(one: Quantity, other: Quantity) -> bool:
    """Whether both amounts can hold at once."""
    if one.per and other.per and one.per != other.per:
        return True
    if one.bound == other.bound and are_near(one, other):
        return True
    if one.bound == other.bound and one.bound in ("most", "least", "exact"):
        return (one.low, one.high) == (other.low, other.high)
    return _reach(one.low, other.high) and _reach(other.low, one.high)


def _reach(low: Decimal | None, high: Decimal | None) -> bool:
    return low is None or high is None or low <= high


_COUNT_ALIKE = concepts("approve review contributor person engineer maintainer people pair")


def _same_attribute(meeting: Meeting, here: int, there: int) -> bool:
    one, other = meeting.one, meeting.other
    mine, yours = one.attributes[here], other.attributes[there]
    if mine and yours and not mine & yours:
        return False
    if one.quantities[here].measure not in ("count", "version"):
        return True
    counted, also = one.quantities[here].counted, other.quantities[there].counted
    if not counted or not also or counted & also or "time" in counted | also:
        return True
    if counted & _COUNT_ALIKE and also & _COUNT_ALIKE:
        return True
    return bool(counted & other.terms) and bool(also & one.terms)


def _same_subject(meeting: Meeting, topic: Topic, quantity: Quantity) -> bool:
    if quantity.measure == "version":
        return are_about_version(meeting.one, meeting.other)
    if not topic.shared:
        return False
    if topic.left & meeting.one.names and topic.right & meeting.other.names:
        return False
    if topic.left and topic.right:
        return topic.least >= (0.4 if topic.shared & ATTRIBUTES else 0.5)
    return topic.most >= 0.6
