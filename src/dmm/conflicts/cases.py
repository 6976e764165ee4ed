"""What keeps two claims apart: place, time, version, exception, another subject."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dmm.conflicts.choices import are_rivals
from dmm.conflicts.clauses import is_verb
from dmm.conflicts.families import places_of
from dmm.conflicts.meetings import (
    MEASURES,
    Meeting,
    as_word,
    is_known,
    is_scope,
    makes_place_a_choice,
)
from dmm.conflicts.periods import Period, are_apart
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
    if _scopes_apart(m):
        return "they hold in different places"
    if _excepted(m.one, m.other, m.second) or _excepted(m.other, m.one, m.first):
        return "one names the other as its exception"
    if any(is_scope(*pair) for pair in m.alignment.contraries):
        return "they speak of contrary cases"
    if "subject" in (m.one.bound, m.other.bound):
        return ""
    if (
        _versions_apart(m)
        or _modifiers_apart(m)
        or titles_apart(m.first, m.second)
        or _subjects_apart(m)
    ):
        return OTHER_THINGS
    return ""


def _is_dated(m: Meeting) -> bool:
    """Whether the calendar sets two claims apart, and not words for one event in two ways."""
    one, other = m.one.period, m.other.period
    told = (one.start, one.end, other.start, other.end)
    return one.passing or other.passing or any(day is not None for day in told)


def _times_apart(m: Meeting) -> bool:
    one, other = m.one.period, m.other.period
    if one.versioned == other.versioned and (_ends_first(one, other) or _ends_first(other, one)):
        return True
    if one.passing != other.passing:
        return True
    if (m.one.strict and not one.bounded) or (m.other.strict and not other.bounded):
        return False
    if _event_known(one, m.second) or _event_known(other, m.first):
        return False
    return are_apart(one, other)


def _ends_first(one: Period, other: Period) -> bool:
    return one.end is not None and other.start is not None and one.end <= other.start + 1


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


def _excepted(one: Claim, other: Claim, second: Reading) -> bool:
    if other.only or other.restricts:
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
        if _begins(m.one, head) != _begins(m.other, head):
            continue
        if _is_case(m.one, head) or _is_case(m.other, head):
            return True
    return False


def _begins(claim: Claim, head: str) -> bool:
    return any(t.concept == head and t.early for t in claim.terms)


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
    return _has_own_case(first, second) and _has_own_case(second, first)


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
    yours = _strange(m.other, m.alignment.right, m.first)
    return bool(mine) and bool(yours)


def _strange(claim: Claim, rest: tuple[Term, ...], other: Reading) -> list[Term]:
    storing = makes_place_a_choice(claim)
    return [
        term
        for term in rest
        if (term.early or term.slot in ("subject", "aim") or (term.slot == "place" and not storing))
        and term.weight > 0.5
        and term.slot != "verb"
        and term.concept not in MEASURES
        and not is_known(term, other)
    ]
