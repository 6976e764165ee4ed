"""Clashes of stance: an odd number of negations, contraries and removals between two claims."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dmm.conflicts.bans import denied_met, is_barred
from dmm.conflicts.claims import REMOVING, takes_away
from dmm.conflicts.meetings import Finding, Meeting, denies_exception, is_known, is_scope
from dmm.conflicts.quantities import Quantity, are_near
from dmm.conflicts.refusals import FAILS
from dmm.conflicts.signs import NEGATIVE, Sign
from dmm.conflicts.vocabulary import GENERIC
from dmm.domain.conflict import ConflictType

if TYPE_CHECKING:
    from dmm.conflicts.claims import Claim
    from dmm.conflicts.readings import Reading
    from dmm.conflicts.terms import Term


def stances(m: Meeting) -> Finding | None:
    """An odd number of turns between two claims about the same."""
    if _cover(m) < _LEAST_COVER or not _core_met(m):
        return None
    one, other = m.one, m.other
    if _are_contrary(m):
        return m.finding(ConflictType.CONTRADICTION, _certain(m), _CONTRARY)
    if (other.turned and _passes_over(one, other)) or (one.turned and _passes_over(other, one)):
        return m.finding(ConflictType.CONTRADICTION, _certain(m), _DONE_ANYWAY)
    excepted = (one.negative and other.exceptions) or (other.negative and one.exceptions)
    if excepted and not is_barred(m):
        return None
    if _flips(m) % 2 == 0 or _only_agrees(m) or not denied_met(m):
        return None
    if _adds(one) or _adds(other) or (one.happens and other.happens and not _one_denies(m)):
        return None
    if _both_deny(m) or _names_the_case(one, other) or _names_the_case(other, one):
        return None
    plain = excepted or _goes_without(m, one, other) or _goes_without(m, other, one)
    unsure = one.marked and other.marked and not plain
    certain = _certain(m) - (_BOTH_MARKED if unsure else _A_KIND if denies_a_kind(m) else 0.0)
    return m.finding(ConflictType.CONTRADICTION, certain, "One asks for what the other denies.")


_LEAST_COVER = 0.5


def _cover(m: Meeting) -> float:
    """How much of the better covered claim meets the other; what it is said of all of is free."""
    cover = m.alignment.cover
    if cover >= _LEAST_COVER or not (m.one.sweeping or m.other.sweeping):
        return cover
    told = (
        sum(t.weight for t in rest if t.concept not in claim.range)
        for claim, rest in ((m.one, m.alignment.left), (m.other, m.alignment.right))
    )
    return m.alignment.shared / max(m.alignment.shared + min(told), 0.1)


_DONE_ANYWAY = "One does without what the other asks for."
_CONTRARY = "They say contrary things of the same."


def _certain(m: Meeting) -> float:
    return 0.3 + 0.3 * m.alignment.cover + 0.4 * m.alignment.likeness


def _are_contrary(m: Meeting) -> bool:
    """Whether contraries are said that no denial is about: "is public", "is private, with no …"."""
    if m.one.negative == m.other.negative and Sign.OPTIONAL not in (m.one.sign, m.other.sign):
        return False
    denied = m.one.denied | m.other.denied
    return bool(denied) and any(
        mine.slot == yours.slot == "object"
        and not {mine.concept, yours.concept} & denied
        and not _both(m, (mine, yours))
        for mine, yours in m.alignment.contraries
    )


def _passes_over(claim: Claim, rule: Claim) -> bool:
    """ "Not unless the owner agrees", "without asking the owner", "even if the owner is away"."""
    if denies_exception(rule, claim):
        return True
    if claim.sign in NEGATIVE:
        return not claim.turned and not (claim.conceded & rule.exceptions) <= GENERIC
    gone = claim.conceded | _outside(claim)
    return not (_outside(rule) & claim.conceded) | (gone & rule.exceptions) <= GENERIC


def _names_the_case(one: Claim, other: Claim) -> bool:
    """ "Skip it unless X is there", "it only runs where X is there"."""
    if not other.only or one.only or not one.exceptions:
        return False
    cases = {part for told in one.exceptions for part in (told, *told.split("_"))}
    return not cases & (other.concepts - one.concepts) <= GENERIC


def _both_deny(m: Meeting) -> bool:
    """Whether what one claim denies is denied on the other side too, in whatever clause."""
    for claim, other in ((m.one, m.second), (m.other, m.first)):
        if claim.sign not in NEGATIVE or not claim.denied:
            continue
        if any(_deny_alike(claim.denied, _turned_down(rival)) for rival in other.claims):
            return True
    return False


def _turned_down(claim: Claim) -> frozenset[str]:
    """What a claim denies, turns down or goes without."""
    denies = claim.sign in NEGATIVE or not (claim.restricts or _is_refusal(claim))
    return claim.denied | claim.rejected if denies else claim.rejected


def _deny_alike(mine: frozenset[str], yours: frozenset[str]) -> bool:
    """Whether two denials are about the same: most of what the shorter one tells."""
    told, theirs = mine - GENERIC, yours - GENERIC
    if not told or not theirs:
        told, theirs = mine, yours
    return len(told & theirs) * 2 > max(min(len(told), len(theirs)), 1)


def _one_denies(m: Meeting) -> bool:
    return (m.one.sign in NEGATIVE) != (m.other.sign in NEGATIVE)


def denies_a_kind(m: Meeting) -> bool:
    """ "A man is riding a bicycle", "no man is riding an electric bicycle": a kind is denied."""
    denying, other = (m.one, m.other) if m.one.sign in NEGATIVE else (m.other, m.one)
    if not other.happens or not _one_denies(m):
        return False
    rest = m.alignment.left if denying is m.one else m.alignment.right
    kinds = {t.concept for t in rest if t.weight >= 1}
    met = {(a if denying is m.one else b).concept for a, b in m.alignment.met}
    return any(not kinds.isdisjoint(denying.modifiers.get(head, ())) for head in met)


# That a kind does not happen leaves the rest free; the two still do not say the same.
_A_KIND = 0.45
_BOTH_MARKED = 0.3


def _flips(m: Meeting) -> int:
    """How often the sense turns round from one claim to the other."""
    one, other = m.one, m.other
    if one.negative == other.negative and _same_span(m) and _ends(one) != _ends(other):
        return 0
    if Sign.OPTIONAL in (one.sign, other.sign):
        opposed = {one.sign, other.sign} & {Sign.REQUIRED, Sign.STATED} or _shut_out(one, other)
        opposed = opposed or one.turned or other.turned
        met = m.alignment.contraries or _lacks(one, m) or _lacks(other, m)
        return 1 if opposed and not met else 0
    turns = [
        p
        for p in m.alignment.contraries
        if not (is_scope(*p) or _both(m, p) or _sets_off(one, p) or _sets_off(other, p))
    ]
    signs = (
        *(_denies(m, one), _denies(m, other), _lacks(one, m), _lacks(other, m), _removes(m)),
        _goes_without(m, one, other) or _goes_without(m, other, one),
    )
    return len(turns) + sum(signs) + int(_conditions_opposed(m)) + int(_orders_opposed(m))


def _sets_off(claim: Claim, pair: tuple[Term, Term]) -> bool:
    """ "Private, never on the public host": the denial and the contrary say one thing, once."""
    told = {pair[0].concept, pair[1].concept}
    return claim.sign in NEGATIVE and told <= claim.concepts and len(told & claim.denied) == 1


def _shut_out(one: Claim, other: Claim) -> bool:
    """ "Anyone can read it", "it cannot be read"."""
    return (one.anyone and other.negative) or (other.anyone and one.negative)


def _orders_opposed(m: Meeting) -> bool:
    """ "Before the deploy", "after the deploy"."""
    anchored = any(a.slot == b.slot == "time" for a, b in m.alignment.met)
    return anchored and {m.one.order, m.other.order} == {"before", "after"}


def _same_span(m: Meeting) -> bool:
    return any(a.measure not in ("count", "version") for a in _equal_amounts(m))


def _ends(claim: Claim) -> bool:
    """Whether a claim tells when something ends: "deleted after 14 days" is "kept for 14 days"."""
    return any(t.concept in REMOVING for t in claim.terms)


def _conditions_opposed(m: Meeting) -> bool:
    """ "If it is running", "if it is not running": the same condition, once denied."""
    mine = {t.concept for t in m.one.conditions}
    yours = {t.concept for t in m.other.conditions}
    return m.one.unmet != m.other.unmet and bool(mine & yours)


def _denies(m: Meeting, claim: Claim) -> bool:
    """Whether a claim denies; a "before" that both claims share gives no leave again."""
    rival = m.other if claim is m.one else m.one
    if claim.turned and claim.order and claim.order == rival.order:
        return claim.sign in NEGATIVE
    if claim.turned and rival.order == "after":
        return claim.negative
    if claim.turned and any(
        a.slot == b.slot and a.slot in ("time", "outside") and "verb" not in (a.slot, b.slot)
        for a, b in m.alignment.met
    ):
        return claim.sign in NEGATIVE
    return claim.negative


def _both(m: Meeting, pair: tuple[Term, Term]) -> bool:
    """Whether both memories speak of both contraries, and so make no contrast of them."""
    told = {pair[0].concept, pair[1].concept}
    if told <= m.first.context and told <= m.second.context:
        return True
    return (told <= m.one.concepts and _claims(m.second, told)) or (
        told <= m.other.concepts and _claims(m.first, told)
    )


def _claims(reading: Reading, told: set[str]) -> bool:
    """Whether all of some words are told, in whatever claim."""
    return all(any(c in claim.concepts for claim in reading.claims) for c in told)


def are_turned(m: Meeting) -> bool:
    """Whether the sense turns round between two claims, be it of one thing or of two."""
    met = sum(a.concept not in GENERIC for a, _ in m.alignment.met)
    if _cover(m) < _LEAST_COVER or met < _SEVERAL or m.one.rejected or m.other.rejected:
        return False
    return _flips(m) % 2 == 1 and not _both_deny(m)


_SEVERAL = 2


def _adds(claim: Claim) -> bool:
    """ "Not only …", "it is not enough to …": more is asked, nothing is denied."""
    return claim.additive and claim.sign is not Sign.STATED


def _lacks(claim: Claim, m: Meeting) -> bool:
    """Whether a claim goes without something that the other speaks of."""
    outside = _outside(claim)
    if not (outside or claim.exceptions) or claim.sign in NEGATIVE or claim.restricts:
        return False
    if outside and (_is_refusal(claim) or _leads_in(claim)):
        outside = frozenset()
    pairs = (*m.alignment.met, *m.alignment.contraries)
    cases = {t.concept for t in (m.other if claim is m.one else m.one).conditions}
    met = {t.concept for a, b in pairs for t in (a, b) if not a.slot == b.slot == "outside"}
    met -= cases
    return not met.isdisjoint(outside | claim.exceptions)


def _goes_without(m: Meeting, claim: Claim, rule: Claim) -> bool:
    """ "No mail leaves without a link", "mails are sent without a link"."""
    if rule.sign in NEGATIVE or claim.sign in NEGATIVE or claim.restricts:
        return False
    if not rule.restricts and (m.alignment.contraries or not _asks_by_refusal(rule)):
        return False
    return not _is_refusal(claim) and not _outside(claim) & _outside(rule) <= GENERIC


def _outside(claim: Claim) -> frozenset[str]:
    """What a claim goes without."""
    return frozenset([t.concept for t in claim.terms if t.slot == "outside"])


def _leads_in(claim: Claim) -> bool:
    """ "Without a cache, the build is slow": what leads in is a condition, no claim."""
    return claim.text.startswith("Without ") and claim.terms[0].slot == "outside"


def _asks_by_refusal(claim: Claim) -> bool:
    """ "Requests without a token are rejected": what goes without a thing is turned away."""
    return _is_refusal(claim) and bool(_outside(claim))


def _is_refusal(claim: Claim) -> bool:
    """Whether a claim tells that something ends, fails or is answered with an error."""
    if claim.removing or any(t.concept in FAILS for t in claim.terms):
        return True
    return any(q.measure == "status" and (q.low or 0) >= _ERRORS for q in claim.quantities)


_ERRORS = 400


def _removes(m: Meeting) -> bool:
    """Whether one claim takes away what the other speaks of as being there."""
    if m.one.removing == m.other.removing or any(map(_asks_by_refusal, (m.one, m.other))):
        return False
    taker = m.one if m.one.removing else m.other
    if taker.restricts and taker.exceptions and taker.sign not in NEGATIVE:
        return False
    rest = m.alignment.right if m.one.removing else m.alignment.left
    taking = m.alignment.left if m.one.removing else m.alignment.right
    denied = (m.other if m.one.removing else m.one).negative
    close = m.alignment.cover >= _CLOSE and m.alignment.likeness >= _ALIKE
    if not denied and not close and any(t.slot == "verb" and t.weight > 0.5 for t in rest):
        return False
    known = m.second if m.one.removing else m.first
    return any(takes_away(t) and not is_known(t, known) for t in taking)


_CLOSE, _ALIKE = 0.75, 0.6


def _only_agrees(m: Meeting) -> bool:
    """ "Only X is allowed" and "no Y" may say the same unless all that is denied is X."""
    if m.one.only == m.other.only:
        return False
    strict, loose = (m.one, m.other) if m.one.only else (m.other, m.one)
    if not loose.negative or strict.negative:
        return False
    rest = m.alignment.right if m.one.only else m.alignment.left
    return any(term.weight > 0.5 or term.slot in ("subject", "object") for term in rest)


def _equal_amounts(m: Meeting) -> list[Quantity]:
    yours = (*m.other.quantities, *m.other.triggers)
    mine = (*m.one.quantities, *m.one.triggers)
    return [a for a in mine if any(a.measure == b.measure and are_near(a, b) for b in yours)]


def _core_met(m: Meeting) -> bool:
    met = [a for a, b in (*m.alignment.met, *m.alignment.contraries) if a.concept not in GENERIC]
    if len(met) + len(_equal_amounts(m)) >= 2:
        return True
    return bool(met) and m.alignment.likeness >= 0.5 and m.likeness >= 0.6
