"""Clashes of choice: two names in one role, or one that the other claim turns down."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from dmm.conflicts.families import FAMILIES, is_choice, is_everyday, places_of
from dmm.conflicts.meetings import Finding, Meeting, is_known, is_noun, makes_place_a_choice
from dmm.conflicts.signs import Sign
from dmm.conflicts.vocabulary import GENERIC, concepts
from dmm.domain.conflict import ConflictType

if TYPE_CHECKING:
    from dmm.conflicts.claims import Claim
    from dmm.conflicts.readings import Reading
    from dmm.conflicts.terms import Term


def choices(m: Meeting) -> Finding | None:
    """Two names in one role, or a name that the other claim turns down."""
    if m.one.additive or m.other.additive:
        return None
    refused = _refusals(m.one, m.other) or _refusals(m.other, m.one)
    if refused and m.likeness >= 0.5:
        return m.finding(ConflictType.APPROACHES, 0.8, "One turns down what the other asks for.")
    if m.one.negative or m.other.negative or (m.one.happens and m.other.happens):
        return None
    if _opens(m.one, m.other) or _opens(m.other, m.one):
        reason = "One allows to all what the other keeps for some."
        return m.finding(ConflictType.CONTRADICTION, 0.5 + 0.3 * m.alignment.cover, reason)
    if _usurps(m, m.one, m.other) or _usurps(m, m.other, m.one):
        reason = "One lets another do what the other keeps for some."
        return m.finding(ConflictType.CONTRADICTION, 0.5 + 0.3 * m.alignment.cover, reason)
    theirs = [t for t in m.alignment.right if _is_open(t, m.first)]
    if not theirs:
        return None
    # Most that is asked of two words is a matter of the whole meeting: asked once.
    about = any(a.concept not in GENERIC for a, _ in m.alignment.met)
    bound = bool(m.one.bound or m.other.bound)
    displaced = m.alignment.cover >= _DISPLACED_COVER and bool(m.first.denied or m.second.denied)
    for mine in [t for t in m.alignment.left if _is_open(t, m.second)]:
        for yours in theirs:
            certain = (
                (_rivalry(m, mine, yours) if about else _sole_difference(m, mine, yours))
                or (_agents(m, mine, yours) if bound or (mine.named and yours.named) else 0.0)
                or (_displaced(m, mine, yours) if displaced else 0.0)
            )
            if certain:
                reason = f"They name two for one role: {mine.text} and {yours.text}."
                return m.finding(ConflictType.APPROACHES, certain, reason)
    return None


def _is_open(term: Term, other: Reading) -> bool:
    """Whether a memory does not hold what a term names: it is silent about it or denies it."""
    return not is_known(term, other) or term.concept in other.denied or _is_reason(term, other)


def _is_reason(term: Term, other: Reading) -> bool:
    """ "Use X, as Y is slow": a memory speaks of Y, yet claims nothing of it."""
    if term.slot not in _CHOSEN or term.concept in other.things:
        return False
    if term.concept not in other.context or any(term.concept in c.concepts for c in other.claims):
        return False
    return all(term.concept != t.concept for t in other.title)


def _opens(one: Claim, other: Claim) -> bool:
    """ "Anyone may merge" and "only maintainers may merge"."""
    closed = other.bound in ("subject", "means") and not one.only
    return closed and one.anyone


def _usurps(m: Meeting, one: Claim, other: Claim) -> bool:
    """ "Only an editor may publish", "authors publish": another does what is kept for some."""
    if one.bound != "subject" or other.only or other.sign is Sign.OPTIONAL:
        return False
    mine, yours = _doers(one), _doers(other)
    deeds = {a.concept for a, b in m.alignment.met if not a.early or not b.early}
    return bool(yours) and not mine & yours and len(deeds - yours - GENERIC) >= _DEEDS


def _doers(claim: Claim) -> set[str]:
    """Who does what a claim tells; the subject of "tags are pushed" does nothing."""
    if any(t.slot == "verb" and t.text.endswith(("ed", "en")) for t in claim.terms):
        return {t.concept for t in claim.terms if t.slot == "means"}
    return {t.concept for t in claim.terms if t.early and t.slot == "subject"}


_DEEDS = 2


def _refusals(one: Claim, other: Claim) -> bool:
    """Whether one claim turns down a thing that the other asks for."""
    told = {c for c in one.rejected if c not in GENERIC} - one.concepts
    chosen = {t.concept for t in one.terms if t.slot in _CHOSEN and not t.early} - GENERIC
    if other.negative or not told or len(chosen & other.concepts) * 2 > len(chosen):
        return False
    return bool(told & {t.concept for t in other.terms if not t.early and t.slot != "verb"})


_CHOSEN = frozenset(("object", "means", "role", "source"))


def are_rivals(mine: Term, yours: Term) -> bool:
    """Whether two words are known to compete for one job."""
    here = _choice_places(mine.text, mine.concept, mine.named)
    there = here and _choice_places(yours.text, yours.concept, yours.named)
    if not there:
        return False
    families = dict(here)
    return any(f in families and families[f] != n for f, n in there)


@lru_cache(maxsize=16_384)
def _choice_places(text: str, concept: str, named: bool) -> tuple[tuple[str, str], ...]:
    if (is_everyday(text) or is_everyday(concept)) and not named:
        return ()
    return tuple(p for p in places_of(text, concept) if not FAMILIES[p[0]].contrary)


def _rivalry(m: Meeting, mine: Term, yours: Term) -> float:
    """How sure it is that two words left over are answers to one question."""
    if are_rivals(mine, yours):
        return 0.75 if _subjects_left(m) else 0.85
    told = mine.early or yours.early or "verb" in (mine.slot, yours.slot)
    if told or (_is_counted(mine, m.one) and _is_counted(yours, m.other)):
        return 0.0
    cover = m.alignment.cover
    if cover < _SUBJECT_COVER or (cover < _LEAST_COVER and not _one_subject(m)):
        return 0.0
    if not _one_deed(m, mine, yours):
        return 0.0
    if mine.slot != yours.slot and ("/" in mine.text) != ("/" in yours.text):
        return 0.0
    if _are_names(mine, yours) and {mine.slot, yours.slot} <= _ANSWERS:
        return 0.8 if cover >= _LEAST_COVER else 0.75
    if not _same_slot(m, mine, yours):
        return 0.0
    return _things(m, mine, yours)


def _is_counted(term: Term, claim: Claim) -> bool:
    """Whether an amount counts a thing, or is told per such: "8 threads per worker"."""
    return any(term.concept in amount.things for amount in claim.quantities)


def _subjects_left(m: Meeting) -> bool:
    """Whether each claim begins with something of its own, and hardly anything is shared."""
    if m.alignment.cover >= _LEAST_COVER or m.one.sweeping or m.other.sweeping:
        return False
    sides = (m.alignment.left, m.alignment.right)
    return all(any(t.early and t.weight > _PLAIN for t in side) for side in sides)


def _one_deed(m: Meeting, mine: Term, yours: Term) -> bool:
    """Whether two words may answer one question: "built from X", "pushed to Y" ask two."""
    if mine.slot == yours.slot or any("verb" in (a.slot, b.slot) for a, b in m.alignment.met):
        return True
    if Sign.ALLOWED in (m.one.sign, m.other.sign):
        return False
    rest = (m.alignment.left, m.alignment.right)
    return not all(any(t.slot == "verb" and t.weight > _PLAIN for t in side) for side in rest)


def _are_names(mine: Term, yours: Term) -> bool:
    """Whether two words name things; one of them may be a name that is written like a word."""
    if mine.named and yours.named:
        return True
    return (mine.named and is_choice(yours.text)) or (yours.named and is_choice(mine.text))


def _one_subject(m: Meeting) -> bool:
    """Whether both claims begin with the same and say in one way what it is, uses or is kept in."""
    rest = (*m.alignment.left, *m.alignment.right)
    if any((t.early or t.slot == "aim") and t.weight > _PLAIN for t in rest):
        return False
    if any(t.slot == "verb" and t.weight > _PLAIN for t in rest):
        return False
    return sum(a.weight for a, b in m.alignment.met if a.early and b.early) >= _SUBJECT_WEIGHT


_PLAIN, _SUBJECT_WEIGHT, _SUBJECT_COVER = 0.5, 1.5, 0.25


def _sole_difference(m: Meeting, mine: Term, yours: Term) -> float:
    """ "Sorted by name", "sorted by price": all but one word is the same."""
    sole = len(m.alignment.left) == len(m.alignment.right) == 1 and len(m.alignment.met) > 1
    alike = mine.slot == yours.slot and mine.slot in ("means", "role", "source")
    return 0.75 if sole and alike and _near(m) and not mine.early and not yours.early else 0.0


def _near(m: Meeting) -> bool:
    """Whether two memories are so alike that plain words in one place answer one question."""
    return m.likeness >= _VERY_ALIKE


_VERY_ALIKE = 0.7


_LEAST_COVER = 0.4
_ANSWERS = _CHOSEN | {"place"}


def _things(m: Meeting, mine: Term, yours: Term) -> float:
    """Two plain nouns are rivals only where little else is left over."""
    sole = _sole_difference(m, mine, yours)
    if sole:
        return sole
    if not (is_noun(mine) and is_noun(yours)) or not (_near(m) or mine.named or yours.named):
        return 0.0
    if _one_head(m, mine, yours):
        return 0.65
    if m.one.quantities or m.other.quantities or _has(m.one) or _has(m.other):
        return 0.0
    if any(a.slot == "verb" and a.concept in _ONE_OF_MANY for a, _ in m.alignment.met):
        return 0.0
    rest = [t for t in (*m.alignment.left, *m.alignment.right) if t.weight > 0.7]
    if len(rest) == 2 and m.alignment.likeness >= _LEAST_COVER:
        return 0.75
    return 0.6 if (mine.named or yours.named) and len(rest) <= 3 else 0.0


# One may do these with more than one thing: "run ruff", "run mypy".
_ONE_OF_MANY = concepts("run add check call include document report test call create")


def _one_head(m: Meeting, mine: Term, yours: Term) -> bool:
    """ "The options API", "the composition API": two kinds of one thing."""
    return any(
        mine.concept in m.one.modifiers[head] and yours.concept in m.other.modifiers[head]
        for head in m.one.modifiers.keys() & m.other.modifiers.keys()
    )


def _agents(m: Meeting, mine: Term, yours: Term) -> float:
    """ "Nginx terminates TLS", "TLS is terminated by HAProxy": two names do one job."""
    slots = {mine.slot, yours.slot}
    if slots not in ({"subject", "means"}, {"subject", "object"}) or not (
        mine.named and yours.named
    ):
        return _bound(m, mine, yours)
    verbs = any("verb" in (a.slot, b.slot) for a, b in m.alignment.met)
    copula = not any(t.slot == "verb" for t in (m.one if mine.slot == "subject" else m.other).terms)
    things = [a for a, _ in m.alignment.met if a.weight > 0.7]
    return 0.75 if (verbs or copula) and things else 0.0


def _displaced(m: Meeting, mine: Term, yours: Term) -> float:
    """One memory denies what the other chooses, and names another thing for the same job."""
    if m.alignment.cover < _DISPLACED_COVER or not (is_noun(mine) and is_noun(yours)):
        return 0.0
    gone = (mine.concept in m.second.denied and not mine.early) or (
        yours.concept in m.first.denied and not yours.early
    )
    return 0.75 if gone and "verb" not in (mine.slot, yours.slot) else 0.0


_DISPLACED_COVER = 0.6
_WAYS = frozenset(("means", "source"))


def _bound(m: Meeting, mine: Term, yours: Term) -> float:
    """ "Through the portal only", "by mail": one names the sole way, the other another."""
    slot = m.one.bound or m.other.bound
    ways = {slot} | (_WAYS if slot in _WAYS else set())
    if not slot or not {mine.slot, yours.slot} <= ways or m.alignment.cover < 0.4:
        return 0.0
    if slot == "subject" and m.alignment.likeness < 0.4:
        return 0.0
    if slot == "subject" and m.alignment.likeness >= 0.6:
        return 0.8
    return 0.65 if is_noun(mine) and is_noun(yours) else 0.0


def _has(claim: Claim) -> bool:
    """Whether a claim says what something has: it may have more than one thing."""
    return any(t.slot == "verb" and t.concept in ("contain", "have", "get") for t in claim.terms)


def _same_slot(m: Meeting, mine: Term, yours: Term) -> bool:
    slots = {mine.slot, yours.slot}
    if slots <= {"object", "means", "role", "source"}:
        return True
    return (
        "place" in slots
        and slots <= {"place", "object", "means"}
        and (makes_place_a_choice(m.one) or makes_place_a_choice(m.other))
    )
