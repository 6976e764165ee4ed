"""How much a number says, in figures or in words: "1.5k", "10^6", "two hundred", "half an hour"."""

from __future__ import annotations

import re
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, NamedTuple

from dmm.conflicts.dates import STARTS
from dmm.conflicts.settings import HEAP_FLAGS, heap_size, short_amount
from dmm.conflicts.units import (
    FRACTIONS,
    FREQUENCIES,
    MULTIPLIERS,
    NUMBERS,
    RATES,
    UNITS,
    unit_of,
)
from dmm.rules.language.wordsets import word_set

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dmm.conflicts.words import Word

Unit = tuple[str, Decimal]


class Numeral(NamedTuple):
    """A value, the place of its last word, and the unit where the number itself names one."""

    value: Decimal
    last: int
    unit: Unit | None = None
    per: str = ""


_GLUED = re.compile(r"(\d{1,18}(?:\.\d{1,18})?)([a-z\u00b5%]{1,12})$")
_VERSION = re.compile(r"v(\d{1,9}(?:\.\d{1,9}){0,5}(?:\.x)?)$")
_PERCENTILE = re.compile(r"p(\d\d)(?:\.?(\d{1,3}))?$")
_POWER = re.compile(r"(?:(\d{1,9}(?:\.\d{1,9})?)[*x\u00d7])?10\^(\d{1,2})$")
_PER = re.compile(r"(\d{1,18}(?:\.\d{1,18})?)([a-z]{0,12})/([a-z]{1,12})$")
_CURRENCIES = "$\u20ac\u00a3"
_ONE = Decimal(1)


def begins_amount(word: Word) -> bool:
    """Whether an amount may begin at a word; most words are passed over by this."""
    text, _, sort, _, _ = word
    if sort == "word":
        return text in _STARTS or text[0].isdigit() or text[-1].isdigit()
    return sort in ("number", "date") or (sort == "name" and text.startswith(HEAP_FLAGS))


def numeral_at(words: Sequence[Word], index: int, sentence: str = "") -> Numeral | None:
    """The number that begins at a word; None where none does."""
    word = words[index]
    if word.sort == "number":
        return _figures(words, index)
    if word.sort == "name":
        heap = heap_size(word.text)
        return Numeral(heap[0], index, heap[1]) if heap else None
    if word.sort != "word":
        return None
    text = word.text
    if text[:1].isdigit() or text[-1:].isdigit():
        short = short_amount(words, index)
        if short is not None:
            return Numeral(short[0], index, short[1])
        return _glued(text, index, sentence[word.span[0] : word.span[1]])
    return _worded(words, index) if text in _WORDED else None


_WORDED = frozenset((*NUMBERS, *FRACTIONS, *FREQUENCIES, "a", "an", "every", "each", "every other"))


_STARTS = _WORDED | STARTS


def _figures(words: Sequence[Word], index: int) -> Numeral | None:
    text = words[index].text
    if ":" in text:
        hours, _, minutes = text.partition(":")
        return Numeral(Decimal(int(hours) * 60 + int(minutes)), index, ("clock", _ONE))
    value = figure(text)
    if value is None:
        return None
    factor, last = _multiplied(words, index)
    money = UNITS["$"] if text[0] in _CURRENCIES else None
    return Numeral(value * factor, last, money)


def _multiplied(words: Sequence[Word], last: int) -> tuple[Decimal, int]:
    """ "2 million", "five hundred thousand"."""
    factor = _ONE
    while last + 1 < len(words) and words[last + 1].text in MULTIPLIERS:
        factor *= MULTIPLIERS[words[last + 1].text]
        last += 1
    return factor, last


def figure(text: str) -> Decimal | None:
    """The value of figures with their separators; of a version, major and minor in one."""
    plain = text.lstrip(_CURRENCIES + " ").replace(",", "").replace("_", "").removesuffix(".x")
    power = _POWER.match(plain)
    if power:
        return Decimal(power.group(1) or 1) * Decimal(10) ** int(power.group(2))
    if plain.count(".") > 1:
        return version_number(plain)
    try:
        value = Decimal(plain)
    except InvalidOperation:
        return None
    return value if not value or _LEAST_FIGURE < abs(value) < _MOST_FIGURE else None


_LEAST_FIGURE, _MOST_FIGURE = Decimal("1e-30"), Decimal("1e30")


def version_number(text: str) -> Decimal:
    """A version as one number that keeps the order: 3.9 comes before 3.11."""
    total = Decimal(0)
    for order, part in enumerate(text.strip(_CURRENCIES + " v").split(".")[:3]):
        if part.isdecimal():
            total += Decimal(int(part[:6])) / (Decimal(1000) ** order)
    return total


def _glued(text: str, index: int, written: str) -> Numeral | None:
    """A number and its unit in one word: "30s", "10k", "v2", "100/min"."""
    version = _VERSION.match(text)
    if version:
        return Numeral(version_number(version.group(1)), index, ("version", _ONE))
    percentile = _PERCENTILE.match(text)
    if percentile:
        value = Decimal(".".join(filter(None, percentile.groups())))
        return Numeral(value, index, ("percentile", _ONE))
    rate = _PER.match(text)
    if rate:
        return _glued_rate(rate, index)
    glued = _GLUED.match(text)
    if glued is None:
        return None
    value, suffix = Decimal(glued.group(1)), glued.group(2)
    if suffix in ("k", "bn", "mio", "mn") or (suffix == "m" and written.endswith("M")):
        return Numeral(value * MULTIPLIERS["million" if suffix == "m" else suffix], index)
    if suffix == "x":
        return Numeral(value, index, ("times", _ONE))
    if suffix in RATES:
        measure, scale = RATES[suffix]
        return Numeral(value, index, (measure, Decimal(scale)), "second")
    unit = unit_of(suffix)
    return Numeral(value, index, unit) if unit else None


def _glued_rate(match: re.Match[str], index: int) -> Numeral | None:
    value, suffix, per = Decimal(match.group(1)), match.group(2), match.group(3)
    unit = unit_of(suffix) if suffix else None
    if suffix and unit is None:
        return None
    return Numeral(value, index, unit, per)


def _worded(words: Sequence[Word], index: int) -> Numeral | None:
    text = words[index].text
    if text in FREQUENCIES:
        twofold = 2 if _text(words, index - 1) == "bi" else 1
        return Numeral(twofold * Decimal(FREQUENCIES[text]), index, ("interval", _ONE))
    return (
        _part_of_unit(words, index)
        or _share(words, index)
        or _of_round(words, index)
        or _spelled(words, index)
    )


def _text(words: Sequence[Word], index: int) -> str:
    return words[index].text if 0 <= index < len(words) else ""


_PARTS = {"half": Decimal("0.5"), "quarter": Decimal("0.25"), "quarters": Decimal("0.25"),
          "third": _ONE / 3, "tenth": Decimal("0.1")}  # fmt: skip


def _part_of_unit(words: Sequence[Word], index: int) -> Numeral | None:
    """ "Half an hour", "a quarter of an hour", "three quarters of an hour", "half a megabyte"."""
    factor, place = _ONE, index
    if _text(words, index) in ("a", "one", "two", "three") and _text(words, index + 1) in _PARTS:
        factor, place = NUMBERS.get(_text(words, index), _ONE), index + 1
    part = _PARTS.get(_text(words, place))
    if part is None:
        return None
    after = place + 1
    if _text(words, after) == "of":
        after += 1
    article = _text(words, after) in ("a", "an")
    after += article
    unit = unit_of(_text(words, after))
    named_half = _text(words, place) == "half" and unit is not None and unit[0] == "time"
    if unit is None or not (article or named_half):
        return None
    return Numeral(part * factor, after, unit)


def _share(words: Sequence[Word], index: int) -> Numeral | None:
    """ "A fifth of", "two thirds of", "half of the", "half the"."""
    place, factor = index, _ONE
    if _text(words, index) in NUMBERS and _text(words, index + 1).rstrip("s") in FRACTIONS:
        place, factor = index + 1, NUMBERS[_text(words, index)]
    elif _text(words, index) in ("a", "an") and _text(words, index + 1) in FRACTIONS:
        place = index + 1
    text = _text(words, place).rstrip("s")
    if text not in FRACTIONS or (place == index and text != "half"):
        return None
    following = _text(words, place + 1)
    if following == "of" or (text == "half" and following in ("the", "our", "all")):
        return Numeral(FRACTIONS[text] * factor, place, UNITS["%"])
    return None


def _of_round(words: Sequence[Word], index: int) -> Numeral | None:
    """ "A thousand", "a dozen", "a couple of"."""
    following = _text(words, index + 1)
    if _text(words, index) not in ("a", "an") or following not in _ROUND:
        return None
    if following in ("couple", "pair"):
        last = index + 2 if _text(words, index + 2) == "of" else index + 1
        return Numeral(NUMBERS[following], last)
    factor, last = _multiplied(words, index)
    return Numeral(factor, last)


_ROUND = word_set("hundred thousand million billion dozen couple pair")


def _spelled(words: Sequence[Word], index: int) -> Numeral | None:
    text = words[index].text
    if text in ("every", "each", "every other"):
        return _every(words, index)
    if text in ("a", "an"):
        return Numeral(_ONE, index) if _is_one_unit(words, index) else None
    value = NUMBERS.get(text)
    if value is None or text in ("half", "couple", "pair"):
        return None
    half = [_text(words, index + place) for place in (1, 2, 3)] == ["and", "a", "half"]
    if text in _UNSURE and not half and not _counts(words, index):
        return None
    if text in MULTIPLIERS:
        factor, last = _multiplied(words, index - 1)
        return Numeral(factor, last)
    return _composed(words, index, value)


_UNSURE = word_set("one single once twice thrice")


def _composed(words: Sequence[Word], index: int, value: Decimal) -> Numeral:
    """ "Twenty five", "two hundred", "one and a half"."""
    last = index
    unit = NUMBERS.get(_text(words, last + 1))
    tens = NUMBERS["twenty"] <= value < NUMBERS["hundred"] and value % 10 == 0
    if tens and unit is not None and _ONE <= unit < NUMBERS["ten"] and unit % 1 == 0:
        value, last = value + unit, last + 1
    factor, last = _multiplied(words, last)
    value *= factor
    if [_text(words, last + place) for place in (1, 2, 3)] == ["and", "a", "half"]:
        return Numeral(value + NUMBERS["half"], last + 3)
    return Numeral(value, last)


def _every(words: Sequence[Word], index: int) -> Numeral | None:
    """ "Every day", "every other week", "every second month"."""
    following, after = _text(words, index + 1), _text(words, index + 2)
    if words[index].text == "every other":
        return Numeral(_TWO, index) if following in _EVERY else None
    if following in ("other", "second", "2nd") and after in _EVERY:
        return Numeral(_TWO, index + 1)
    if following in _EVERY:
        return Numeral(_ONE, index)
    nth = _NTH.match(following)
    if nth and int(nth.group(1)):
        rank = Decimal(int(nth.group(1)))
        if after in _EVERY:
            return Numeral(rank, index + 1)
        return Numeral(Decimal(100) / rank, index + 1, UNITS["%"])
    return None


_NTH = re.compile(r"(\d{1,6})(?:st|nd|rd|th)$")
_TWO = Decimal(2)


_EVERY = word_set("second minute hour day week month night quarter year sprint")


def _is_one_unit(words: Sequence[Word], index: int) -> bool:
    """ "For an hour", "after a day", "is a minute"; not "requests a minute"."""
    place = index + 1 + (_text(words, index + 1) in WHOLE)
    unit = unit_of(_text(words, place))
    if unit is None or unit[0] not in ("time", "size") or len(_text(words, place)) == 1:
        return False
    return place > index + 1 or _text(words, index - 1).rpartition(" ")[2] in _BEFORE_ONE


# Words between a number and its unit that leave the amount as it is.
WHOLE = word_set("full whole entire business working calendar consecutive more idle")
_BEFORE_ONE = word_set(
    """after for within of than least most is are to about around under over until every in exceed
    below above last lasts take takes wait waits sleep sleeps only exactly nearly almost roughly
    past beyond keep keeps be allow allows it them"""
)


def _counts(words: Sequence[Word], index: int) -> bool:
    text = words[index].text
    following = words[index + 1] if index + 1 < len(words) else None
    before = _text(words, index - 1)
    if text in ("twice", "once", "thrice"):
        if before == "at" or (following is not None and following.text == "as"):
            return False
        if text != "once":
            return True
        return following is None or following.sort == "mark" or following.text in _AFTER_ONCE
    if following is None:
        return before in _BEFORE_COUNT
    if following.sort != "word":
        return before in _BEFORE_COUNT or (following.text == "%" and text == "one")
    return following.text not in _AFTER_ONE or (following.text == "of" and before in _BEFORE_COUNT)


_AFTER_ONCE = word_set("a an per every each in and by before daily at on with for then")
_BEFORE_COUNT = word_set("least most than exactly only just to")
_AFTER_ONE = word_set("of at another or by is are and after place thing to must should can may")
