"""Parse days in plain words, such as "last week", relative to a given day."""

from __future__ import annotations

import calendar
import datetime as dt
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

MONTHS = tuple(name.casefold() for name in calendar.month_name)
WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
NUMBERS = {
    name: value
    for value, name in enumerate(
        ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"), start=1
    )
} | {"a": 1, "an": 1, "few": 3, "a few": 3, "couple of": 2, "a couple of": 2}
# Longer than any project has lived, and short enough for the calendar.
MOST_BACK = 36_500

_MONTH = "|".join(MONTHS[1:])
_WEEKDAY = "|".join(WEEKDAYS)
_NUMBER = r"\d{1,4}|" + "|".join(sorted(NUMBERS, key=len, reverse=True))
_DAY = (
    r"\d{4}-\d{2}-\d{2}|today|yesterday|(?:last\s+)?(?:" + _WEEKDAY + r")"
    r"|(?:last|this)\s+(?:week|month|year)"
    r"|(?:" + _MONTH + r")(?:\s+\d{1,2}(?!\d))?(?:,?\s+\d{4})?"
    r"|(?:" + _NUMBER + r")\s+(?:days?|weeks?|months?|years?)\s+ago|\d{4}(?![\d-])"
)
_BETWEEN = re.compile(rf"\b(?:between|from)\s+({_DAY})\s+(?:and|to|until|till)\s+({_DAY})\b", re.I)
_SINCE = re.compile(rf"\b(?:since|after|from)\s+({_DAY})\b", re.I)
_UNTIL = re.compile(rf"\b(?:until|till|before|up\s+to)\s+({_DAY})\b", re.I)
_PAST = re.compile(
    rf"\b(?:in|over|during|within|for)?\s*(?:the\s+)?(?:last|past)\s+({_NUMBER})\s+"
    r"(day|week|month|year)s?\b",
    re.I,
)
_AT = re.compile(
    rf"\b(?:(?:in|on|during|of)\s+(?:the\s+)?({_DAY})"
    rf"|(today|yesterday|(?:last|this)\s+(?:week|month|year|{_WEEKDAY})"
    rf"|(?:{_NUMBER})\s+(?:days?|weeks?|months?)\s+ago|\d{{4}}-\d{{2}}-\d{{2}}))\b",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Span:
    """Days from the first to the last, both included; None is open. `words` is what said so."""

    since: dt.date | None
    until: dt.date | None
    words: str


def find_span(text: str, day: dt.date) -> Span | None:
    """Find the stretch of days a text speaks of; the first way of saying it that fits counts."""
    for pattern, read in _WAYS:
        for found in pattern.finditer(text):
            span = read(found, day)
            if span is not None:
                return Span(*span, " ".join(found[0].split()))
    return None


Days = tuple[dt.date | None, dt.date | None]


def _between(found: re.Match[str], day: dt.date) -> Days | None:
    first, last = _days(found[1], day), _days(found[2], day)
    return None if first is None or last is None else (first[0], last[1])


def _since(found: re.Match[str], day: dt.date) -> Days | None:
    days = _days(found[1], day)
    if days is None:
        return None
    after = found[0].casefold().startswith("after")
    return (days[1] + dt.timedelta(days=1) if after else days[0]), None


def _until(found: re.Match[str], day: dt.date) -> Days | None:
    days = _days(found[1], day)
    if days is None:
        return None
    before = found[0].casefold().startswith("before")
    return None, (days[0] - dt.timedelta(days=1) if before else days[1])


def _past(found: re.Match[str], day: dt.date) -> Days | None:
    return _back(day, _number(found[1]), found[2].casefold()), day


def _at(found: re.Match[str], day: dt.date) -> Days | None:
    return _days(found[1] or found[2], day)


_WAYS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str], dt.date], Days | None]], ...] = (
    (_BETWEEN, _between),
    (_SINCE, _since),
    (_UNTIL, _until),
    (_PAST, _past),
    (_AT, _at),
)


def _days(text: str, day: dt.date) -> tuple[dt.date, dt.date] | None:
    """Read the name of a day or of a longer stretch: its first and its last day."""
    said = " ".join(text.casefold().replace(",", " ").split())
    if said in ("today", "yesterday"):
        one = day - dt.timedelta(days=said == "yesterday")
        return one, one
    if said.endswith(" ago"):
        number, unit = said.removesuffix(" ago").rsplit(" ", 1)
        one = _back(day, _number(number), unit.rstrip("s"))
        return one, one
    last = said.removeprefix("last ")
    if last in WEEKDAYS:
        one = day - dt.timedelta(days=(day.weekday() - WEEKDAYS.index(last) - 1) % 7 + 1)
        return one, one
    if said[-4:] in ("week", "onth", "year") and said[:4] in ("last", "this"):
        return _unit(said, day)
    if said[0].isdigit():
        return _dated(said)
    return _month(said.split(), day)


def _dated(said: str) -> tuple[dt.date, dt.date] | None:
    try:
        if "-" in said:
            one = dt.date.fromisoformat(said)
            return one, one
        return dt.date(int(said), 1, 1), dt.date(int(said), 12, 31)
    except ValueError:
        return None


def _unit(said: str, day: dt.date) -> tuple[dt.date, dt.date]:
    last = said.startswith("last")
    if said.endswith("week"):
        start = day - dt.timedelta(days=day.weekday() + 7 * last)
        return start, start + dt.timedelta(days=6)
    if said.endswith("year"):
        return dt.date(day.year - last, 1, 1), dt.date(day.year - last, 12, 31)
    start = _back(day.replace(day=1), int(last), "month")
    return start, start.replace(day=calendar.monthrange(start.year, start.month)[1])


def _month(parts: list[str], day: dt.date) -> tuple[dt.date, dt.date] | None:
    """Read a month, with a day and a year where they are told; without a year, the latest one."""
    number = MONTHS.index(parts[0])
    told = [int(part) for part in parts[1:]]
    year = next((one for one in told if one > 31), None)
    date = next((one for one in told if one <= 31), None)
    if year is None:
        year = day.year if (number, date or 1) <= (day.month, day.day) else day.year - 1
    try:
        if date is not None:
            return (one := dt.date(year, number, date)), one
        length = calendar.monthrange(year, number)[1]
        return dt.date(year, number, 1), dt.date(year, number, length)
    except ValueError:
        return None


def _back(day: dt.date, number: int, unit: str) -> dt.date:
    if unit in ("day", "week"):
        return day - dt.timedelta(days=min(number * (7 if unit == "week" else 1), MOST_BACK))
    months = day.year * 12 + day.month - 1 - number * (12 if unit == "year" else 1)
    year, month = max(months // 12, 1), months % 12 + 1
    return dt.date(year, month, min(day.day, calendar.monthrange(year, month)[1]))


def _number(text: str) -> int:
    said = " ".join(text.casefold().split())
    return NUMBERS[said] if said in NUMBERS else int(said)
