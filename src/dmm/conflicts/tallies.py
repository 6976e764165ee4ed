"""How the amounts of two memories go together, whatever the words around them are."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from dmm.conflicts.marks import marks_of
from dmm.conflicts.meetings import is_known
from dmm.conflicts.quantities import Quantity, are_near
from dmm.conflicts.rates import EACH, TOTAL, rates_differ
from dmm.conflicts.readings import Reading, amount_of
from dmm.conflicts.refusals import FAILS
from dmm.conflicts.vocabulary import concepts

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from dmm.conflicts.claims import Claim


class Tally(NamedTuple):
    """How many amounts of two memories are the same, exclude each other, differ, or stand alone."""

    same: int = 0
    unlike: int = 0
    loose: int = 0
    lone: int = 0


def tally(one: Reading, other: Reading) -> Tally:
    """Count how the amounts of one memory meet those of the other."""
    mine, yours = amounts_of(one), amounts_of(other)
    counts = _counts(mine, yours)
    kinds = [(_kind(a, yours, counts), a.measure) for a in mine]
    kinds += [(_kind(b, mine, counts), b.measure) for b in yours]
    # Backups that are nightly in both agree in that, but not in how long they are kept.
    if any(kind in ("unlike", "loose") for kind, _ in kinds):
        kinds = [told for told in kinds if told != ("same", "interval")]
    found = [kind for kind, _ in kinds]
    same, unlike, loose = ((found.count(name) + 1) // 2 for name in ("same", "unlike", "loose"))
    return Tally(same, unlike, loose, found.count("lone"))


def retold(one: Reading, other: Reading) -> bool:
    """Whether all amounts are the same, and one of them in other figures: 90 s, 1.5 minutes."""
    told = tally(one, other)
    if not told.same or told.unlike or told.loose or told.lone:
        return False
    if all(q.measure in _BARE for q in amounts_of(one)):
        return False
    if _is_strange(one, other) and _is_strange(other, one):
        return False
    return marks_of(one.memory).numbers != marks_of(other.memory).numbers


def _is_strange(one: Reading, other: Reading) -> bool:
    """Whether the other memory knows nothing of what the amounts of this one are said of."""
    told = [
        t
        for claim in one.claims
        if claim.quantities
        for t in claim.terms
        if t.slot != "verb" and t.weight > _PLAIN and t.concept not in _LASTING
    ]
    return bool(told) and not any(is_known(t, other) for t in told)


_PLAIN = 0.5
_LASTING = concepts("expire live last stay hold valid timeout limit maximum minimum duration")


_BARE = frozenset(("count", "version", "date", "status", "port", "text"))


def measures_alike(a: Quantity, b: Quantity) -> bool:
    """Whether two amounts may be one; a version or a rhythm may be told without its words."""
    return a.measure == b.measure or {a.measure, b.measure} in _ALIKE


_ALIKE = ({"count", "version"}, {"time", "interval"})


def can_both_hold(a: Quantity, b: Quantity) -> bool:
    """Whether two amounts of one thing leave room for both: at most 5 and at least 3."""
    if a.bound == b.bound and a.bound != "range":
        return are_near(a, b)
    low = a.low is None or b.high is None or a.low <= b.high
    return low and (b.low is None or a.high is None or b.low <= a.high)


def make_whole(a: Quantity, b: Quantity) -> bool:
    """Whether two shares make a whole: 99.9 % pass, and no more than 0.1 % fail."""
    if a.measure != "share" or b.measure != "share":
        return False
    mine, yours = a.low or a.high or 0, b.low or b.high or 0
    return mine != yours and mine + yours == _WHOLE


_WHOLE = 100


def amounts_of(reading: Reading) -> list[Quantity]:
    """The amounts that a memory claims; what it tells only to say that it fails is none."""
    claimed = [(claim, q) for claim in reading.claims for q in (*claim.quantities, *claim.triggers)]
    found = {amount_of(q): q for claim, q in claimed if _is_claimed(claim, q)}
    known = {amount_of(q) for _, q in claimed}
    for measure, value in sorted(reading.numbers - known, key=str):
        found[measure, value] = Quantity(measure, value, value, "exact", 0, 0)
    return [q for q in found.values() if not _is_article(q)]


def _is_claimed(claim: Claim, quantity: Quantity) -> bool:
    """Whether an amount is more than a failing case, or a release that begins or ends a time."""
    if quantity.measure == "version" and claim.period.versioned:
        return bool(quantity.counted - _RELEASES)
    failing = claim.concepts & FAILS and quantity.bound == "exact"
    return quantity.measure == "status" or not failing


_RELEASES = concepts("release version")


def _is_article(quantity: Quantity) -> bool:
    """ "One" is mostly no amount."""
    return quantity.measure == "count" and quantity.low == 1 and not quantity.counted


def _kind(amount: Quantity, others: Iterable[Quantity], counts: Sequence[Quantity]) -> str:
    partners = [b for b in others if measures_alike(amount, b) and _counted_alike(amount, b)]
    if not partners:
        return "lone"
    if any(are_near(amount, b) or make_whole(amount, b) for b in partners):
        return "same"
    if any(_leave_room(amount, b, counts) for b in partners):
        return "loose"
    return "unlike"


def _counts(mine: Sequence[Quantity], yours: Sequence[Quantity]) -> list[Quantity]:
    return [q for q in (*mine, *yours) if q.measure == "count" and q.counted and q.low]


def add_up(a: Quantity, b: Quantity, first: Reading, second: Reading) -> bool:
    """Whether one amount is of each and the other of all, as far as told how many there are."""
    if rates_differ(a.per, b.per) or (a.measure == "count" and a.counted & b.counted):
        return _make_up(a, b, _counts(amounts_of(first), amounts_of(second)))
    return False


def _leave_room(a: Quantity, b: Quantity, counts: Sequence[Quantity]) -> bool:
    return _make_up(a, b, counts) or (not rates_differ(a.per, b.per) and can_both_hold(a, b))


def _make_up(a: Quantity, b: Quantity, counts: Sequence[Quantity]) -> bool:
    if not rates_differ(a.per, b.per):
        return any(_adds_up(a, b, n) for n in counts)
    each, total = (b, a) if a.per.endswith(TOTAL) else (a, b)
    holder = each.per.rpartition("/")[2]
    many = [n for n in counts if n is not a and n is not b and (holder in (EACH, *n.counted))]
    return not many or any(_adds_up(each, total, n) for n in many)


def _adds_up(a: Quantity, b: Quantity, count: Quantity) -> bool:
    """Whether so many times the one amount come to the other: 4 hosts with 8, 32 in all."""
    if count is a or count is b or count.low is None or count.low <= 1:
        return False
    mine, yours = a.low or a.high or 0, b.low or b.high or 0
    return max(mine, yours) == min(mine, yours) * count.low


def _counted_alike(a: Quantity, b: Quantity) -> bool:
    """Whether two counts may be of one thing; "ten times" may be ten of anything."""
    told = a.counted and b.counted and a.counted != _TIMES != b.counted
    return not told or bool(a.counted & b.counted)


_TIMES = frozenset(("time",))
