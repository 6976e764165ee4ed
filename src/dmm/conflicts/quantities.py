"""Amounts in a sentence: time, size, share, money, versions and counts, with their bounds."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING

from dmm.conflicts.bounds import bound_of
from dmm.conflicts.counting import counted_by, is_date
from dmm.conflicts.units import FRACTIONS, FREQUENCIES, NUMBERS, TIME_UNITS, UNITS, singular
from dmm.conflicts.vocabulary import concept_of
from dmm.policy.wordsets import word_set

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dmm.conflicts.words import Word


@dataclass(frozen=True, slots=True)
class Quantity:
    """The amounts from `low` to `high` of a measure; `counted` is what a plain count counts."""

    measure: str
    low: Decimal | None
    high: Decimal | None
    bound: str
    first: int
    last: int
    counted: frozenset[str] = frozenset()
    per: str = ""
    raw: Decimal | None = None

    def shown(self) -> tuple[str, Decimal | None, Decimal | None, str]:
        """What makes two quantities the same."""
        return self.measure, self.low, self.high, self.per


_TIMES = frozenset(("time", "once", "twice"))


_GLUED = re.compile(r"(\d+(?:\.\d+)?)([a-z%]+)$")


_VERSION = re.compile(r"v(\d+(?:\.\d+)*)$")


def quantities_of(words: Sequence[Word], sentence: str) -> tuple[Quantity, ...]:
    """Every amount among the words of a sentence."""
    found: list[Quantity] = []
    index = 0
    while index < len(words):
        quantity = _at(words, index, sentence)
        if quantity is None:
            index += 1
            continue
        found.append(quantity)
        index = quantity.last + 1
    return tuple(found)


def _at(words: Sequence[Word], index: int, sentence: str) -> Quantity | None:
    start = _amount(words, index)
    if start is None:
        return None
    value, last, unit = start
    high = None
    ranged = _range_end(words, last) if unit is None else None
    if ranged is not None:
        high, last, unit = ranged
    if unit is None:
        unit, last = _unit(words, last)
    if unit is None:
        return _plain_number(words, index, last, sentence, value, high)
    measure, scale = unit
    if measure == "time" and _is_interval(words, index):
        measure = "interval"
    per, every = _rate(_per(words, last))
    bound = "range"
    if high is None:
        bound = bound_of(words, index, last, sentence, counted=measure == "share")
    if measure in ("version", "clock"):
        bound = "exact"
    low, top = value * scale / every, (high or value) * scale / every
    return _bounded(measure, low, top, bound, (index, last), frozenset(), per, value)


def _plain_number(
    words: Sequence[Word],
    index: int,
    last: int,
    sentence: str,
    value: Decimal,
    high: Decimal | None,
) -> Quantity | None:
    """An amount without a unit: a share, a version, a status, or how many of something."""
    if is_date(words, index):
        return None
    share = _share(words, index, last)
    if share is not None:
        return share
    measure, counted = counted_by(words, index, last)
    if measure == "":
        return None
    bound = "range"
    if high is None:
        bound = bound_of(words, index, last, sentence, counted=measure != "version")
    per, every = _rate(_per(words, last))
    if measure == "count" and every != 1 and (counted & _TIMES or words[index].text in _TIMES):
        return Quantity("interval", every / value, every / value, "exact", index, last)
    low, top = value / every, (high or value) / every
    return _bounded(measure, low, top, bound, (index, last), counted, per, value)


def _bounded(
    measure: str,
    low: Decimal,
    top: Decimal,
    bound: str,
    place: tuple[int, int],
    counted: frozenset[str],
    per: str,
    raw: Decimal,
) -> Quantity:
    least = None if bound == "most" else low
    most = None if bound == "least" else top
    return Quantity(measure, least, most, bound, *place, counted, per, raw)


_Start = tuple[Decimal, int, tuple[str, Decimal] | None]


def _amount(words: Sequence[Word], index: int) -> _Start | None:
    if words[index].sort == "number":
        return _figures(words[index].text, index)
    text = words[index].text
    if text not in _WORDED and not text[-1:].isdigit() and not text[:1].isdigit():
        return None
    return _glued(text, index) or _fraction(words, index) or _spelled(words, index)


_WORDED = frozenset((*NUMBERS, *FRACTIONS, *FREQUENCIES, "a", "an", "every", "each", "half"))


def _figures(text: str, index: int) -> _Start | None:
    if ":" in text:
        hours, _, minutes = text.partition(":")
        return Decimal(int(hours) * 60 + int(minutes)), index, ("clock", Decimal(1))
    value = _decimal(text)
    if value is None:
        return None
    return value, index, UNITS["$"] if text[0] in "$\u20ac\u00a3" else None


def _glued(text: str, index: int) -> _Start | None:
    """A number and its unit in one word: "30s", "10k", "v2"."""
    version = _VERSION.match(text)
    if version:
        return _version_number(version.group(1)), index, ("version", Decimal(1))
    glued = _GLUED.match(text)
    if glued is None:
        return None
    if glued.group(2) == "k":
        return Decimal(glued.group(1)) * 1000, index, None
    unit = UNITS.get(glued.group(2))
    return (Decimal(glued.group(1)), index, unit) if unit else None


def _fraction(words: Sequence[Word], index: int) -> _Start | None:
    """ "Daily", "half an hour", "a fifth of"."""
    text = words[index].text
    if text in FREQUENCIES:
        return Decimal(FREQUENCIES[text]), index, ("interval", Decimal(86400))
    if text == "half" and _half_unit(words, index):
        return Decimal("0.5"), _half_unit(words, index), None
    following = words[index + 1].text if index + 1 < len(words) else ""
    if text in FRACTIONS and following == "of" and index and words[index - 1].text in ("a", "one"):
        return FRACTIONS[text], index, UNITS["%"]
    return None


def _spelled(words: Sequence[Word], index: int) -> _Start | None:
    word = words[index]
    value = NUMBERS.get(word.text)
    if value is None:
        if word.text in ("every", "each") and _every(words, index):
            return Decimal(1), index, None
        if word.text in ("a", "an", "per") and index + 1 < len(words):
            unit = UNITS.get(singular(words[index + 1].text))
            if word.text != "per" and unit and unit[0] == "time" and _after_time(words, index):
                return Decimal(1), index, None
        return None
    if word.text in FRACTIONS:
        return None
    if word.text == "one" and not _counts(words, index):
        return None
    if word.text in ("single", "once", "twice", "half") and not _counts(words, index):
        return None
    return value, index, None


def _every(words: Sequence[Word], index: int) -> bool:
    following = words[index + 1].text if index + 1 < len(words) else ""
    return following in ("day", "week", "month", "hour", "minute", "night", "quarter", "year")


def _half_unit(words: Sequence[Word], index: int) -> int:
    """The place before the unit in "half an hour" or "half minute"; 0 where none follows."""
    for place in (index, index + 1):
        following = words[place + 1].text if place + 1 < len(words) else ""
        if UNITS.get(singular(following), ("", 0))[0] == "time":
            return place
        if following not in ("a", "an"):
            break
    return 0


def _is_interval(words: Sequence[Word], index: int) -> bool:
    before = words[index - 1].text if index else ""
    return before in ("every", "each") or words[index].text in ("every", "each")


def _rate(per: str) -> tuple[str, Decimal]:
    """A rate per minute or hour, counted per second."""
    unit = UNITS.get(per) or UNITS.get(_PER_STEMS.get(per, ""))
    if unit is not None and unit[0] == "time":
        return "second", unit[1]
    return per, Decimal(1)


_PER_STEMS = {concept_of(word): word for word in TIME_UNITS}


def _after_time(words: Sequence[Word], index: int) -> bool:
    before = words[index - 1].text if index else ""
    return before in ("after", "for", "within", "of", "than", "least", "most", "is", "to", "half")


def _counts(words: Sequence[Word], index: int) -> bool:
    following = words[index + 1] if index + 1 < len(words) else None
    if words[index].text in ("twice", "once"):
        if index and words[index - 1].text == "at":
            return False
        if following is not None and following.text in ("a", "an") and index + 2 < len(words):
            return UNITS.get(words[index + 2].text, ("", 0))[0] == "time"
        return following is None or following.text not in _AFTER_ONCE
    return following is not None and following.sort == "word" and following.text not in (
        "of", "at", "another", "or", "by", "is", "and", "after", "place", "thing",
    )  # fmt: skip


_AFTER_ONCE = word_set("the it we you they more all")


def _decimal(text: str) -> Decimal | None:
    plain = text.lstrip("$\u20ac\u00a3 ").replace(",", "").replace("_", "").removesuffix(".x")
    try:
        return Decimal(plain)
    except InvalidOperation:
        return _version_number(plain)


def _version_number(text: str) -> Decimal:
    total = Decimal(0)
    for order, part in enumerate(text.split(".")[:3]):
        total += Decimal(int(part)) / (Decimal(1000) ** order)
    return total


def _unit(words: Sequence[Word], last: int) -> tuple[tuple[str, Decimal] | None, int]:
    if last + 1 >= len(words):
        return None, last
    text = words[last + 1].text
    found = UNITS.get(text) or UNITS.get(singular(text))
    if found is None and text in ("business", "working", "calendar") and last + 2 < len(words):
        found = UNITS.get(singular(words[last + 2].text))
        return found, last + 2 if found else last
    return found, last + 1 if found else last


def _range_end(words: Sequence[Word], last: int) -> _Start | None:
    if last + 2 >= len(words) or words[last + 1].text not in ("-", "\u2013", "to", "and"):
        return None
    if words[last + 1].text == "and" and not (last and words[last - 1].text == "between"):
        return None
    if words[last + 1].text == "to" and last and words[last - 1].text == "from":
        return None
    end = _amount(words, last + 2)
    if end is None:
        return None
    unit, place = (end[2], end[1]) if end[2] else _unit(words, end[1])
    return end[0], place, unit


def _share(words: Sequence[Word], index: int, last: int) -> Quantity | None:
    """ "One request in ten" and "3 out of 4" are shares."""
    value = _amount(words, index)
    for place in range(last + 1, min(last + 4, len(words) - 1)):
        if words[place].text not in ("in", "of"):
            continue
        whole = _amount(words, place + 1)
        if value and whole and whole[2] is None and whole[0] > value[0] > 0 and whole[0] <= 1000:
            after = words[whole[1] + 1] if whole[1] + 1 < len(words) else None
            if after is None or after.sort == "mark" or after.text in ("is", "are", "gets", "get"):
                part = value[0] * 100 / whole[0]
                return Quantity("share", part, part, "exact", index, whole[1])
    return None


def _per(words: Sequence[Word], last: int) -> str:
    for place in range(last + 1, min(last + 5, len(words) - 1)):
        text = words[place].text
        if text in ("per", "/", "every", "each") or (text in ("a", "an") and place <= last + 2):
            return concept_of(singular(words[place + 1].text))
        if words[place].sort == "mark":
            return ""
    return ""


def are_near(one: Quantity, other: Quantity) -> bool:
    """Whether two amounts are the same up to what a unit leaves open: a month, a megabyte."""
    mine, yours = one.low or one.high, other.low or other.high
    if not mine or not yours:
        return mine == yours
    loose = one.measure == "size" or (one.measure == "time" and min(mine, yours) > _LONG)
    return mine == yours or (loose and abs(mine - yours) * 40 <= max(mine, yours))


_LONG = 2_000_000
