"""Two claims of two memories that may speak of the same thing, laid side by side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dmm.conflicts.alignment import Alignment, align, are_derived, named_in, starts_of
from dmm.conflicts.clauses import is_verb
from dmm.conflicts.signs import NEGATIVE
from dmm.conflicts.vocabulary import GENERIC, concepts
from dmm.conflicts.words import Word

if TYPE_CHECKING:
    from dmm.conflicts.claims import Claim
    from dmm.conflicts.readings import Reading
    from dmm.conflicts.terms import Term
    from dmm.domain.conflict import ConflictType


@dataclass(frozen=True, slots=True)
class Finding:
    """A clash between two claims and how sure it is."""

    type: ConflictType
    confidence: float
    reason: str
    quotes: tuple[str, str]


@dataclass(frozen=True, slots=True)
class Meeting:
    """Two claims with their memories and their alignment."""

    one: Claim
    other: Claim
    first: Reading
    second: Reading
    alignment: Alignment
    likeness: float

    @property
    def many(self) -> int:
        """How many claims could meet: in long memories two share a word by chance."""
        return len(self.first.claims) * len(self.second.claims)

    def finding(self, sort: ConflictType, confidence: float, reason: str) -> Finding:
        """A clash of these two claims."""
        quotes = (self.one.text, self.other.text)
        told = f"{reason.rstrip('.')} ({', '.join(self._topic())})." if self._topic() else reason
        return Finding(sort, round(min(confidence, 1.0), 2), told, quotes)

    def _topic(self) -> list[str]:
        words = {min(a.text, b.text) for a, b in self.alignment.met if a.weight > _TOPICAL}
        return sorted(words)[:_MOST_TOPICS]


def meet(first: Reading, second: Reading, likeness: float) -> list[Meeting]:
    """The claims of two memories that share the most telling words, laid side by side."""
    few = len(first.claims) * len(second.claims) <= _FEW
    pairs = [
        (_overlap(one, other), one, other)
        for one in first.claims
        for other in second.claims
        if (few and likeness >= _ALIKE) or not one.keys.isdisjoint(other.keys)
    ]
    if not few:
        pairs = [pair for pair in pairs if pair[0] >= _LEAST_OVERLAP]
    pairs.sort(key=lambda pair: -pair[0])
    mine, yours = (named_in(first.title), named_in(second.title)) if pairs else ({}, {})
    found = [
        Meeting(one, other, first, second, align(one, other, mine, yours), likeness)
        for _, one, other in pairs[:_MOST]
    ]
    found.sort(key=lambda m: -m.alignment.shared * m.alignment.likeness)
    return found


_TOPICAL, _MOST_TOPICS = 0.6, 3
_MOST = 14
_FEW = 16
_ALIKE = 0.6
_LEAST_OVERLAP = 0.3


def _overlap(one: Claim, other: Claim) -> float:
    return len(one.keys & other.keys) / (1 + min(len(one.keys), len(other.keys)))


def is_known(term: Term, other: Reading) -> bool:
    """Whether a memory speaks of a term in any form; of a name, in that form."""
    if term.concept in other.context or term.named:
        return term.concept in other.context
    near = {c for start in starts_of(term.concept) for c in other.starts.get(start, ())}
    return any(are_derived(term.concept, c) for c in near)


_PLACING = concepts(
    """store keep live write put save push publish deploy run host send hold sit reside record place
    move upload log read load go build implement serve round format"""
)


# These name what an amount is of; the other side may give the amount without such a word.
MEASURES = concepts(
    """limit maximum minimum period threshold budget cap size rate value setting length duration
    level quota timeout"""
)


def makes_place_a_choice(claim: Claim) -> bool:
    """Whether the verb makes a place part of what is claimed: "is stored in"."""
    return any(t.slot == "verb" and t.concept in _PLACING for t in claim.terms)


def is_noun(term: Term) -> bool:
    """Whether a term tells a thing, not what is done."""
    return term.weight > 0.5 and not is_verb(as_word(term))


def denies_exception(rule: Claim, case: Claim) -> bool:
    """ "No styles except in mails", "no styles in mails": the case that is left free is denied."""
    if not (rule.exceptions and rule.turned) or case.exceptions or case.turned:
        return False
    if case.sign not in NEGATIVE or rule.sign not in NEGATIVE or case.only:
        return False
    cases = {t.concept for t in case.terms if t.early or t.slot in _CASES}
    return not rule.exceptions & (cases | {t.concept for t in case.conditions}) <= GENERIC


_CASES = frozenset(("aim", "place"))


def as_word(term: Term) -> Word:
    """The word that a term was."""
    return Word(term.text, term.concept, "word", term.named)


def is_scope(mine: Term, yours: Term) -> bool:
    """Whether two contraries tell two cases: "the internal API", "the external API"."""
    if "verb" in (mine.slot, yours.slot) or is_verb(as_word(mine)) or is_verb(as_word(yours)):
        return False
    return mine.early and yours.early
