"""What a memory claims, clause by clause, ready to be laid beside the claims of another."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

from dmm.conflicts.asides import concession_in, is_aside, tells_past
from dmm.conflicts.clauses import (
    AUXILIARIES,
    Clause,
    Part,
    clauses_of,
    is_verb,
    lacks_subject,
)
from dmm.conflicts.periods import ALWAYS, Period, period_of
from dmm.conflicts.phrasing import put_plainly
from dmm.conflicts.places import scopes_in
from dmm.conflicts.quantities import Quantity, quantities_of
from dmm.conflicts.reach import (
    ANYONE,
    NOT_ONLY,
    ONLY,
    STRICT,
    UNIVERSAL,
    bound_slot,
    range_of,
    sweeps,
)
from dmm.conflicts.refusals import bounded_by
from dmm.conflicts.signs import NEGATIVE, Sign, asks_for, denied_in, is_negated, sign_of
from dmm.conflicts.terms import PREPOSITIONS, Term, heads_of, tells, terms_of
from dmm.conflicts.vocabulary import GENERIC, concepts
from dmm.conflicts.words import Word, words_of
from dmm.rules.language.wordsets import word_set

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


@dataclass(frozen=True, slots=True)
class Claim:
    """One clause: its telling words in their slots, its stance, amounts, places and time."""

    text: str
    terms: tuple[Term, ...]
    conditions: tuple[Term, ...]
    unmet: bool
    modifiers: Mapping[str, frozenset[str]]
    sign: Sign
    only: bool
    turned: bool
    restricts: bool
    removing: bool
    bound: str
    universal: bool
    sweeping: bool
    conceded: frozenset[str]
    range: frozenset[str]
    additive: bool
    rejected: frozenset[str]
    denied: frozenset[str]
    old: frozenset[str]
    exceptions: frozenset[str]
    quantities: tuple[Quantity, ...]
    triggers: tuple[Quantity, ...]
    scopes: Mapping[str, frozenset[str]]
    period: Period
    past: bool
    changes: bool
    reminds: bool
    anyone: bool
    strict: bool
    happens: bool
    marked: bool
    order: str
    concepts: frozenset[str] = field(init=False)
    keys: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        told = frozenset(term.concept for term in (*self.terms, *self.conditions))
        object.__setattr__(self, "concepts", told)
        object.__setattr__(self, "keys", told - GENERIC)

    @property
    def negative(self) -> bool:
        """Whether the claim denies or forbids, once its double negations are undone."""
        return (self.sign in NEGATIVE) != self.turned


REMOVING = concepts(
    """remove delete strip drop omit exclude skip discard hide reject refuse kill stop end retire
    ignore disable prohibit ban prevent block eliminate abandon cease revoke withdraw
    missing lack absent"""
)


def takes_away(term: Term) -> bool:
    """Whether a word of the predicate says that something ends or is not there."""
    told = term.slot in ("verb", "object") or term.text.endswith("ed")
    return told and term.concept in REMOVING and not term.named


_QUOTED = re.compile(r"[\"\u201c][^\"\u201d]*\s[^\"\u201d]*\s[^\"\u201d]*[\"\u201d]")
# Any word that turns the sense round; where both claims have one, counting turns is less sure.
_MARKED = re.compile(
    r"\b(?:not|no|never|without|nobody|nothing|none|unless|except|lack\w*|le(?:ft|av\w+) out"
    r"|missing|refus\w*|reject\w*|block(?:s|ed|ing)|forbid\w*|ban(?:s|ned)?|avoid\w*|disabl\w*"
    r"|stop\w*|drop\w*|un[a-z]{3,}ed|remov\w*|delet\w*)\b",
    re.IGNORECASE,
)
# What is going on is told, not asked for: "a man is riding a bicycle".
_HAPPENS = re.compile(r"\b(?:is|are) (?:\w+ly )?(?!being\b|using\b)\w+ing\b", re.IGNORECASE)
_REMINDS = re.compile(
    r"(?:(?:\bnot|n['\u2019]t|\bnever) (?:forget|fail|neglect|omit|hesitate)"
    r"|\bremember to|\bmake sure|\bbe sure)\b",
    re.IGNORECASE,
)
# After a negation these give leave again: "not before", "never without", "no … outside of".
_TURNING = re.compile(
    r"\b(?:outside|unless|except|without|until|before|other than|apart from|beyond)\b",
    re.IGNORECASE,
)
_ADDITIVE = re.compile(
    r"\b(?:also|as well|additionally|in addition|besides|can also|supports|includes"
    r"|among others|not enough|not sufficient|too(?=\s*(?:[.;,]|$)))\b",
    re.IGNORECASE,
)
_MOST_CLAIMS = 24
_MOST_TERMS = 30


class _Told(NamedTuple):
    """A sentence as it was written and put plainly, and what holds for all its clauses."""

    spoken: str
    plain: str
    sweeping: bool
    conceded: frozenset[str]


def read_claims(sentences: Sequence[str]) -> tuple[Claim, ...]:
    """The claims of sentences; questions, examples and pointers make none."""
    found: list[Claim] = []
    for spoken in sentences:
        if len(found) >= _MOST_CLAIMS:
            break
        if is_aside(spoken):
            continue
        sentence = put_plainly(spoken)
        before = found[-1] if found else None
        begun, told = False, _Told(spoken, sentence, sweeps(spoken), _conceded(spoken))
        for clause in clauses_of(words_of(_QUOTED.sub(" ", sentence))):
            claim = _claim(told, clause)
            if claim is None:
                continue
            if before is not None and begun and not _stands_alone(clause):
                claim = _completed(claim, before, _KEPT)
            elif before is not None and begun and lacks_subject(clause.words(Part.MAIN)):
                claim = _completed(claim, before, _taken_up(clause))
            elif before is not None and _points_back(clause):
                claim = _completed(claim, before, _TAKEN_UP)
            if not claim.concepts:
                continue
            before, begun = claim, True
            found.append(claim)
    return tuple(found[:_MOST_CLAIMS])


def _conceded(sentence: str) -> frozenset[str]:
    told = concession_in(sentence)
    return _concepts(words_of(told)) if told else frozenset()


def _stands_alone(clause: Clause) -> bool:
    words = clause.words(Part.MAIN)
    return any(is_verb(word) or word.text in AUXILIARIES for word in words)


def _points_back(clause: Clause) -> bool:
    """Whether a clause speaks of what the one before it named: "they hold …", "it is …"."""
    words = clause.words(Part.MAIN)
    return any(word.text in _BACK for word in words[:2])


_BACK = frozenset(("it", "they", "them"))


def _taken_up(clause: Clause) -> frozenset[str]:
    """What a second predicate says something of: the subject, and the object if it says "it"."""
    return _TAKEN_UP if any(w.text in _BACK for w in clause.words(Part.MAIN)) else _SUBJECT


def _completed(claim: Claim, before: Claim, slots: frozenset[str]) -> Claim:
    """A clause that does not stand alone goes on with what the one before it speaks of."""
    known = claim.concepts
    if before.negative and not claim.negative and slots is _KEPT:
        slots = _SUBJECT
    taken = tuple(
        t
        for t in before.terms
        if t.concept not in known and t.slot in slots and t.concept not in MANNERS
    )
    return replace(claim, terms=taken + claim.terms)


MANNERS = concepts("manually automatically directly locally")
_KEPT = frozenset(("subject", "verb", "object"))
_TAKEN_UP = frozenset(("subject", "object"))
_SUBJECT = frozenset(("subject",))


def _claim(said: _Told, clause: Clause) -> Claim | None:
    sentence = said.plain
    main = clause.words(Part.MAIN)
    condition = clause.words(Part.CONDITION)
    told = any(tells(word) for word in (*main, *condition))
    if not told and not (_points_back(clause) and clause.words(Part.EXCEPTION)):
        return None
    spoken = _text_of(main + condition + clause.words(Part.EXCEPTION), sentence)
    stanced = _stanced(main)
    sign = sign_of(stanced, conditional=False)
    limits = quantities_of(condition, sentence)
    amounts, triggers = _amounts(main, limits, sentence)
    terms = terms_of(_without(main, amounts))[:_MOST_TERMS]
    exceptions = _concepts(clause.words(Part.EXCEPTION))
    whole = _text_of(clause.words(*Part), sentence)
    turning = bool(_TURNING.search(spoken)) or bool(exceptions)
    return Claim(
        text=said.spoken,
        terms=terms,
        conditions=terms_of(_without(condition, limits))[:_MOST_TERMS],
        unmet=is_negated(condition),
        modifiers=heads_of(terms),
        sign=sign,
        only=bool(ONLY.search(whole)) and not NOT_ONLY.search(whole),
        turned=sign in NEGATIVE and (turning or asks_for(main)),
        restricts=turning and _turns_away(main, spoken),
        bound=bound_slot(main),
        removing=any(map(takes_away, terms)),
        universal=bool(UNIVERSAL.search(whole)),
        sweeping=said.sweeping,
        conceded=said.conceded,
        range=range_of(main),
        additive=bool(_ADDITIVE.search(spoken)) or bool(NOT_ONLY.search(spoken)),
        rejected=_concepts(_first_phrase(clause.words(Part.REJECTED))),
        denied=denied_in(stanced),
        old=_concepts(clause.words(Part.OLD)),
        exceptions=exceptions,
        quantities=amounts,
        triggers=triggers,
        scopes=scopes_in([*main, *condition]),
        period=_time_of(whole, sentence),
        past=tells_past(sentence) and not any(map(takes_away, terms)),
        changes="not now" in sentence or (bool(_NOW.search(sentence)) and _has_old(clause)),
        anyone=bool(ANYONE.search(sentence)),
        reminds=bool(_REMINDS.search(sentence)),
        strict=bool(STRICT.search(sentence)),
        happens=bool(_HAPPENS.search(sentence)),
        order=_order_of(spoken),
        marked=bool(_MARKED.search(_text_of(main + clause.words(Part.EXCEPTION), sentence))),
    )


def _turns_away(main: Sequence[Word], spoken: str) -> bool:
    return bool(_DENIAL.search(spoken)) or any(word.text in _TURNED_AWAY for word in main)


def _amounts(
    main: Sequence[Word], limits: tuple[Quantity, ...], sentence: str
) -> tuple[tuple[Quantity, ...], tuple[Quantity, ...]]:
    claimed = quantities_of(main, sentence)
    return bounded_by(main, claimed, limits, sentence) if claimed or limits else ((), ())


def _without(words: Sequence[Word], amounts: Sequence[Quantity]) -> Sequence[Word]:
    """The words less those of amounts: no "MB" of "larger than 80 MB"."""
    if not amounts:
        return words
    taken = {place for q in amounts for place in range(q.first, q.last + 1)}
    return [word for place, word in enumerate(words) if place not in taken]


_ORDER = re.compile(r"\b(?:(before|prior to)|(after|once))\b", re.IGNORECASE)


def _order_of(text: str) -> str:
    """Whether a clause is held to come before or after something, if it says only one of them."""
    said = {"before" if match.group(1) else "after" for match in _ORDER.finditer(text)}
    return said.pop() if len(said) == 1 else ""


_DENIAL = re.compile(r"\b(?:not|never|no|nobody|nothing|none|cannot|neither)\b", re.IGNORECASE)
_TEMPORARY = re.compile(r"\btemporary (?=\w)", re.IGNORECASE)
_EVEN = re.compile(
    r"\b(?:not )?even\b(?![ -](?:numbered )?(?:day|week|month|sprint)s?\b)[^,;.]*", re.IGNORECASE
)


def _time_of(clause: str, sentence: str) -> Period:
    """When a clause or its sentence holds; what it holds "even during" is no limit."""
    found = ALWAYS
    for text in dict.fromkeys((clause, sentence)):
        found = period_of(_TEMPORARY.sub("", _EVEN.sub("", text)))
        if found.bounded:
            break
    return found


_LIMITS = word_set("below under exceed above beneath beyond over")


def _is_limit(words: Sequence[Word]) -> bool:
    """Whether a negation goes with an amount: "not longer than", "never below 80"."""
    for place, word in enumerate(words):
        if word.text == "than" and place < 4:
            return True
        if word.text in _LIMITS:
            return any(near.sort == "number" for near in words[place : place + 4])
    return False


# These tell what becomes of a thing; whether that is a denial shows beside the other claim.
_TURNED_AWAY = frozenset(("blocked", "refused", "rejected", "denied", "prevented"))
_NOW = re.compile(r"\b(?:now|gone|by now|meanwhile|since then)\b", re.IGNORECASE)


def _has_old(clause: Clause) -> bool:
    return bool(clause.words(Part.REJECTED, Part.OLD))


_RELATIVES = frozenset(("who", "whose", "that", "which"))


def _stanced(words: Sequence[Word]) -> list[Word]:
    """The words that make the stance: no relative clause, no "nothing else"."""
    kept: list[Word] = []
    until = -1
    own = _own_auxiliaries(words)
    auxiliaries = [i for i, word in enumerate(words) if word.text in AUXILIARIES and i not in own]
    last = _first_of_group(words, max(auxiliaries, default=-1))
    for index, word in enumerate(words):
        following = words[index + 1].text if index + 1 < len(words) else ""
        if index < until and word.text == "without":
            until = index
        if word.text in _RELATIVES and index < last:
            until = last
        elif word.text in _RELATIVES and following in AUXILIARIES:
            until = len(words)
        closing = word.text in ("nothing", "no", "none") and following in ("else", "but", "other")
        closing = closing or (word.text in ("not", "never") and _is_limit(words[index + 1 :]))
        if index >= until and not closing and word.text not in _TURNED_AWAY:
            kept.append(word)
    return kept


def _first_of_group(words: Sequence[Word], last: int) -> int:
    """Where the auxiliaries that stand together begin: at "must" of "must never be"."""
    while last > 0 and (words[last - 1].text in AUXILIARIES or words[last - 1].text in _DENYING):
        last -= 1
    return last


_DENYING = frozenset(("not", "never"))


def _own_auxiliaries(words: Sequence[Word]) -> set[int]:
    """The places of the auxiliaries that a relative clause begins with: "that have had no …"."""
    found: set[int] = set()
    for place, word in enumerate(words[1:], start=1):
        before = words[place - 1].text in _RELATIVES
        if before or (place - 1 in found and (word.text in AUXILIARIES or word.text in _DENYING)):
            found.add(place)
    return found


def _text_of(words: Sequence[Word], sentence: str) -> str:
    if not words:
        return ""
    spans = [word.span for word in words]
    return sentence[max(0, min(s[0] for s in spans)) : max(s[1] for s in spans) + 1]


def _first_phrase(words: Sequence[Word]) -> Sequence[Word]:
    """The words up to the phrase that follows: "over CBOR" of "over CBOR for the cache"."""
    told = False
    for index, word in enumerate(words):
        if told and word.text in PREPOSITIONS:
            return words[:index]
        told = told or tells(word)
    return words


def _concepts(words: Sequence[Word]) -> frozenset[str]:
    return frozenset(word.concept for word in words if tells(word))
