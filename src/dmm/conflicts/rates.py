"""What an amount is a rate of: per minute, per pod, for one user, in all."""

from __future__ import annotations

from decimal import Decimal
from itertools import pairwise, takewhile
from typing import TYPE_CHECKING

from dmm.conflicts.clauses import is_verb
from dmm.conflicts.numerals import Numeral
from dmm.conflicts.telling import tells
from dmm.conflicts.units import singular, time_unit, unit_of
from dmm.conflicts.vocabulary import concept_of
from dmm.conflicts.words import words_of
from dmm.rules.language.wordsets import word_set

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dmm.conflicts.words import Word

TOTAL, EACH = "total", "each"


def of_unit(words: Sequence[Word], part: Numeral | None) -> Numeral | None:
    """A share of one unit as so much of it: "a fifth of a second" is 0.2 seconds."""
    if part is None or part.unit is None or part.unit[0] != "share":
        return part
    link = [word.text for word in words[part.last + 1 : part.last + 4]]
    whole = len(link) > 2 and link[0] == "of" and link[1] in _ONE
    unit = unit_of(singular(link[2])) if whole else None
    return part if unit is None else Numeral(part.value / 100, part.last + 3, unit)


_ONE = frozenset(("a", "an", "one", "1"))


def rate_of(per: str) -> tuple[str, Decimal]:
    """A rate per minute or hour, counted per second."""
    seconds = time_unit(per)
    if seconds is not None:
        return "second", seconds
    return (concept_of(per) if per else ""), Decimal(1)


def per_after(words: Sequence[Word], last: int) -> str:
    """What the words after an amount make it a rate of."""
    for place in range(last + 1, min(last + 5, len(words))):
        text = words[place].text
        following = singular(words[place + 1].text) if place + 1 < len(words) else ""
        if text in ("per", "/", "every", "each"):
            return _head_after(words, place) if time_unit(following) is None else following
        if text.startswith("/") and place == last + 1:
            return text[1:]
        if text in ("a", "an") and place <= last + 3 and time_unit(following) is not None:
            return "" if words[place - 1].text in _BEFORE_SPAN else following
        if words[place].sort == "mark" or text in ("and", "or", "but"):
            return ""
    return ""


def _head_after(words: Sequence[Word], place: int) -> str:
    """The noun that a phrase ends in: the worker of "per Gunicorn worker"."""
    phrase = list(takewhile(_is_noun, words[place + 1 : place + 4]))
    first = words[place + 1 : place + 2]
    return singular((phrase or first)[-1].text) if first else ""


def holders_in(sentence: str) -> frozenset[str]:
    """What amounts are told for one of: "10 connections per Gunicorn worker", "each node has"."""
    words = words_of(sentence)
    return frozenset(
        near.concept
        for place, word in enumerate(words)
        if word.text in _EACH
        for near in takewhile(_is_noun, words[place + 1 : place + 4])
    )


_EACH = frozenset(("per", "each", "every"))


def _is_noun(word: Word) -> bool:
    """Whether a word may name a thing after "per"; a verb there is inflected: "each node has"."""
    inflected = word.text.endswith(("s", "ed", "ing")) and not word.text.endswith("ss")
    return tells(word) and (word.named or not inflected or not is_verb(word))


_BEFORE_SPAN = word_set("after for within of than in to until every about")


def holder_of(words: Sequence[Word], first: int, last: int) -> str:
    """Whose amount it is: of one user, of each pod, of all together."""
    near = words[last + 1 : last + 1 + _NEAR]
    told = _holder_after(list(takewhile(lambda word: word.sort != "mark", near)))
    if told:
        return told
    before = words[max(0, first - _NEAR) : first]
    if WHOLES & {word.text for word in (*near, *before)}:
        return TOTAL
    return _holder_before(words, first)


def _holder_after(after: Sequence[Word]) -> str:
    for place, (word, following) in enumerate(pairwise(after)):
        if word.text == "in" and following.text in ("all", "total"):
            return TOTAL
        alone = word.text == "one" and (place == 0 or after[place - 1].text not in _OF)
        if word.text not in _ONE_OF or alone or time_unit(singular(following.text)) is not None:
            continue
        if following.sort != "word" or following.text in WHOLES:
            return ""
        return concept_of(_head_after(after, place))
    return ""


def _holder_before(words: Sequence[Word], first: int) -> str:
    """ "Each pod opens 10", "pods, each with 10", "a per-user limit of 10"."""
    begins = [0] if first > 1 else []
    for place in (*begins, *range(max(0, first - _CLOSE), first - 1)):
        text, following = words[place].text, words[place + 1]
        if text in ("each", "every", "per") and time_unit(singular(following.text)) is None:
            return following.concept if text == "per" else EACH
    return ""


_CLOSE = 5
_OF = word_set("for by from")
_NEAR = 8
_ONE_OF = word_set("per one each every")
WHOLES = word_set("together altogether combined overall total global")


def rates_differ(one: str, other: str) -> bool:
    """Whether two amounts are of different things, as per pod and in all are."""
    mine, yours = one.partition("/"), other.partition("/")
    if mine[0] and yours[0] and mine[0] != yours[0]:
        return True
    a, b = mine[2], yours[2]
    if not a or not b or a == b:
        return False
    return TOTAL in (a, b) or EACH not in (a, b)
