"""Amounts in a text: money, time, size, share, time of day, versions and plain counts."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING

from dmm.text.tokens import Sort, Token, forms_at, text_at
from dmm.text.words import english, group_by_word

if TYPE_CHECKING:
    from collections.abc import Sequence

_CURRENCIES = group_by_word("currencies")
_UNITS = {
    word: (measure, Decimal(scale))
    for word, (measure, scale) in (
        (word, lead.split()) for word, lead in group_by_word("units").items()
    )
}
_MULTIPLES = {"k": 1_000, "thousand": 1_000, "m": 1_000_000, "million": 1_000_000, "hundred": 100,
              "dozen": 12}  # fmt: skip
_NUMBER_WORDS = group_by_word("numbers")
_CLOCK_WORDS = {"noon": 720, "midday": 720, "midnight": 1440}
_CLOCK = re.compile(r"(\d+)(?::(\d+)|:)?(am|pm)?")
_HALVES = {"am": 0, "pm": 12}
_PER = frozenset(("per", "a", "an", "each", "every", "/"))


@dataclass(frozen=True, slots=True)
class Quantity:
    """An amount with its measure, the unit it is counted per, and the tokens it spans."""

    value: Decimal
    measure: str
    first: int
    last: int
    per: str | None = None
    version: tuple[int, ...] = ()
    counted: frozenset[str] = frozenset()
    scale: Decimal = Decimal(1)


def quantities_of(tokens: Sequence[Token]) -> tuple[Quantity, ...]:
    """Return every amount in the tokens, in order."""
    found: list[Quantity] = []
    index = 0
    while index < len(tokens):
        quantity = _quantity_at(tokens, index)
        if quantity is None:
            index += 1
        else:
            found.append(quantity)
            index = quantity.last + 1
    return tuple(found)


def _quantity_at(tokens: Sequence[Token], index: int) -> Quantity | None:
    token = tokens[index]
    if token.text in _CLOCK_WORDS:
        return Quantity(Decimal(_CLOCK_WORDS[token.text]), "clock", index, index)
    if token.sort is Sort.NUMBER and (":" in token.text or token.text.rstrip(".").endswith("m")):
        return _clock(token, index)
    value = _value(token)
    if value is None:
        return _half(tokens, index) or _one(tokens, index)
    last = index
    currency = _CURRENCIES.get(token.text[0])
    following = text_at(tokens, last + 1)
    multiple = _MULTIPLES.get(following)
    if multiple and (currency or following != "m" or _currency(tokens, last + 2)):
        value, last = value * multiple, last + 1
    currency = currency or _currency(tokens, last + 1)
    if currency:
        last += token.text[0] not in _CURRENCIES
        return _with_per(tokens, Quantity(value, f"money:{currency}", index, last))
    measured = _measured(tokens, index, last, value)
    if measured is not None:
        return measured
    version, counted = _version(token), _counted(tokens, last)
    return Quantity(value, "count", index, last, version=version, counted=counted)


def _measured(tokens: Sequence[Token], index: int, last: int, value: Decimal) -> Quantity | None:
    """Return the amount with the unit that follows it."""
    unit = _unit(tokens, last + 1)
    if unit is None:
        return None
    quantity = Quantity(value * unit[1], unit[0], index, last + 1, scale=unit[1])
    return _with_per(tokens, quantity)


def _half(tokens: Sequence[Token], index: int) -> Quantity | None:
    """ "Half an hour"."""
    if tokens[index].text != "half" or text_at(tokens, index + 1) not in ("a", "an"):
        return None
    unit = _unit(tokens, index + 2)
    return None if unit is None else Quantity(unit[1] / 2, unit[0], index, index + 2)


def _one(tokens: Sequence[Token], index: int) -> Quantity | None:
    """ "Longer than an hour", "at most a week"."""
    if tokens[index].text not in ("a", "an") or text_at(tokens, index - 1) not in _COMPARING:
        return None
    unit = _unit(tokens, index + 1)
    if unit is None or unit[0] not in ("time", "length", "volume"):
        return None
    return Quantity(unit[1], unit[0], index, index + 1, scale=unit[1])


_COMPARING = frozenset(("than", "most", "least", "within", "exceed", "under", "over"))


def _value(token: Token) -> Decimal | None:
    if token.sort is not Sort.NUMBER:
        number = _NUMBER_WORDS.get(token.text)
        return None if number is None else Decimal(number)
    plain = token.text.lstrip("$€£¥ ").replace(",", "").replace("_", "").rstrip("+")
    head, *rest = plain.removesuffix(".x").split(".")
    try:
        return Decimal(head if not rest else f"{head}.{rest[0]}")
    except InvalidOperation:
        return None


def _currency(tokens: Sequence[Token], index: int) -> str | None:
    found = sorted(forms_at(tokens, index) & _CURRENCIES.keys())
    return _CURRENCIES[found[0]] if found else None


def _unit(tokens: Sequence[Token], index: int) -> tuple[str, Decimal] | None:
    found = forms_at(tokens, index) & _UNITS.keys()
    own = text_at(tokens, index)
    return _UNITS[min(found, key=lambda form: (form != own, form))] if found else None


def _clock(token: Token, index: int) -> Quantity | None:
    found = _CLOCK.fullmatch(token.text.replace(" ", "").replace(".", ""))
    if found is None:
        return None
    hours, minutes, half = found.groups("0")
    hour = int(hours) % 12 + _HALVES[half] if half in _HALVES else int(hours)
    return Quantity(Decimal(hour * 60 + int(minutes)), "clock", index, index)


def _version(token: Token) -> tuple[int, ...]:
    if token.sort is not Sort.NUMBER or token.text[0] in _CURRENCIES or "," in token.text:
        return ()
    parts = token.text.rstrip("+").removesuffix(".x").split(".")
    return tuple(int(part) for part in parts if part.isdigit())


def _counted(tokens: Sequence[Token], last: int) -> frozenset[str]:
    """Return the forms of the words after a count that say what is counted."""
    found: list[frozenset[str]] = []
    for token in tokens[last + 1 : last + 4]:
        if token.sort in (Sort.MARK, Sort.NUMBER) or token.text in _STOPS:
            break
        found.append(token.forms)
    return frozenset().union(*found)


_STOPS = english("counted_ends")


def _with_per(tokens: Sequence[Token], quantity: Quantity) -> Quantity:
    index = quantity.last + 1
    word = text_at(tokens, index)
    if word in _PER and index + 1 < len(tokens):
        unit = min(
            tokens[index + 1].forms, key=lambda form: (form.startswith("="), len(form), form)
        )
        return replace(quantity, last=index + 1, per=unit)
    return quantity
