"""Amounts in a sentence: time, size, share, money, versions and counts, with their bounds."""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import Context, Decimal
from itertools import pairwise
from typing import TYPE_CHECKING

from dmm.conflicts.bounds import bound_of
from dmm.conflicts.counting import counted_by, is_date, is_part_of_year, product_before
from dmm.conflicts.dates import date_at
from dmm.conflicts.numerals import WHOLE, Numeral, begins_amount, numeral_at, version_number
from dmm.conflicts.rates import holder_of, of_unit, per_after, rate_of
from dmm.conflicts.settings import unit_named
from dmm.conflicts.units import RATES, singular, time_unit, unit_of
from dmm.conflicts.vocabulary import concept_of, forms_of
from dmm.rules.language.wordsets import word_set

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

    @property
    def things(self) -> frozenset[str]:
        """What is counted, and whose amount it is: "4 workers per pod" are of workers and pods."""
        holder = self.per.rpartition("/")[2]
        return self.counted | {holder} if holder else self.counted

    def shown(self) -> tuple[str, Decimal | None, Decimal | None, str]:
        """What makes two quantities the same."""
        return self.measure, self.low, self.high, self.per


def quantities_of(words: Sequence[Word], sentence: str) -> tuple[Quantity, ...]:
    """Every amount among the words of a sentence."""
    found: list[Quantity] = []
    index = 0
    while index < len(words):
        quantity = _at(words, index, sentence) if begins_amount(words[index]) else None
        if quantity is None:
            index += 1
            continue
        found.append(quantity)
        index = quantity.last + 1
    return tuple(_with_percentiles(found))


def _with_percentiles(found: list[Quantity]) -> list[Quantity]:
    """ "95 of 100 requests take less than a second" speaks of p95."""
    for place, (one, other) in enumerate(pairwise(found)):
        timed = other.measure == "time" and other.bound == "most"
        if timed and one.measure == "share" and (one.low or 0) >= _MEDIAN:
            found[place] = replace(one, measure="percentile", bound="exact", high=one.low)
    return found


_MEDIAN = 50


@dataclass(slots=True)
class _Amount:
    """An amount while it is read: from `low` to `top` of a unit, from word `first` to `last`."""

    low: Decimal
    top: Decimal | None
    first: int
    last: int
    unit: tuple[str, Decimal] | None
    per: str = ""


def _at(words: Sequence[Word], index: int, sentence: str) -> Quantity | None:
    dated = date_at(words, index)
    if dated is not None:
        day, last = dated
        return Quantity("date", day, day, "exact", index, last, raw=day)
    start = of_unit(words, numeral_at(words, index, sentence))
    if start is None:
        return None
    if (start.unit is None and is_date(words, index)) or is_part_of_year(words, index):
        return None
    share = _share(words, index, start)
    if share is not None:
        return share
    amount = _Amount(start.value, None, index, start.last, start.unit, start.per)
    if amount.unit is None:
        amount.unit, amount.last, rate = _unit(words, amount.last)
        amount.per = amount.per or rate
    _extend(words, amount, sentence)
    if amount.unit is None:
        amount.unit = unit_named(words, index, amount.low)
    if amount.unit is None or amount.unit[0] in _NAMED:
        return _plain_number(words, amount)
    return _measured(words, amount)


_NAMED = frozenset(("times", "version", *(name for name, _ in RATES.values() if name != "size")))


def _rated(words: Sequence[Word], amount: _Amount) -> tuple[str, Decimal]:
    """What an amount is a rate of, and by how much it is divided for it."""
    per, every = rate_of(amount.per or per_after(words, amount.last))
    holder = holder_of(words, amount.first, amount.last)
    if per and per != "second":
        return f"/{per}", every
    return (f"{per}/{holder}" if holder else per), every


def _measured(words: Sequence[Word], amount: _Amount) -> Quantity:
    measure, scale = amount.unit or ("", Decimal(1))
    if measure == "time" and _is_interval(words, amount):
        measure = "interval"
    per, every = _rated(words, amount)
    if measure == "share":
        per, every = "", Decimal(1)
    bound = "range"
    if amount.top is None:
        bound = bound_of(words, amount.first, amount.last, counted=measure == "share")
    if measure == "clock" and amount.top is None:
        bound = "exact"
    low, top = amount.low * scale / every, (amount.top or amount.low) * scale / every
    return _bounded(measure, low, top, bound, amount, frozenset(), per)


def _plain_number(words: Sequence[Word], amount: _Amount) -> Quantity | None:
    """An amount without a unit: a version, a status, a ratio, or how many of something."""
    measure, counted = _measure_of(words, amount)
    if measure == "":
        return None
    if measure == "version":
        _order_version(words, amount)
    if measure == "share":
        amount.low, amount.top = amount.low * 100, amount.top and amount.top * 100
    bound = "range"
    if amount.top is None:
        bound = bound_of(words, amount.first, amount.last, counted=measure in ("count", "text"))
    if bound == "exact" and measure == "version" and amount.first:
        bound = bound_of(words, amount.first - 1, amount.last, counted=False)
    scale = amount.unit[1] if amount.unit else Decimal(1)
    per, every = _rated(words, amount)
    repeated = bool(counted & _TIMES) or words[amount.first].text in _TIMES
    if measure == "count" and per.startswith("second") and repeated and amount.low:
        rhythm = every / amount.low
        amount.last = _end_of_rhythm(words, amount.last)
        return _bounded("interval", rhythm, rhythm, _REVERSED.get(bound, bound), amount, _NONE, "")
    low, top = amount.low * scale / every, (amount.top or amount.low) * scale / every
    return _bounded(measure, low, top, bound, amount, counted, per)


def _end_of_rhythm(words: Sequence[Word], last: int) -> int:
    """The place of the last word of "once a day", "twice per hour"."""
    for place in range(last + 1, min(last + 4, len(words))):
        if time_unit(singular(words[place].text)) is not None:
            return place
    return last


_TIMES = frozenset(("time", "once", "twice", "thrice"))
_REVERSED = {"most": "least", "least": "most"}
_NONE: frozenset[str] = frozenset()


def _measure_of(words: Sequence[Word], amount: _Amount) -> tuple[str, frozenset[str]]:
    if amount.unit is None:
        return counted_by(words, amount.first, amount.last)
    name = amount.unit[0]
    if name == "version":
        return "version", product_before(words, amount.first)
    return "count", frozenset(("time",)) if name == "times" else frozenset((name,))


def _order_version(words: Sequence[Word], amount: _Amount) -> None:
    """3.9 comes before 3.11: a version counts by its parts."""
    amount.low = version_number(words[amount.first].text)
    if amount.top is not None:
        amount.top = version_number(words[amount.last].text)


_EXACTLY = Context(prec=15)


def _bounded(
    measure: str,
    low: Decimal,
    top: Decimal,
    bound: str,
    amount: _Amount,
    counted: frozenset[str],
    per: str,
) -> Quantity:
    if bound == "about":
        low, top = low * _A_LITTLE_LESS, top * _A_LITTLE_MORE
    least = None if bound == "most" else _EXACTLY.plus(low)
    most = None if bound == "least" else _EXACTLY.plus(top)
    place = amount.first, amount.last
    return Quantity(measure, least, most, bound, *place, counted, per, amount.low)


_A_LITTLE_LESS, _A_LITTLE_MORE = Decimal("0.9"), Decimal("1.1")


def _unit(words: Sequence[Word], last: int) -> tuple[tuple[str, Decimal] | None, int, str]:
    """The unit after a number, the place of its last word, and what it is a rate of."""
    if last + 1 >= len(words):
        return None, last, ""
    text = words[last + 1].text
    if text == "\u00d7":
        return ("times", Decimal(1)), last + 1, ""
    if text in RATES:
        name, scale = RATES[text]
        return (name, Decimal(scale)), last + 1, "second"
    head, slash, per = text.partition("/")
    found = unit_of(head)
    if slash and found is not None:
        return found, last + 1, per
    if slash and time_unit(per) is not None:
        return (concept_of(_SHORT.get(head, singular(head))), Decimal(1)), last + 1, per
    if found is None and text in WHOLE and last + 2 < len(words):
        found = unit_of(words[last + 2].text)
        return found, last + 2 if found else last, ""
    return found, last + 1 if found else last, ""


_SHORT = {"req": "request", "reqs": "request", "msg": "message", "msgs": "message"}


def _extend(words: Sequence[Word], amount: _Amount, sentence: str) -> None:
    """Take in the rest of an amount: "5 to 10 s", "an hour and a half", "1 h 30 min"."""
    tail = [word.text for word in words[amount.last + 1 : amount.last + 4]]
    if tail == ["and", "a", "half"] and amount.unit is not None:
        amount.low, amount.last = amount.low + _HALF, amount.last + 3
        return
    end = _range_end(words, amount)
    if end is None:
        _add_smaller(words, amount, sentence)
        return
    following = numeral_at(words, end, sentence)
    if following is None:
        return
    unit, last, rate = following.unit, following.last, following.per
    if unit is None:
        unit, last, rate = _unit(words, last)
    if unit is not None and amount.unit is not None and unit[0] != amount.unit[0]:
        return
    if amount.unit is not None and unit is not None and amount.unit[1] != unit[1]:
        amount.low = amount.low * amount.unit[1] / unit[1]
    amount.top, amount.last = following.value, last
    amount.unit, amount.per = unit or amount.unit, amount.per or rate


_HALF = Decimal("0.5")


def _add_smaller(words: Sequence[Word], amount: _Amount, sentence: str) -> None:
    """ "1 h 30 min" is one amount."""
    place = amount.last + 1
    if amount.unit is None or amount.unit[0] != "time" or place >= len(words):
        return
    place += words[place].text == "and"
    following = numeral_at(words, place, sentence) if place < len(words) else None
    if following is None:
        return
    unit, last = following.unit, following.last
    if unit is None:
        unit, last, _ = _unit(words, last)
    if unit is not None and unit[0] == "time" and unit[1] < amount.unit[1]:
        amount.low += following.value * unit[1] / amount.unit[1]
        amount.last = last


def _range_end(words: Sequence[Word], amount: _Amount) -> int | None:
    """Where the upper end of a range stands: after a dash, "to", or "between … and"."""
    place = amount.last + 1
    if place + 1 >= len(words):
        return None
    text = words[place].text
    before = words[amount.first - 1].text if amount.first else ""
    if text == "and":
        return place + 1 if before == "between" else None
    if text == "to":
        return (
            None
            if before == "from" and _moves(words[max(0, amount.first - 20) : amount.first])
            else place + 1
        )
    return place + 1 if text in ("-", "\u2013", "\u2026", "through") else None


def _moves(words: Sequence[Word]) -> bool:
    return any(forms_of(word.text) & _MOVES for word in words)


_MOVES = word_set(
    "move migrate switch change raise lower increase decrease reduce go grow drop cut"
)


def _is_interval(words: Sequence[Word], amount: _Amount) -> bool:
    before = words[amount.first - 1].text if amount.first else ""
    if before in _EVERY or words[amount.first].text in _EVERY:
        return True
    after = words[amount.last + 1].text if amount.last + 1 < len(words) else ""
    near = {word.text for word in words[max(0, amount.first - 5) : amount.first]}
    return after in ("apart", "interval", "intervals") or bool(near & _RHYTHM)


_EVERY = frozenset(("every", "each", "every other"))
_RHYTHM = word_set("interval intervals cadence frequency")


def _share(words: Sequence[Word], index: int, start: Numeral) -> Quantity | None:
    """ "One request in ten", "3 out of 4", "one in 200", "every 10th request"."""
    if start.unit is not None or start.value <= 0:
        return None
    for place in range(start.last + 1, min(start.last + 4, len(words) - 1)):
        text = words[place].text
        if text not in ("in", "of"):
            continue
        whole = _whole(words, place + 1)
        if whole is None or not start.value < whole.value <= _LARGEST_WHOLE:
            return None
        out = words[place - 1].text == "out" or (text == "of" and place == start.last + 1)
        if out or _ends(words, whole.last) or (text == "in" and start.value == 1):
            part = start.value * 100 / whole.value
            bound = bound_of(words, index, whole.last, counted=False)
            amount = _Amount(part, None, index, whole.last, None)
            return _bounded("share", part, part, bound, amount, frozenset(), "")
        return None
    return None


_LARGEST_WHOLE = 1_000_000


def _whole(words: Sequence[Word], place: int) -> Numeral | None:
    if words[place].text == "every" and place + 1 < len(words):
        place += 1
    found = numeral_at(words, place)
    if found is None or found.unit is not None or is_date(words, place):
        return None
    return None if _unit(words, found.last)[0] is not None else found


def _ends(words: Sequence[Word], last: int) -> bool:
    after = words[last + 1] if last + 1 < len(words) else None
    return after is None or after.sort == "mark" or after.text in ("is", "are", "gets", "get")


def are_near(one: Quantity, other: Quantity) -> bool:
    """Whether two amounts are the same up to what a unit leaves open: a month, a megabyte."""
    if "about" in (one.bound, other.bound) and not {one.bound, other.bound} & _OPEN:
        return _overlap(one, other)
    mine, yours = one.low or one.high, other.low or other.high
    if not mine or not yours:
        return mine == yours
    if one.bound == "range" == other.bound and one.high != other.high:
        return False
    loose = one.measure in ("size", "share") or (
        one.measure in ("time", "interval") and min(mine, yours) > _LONG
    )
    return mine == yours or (loose and abs(mine - yours) * 40 <= _weighed(one, mine, yours))


def _weighed(quantity: Quantity, mine: Decimal, yours: Decimal) -> Decimal:
    """What a difference is held against; of a high share, what is missing to the whole."""
    most = max(mine, yours)
    return min(most, 100 - most) if quantity.measure == "share" and most < 100 else most


_LONG = 2_000_000
_OPEN = frozenset(("most", "least"))


def _overlap(one: Quantity, other: Quantity) -> bool:
    below = one.low is None or other.high is None or one.low <= other.high
    return below and (other.low is None or one.high is None or other.low <= one.high)
