"""Clashes of amounts between two claims that meet."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dmm.conflicts.meetings import MEASURES, Finding, Meeting, is_known
from dmm.conflicts.periods import shun_alike
from dmm.conflicts.phases import phases_differ
from dmm.conflicts.quantities import Quantity, are_near
from dmm.conflicts.rates import WHOLES, holders_in
from dmm.conflicts.readings import amount_of
from dmm.conflicts.refusals import FAILS
from dmm.conflicts.roles import turns_agree
from dmm.conflicts.tallies import add_up, amounts_of, make_whole
from dmm.conflicts.timings import shut_then
from dmm.conflicts.units import singular, time_unit
from dmm.conflicts.vocabulary import GENERIC
from dmm.domain.conflict import ConflictType

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dmm.conflicts.claims import Claim
    from dmm.conflicts.readings import Reading
    from dmm.conflicts.terms import Term


def amounts(m: Meeting) -> Finding | None:
    """Two amounts of one measure, or two days on which one thing ends, that cannot both hold."""
    return _unequal(m) or _ends_twice(m) or _shut_then(m) or _timed_twice(m)


def _shut_then(m: Meeting) -> Finding | None:
    """ "The warehouse is offline from 2 to 4", "at 3 the job queries the warehouse"."""
    if m.likeness < _OF_ONE_THING or not shut_then(m.one, m.other):
        return None
    things = (a for a, b in m.alignment.met if min(a.weight, b.weight) >= 1 and a.slot != "verb")
    if m.alignment.cover < _COVERED or all(_tells_time(t) or _heads_apart(t, m) for t in things):
        return None
    return m.finding(ConflictType.CONTRADICTION, 0.85, _SHUT_THEN)


def _heads_apart(term: Term, m: Meeting) -> bool:
    """ "The billing service", "the billing team": the word they share names neither."""
    mine, yours = (
        {head for head, told in claim.modifiers.items() if term.concept in told}
        for claim in (m.one, m.other)
    )
    return bool(mine) and bool(yours) and not mine & yours


def _tells_time(term: Term) -> bool:
    return term.text.endswith(_DAYS) or time_unit(singular(term.text)) is not None


_DAYS = ("day", "days", "utc", "midnight", "noon", "night", "weekend", "weekends", "morning")
_COVERED = 0.28
_OF_ONE_THING = 0.4
_SHUT_THEN = "One needs a thing at a time for which the other one shuts it."


def _ends_twice(m: Meeting) -> Finding | None:
    """ "Stays up until the end of December", "is switched off in June"."""
    mine, yours = m.one.period.turn, m.other.period.turn
    if mine is None or yours is None or not (mine.stops and yours.stops):
        return None
    if mine.versioned != yours.versioned or turns_agree(mine, yours):
        return None
    if not _same_topic(m, set()) or _two_subjects(m):
        return None
    return m.finding(ConflictType.NUMERIC, 0.55 + 0.4 * m.alignment.likeness, _TWO_ENDS)


def _timed_twice(m: Meeting) -> Finding | None:
    """ "Deploys happen at weekends", "deploys happen on weekdays": only the time is another."""
    one, other = m.one.period.phases, m.other.period.phases
    shun = shun_alike(m.one.period, m.other.period)
    if not shun and (not one or not other or not phases_differ(one, other)):
        return None
    rest = (*m.alignment.left, *m.alignment.right)
    if m.one.negative != m.other.negative or any(
        t.weight > _PLAIN and not _tells_time(t) for t in rest
    ):
        return None
    return m.finding(ConflictType.NUMERIC, 0.55 + 0.4 * m.alignment.cover, _TWO_TIMES)


_TWO_TIMES = "They give different times for the same thing."
_PLAIN = 0.5
_TWO_ENDS = "They give different days on which the same thing ends."


def _unequal(m: Meeting) -> Finding | None:
    if not _tells(m.one, m.first) or not _tells(m.other, m.second):
        return None
    mine, yours = _told_by(m.one, m.first), _told_by(m.other, m.second)
    if (m.one.triggers and m.other.triggers and _verbs_agree(m)) or bool(m.one.triggers) != bool(
        m.other.triggers
    ):
        mine, yours = mine + m.one.triggers, yours + m.other.triggers
    if _other_percentile(mine, yours):
        return None
    met = {q.shown() for q in mine} & {q.shown() for q in yours}
    for a in (q for q in mine if q.shown() not in met):
        for b in (q for q in yours if q.shown() not in met):
            if _clash(a, b, m):
                certain = 0.55 + 0.4 * m.alignment.likeness
                return m.finding(ConflictType.NUMERIC, certain, _REASON)
    return None


_REASON = "They give different amounts for the same thing."


def _clash(a: Quantity, b: Quantity, m: Meeting) -> bool:
    """Whether two amounts are of one thing and cannot both hold."""
    if not _one_measure(a, b, m) or _agree(a, b, m) or not _counts_alike(a, b, m):
        return False
    if _count_other_things(a, b) and _are_counted(a, b, m):
        return False
    if _is_told(a, m.second) or _is_told(b, m.first):
        return False
    if a.measure == "interval" and _other_deed(m):
        return False
    counted = {*a.counted, *b.counted}
    return _same_topic(m, counted) and not (_two_things(m, counted) or _two_subjects(m))


def _tells(claim: Claim, reading: Reading) -> bool:
    """Whether there is any amount to compare; mostly there is none."""
    return bool(claim.quantities or claim.triggers or reading.numbers)


def _told_by(claim: Claim, reading: Reading) -> tuple[Quantity, ...]:
    """The amounts of a claim; of a short memory, those that it tells beside the claim."""
    if claim.quantities or claim.triggers or len(reading.claims) > _SHORT:
        return claim.quantities
    return tuple(amounts_of(reading))


_SHORT = 2


def _other_percentile(mine: Sequence[Quantity], yours: Sequence[Quantity]) -> bool:
    """Whether the amounts are of p95 here and of p99 there, so that both may hold."""
    here, there = ({q.low for q in told if q.measure == "percentile"} for told in (mine, yours))
    return bool(here) and bool(there) and not here & there


def _is_told(amount: Quantity, other: Reading) -> bool:
    """Whether the other memory tells the same amount, and not only to say that it fails."""
    if amount_of(amount) not in other.numbers:
        return False
    telling = [
        claim
        for claim in other.claims
        if any(amount_of(q) == amount_of(amount) for q in (*claim.quantities, *claim.triggers))
    ]
    return not telling or not all(c.negative or c.concepts & FAILS for c in telling)


def _one_measure(a: Quantity, b: Quantity, m: Meeting) -> bool:
    """Whether two amounts measure the same; "Ruby 3" and "the oldest Ruby is 2" do."""
    if a.measure == b.measure:
        return True
    if {a.measure, b.measure} == {"time", "interval"}:
        return m.alignment.likeness >= _ALIKE
    if {a.measure, b.measure} != {"count", "version"}:
        return False
    version, count = (a, b) if a.measure == "version" else (b, a)
    telling = m.other if count is b else m.one
    return not count.counted and bool((version.counted - GENERIC) & telling.concepts)


_ALIKE = 0.75


def _two_things(m: Meeting, counted: set[str]) -> bool:
    """Whether each claim has a thing of its own beside the amount: "Indent YAML", "a queue of"."""
    mine = [t for t in m.alignment.left if _is_thing(t, counted) and not is_known(t, m.second)]
    yours = [t for t in m.alignment.right if _is_thing(t, counted) and not is_known(t, m.first)]
    return any(a.slot == b.slot or {a.slot, b.slot} <= _ABOUT for a in mine for b in yours)


def _two_subjects(m: Meeting) -> bool:
    """ "The web client loads …", "the app loads …": no word of either subject meets the other."""
    mine, yours = ([t for t in c.terms if t.early] for c in (m.one, m.other))
    return (
        bool(mine)
        and bool(yours)
        and all(t in m.alignment.left for t in mine)
        and all(t in m.alignment.right for t in yours)
    )


_ABOUT = frozenset(("subject", "object", "aim", "place"))


def _is_thing(term: Term, counted: set[str]) -> bool:
    if term.concept in MEASURES or term.concept in FAILS or term.concept in counted:
        return False
    if term.text.startswith("-") or term.text in WHOLES:
        return False
    return term.weight > 0.5 and term.slot != "verb" and not term.text.endswith(("ed", "ing"))


def _other_deed(m: Meeting) -> bool:
    """Whether one claim tells a deed of its own: what is done hourly is not what is rehearsed."""
    rest = (*m.alignment.left, *m.alignment.right)
    return any(t.slot == "verb" and t.weight > 0.5 for t in rest)


def _verbs_agree(m: Meeting) -> bool:
    return not (
        any(t.slot == "verb" for t in m.alignment.left)
        and any(t.slot == "verb" for t in m.alignment.right)
    )


def _agree(a: Quantity, b: Quantity, m: Meeting) -> bool:
    if make_whole(a, b) or add_up(a, b, m.first, m.second):
        return True
    if a.bound == b.bound:
        return are_near(a, b)
    low = a.low is None or b.high is None or a.low <= b.high
    return low and (b.low is None or a.high is None or b.low <= a.high)


def _counts_alike(a: Quantity, b: Quantity, m: Meeting) -> bool:
    if a.measure not in ("count", "version"):
        return True
    if a.measure == "count" == b.measure and bool(a.counted) != bool(b.counted):
        told = a.counted or b.counted
        known = m.other.concepts if a.counted else m.one.concepts
        return told == _TIMES or bool(a.per and a.per == b.per) or bool(told & known)
    if not a.counted or not b.counted:
        return True
    if a.counted & b.counted:
        return True
    if a.counted & holders_in(m.other.text) or b.counted & holders_in(m.one.text):
        return False
    return bool(a.counted & m.other.concepts) or bool(b.counted & m.one.concepts)


_TIMES = frozenset(("time",))


def _count_other_things(a: Quantity, b: Quantity) -> bool:
    return bool(a.counted) and bool(b.counted) and not a.counted & b.counted


def _are_counted(a: Quantity, b: Quantity, m: Meeting) -> bool:
    """Whether both sides count one of two things: 8 processes are not set against 4 hosts."""
    mine, yours = amounts_of(m.first), amounts_of(m.second)
    return any(a.counted & q.counted for q in yours) or any(b.counted & q.counted for q in mine)


def _same_topic(m: Meeting, counted: set[str]) -> bool:
    met = [a for a, _ in m.alignment.met if a.concept not in GENERIC and a.concept not in counted]
    return (bool(met) and m.alignment.cover >= 0.45) or m.alignment.likeness >= 0.8
