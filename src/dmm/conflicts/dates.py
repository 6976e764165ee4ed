"""Dates and versions in running text, as patterns and as numbers that keep their order."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from dmm.conflicts.words import Word

_NAMES = (
    *("january", "february", "march", "april", "may", "june", "july", "august"),
    *("september", "october", "november", "december"),
)
MONTHS = (
    {name: number for number, name in enumerate(_NAMES, 1)}
    | {name[:3]: number for number, name in enumerate(_NAMES, 1)}
    | {"sept": 9}
)
MONTH = "(?:" + "|".join([*_NAMES, *(name[:3] for name in _NAMES), "sept"]) + r")\b\.?"
DAY = r"\d{1,2}(?:st|nd|rd|th)?"
VERSION = (
    r"(?:(?:version|release|v)\s?(?P<v>\d{1,4}(?:\.\d{1,4}){0,3})(?P<x>\.x)?"
    r"|(?P<w>\d{1,4}(?:\.\d{1,4}){0,2})(?P<z>\.x)"
    r"|(?P<u>\d{1,4}(?:\.\d{1,4}){1,3})"
    r"(?=\s+(?:releases?|line|series|series|we|the|it|on|onwards?|this|all|ships"
    r"|lands|comes\s+out|is\s+(?:out|in|released)|has\s+been)\b|\s*[,;:()]|\.?\s*$)"
    r"|(?:(?<=since\s)|(?<=before\s)|(?<=as\sof\s))(?P<t>\d{1,4}(?:\.\d{1,4}){1,3})"
    r"(?!\s?(?:%|[a-z]?hz|[kmgt]i?b|ms|s|seconds?|minutes?|hours?|days?)\b))"
)
# A number of these is no year: "up to 2048 MiB".
_UNIT = r"\s?(?:%|[kmgt]i?b|bytes?|[mn\u00b5]?s|seconds?|minutes?|hours?|px|pixels?|rows?)\b"
DATE = (
    r"(?:(?P<y1>20\d\d)-(?P<m1>\d\d)(?:-(?P<d1>\d\d))?"
    rf"|(?:the\s+)?(?P<d2>\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?(?P<m2>{MONTH})(?:,?\s+(?P<y2>20\d\d))?"
    rf"|(?P<m3>{MONTH})(?:\s+(?P<d3>\d{{1,2}})(?:st|nd|rd|th)?(?!\d))?(?:,?\s+(?P<y3>20\d\d))?"
    rf"|(?P<q>q[1-4])(?:\s+(?P<y4>20\d\d))?|(?P<y5>20\d\d)(?!\d|\.\d|{_UNIT})"
    rf"|{VERSION})"
)
YEAR = 372


def version_of(parts: Mapping[str, str | None]) -> tuple[float, int] | None:
    """The version that a date pattern found, and after which part it was left open."""
    text = parts.get("v") or parts.get("w") or parts.get("u") or parts.get("t")
    if text is None:
        return None
    pieces = text.split(".")[:3]
    return sum(int(piece) / 1000**order for order, piece in enumerate(pieces)), len(pieces)


def day_of(parts: Mapping[str, str | None], *, closing: bool, whole: bool) -> float:
    """The day that a date pattern found; `closing` takes the last one of a month or year."""
    year = next((int(v) for k in ("y1", "y2", "y3", "y4", "y5") if (v := parts[k])), 0)
    month = next((v for k in ("m1", "m2", "m3") if (v := parts[k])), None)
    day = next((int(v) for k in ("d1", "d2", "d3") if (v := parts[k])), None)
    quarter = parts["q"]
    if quarter:
        number = 3 * int(quarter[1]) - (0 if closing else 2)
    elif month is None:
        number = 12 if closing else 1
    else:
        number = month_number(month)
        day = 31 if day is not None and day >= _LAST_DAYS.get(number, 31) else day
    return float(year * YEAR + (number - 1) * 31 + (day or (31 if whole else 1)))


# Months count 31 days here, so that the last one of each is the end of the month.
_LAST_DAYS = {2: 28, 4: 30, 6: 30, 9: 30, 11: 30}


def month_number(text: str) -> int:
    """The number of a month, by its name or by its figures."""
    return int(text) if text.isdigit() else MONTHS[text.lower().rstrip(".")]


# What happens on a date has it as a value; what holds on a date has it as a limit.
_HAPPENS = (
    r"\b(?:is|are|due|falls?|happens?|takes? place|scheduled|planned|starts?|begins?|ends?"
    r"|launch(?:es)?|ships|expires?|opens?|closes?|set)\s+(?:(?:due|scheduled|planned|set)\s+)?"
    r"(?:on|for|in|at|by)?\s*"
)
HAPPENING = re.compile(rf"{_HAPPENS}{DATE}", re.IGNORECASE)
_HAPPENED = re.compile(_HAPPENS + "$", re.IGNORECASE)
_WHOLE_DATE = re.compile(rf"{DATE}$", re.IGNORECASE)


def date_at(words: Sequence[Word], index: int) -> tuple[Decimal, int] | None:
    """The date that something is said to happen on, and the place of its last word."""
    if words[index].sort not in ("date", "number") and words[index].text not in STARTS:
        return None
    before = " ".join(word.text for word in words[max(0, index - 5) : index]) + " "
    if not _HAPPENED.search(before):
        return None
    for last in range(min(index + 3, len(words)) - 1, index - 1, -1):
        text = " ".join(word.text for word in words[index : last + 1])
        found = _WHOLE_DATE.match(text)
        if found and version_of(found.groupdict()) is None and not found.group("y5"):
            day = day_of(found.groupdict(), closing=False, whole=False)
            return Decimal(int(day)), last
    return None


# Words that a date may begin with.
STARTS = frozenset(MONTHS) - {"may", "mar"} | {"q1", "q2", "q3", "q4"}
