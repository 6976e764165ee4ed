"""Clashes of choices: different members of one family of rivals for the same job."""

from __future__ import annotations

from dmm.conflicts.families import FAMILIES
from dmm.conflicts.meetings import Finding, Meeting, listed, placing
from dmm.conflicts.signs import NEGATIVE
from dmm.conflicts.statements import ATTRIBUTES
from dmm.conflicts.topics import cover
from dmm.conflicts.vocabulary import concepts
from dmm.domain.conflict import ConflictType


def find_choices(meeting: Meeting) -> Finding | None:
    """Two rivals chosen for one job, or one chosen and ruled out."""
    one, other = meeting.one, meeting.other
    for family in sorted({f for f, _ in one.chosen} & {f for f, _ in other.chosen}):
        mine = {member for name, member in one.chosen if name == family}
        yours = {member for name, member in other.chosen if name == family}
        if mine & yours or not _same_role(meeting, family, mine | yours):
            continue
        pair = f"{listed(mine)} against {listed(yours)}"
        if FAMILIES[family].contrary:
            return meeting.finding(
                ConflictType.CONTRADICTION, 0.8, f"They say the contrary: {pair}."
            )
        reason = f"They choose different things as {FAMILIES[family].about}: {pair}."
        return meeting.finding(ConflictType.APPROACHES, 0.85, reason)
    denied = (one.chosen & other.refused) | (one.refused & other.chosen)
    for family, member in sorted(denied):
        if _same_role(meeting, family, {member}) and _is_meant(meeting, (family, member)):
            reason = f"One takes {member}, the other rules it out."
            return meeting.finding(ConflictType.CONTRADICTION, 0.85, reason)
    return None


def _same_role(meeting: Meeting, name: str, members: set[str]) -> bool:
    family = FAMILIES[name]
    mixed = {m for f, m in meeting.one.chosen | meeting.other.chosen if f == name}
    without = concepts(" ".join(members | mixed))
    topic = meeting.topic(without)
    if family.contrary:
        if meeting.one.restricts or meeting.other.restricts:
            return False
        least = 0.5 if topic.left and topic.right else 0.4
        return bool(topic.shared) and topic.least >= least and topic.most >= 0.7
    left = topic.left - family.roles - ATTRIBUTES - placing(meeting.one)
    right = topic.right - family.roles - ATTRIBUTES - placing(meeting.other)
    if left and right and topic.least < 0.5:
        return False
    if family.sole:
        return True
    return bool(topic.shared) and topic.most >= 0.5


def _is_meant(meeting: Meeting, choice: tuple[str, str]) -> bool:
    """Whether a refusal is of the choice itself; "nobody pushes to main" does not refuse main."""
    taken, refusing = meeting.one, meeting.other
    if choice in taken.refused:
        taken, refusing = refusing, taken
    if refusing.sign not in NEGATIVE:
        return True
    return cover(refusing.terms, taken.terms, frozenset()) >= _REFUSED_COVER


_REFUSED_COVER = 0.6
