"""How sure it is that two memories say the same, and what sets them apart."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dmm.conflicts.alignment import align_terms
from dmm.conflicts.bans import bars_another
from dmm.conflicts.cases import OTHER_EVENTS, OTHER_THINGS, apart
from dmm.conflicts.quantities import Quantity, are_near
from dmm.conflicts.readings import amount_of
from dmm.conflicts.refusals import FAILS
from dmm.conflicts.signs import Sign
from dmm.conflicts.stances import are_turned, denies_a_kind, stances
from dmm.conflicts.swaps import deny_each_other, orders_turned, turns_down, words_swapped
from dmm.conflicts.tallies import make_whole, measures_alike, retold, tally
from dmm.conflicts.timings import Turning, redated, timing
from dmm.conflicts.vocabulary import GENERIC

if TYPE_CHECKING:
    from dmm.conflicts.claims import Claim
    from dmm.conflicts.meetings import Meeting
    from dmm.conflicts.readings import Reading

_SAME_IF_APART = 0.75
LEAST_ALIKE = 0.6
_MOST_TERMS = 100


def sameness(one: Reading, other: Reading, meetings: list[Meeting], likeness: float) -> float:
    """How sure it is that two memories say the same; 0 where something sets them apart."""
    if not one.claims or not other.claims or likeness < LEAST_ALIKE:
        return 0.0
    if likeness >= _TURNED_FROM and _one_turn(one, other, meetings):
        return (share_of(one, other) + likeness) / 2 + _RETOLD
    if _are_set_apart(one, other, likeness) or (meetings and _at_odds(meetings[0])):
        return 0.0
    reason = apart(meetings[0]) if meetings else ""
    if reason not in ("", OTHER_THINGS, OTHER_EVENTS) or (meetings and differ(meetings[0])):
        return 0.0
    if any(_takes_another_stance(m) for m in meetings[1:4]):
        return 0.0
    share = share_of(one, other)
    score = (share + likeness) / 2 - (_EXCLUSIVE if one_excludes(meetings) else 0.0)
    if meetings and meetings[0].one.happens and meetings[0].other.happens and share < 1:
        score -= _HAPPENING
    swapped = bool(meetings) and words_swapped(meetings[0]) == 1
    if swapped:
        score -= _SWAPPED
    elif score < _SAME_IF_APART and (retold(one, other) or redated(one, other)):
        return score + _RETOLD
    return 0.0 if reason and score < _SAME_IF_APART else score


_RETOLD = 0.17
_TURNED_FROM = 0.65


def can_be_same(one: Reading, other: Reading, likeness: float) -> bool:
    """Whether two memories may say the same, before their claims are laid side by side."""
    if not one.claims or not other.claims or likeness < LEAST_ALIKE:
        return False
    if likeness >= _TURNED_FROM and _tell_one_turn(one, other):
        return True
    return not _are_set_apart(one, other, likeness)


def _are_set_apart(one: Reading, other: Reading, likeness: float) -> bool:
    """Whether amounts, or what one of them denies, keep two memories from saying the same."""
    if amounts_differ(one, other, likeness) or _deny(one, other, likeness):
        return True
    if deny_each_other(one, other):
        return True
    return any(turns_down(*pair) or _frees(*pair) for pair in ((one, other), (other, one)))


def _tell_one_turn(one: Reading, other: Reading) -> bool:
    return timing(one, other).turning is Turning.WHOLE


def _one_turn(one: Reading, other: Reading, meetings: list[Meeting]) -> bool:
    """Whether both tell one day on which one thing turns, and what holds before and after it."""
    if not meetings or not _tell_one_turn(one, other):
        return False
    rest = meetings[0].alignment
    named = any(t.named for t in rest.left) and any(t.named for t in rest.right)
    return not named and not tally(one, other).unlike


def _takes_another_stance(m: Meeting) -> bool:
    return denies_a_kind(m) or (m.alignment.likeness >= _ALIGNED and stances(m) is not None)


_ALIGNED = 0.9
_EXCLUSIVE = 0.1
_HAPPENING = 0.25
_SWAPPED = 0.2


def differ(m: Meeting) -> bool:
    """Whether the claims that fit best take another stance, add something or tell of a change."""
    if stances(m) is not None or orders_turned(m) or m.one.additive != m.other.additive:
        return True
    if m.one.changes != m.other.changes and m.one.negative != m.other.negative:
        return True
    return m.one.reminds != m.other.reminds and m.likeness < _SAME_IF_APART


def _at_odds(m: Meeting) -> bool:
    """Whether one claim bars another thing than the other asks for, or fails by what it asks."""
    if not (m.one.conceded & _cases(m.other) | m.other.conceded & _cases(m.one)) <= GENERIC:
        return True
    if (
        m.many == 1
        and are_turned(m)
        and m.one.negative != m.other.negative
        and not (m.one.only or m.other.only)
    ):
        return True
    if m.one.negative != m.other.negative:
        return bars_another(m, m.one if m.one.negative else m.other)
    return not m.one.negative and (_fails_by(m.one, m.other) or _fails_by(m.other, m.one))


def _cases(claim: Claim) -> frozenset[str]:
    return frozenset(t.concept for t in claim.conditions) - claim.conceded


def _fails_by(one: Claim, other: Claim) -> bool:
    """ "The tests fail if X is installed", "install X"."""
    if one.unmet or one.triggers or not any(t.concept in FAILS for t in one.terms):
        return False
    causes = {t.concept for t in one.conditions} - GENERIC
    return bool(causes) and causes <= {t.concept for t in other.terms if not t.early}


def _frees(one: Reading, other: Reading) -> bool:
    """Whether one memory gives leave for what the other denies and gives no leave for itself."""
    if any(c.sign is Sign.ALLOWED or c.only or c.exceptions for c in other.claims):
        return False
    free = (c for c in one.claims if c.sign is Sign.ALLOWED and not (c.only or c.quantities))
    return not {key for c in free for key in c.keys} & other.denied <= one.denied | GENERIC


def share_of(one: Reading, other: Reading) -> float:
    """The share of what both memories say in all that they say."""
    mine, yours = (
        [t for c in reading.claims for t in (*c.terms, *c.conditions)][:_MOST_TERMS]
        for reading in (one, other)
    )
    alignment = align_terms(mine, yours)
    left = sum(t.weight for t in alignment.left if t.concept not in other.context)
    right = sum(t.weight for t in alignment.right if t.concept not in one.context)
    return alignment.shared * 2 / max(alignment.shared * 2 + left + right, 0.1)


def one_excludes(meetings: list[Meeting]) -> bool:
    """Whether one claim alone says "only", and the other neither that nor no."""
    if not meetings:
        return False
    one, other = meetings[0].one, meetings[0].other
    if one.negative or other.negative:
        return False
    return (one.only or one.restricts) != (other.only or other.restricts)


def _deny(one: Reading, other: Reading, likeness: float) -> bool:
    """Whether one memory denies what the other chooses; hardly so where they are very alike."""
    return likeness < _TOLD_ALIKE and (denies(one, other) or denies(other, one))


_TOLD_ALIKE = 0.78


def denies(one: Reading, other: Reading) -> bool:
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


def amounts_differ(one: Reading, other: Reading, likeness: float) -> bool:
    """Whether amounts of one measure differ, or amounts are told that the other side lacks."""
    mine = [q for c in one.claims for q in (*c.quantities, *c.triggers) if q.low != 1]
    yours = [q for c in other.claims for q in (*c.quantities, *c.triggers) if q.low != 1]
    left = [q for q in _unmatched(mine, yours) if amount_of(q) not in other.numbers]
    right = [q for q in _unmatched(yours, mine) if amount_of(q) not in one.numbers]
    if likeness < _VERY_ALIKE or (left and right):
        return bool(left or right)
    rest, there = (left, yours) if left else (right, mine)
    return any(a.measure == b.measure for a in rest for b in there)


_VERY_ALIKE = 0.8


def _unmatched(here: list[Quantity], there: list[Quantity]) -> list[Quantity]:
    return [a for a in here if not any(_are_one(a, b) for b in there)]


def _are_one(a: Quantity, b: Quantity) -> bool:
    return (measures_alike(a, b) and are_near(a, b)) or make_whole(a, b)
