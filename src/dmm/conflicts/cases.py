"""What keeps two claims apart: place, time, version, exception, another subject."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from dmm.conflicts.alignment import align, named_in
from dmm.conflicts.choices import are_rivals
from dmm.conflicts.clauses import is_verb
from dmm.conflicts.families import places_of
from dmm.conflicts.meetings import (
    MEASURES,
    Meeting,
    as_word,
    denies_exception,
    is_known,
    is_scope,
    makes_place_a_choice,
)
from dmm.conflicts.periods import Period, are_apart, are_disjoint, hours_apart, shun_alike
from dmm.conflicts.scopes import sites_apart
from dmm.conflicts.signs import Sign
from dmm.conflicts.timings import shut_then, standing
from dmm.conflicts.vocabulary import GENERIC, concept_of, concepts

if TYPE_CHECKING:
    from decimal import Decimal

    from dmm.conflicts.claims import Claim
    from dmm.conflicts.readings import Reading
    from dmm.conflicts.terms import Term

OTHER_THINGS = "they speak of different things"
OTHER_EVENTS = "they hold before or after different events"


def apart(m: Meeting) -> str:
    """Why two claims can both hold whatever they say: other place, time, subject or version."""
    if m.one.past or m.other.past:
        return "one tells what was"
    if _times_apart(m):
        return "they hold at different times" if _is_dated(m) else OTHER_EVENTS
    if m.one.negative != m.other.negative and shun_alike(m.one.period, m.other.period):
        return OTHER_EVENTS
    if _scopes_apart(m):
        return "they hold in different places"
    if _ways_apart(m) or sites_apart(m):
        return "they hold in different places"
    if _excepted(m.one, m.other, m.second) or _excepted(m.other, m.one, m.first):
        return "one names the other as its exception"
    if any(is_scope(*pair) for pair in m.alignment.contraries):
        return "they speak of contrary cases"
    return OTHER_THINGS if _things_apart(m) and not shut_then(m.one, m.other) else ""


def _things_apart(m: Meeting) -> bool:
    """Whether two claims speak of different things."""
    if "subject" in (m.one.bound, m.other.bound):
        return False
    if _versions_apart(m) or _kinds_apart(m):
        return True
    left, right = m.alignment.left, m.alignment.right
    if _is_case_of(m.other, m.one, left) or _is_case_of(m.one, m.other, right):
        return False
    return contrast(m) >= _PARTED or _leads_apart(m)


def _kinds_apart(m: Meeting) -> bool:
    """ "Don't log request bodies", "log the request id": each has an object of its own kind."""
    if m.one.negative == m.other.negative:
        return False
    left, right = m.alignment.left, m.alignment.right
    return _has_own_kind(m.one, left, m.second) and _has_own_kind(m.other, right, m.first)


def _has_own_kind(claim: Claim, rest: tuple[Term, ...], other: Reading) -> bool:
    """Whether an object is of a kind that is unknown to the other side, all else being known."""
    phrases = {t.phrase for t in claim.terms if t.slot == "object" and t not in rest}
    return any(
        t.slot == "object"
        and t.weight > _TELLING
        and t.phrase in phrases
        and not is_known(t, other)
        for t in rest
    )


_TELLING = 0.5


def _leads_apart(m: Meeting) -> bool:
    """Whether a claim that names no case goes on with one that the other memory does not share."""
    one, other = m.first.claims[0], m.second.claims[0]
    if _stands_alone(m.one, one) and _stands_alone(m.other, other):
        return False
    lead = align(one, other, named_in(m.first.title), named_in(m.second.title))
    if lead.likeness < _PARALLEL:
        return False
    start = Meeting(one, other, m.first, m.second, lead, m.likeness)
    return _modifiers_apart(start) or _subjects_apart(start) or _ways_apart(start)


_PARALLEL = 0.44


def _stands_alone(claim: Claim, lead: Claim) -> bool:
    """Whether a claim names its case itself; that of "rev B: LED on PA5" is told before it."""
    labelled = claim.text == lead.text and all(t.slot == "subject" for t in lead.terms)
    return claim is lead or (_has_case(claim) and not labelled)


def _has_case(claim: Claim) -> bool:
    return any(
        (t.early or t.slot in ("subject", "aim", "place")) and t.weight > 0.5 for t in claim.terms
    )


def contrast(m: Meeting) -> float:
    """How sure it is that two claims say the same of two things, not the same in other words.

    Where most words meet, those left over in the place of a subject or a case tell two cases;
    where few meet, they may as well be other words for one.
    """
    if not m.alignment.left or not m.alignment.right:
        return 0.5 if titles_apart(m.first, m.second) else 0.0
    modified, titled = _modifiers_apart(m), titles_apart(m.first, m.second)
    found = _subjects_apart(m) + modified + titled
    if not found:
        return 0.0
    more = 0.25 * (found - 1) + (0.25 if modified or titled else 0.1)
    return min(1.0, m.alignment.likeness + more)


_PARTED = 0.45


def _is_case_of(special: Claim, rule: Claim, rest: tuple[Term, ...]) -> bool:
    """Whether a rule takes in every case and leaves nothing of its own that says for which."""
    if not rule.sweeping or special.sweeping:
        return False
    return not any(
        (t.early or t.slot in ("aim", "place")) and t.weight > 0.5 and t.concept not in rule.range
        for t in rest
    )


def _is_dated(m: Meeting) -> bool:
    """Whether the calendar sets two claims apart, and not words for one event in two ways."""
    one, other = standing(m.one, m.first), standing(m.other, m.second)
    told = (one.start, one.end, other.start, other.end)
    phased = bool(one.phases and other.phases)
    return one.passing or other.passing or phased or any(day is not None for day in told)


def _times_apart(m: Meeting) -> bool:
    one, other = m.one.period, m.other.period
    if are_disjoint(standing(m.one, m.first), standing(m.other, m.second)):
        return True
    if hours_apart(one, other) and _is_contrary(m):
        return True
    if one.passing != other.passing:
        return True
    if (m.one.strict and not one.bounded) or (m.other.strict and not other.bounded):
        return False
    if _event_known(one, m.second) or _event_known(other, m.first):
        return False
    return are_apart(one, other)


def _is_contrary(m: Meeting) -> bool:
    """Whether the claims say opposite things: what is so at one hour is not at another."""
    return bool(m.alignment.contraries) or m.one.negative != m.other.negative


def _event_known(period: Period, other: Reading) -> bool:
    """Whether the event that begins or ends a time is spoken of on the other side too."""
    told = {concept_of(word) for word in period.after | period.until}
    told = {c for c in told if c not in GENERIC and not c.isdigit()}
    known = told & other.context
    return bool(told) and len(known) * 2 > len(told) and period.start is None and period.end is None


def _versions_apart(m: Meeting) -> bool:
    """ "v1 of the API" and "v2 of the API": the version belongs to the subject."""
    mine, yours = _leading(m.one), _leading(m.other)
    return any(not mine[name] & yours[name] for name in mine.keys() & yours.keys())


def _leading(claim: Claim) -> dict[str, set[Decimal | None]]:
    """The amounts that a claim begins with: "daily backups", "in API v1", "on Django 3"."""
    found: dict[str, set[Decimal | None]] = {}
    for q in claim.quantities:
        begins = q.first <= 1 or (q.first <= 3 and q is not claim.quantities[-1])
        if begins and (q.measure == "version" or len(claim.quantities) > 1):
            found.setdefault(q.measure, set()).add(q.low)
    return found


def _scopes_apart(m: Meeting) -> bool:
    if "means" in (m.one.bound, m.other.bound):
        return False
    here = {**m.first.title_scopes, **m.one.scopes}
    there = {**m.second.title_scopes, **m.other.scopes}
    return any(not here[name] & there[name] for name in here.keys() & there.keys())


def _ways_apart(m: Meeting) -> bool:
    """ "Don't call it synchronously", "the worker calls it": no ban on the act, but on a way."""
    if m.one.negative == m.other.negative or m.alignment.cover < _HALF:
        return False
    left, right = m.alignment.left, m.alignment.right
    if m.other.negative:
        elsewhere = any(b.slot == "place" and a.slot == "time" for a, b in m.alignment.met)
        banned = elsewhere or _bans_a_way(m.other, right, m.first)
        return banned and _has_own_way(m.one, left, m.second)
    elsewhere = any(a.slot == "place" and b.slot == "time" for a, b in m.alignment.met)
    banned = elsewhere or _bans_a_way(m.one, left, m.second)
    return banned and _has_own_way(m.other, right, m.first)


_HALF = 0.5


def _bans_a_way(claim: Claim, rest: tuple[Term, ...], other: Reading) -> bool:
    """Whether a manner, a place or a time is denied that the other memory knows nothing of."""
    if claim.sign is not Sign.FORBIDDEN or claim.sweeping:
        return False
    return any(
        (
            t.text.endswith("ly")
            or t.concept.endswith("ly")
            or t.slot in _WAYS
            or t in claim.conditions
        )
        and t.weight > _TELLING
        and not is_known(t, other)
        for t in rest
    )


_WAYS = frozenset(("means", "place", "time", "source"))


def _has_own_way(claim: Claim, rest: tuple[Term, ...], other: Reading) -> bool:
    """Whether a claim tells of a doer or a place of its own."""
    return not claim.only and any(
        (t.early or t.slot == "place") and t.weight > _TELLING and not is_known(t, other)
        for t in rest
    )


def _excepted(one: Claim, other: Claim, second: Reading) -> bool:
    if not one.exceptions or other.only or other.restricts or denies_exception(one, other):
        return False
    lacking = {t.concept for t in other.terms if t.slot == "outside"}
    told = {c for c in one.exceptions if c not in GENERIC} - lacking
    return bool(told & (other.concepts | {t.concept for t in second.title}))


def _modifiers_apart(m: Meeting) -> bool:
    """ "Release firmware" and "debug firmware": one head, each with a word of its own."""
    left = {t.concept: t for t in m.alignment.left}
    right = {t.concept: t for t in m.alignment.right}
    for head in m.one.modifiers.keys() & m.other.modifiers.keys():
        mine = [left[c] for c in m.one.modifiers[head] if c in left]
        yours = [right[c] for c in m.other.modifiers[head] if c in right]
        if m.one.modifiers[head] & m.other.modifiers[head] or not mine or not yours:
            continue
        if any(are_rivals(a, b) for a in mine for b in yours):
            continue
        if _begins(m.one, head) != _begins(m.other, head) and not _one_slot(m, head):
            continue
        if _is_case(m.one, head) or _is_case(m.other, head):
            return True
    return False


def _begins(claim: Claim, head: str) -> bool:
    return any(t.concept == head and t.early for t in claim.terms)


def _one_slot(m: Meeting, head: str) -> bool:
    slots = [{t.slot for t in c.terms if t.concept == head} for c in (m.one, m.other)]
    return slots[0] == slots[1] == {"place"}


def _is_case(claim: Claim, head: str) -> bool:
    """Whether a noun says what the claim is about or where it holds, not what is chosen."""
    chosen = any(t.slot == "verb" and t.concept in _CHOOSING for t in claim.terms)
    for t in (*claim.terms, *claim.conditions):
        if t.concept == head and (t.early or t.slot in ("subject", "aim", "place")):
            return True
        if t.concept == head and t.slot == "object" and not chosen:
            return True
    return False


_CHOOSING = concepts("use prefer choose write build be")


def titles_apart(first: Reading, second: Reading) -> bool:
    """ "Fees for retail customers" and "fees for institutions": the titles tell two cases."""
    if _tails_apart(first, second):
        return True
    if not (_has_own_case(first, second) and _has_own_case(second, first)):
        return False
    titled = {term.concept for term in (*first.title, *second.title)}
    return not (_named_cases(first) & _named_cases(second)) - titled


def _tails_apart(first: Reading, second: Reading) -> bool:
    """ "Debug symbols, release builds", "debug symbols, nightly builds": one heading, two cases."""
    head, _, tail = _parted(first.memory.title)
    other, _, rest = _parted(second.memory.title)
    if not tail or not rest or head != other or tail == rest:
        return False
    return _has_own_tail(first, second, tail) and _has_own_tail(second, first, rest)


@lru_cache(maxsize=4096)
def _parted(title: str) -> tuple[str, str, str]:
    mark = next((mark for mark in _PARTING if mark in title), "")
    return title.lower().partition(mark) if mark else (title, "", "")


_PARTING = (", ", ": ", " - ", " \u2013 ", " \u2014 ")


def _has_own_tail(reading: Reading, other: Reading, tail: str) -> bool:
    """Whether the end of a title has a word of its text that the other memory does not know."""
    said = " ".join(claim.text for claim in reading.claims).lower()
    return any(
        term.text in tail and term.text in said and not is_known(term, other)
        for term in reading.title
    )


def _named_cases(reading: Reading) -> set[str]:
    """The names that say where the claims of a memory hold, or what for."""
    return {t.concept for c in reading.claims for t in c.terms if t.named and t.slot in _CASES}


_CASES = frozenset(("aim", "place"))


def _has_own_case(first: Reading, second: Reading) -> bool:
    """Whether a title has a word, told in its text too, that the other memory knows nothing of."""
    return any(
        (term.named or term.concept in first.things)
        and term.concept not in GENERIC
        and not is_known(term, second)
        and not is_verb(as_word(term))
        and not places_of(term.text, term.concept)
        for term in first.title
    )


def _subjects_apart(m: Meeting) -> bool:
    """Each claim has a subject or a case that the other memory does not know."""
    mine = _strange(m.one, m.alignment.left, m.second)
    yours = _strange(m.other, m.alignment.right, m.first) if mine else []
    if not mine or not yours:
        return False
    rivals = {t for a in mine for b in yours if are_rivals(a, b) for t in (a, b)}
    return any(t not in rivals for t in mine) and any(t not in rivals for t in yours)


def _is_placed(claim: Claim) -> bool:
    """ "The flags are in the database": where something is is all that is said of it."""
    told = claim.sign is Sign.STATED or claim.only
    return told and not any(t.slot in ("verb", "object") for t in claim.terms)


def _strange(claim: Claim, rest: tuple[Term, ...], other: Reading) -> list[Term]:
    storing = makes_place_a_choice(claim) or _is_placed(claim)
    return [
        term
        for term in rest
        if (term.early or term.slot in ("subject", "aim") or (term.slot == "place" and not storing))
        and term.weight > 0.5
        and term.slot != "verb"
        and term.concept not in MEASURES
        and not is_known(term, other)
    ]
