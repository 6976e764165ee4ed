"""What is exchanged between two claims that are otherwise alike: a word, an order, a choice."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dmm.conflicts.vocabulary import GENERIC

if TYPE_CHECKING:
    from dmm.conflicts.claims import Claim
    from dmm.conflicts.meetings import Meeting
    from dmm.conflicts.readings import Reading
    from dmm.conflicts.terms import Term

_TELLING = 0.5
_MOST = 2


def orders_turned(m: Meeting) -> bool:
    """ "Run migrations before deploying", "run migrations after deploying"."""
    return {_order_of(m.one), _order_of(m.other)} == {"before", "after"}


def _order_of(claim: Claim) -> str:
    """The order that a claim tells; what is told first comes first in "…, after which …"."""
    return "before" if claim.order == "after" and _RELATIVE in claim.text else claim.order


_RELATIVE = "after which"


def turns_down(one: Reading, other: Reading) -> bool:
    """Whether one memory turns down by name what the other holds: "asyncio, not threads"."""
    told = {c for claim in one.claims for c in claim.rejected - claim.concepts} - GENERIC
    held = {t.concept for claim in other.claims if not claim.negative for t in claim.terms}
    against = {c for claim in other.claims for c in claim.rejected}
    return bool(told & (held - other.denied - against))


def deny_each_other(one: Reading, other: Reading) -> bool:
    """ "X, never Y" and "Y, never X": each memory holds what the other denies."""
    return _denies_held(one, other) and _denies_held(other, one)


def _denies_held(one: Reading, other: Reading) -> bool:
    held = (c.keys for c in other.claims if not (c.negative or c.past or c.removing))
    return any(not one.denied.isdisjoint(keys) for keys in held)


def words_swapped(m: Meeting) -> int:
    """How many words of one place stand for others there: none where more is left over."""
    left, right = _telling(m.alignment.left), _telling(m.alignment.right)
    if not (1 <= len(left) <= _MOST and 1 <= len(right) <= _MOST):
        return 0
    pairs = [(a, b) for a in left for b in right if a.slot == b.slot]
    return max(len(left), len(right)) if pairs else 0


def _telling(terms: tuple[Term, ...]) -> list[Term]:
    return [t for t in terms if t.weight > _TELLING and t.slot != "verb"]
