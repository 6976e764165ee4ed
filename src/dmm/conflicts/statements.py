"""What a memory claims, one statement for each clause, with all that tells two claims apart."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

from dmm.conflicts.answers import Answer, answers_of
from dmm.conflicts.clauses import (
    AUXILIARIES,
    PRONOUNS,
    Clause,
    Part,
    clauses_of,
    is_aside,
    is_verb,
    tells_past,
)
from dmm.conflicts.families import FAMILIES, is_everyday, leads_to_choice, places_of
from dmm.conflicts.periods import Period, period_of
from dmm.conflicts.places import confined_in, is_written_in, parts_in, placed_in, scopes_in
from dmm.conflicts.quantities import Quantity, quantities_of
from dmm.conflicts.signs import NEGATIVE, Sign, is_negated, sign_of
from dmm.conflicts.telling import concepts_of, tells
from dmm.conflicts.vocabulary import concepts
from dmm.conflicts.words import Word, words_of
from dmm.policy.wordsets import word_set

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Choices = frozenset[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Statement:
    """One claim: its concepts, choices, amounts, stance, and where and when it holds."""

    text: str
    terms: frozenset[str]
    subject: frozenset[str]
    names: frozenset[str]
    modifiers: Mapping[str, frozenset[str]]
    sign: Sign
    chosen: Choices
    refused: Choices
    rejected: frozenset[str]
    old: frozenset[str]
    quantities: tuple[Quantity, ...]
    attributes: tuple[frozenset[str], ...]
    old_quantities: tuple[Quantity, ...]
    scopes: Mapping[str, frozenset[str]]
    placed: frozenset[str]
    parts: frozenset[str]
    exceptions: frozenset[str]
    conditions: frozenset[str]
    period: Period
    universal: bool
    past: bool
    changes: bool
    restricts: bool
    answers: tuple[Answer, ...]
    confined: frozenset[str]
    said: frozenset[str]
    denied_condition: bool
    order: tuple[str, ...]


_CHANGES = re.compile(
    r"\b(?:no longer|any ?more|switched (?:from|to)|migrated (?:from|to)|moved (?:from|away|to)"
    r"|as of (?:v|version|release|20|january|february|march|april|may|june|july|august|september"
    r"|october|november|december|today|now)|raised from|lowered from|increased from"
    r"|reduced from|changed from|(?:old|previous|former|earlier) (?:rule|limit|value|policy|way"
    r"|decision|setting|note|convention|guideline)|now uses?|has changed|have changed|overrides?"
    r"|retired|obsolete|up from|down from|used to)\b",
    re.IGNORECASE,
)


_FROM_TO = re.compile(r"\bfrom (\d[\d.,]*) to (\d[\d.,]*) ([a-zA-Z%]+)")


_QUOTED = re.compile(r"[\"\u201c][^\"\u201d]*\s[^\"\u201d]*\s[^\"\u201d]*[\"\u201d]")


_UNIVERSAL = re.compile(
    r"\b(?:all|every|everywhere|always|never|any|each|no exceptions?|regardless|whatever|in every"
    r"|across the board|without exception|only|no excuse|under no circumstances)\b",
    re.IGNORECASE,
)


def read_statements(sentences: Sequence[str]) -> tuple[Statement, ...]:
    """The statements of sentences; questions and examples make none."""
    found: list[Statement] = []
    for sentence in sentences:
        if is_aside(sentence):
            continue
        words = words_of(_QUOTED.sub(" ", _FROM_TO.sub(r"from \1 \3 to \2 \3", sentence)))
        whole = _whole(sentence)
        before: Statement | None = None
        for clause in clauses_of(words):
            statement = _statement(whole, clause)
            if statement is None:
                continue
            if before is not None and not _stands_alone(clause):
                statement = _completed(statement, before)
            before = statement
            found.append(statement)
    return tuple(found)


def _stands_alone(clause: Clause) -> bool:
    """Whether a clause has a verb of its own; "but not in production" has none."""
    main = clause.words(Part.MAIN)
    return any(is_verb(word) or word.text in AUXILIARIES for word in main)


def _completed(statement: Statement, before: Statement) -> Statement:
    """A clause without a verb goes on with what the clause before it speaks of."""
    places = {value for values in before.scopes.values() for value in values}
    return replace(
        statement,
        terms=statement.terms | (before.terms - places),
        subject=statement.subject or before.subject,
    )


def terms_of(text: str) -> frozenset[str]:
    """The concepts of a text that is no sentence: a title, a tag."""
    return frozenset(word.concept for word in words_of(text) if tells(word))


def scopes_of(text: str) -> dict[str, frozenset[str]]:
    """The places that a title names."""
    return scopes_in(words_of(text))


@dataclass(frozen=True, slots=True)
class _Whole:
    """What holds for all clauses of a sentence."""

    text: str
    period: Period
    past: bool
    universal: bool
    changes: bool
    restricts: bool
    unless: bool


def _whole(sentence: str) -> _Whole:
    lowered = sentence.lower()
    bag = frozenset(lowered.translate(_NO_MARKS).split())
    return _Whole(
        text=sentence,
        period=period_of(lowered),
        past=tells_past(lowered),
        universal=not bag.isdisjoint(_UNIVERSAL_WORDS) and bool(_UNIVERSAL.search(lowered)),
        changes=not bag.isdisjoint(_CHANGE_WORDS) and bool(_CHANGES.search(lowered)),
        restricts=not bag.isdisjoint(_ONLY_WORDS) and bool(_ONLY.search(lowered)),
        unless="unless" in bag,
    )


_NO_MARKS = str.maketrans(dict.fromkeys('.,;:!?()[]"', " "))
_UNIVERSAL_WORDS = word_set(
    """all every everywhere always never any each no regardless whatever across without only
    under"""
)
_CHANGE_WORDS = word_set(
    """longer any anymore more switched migrated moved as raised lowered increased reduced changed
    old previous former earlier now has have override overrides retired obsolete up down used"""
)
_ONLY_WORDS = word_set("only solely exclusively outside nothing")


def _statement(whole: _Whole, clause: Clause) -> Statement | None:
    main = clause.words(Part.MAIN)
    wide = clause.words(Part.MAIN, Part.CONDITION)
    old = clause.words(Part.OLD)
    if not any(tells(word) for word in (*wide, *old)):
        return None
    exceptions = clause.words(Part.EXCEPTION)
    quantities = _amounts(clause, main, whole.text)
    sign = _stance(clause, main, whole.unless or bool(whole.period.until))
    sign = _limit_as_demand(sign, main, quantities)
    demanded = exceptions if whole.unless and sign is Sign.REQUIRED else []
    amounts = {place for q in quantities for place in range(q.first, q.last + 1)}
    plain = [word for place, word in enumerate(main) if place not in amounts]
    scopes = scopes_in(wide)
    chosen, refused = _choices(clause, plain, sign)
    terms, sign = _turned(plain, sign)
    lacking = _lacking(main, sign)
    terms = (terms - lacking) | concepts_of([*clause.words(Part.CONDITION), *demanded])
    if "delete" in terms and any(q.measure == "time" for q in quantities):
        terms = (terms - {"delete"}) | {"store"}
    return Statement(
        text=whole.text,
        terms=terms,
        subject=_subject(main),
        names=frozenset(word.concept for word in plain if word.named and tells(word)),
        modifiers=_modifiers(plain),
        sign=sign,
        chosen=chosen,
        refused=refused,
        rejected=concepts_of(clause.words(Part.REJECTED)) | lacking,
        old=concepts_of(old),
        quantities=quantities,
        attributes=tuple(_attributes(main, quantity) for quantity in quantities),
        old_quantities=quantities_of(old, whole.text),
        scopes=scopes,
        placed=placed_in(wide) if scopes else frozenset(),
        parts=parts_in(wide),
        exceptions=frozenset() if demanded else concepts_of(exceptions),
        conditions=concepts_of(clause.words(Part.CONDITION)),
        period=whole.period,
        universal=whole.universal,
        past=whole.past,
        changes=whole.changes or bool(old),
        restricts=bool(demanded) or whole.restricts,
        answers=answers_of(main, tells, is_verb),
        confined=confined_in(wide),
        said=_said(clause, terms),
        denied_condition=is_negated(clause.words(Part.CONDITION)),
        order=tuple(word.concept for word in main if tells(word)),
    )


_ONLY = re.compile(r"\b(?:only|solely|exclusively|outside(?: of)?|nothing but)\b", re.IGNORECASE)


_FAILS = frozenset(("fail", "reject", "block", "refuse", "break", "stop"))


def _amounts(clause: Clause, main: Sequence[Word], sentence: str) -> tuple[Quantity, ...]:
    """The amounts of a clause; "fails when it is below 90" asks for at least 90."""
    found = quantities_of(main, sentence)
    limits = quantities_of(clause.words(Part.CONDITION), sentence)
    limits = tuple(replace(q, first=0, last=-1) for q in limits)
    if any(word.concept in _FAILS for word in main):
        return tuple(map(_opposite, found)) + tuple(map(_opposite, limits))
    return found + limits


def _limit_as_demand(sign: Sign, main: Sequence[Word], quantities: Sequence[Quantity]) -> Sign:
    """ "Images over 2 MB are rejected" asks for a limit; it does not forbid images."""
    if sign not in NEGATIVE or not any(_is_refused(word) for word in main):
        return sign
    limited = any(quantity.bound in ("most", "least") for quantity in quantities)
    return Sign.REQUIRED if limited else sign


def _is_refused(word: Word) -> bool:
    return word.text in ("rejected", "refused", "blocked", "denied")


def _opposite(quantity: Quantity) -> Quantity:
    bound = {"most": "least", "least": "most"}.get(quantity.bound)
    if bound is None:
        return quantity
    return replace(quantity, bound=bound, low=quantity.high, high=quantity.low)


def _turned(plain: Sequence[Word], sign: Sign) -> tuple[frozenset[str], Sign]:
    """ "Must not be public" is read as "must be private": a contrary takes up the negation."""
    terms = set(concepts_of(plain))
    if sign not in NEGATIVE:
        return frozenset(terms), sign
    for index, word in enumerate(plain):
        for family, member in places_of(word.text, word.concept):
            if FAMILIES[family].contrary and _is_denied(plain, index):
                terms.discard(word.concept)
                terms.add(_counterpart(family, member))
                return frozenset(terms), Sign.REQUIRED
    return frozenset(terms), sign


def _is_denied(words: Sequence[Word], index: int) -> bool:
    before = {word.text for word in words[max(0, index - 2) : index]}
    rest = words[index + 1 :]
    return bool(before & _DENIALS) or not any(tells(word) for word in rest)


_DENIALS = word_set("be is are not never stay remain left leave run")


def _said(clause: Clause, terms: frozenset[str]) -> frozenset[str]:
    return terms | concepts_of(clause.words(Part.REASON, Part.EXCEPTION, Part.REJECTED, Part.OLD))


def _stance(clause: Clause, main: Sequence[Word], conditional: bool) -> Sign:
    if clause.words(Part.OLD) and not any(is_verb(word) for word in main):
        return Sign.DENIED
    return sign_of(main, conditional=conditional)


def _subject(main: Sequence[Word]) -> frozenset[str]:
    found: list[Word] = []
    for word in main:
        if word.text in AUXILIARIES or (is_verb(word) and found):
            break
        if word.text in PRONOUNS:
            return frozenset()
        if tells(word):
            found.append(word)
            if is_verb(word) and len(found) == 1:
                return frozenset()
    else:
        return frozenset()
    return frozenset(word.concept for word in found)


def _modifiers(words: Sequence[Word]) -> dict[str, frozenset[str]]:
    """For each noun the words right before it: "refresh token" gives token: refresh."""
    table: dict[str, set[str]] = {}
    for before, head in pairwise(words):
        if tells(before) and tells(head) and before.span[1] + 1 >= head.span[0]:
            table.setdefault(head.concept, set()).add(before.concept)
    return {head: frozenset(found) for head, found in table.items()}


def _choices(clause: Clause, plain: Sequence[Word], sign: Sign) -> tuple[Choices, Choices]:
    chosen: set[tuple[str, str]] = set()
    refused: set[tuple[str, str]] = set()
    negative = sign in NEGATIVE
    for index, word in enumerate(plain):
        places = places_of(word.text, word.concept)
        if not places or not _is_choice(plain, index):
            continue
        for family, member in places:
            if FAMILIES[family].contrary and negative:
                chosen.add((family, _counterpart(family, member)))
            elif negative:
                refused.add((family, member))
            else:
                chosen.add((family, member))
    for word in clause.words(Part.REJECTED, Part.OLD):
        refused.update(places_of(word.text, word.concept))
    return frozenset(chosen - refused), frozenset(refused - chosen)


def _counterpart(family: str, member: str) -> str:
    one, other = family.split("/")
    return other if member == one else one


def _is_choice(words: Sequence[Word], index: int) -> bool:
    word = words[index]
    before = words[index - 1].concept if index else ""
    if is_everyday(word.text) or is_everyday(word.concept):
        return word.named or leads_to_choice(before)
    if any(family == "language" for family, _ in places_of(word.text, word.concept)):
        return is_written_in(words, index)
    return True


def _lacking(main: Sequence[Word], sign: Sign) -> frozenset[str]:
    """What a clause goes without: "may deploy without approval"."""
    if sign in (Sign.REQUIRED, Sign.FORBIDDEN, Sign.DENIED):
        return frozenset()
    for index, word in enumerate(main):
        if word.text == "without" and index + 1 < len(main):
            if main[index + 1].text.startswith("exception"):
                return frozenset()
            return concepts_of(main[index + 1 : index + 4])
    return frozenset()


ATTRIBUTES = concepts(
    """store timeout expire retry wait interval poll backoff retention limit line-length page-size
    coverage approve review port version uptime sla latency delete cache backup idle character
    connect read write warning alert restart response rate-limit size pool"""
)


def _attributes(words: Sequence[Word], quantity: Quantity) -> frozenset[str]:
    """What is measured: the known attributes near an amount, the nearest side first."""
    near = words[max(0, quantity.first - 6) : quantity.last + 5]
    found = {word.concept for word in near if word.concept in ATTRIBUTES}
    return frozenset("store" if term == "delete" else term for term in found)
