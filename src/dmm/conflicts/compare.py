"""Two memories side by side, judged by what is left over when their claims are aligned."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from dmm.conflicts.cases import titles_apart
from dmm.conflicts.evidence import are_kin, gather
from dmm.conflicts.judgement import clash
from dmm.conflicts.meetings import Finding, Meeting, meet
from dmm.conflicts.readings import Reading, read_memory
from dmm.conflicts.sameness import LEAST_ALIKE, can_be_same, sameness
from dmm.conflicts.stances import denies_a_kind
from dmm.conflicts.supersession import EXPLICIT, GONE, HISTORY, change_between, supersedes
from dmm.conflicts.timings import Lie, timing
from dmm.conflicts.verdict import weigh
from dmm.domain.conflict import Clash, ConflictType
from dmm.domain.memory import has_expired

if TYPE_CHECKING:
    import datetime as dt

    from dmm.conflicts.evidence import Evidence
    from dmm.domain.memory import Memory

__all__ = ["Reading", "compare", "read_memory"]


_DECIDE = "Decide which holds and deprecate the other, or say where each holds."
_GONE = "One says that what the other still relies on is gone."
_RETIRE = "Deprecate the outdated one, or let the newer one name it in `supersedes`."
_SAME = "Both memories say the same thing."
_MERGE = "Merge them into one memory and deprecate the other."
_LEAST = 0.28
_LEAST_CONFIDENCE = 0.6
_SAME_FROM = 0.64


def compare(
    one: Reading,
    other: Reading,
    *,
    likeness: float | None,
    today: dt.date | None = None,
    nearest: bool = True,
) -> Clash | None:
    """Say in which way two memories do not go together; None where they do.

    Where no other memory is nearer to either (`nearest`), what the rules do not find is judged by
    the weight of the evidence alone; elsewhere that would call too many strangers relatives.
    """
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
        return _weigh(one, other, alike, nearest=nearest)
    found = _weigh(other, one, alike, nearest=nearest)
    return found and replace(found, quotes=(found.quotes[1], found.quotes[0]))


def _rank(memory: Memory) -> tuple[str, str]:
    return memory.body, memory.title


def _rival_successors(one: Reading, other: Reading, targets: list[str]) -> Clash:
    told = f"Both memories claim to take the place of {', '.join(targets)}."
    quotes = (one.memory.title, other.memory.title)
    return Clash(ConflictType.SUPERSESSION, 0.7, told, _DECIDE, quotes)


def _weigh(one: Reading, other: Reading, alike: float, *, nearest: bool) -> Clash | None:
    """Let the rules find the surest clash of two memories; weigh the evidence if they find none."""
    far = alike < _LEAST
    if far and not (nearest and are_kin(one.memory, other.memory)):
        return None
    change = change_between(one, other)
    if change in (HISTORY, EXPLICIT) and alike < _ONE_TEXT:
        return None
    weighed = nearest and _can_be_weighed(one, other)
    parted = titles_apart(one, other)
    if not weighed and (far or not _can_be_ruled(one, other, change, alike, parted=parted)):
        # Most pairs end here, before their claims are laid side by side.
        return None
    meetings = meet(one, other, alike)
    ruled, score = (None, 0.0) if far else _rule(one, other, meetings, change, alike, parted=parted)
    if ruled is not None or not weighed or any(map(denies_a_kind, meetings[:_FOREMOST])):
        return ruled
    return weigh(gather(one, other, meetings, alike) | {SAME_BY_RULE: score}, meetings)


_FOREMOST = 4


def _can_be_ruled(one: Reading, other: Reading, change: str, alike: float, *, parted: bool) -> bool:
    """Whether there is anything that the rules could find, however the claims meet."""
    needed = _needed(alike, len(one.claims) * len(other.claims))
    if not parted and (change == GONE or needed <= _SUREST):
        return True
    return can_be_same(one, other, alike)


def _can_be_weighed(one: Reading, other: Reading) -> bool:
    """Whether two memories say more than their titles, and not so much that chance speaks, too."""
    told = [{key for claim in reading.claims for key in claim.keys} for reading in (one, other)]
    return min(map(len, told)) >= _FEWEST_KEYS and len(one.claims) * len(other.claims) <= _LONG


_FEWEST_KEYS = 2


def evidence_of(one: Reading, other: Reading, likeness: float) -> Evidence | None:
    """All that is known of two memories; None where a rule has found what they come to."""
    if _rank(one.memory) > _rank(other.memory):
        one, other = other, one
    meetings = meet(one, other, likeness)
    change, parted = change_between(one, other), titles_apart(one, other)
    ruled, score = _rule(one, other, meetings, change, likeness, parted=parted)
    if ruled is not None:
        return None
    return gather(one, other, meetings, likeness) | {SAME_BY_RULE: score}


SAME_BY_RULE = "same by rule"


_ONE_TEXT = 0.95


def _rule(
    one: Reading,
    other: Reading,
    meetings: list[Meeting],
    change: str,
    alike: float,
    *,
    parted: bool,
) -> tuple[Clash | None, float]:
    """The clash that the rules find, if there is one, and how much the two say the same.

    Memories whose titles part them can at most say the same.
    """
    if parted and alike < LEAST_ALIKE:
        return None, 0.0
    if change == GONE and not parted and _can_be_outdated(one, other, alike):
        return Clash(ConflictType.OUTDATED, 0.7, _GONE, _RETIRE, _firsts(one, other)), 0.0
    found = None if parted else _surest(meetings)
    if found is not None:
        return Clash(found.type, found.confidence, found.reason, _DECIDE, found.quotes), 0.0
    score = sameness(one, other, meetings, alike)
    if score < _SAME_FROM:
        return None, score
    sure = round(min(score, 1.0), 2)
    return Clash(ConflictType.DUPLICATE, sure, _SAME, _MERGE, _firsts(one, other)), score


def _can_be_outdated(one: Reading, other: Reading, alike: float) -> bool:
    """Whether what is told to be gone may be what the other one means: of one time, and short."""
    if alike < _ON_ONE_SUBJECT or len(one.claims) * len(other.claims) > _MIDDLE:
        return False
    return timing(one, other).lie is not Lie.APART


_ON_ONE_SUBJECT = 0.4


def _firsts(one: Reading, other: Reading) -> tuple[str, str]:
    """The first claim of each memory."""
    mine, yours = (reading.claims[0].text if reading.claims else "" for reading in (one, other))
    return mine, yours


def _surest(meetings: list[Meeting]) -> Finding | None:
    sure = [
        f
        for m in meetings
        if (needed := _needed(m.likeness, m.many)) <= _SUREST
        and _meets_enough(m)
        and (f := clash(m)) is not None
        and f.confidence >= needed
        and _belong(m, meetings, strong=f.confidence >= _STRONG and m.likeness >= _NEAR)
    ]
    return max(sure, key=lambda f: f.confidence) if sure else None


_STRONG, _NEAR = 0.85, 0.7
# No clash is surer; what needs more is never told.
_SUREST = 1.0


def _needed(likeness: float, many: int) -> float:
    """How sure a clash must be: surer where memories are less alike, or long."""
    more = _MORE_IF_LONG if many > _LONG else _MORE if many > _MIDDLE else 0.0
    return _needed_of(likeness) + more


# Of a hundred claims that could meet, some two seem to clash by chance.
_MIDDLE, _MORE = 16, 0.2
_LONG, _MORE_IF_LONG = 60, 0.28


def _meets_enough(m: Meeting) -> bool:
    """Whether two claims share enough to speak of one thing: more of it in long memories."""
    if m.many > _LONG and m.alignment.shared < _MUCH:
        return False
    return m.alignment.likeness >= _LITTLE


_MUCH, _LITTLE = 2.5, 0.3


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
