"""Two memories side by side, judged by what is left over when their claims are aligned."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from dmm.conflicts.alignment import align_terms
from dmm.conflicts.cases import OTHER_EVENTS, OTHER_THINGS, apart, titles_apart
from dmm.conflicts.judgement import clash
from dmm.conflicts.meetings import Finding, Meeting, meet
from dmm.conflicts.quantities import Quantity, are_near
from dmm.conflicts.readings import Reading, read_memory
from dmm.conflicts.stances import stances
from dmm.conflicts.supersession import supersedes
from dmm.conflicts.vocabulary import GENERIC
from dmm.domain.conflict import Clash, ConflictType
from dmm.domain.memory import has_expired

if TYPE_CHECKING:
    import datetime as dt

    from dmm.domain.memory import Memory

__all__ = ["Reading", "compare", "read_memory"]


_EARLIER = re.compile(
    r"\b(?:replac|supersed|overrid|obsolet)\w*\b[^.;]*\b(?:old|earlier|previous|former|prior)\b",
    re.IGNORECASE,
)
_DECIDE = "Decide which holds and deprecate the other, or say where each holds."
_SAME = "Both memories say the same thing."
_MERGE = "Merge them into one memory and deprecate the other."
_LEAST = 0.28
_LEAST_CONFIDENCE = 0.6
_SAME_FROM, _SAME_IF_APART = 0.64, 0.75
_LEAST_ALIKE = 0.6
_MOST_TERMS = 100


def compare(
    one: Reading, other: Reading, *, likeness: float | None, today: dt.date | None = None
) -> Clash | None:
    """Say in which way two memories do not go together; None where they do."""
    first, second = one.memory, other.memory
    if not first.in_force or not second.in_force:
        return None
    if today and (has_expired(first.expires, today) or has_expired(second.expires, today)):
        return None
    if supersedes(first, second) or supersedes(second, first):
        return None
    rivals = sorted(set(first.supersedes) & set(second.supersedes))
    if rivals:
        return _rival_successors(one, other, rivals)
    alike = 0.7 if likeness is None else likeness
    # Laid side by side in one order whichever is asked for first, so that the answer is the same.
    if _rank(first) <= _rank(second):
        return _weigh(one, other, alike)
    found = _weigh(other, one, alike)
    return found and replace(found, quotes=(found.quotes[1], found.quotes[0]))


def _rank(memory: Memory) -> tuple[str, str]:
    return memory.body, memory.title


def _rival_successors(one: Reading, other: Reading, targets: list[str]) -> Clash:
    told = f"Both memories claim to take the place of {', '.join(targets)}."
    quotes = (one.memory.title, other.memory.title)
    return Clash(ConflictType.SUPERSESSION, 0.7, told, _DECIDE, quotes)


def _weigh(one: Reading, other: Reading, alike: float) -> Clash | None:
    """Find the surest clash of two memories, or that they say the same."""
    if alike < _LEAST:
        return None
    parted = titles_apart(one, other)
    if parted and alike < _LEAST_ALIKE:
        return None
    meetings = meet(one, other, alike)
    if alike < 0.95 and (_replaced(one, other) or _replaced(other, one)):
        return None
    found = None if parted else _surest(meetings)
    if found is not None:
        return Clash(found.type, found.confidence, found.reason, _DECIDE, found.quotes)
    score = sameness(one, other, meetings, alike)
    if score < _SAME_FROM:
        return None
    quotes = (one.claims[0].text, other.claims[0].text)
    return Clash(ConflictType.DUPLICATE, round(min(score, 1.0), 2), _SAME, _MERGE, quotes)


def _surest(meetings: list[Meeting]) -> Finding | None:
    found = [(m, f) for m in meetings if (f := clash(m)) is not None]
    sure = [
        f
        for m, f in found
        if f.confidence >= _needed(m)
        and _belong(m, meetings, strong=f.confidence >= _STRONG and m.likeness >= _NEAR)
    ]
    return max(sure, key=lambda f: f.confidence) if sure else None


_STRONG, _NEAR = 0.85, 0.7


def _needed(m: Meeting) -> float:
    """How sure a clash must be: surer where memories are less alike, or long."""
    more = 0.1 if m.many > _LONG else 0.05 if m.many > _MIDDLE else 0.0
    return _needed_of(m.likeness) + more


_MIDDLE, _LONG = 16, 60


def _needed_of(likeness: float) -> float:
    if likeness >= 0.6:
        return _LEAST_CONFIDENCE
    if likeness >= 0.4:
        return 0.72 if likeness >= 0.52 else 0.82
    return 0.88 if likeness >= 0.36 else 0.93


def _belong(meeting: Meeting, meetings: list[Meeting], *, strong: bool) -> bool:
    """Whether neither claim has a partner on the other side that fits clearly better."""
    worth = meeting.alignment.likeness + _NEARLY
    for rival in meetings:
        near = rival.one is meeting.one or rival.other is meeting.other
        if near and rival is not meeting and _agree(rival) and not _nearer(meeting, rival):
            return False
        if (rival.one is meeting.one) == (rival.other is meeting.other):
            continue
        better = rival.alignment.shared > meeting.alignment.shared
        if better and rival.alignment.likeness > worth and not strong:
            return False
    return True


_NEARLY = 0.15
_SETTLED = 0.7


def _agree(meeting: Meeting) -> bool:
    """Whether two claims say the same, so that neither quarrels with another one."""
    return meeting.alignment.likeness >= _SETTLED and clash(meeting) is None


def _nearer(meeting: Meeting, rival: Meeting) -> bool:
    return meeting.alignment.likeness > rival.alignment.likeness


def _replaced(newer: Reading, older: Reading) -> bool:
    told, earlier = newer.replaced
    if earlier or _EARLIER.search(newer.memory.body):
        return True
    held = older.context
    claimed = {c for claim in newer.claims for c in claim.concepts}
    if told & held and told & (held - claimed):
        return True
    return any((c.old - GENERIC) & held for c in newer.claims)


def sameness(one: Reading, other: Reading, meetings: list[Meeting], likeness: float) -> float:
    """How sure it is that two memories say the same; 0 where something sets them apart."""
    if not one.claims or not other.claims or likeness < _LEAST_ALIKE:
        return 0.0
    if _amounts_differ(one, other, likeness) or _deny(one, other, likeness):
        return 0.0
    reason = apart(meetings[0]) if meetings else ""
    if reason not in ("", OTHER_THINGS, OTHER_EVENTS) or (meetings and _differ(meetings[0])):
        return 0.0
    share = _share(one, other)
    score = (share + likeness) / 2 - (_EXCLUSIVE if _one_excludes(meetings) else 0.0)
    if meetings and meetings[0].one.happens and meetings[0].other.happens and share < 1:
        score -= _HAPPENING
    return 0.0 if reason and score < _SAME_IF_APART else score


def _differ(m: Meeting) -> bool:
    """Whether the claims that fit best take another stance, add something or tell of a change."""
    if stances(m) is not None or m.one.additive != m.other.additive:
        return True
    if m.one.changes != m.other.changes and m.one.negative != m.other.negative:
        return True
    return m.one.reminds != m.other.reminds and m.likeness < _SAME_IF_APART


def _share(one: Reading, other: Reading) -> float:
    """The share of what both memories say in all that they say."""
    mine, yours = (
        [t for c in reading.claims for t in (*c.terms, *c.conditions)][:_MOST_TERMS]
        for reading in (one, other)
    )
    alignment = align_terms(mine, yours)
    left = sum(t.weight for t in alignment.left if t.concept not in other.context)
    right = sum(t.weight for t in alignment.right if t.concept not in one.context)
    return alignment.shared * 2 / max(alignment.shared * 2 + left + right, 0.1)


def _one_excludes(meetings: list[Meeting]) -> bool:
    """Whether one claim alone says "only", and the other neither that nor no."""
    if not meetings:
        return False
    one, other = meetings[0].one, meetings[0].other
    if one.negative or other.negative:
        return False
    return (one.only or one.restricts) != (other.only or other.restricts)


_EXCLUSIVE = 0.1
_HAPPENING = 0.25


def _deny(one: Reading, other: Reading, likeness: float) -> bool:
    """Whether one memory denies what the other chooses; hardly so where they are very alike."""
    return likeness < _TOLD_ALIKE and (_denies(one, other) or _denies(other, one))


_TOLD_ALIKE = 0.78


def _denies(one: Reading, other: Reading) -> bool:
    """Whether one memory denies a thing that the other chooses."""
    chosen = {
        t.concept
        for claim in other.claims
        if not claim.marked
        for t in claim.terms
        if not t.early and (t.named or t.slot in ("means", "role"))
    }
    against = {c for claim in other.claims if claim.marked for c in claim.keys}
    return len(one.claims) > 1 and bool((one.denied & chosen) - against)


def _amounts_differ(one: Reading, other: Reading, likeness: float) -> bool:
    """Whether amounts of one measure differ, or amounts are told that the other side lacks."""
    mine = [q for c in one.claims for q in (*c.quantities, *c.triggers) if q.low != 1]
    yours = [q for c in other.claims for q in (*c.quantities, *c.triggers) if q.low != 1]
    left, right = _unmatched(mine, yours), _unmatched(yours, mine)
    if likeness < _VERY_ALIKE or (left and right):
        return bool(left or right)
    rest, there = (left, yours) if left else (right, mine)
    return any(a.measure == b.measure for a in rest for b in there)


_VERY_ALIKE = 0.8


def _unmatched(here: list[Quantity], there: list[Quantity]) -> list[Quantity]:
    return [a for a in here if not any(_measure_alike(a, b) and are_near(a, b) for b in there)]


def _measure_alike(a: Quantity, b: Quantity) -> bool:
    """Whether two amounts may be one; a version may be told by its bare number."""
    return a.measure == b.measure or {a.measure, b.measure} == {"count", "version"}
