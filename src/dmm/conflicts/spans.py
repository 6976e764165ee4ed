"""Stretches of the calendar in running text: days, weeks, months, quarters, releases, ranges."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import NamedTuple

from dmm.conflicts.dates import DATE, YEAR, day_of, version_of


class Span(NamedTuple):
    """The first and the last day or release that words mean, and where those words stand."""

    first: float
    last: float
    begin: int
    end: int
    versioned: bool = False
    ranged: bool = False


_WEEKDAY = r"(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day,?\s+(?:the\s+)?)?"
_PART = (
    r"(?P<part>(?:end|start|beginning|close|middle)\s+of\s+|early\s+(?:in\s+)?|mid[\s-]+|late\s+(?:in\s+)?"
    r"|(?:first|second)\s+half\s+of\s+|(?:first|last)\s+(?:week|days?)\s+of\s+|week(?:end)?\s+of\s+"
    r"|(?:whole|all|rest|course)\s+of\s+|whole\s+|all\s+)"
)
_FOUND = re.compile(
    rf"(?<![\w.])(?:{_PART}(?:the\s+)?)?(?:(?P<from>\d{{1,2}})(?:st|nd|rd|th)?"
    rf"\s?(?:to|and|-|\u2013)\s?(?=\d{{1,2}}(?:st|nd|rd|th)?\s))?"
    rf"{_WEEKDAY}{DATE}",
    re.IGNORECASE,
)
_JOINED = re.compile(
    r"\s*(?:to|until|till|through|and|plus|-|\u2013)\s+(?:the\s+)?$", re.IGNORECASE
)
_NAMED = (
    (re.compile(r"\b(?:third|3rd) quarter(?: of)?\b"), "q3"),
    (re.compile(r"\b(?:first|1st) quarter(?: of)?\b"), "q1"),
    (re.compile(r"\b(?:second|2nd) quarter(?: of)?\b"), "q2"),
    (re.compile(r"\b(?:fourth|last|4th) quarter of (?=20\d\d)"), "q4 "),
    (re.compile(r"\bfourth quarter\b"), "q4"),
    (
        re.compile(r"\bchristmas(?: (?:eve|day))?(?= (?:and|plus|to|until|through)\b)"),
        "24 december",
    ),
    (re.compile(r"\bnew year(?:['\u2019]?s)?(?: (?:eve|day))?\b"), "31 december"),
    (re.compile(r"\bsummer of (?=20\d\d)"), "q3 "),
)
_TIMELY = re.compile(r"quarter|christmas|new year|summer")
_MOST = 12


def put_in_figures(lowered: str) -> str:
    """The text with quarters and feasts told by figures."""
    if not _TIMELY.search(lowered):
        return lowered
    for pattern, figures in _NAMED:
        lowered = pattern.sub(figures, lowered)
    return lowered


def spans_in(lowered: str) -> list[Span]:
    """The stretches of time that a text names, in order; two ends of a range are one."""
    found: list[Span] = []
    for match in _FOUND.finditer(lowered):
        found.append(_span(match))
        if len(found) == _MOST:
            break
    return _merged(found, lowered)


def _span(match: re.Match[str]) -> Span:
    parts = match.groupdict()
    version = version_of(parts)
    if version is not None:
        number, places = version
        whole = number + 1 / 1000 ** (places - 1)
        return Span(number, whole, match.start(), match.end(), versioned=True)
    first = day_of(parts, closing=False, whole=False)
    last = day_of(parts, closing=True, whole=True)
    if parts["from"]:
        start = last - (last - 1) % _MONTH + int(parts["from"]) - 1
        return Span(start, last, match.start(), match.end(), ranged=True)
    first, last = _part_of(parts["part"] or "", first, last)
    return Span(first, last, match.start(), match.end())


_MONTH = 31


def _part_of(part: str, first: float, last: float) -> tuple[float, float]:
    """The days of "the end of June", "the first half of August", "the week of 18 December"."""
    if part.startswith(("end", "close")):
        return last, last
    if part.startswith(("start", "beginning")):
        return first, first
    if part.startswith("week"):
        return first, max(last, first + (1 if part.startswith("weekend") else 6))
    middle = first + (last - first) // 2
    halves = {
        "first half": (first, middle),
        "early": (first, middle),
        "second half": (middle + 1, last),
        "late": (middle + 1, last),
        "last week": (last - 7, last),
        "first week": (first, first + 6),
        "mid": (first + (last - first) // 4, last - (last - first) // 4),
        "middle": (first + (last - first) // 4, last - (last - first) // 4),
    }
    return next((days for name, days in halves.items() if part.startswith(name)), (first, last))


def _merged(found: list[Span], lowered: str) -> list[Span]:
    out: list[Span] = []
    taken = False
    for one, other in pairwise([*found, None]):
        if one is None or taken:
            taken = False
            continue
        if other is not None and _are_ends(one, other, lowered):
            out.append(_range(one, other))
            taken = True
        else:
            out.append(one)
    return out


def _are_ends(one: Span, other: Span, lowered: str) -> bool:
    """Whether "from … to …" or "… and …" joins two dates to one stretch."""
    between = lowered[one.end : other.begin]
    if one.versioned != other.versioned or not _JOINED.fullmatch(f"{between} ".replace("  ", " ")):
        return False
    before = lowered[max(0, one.begin - _REACH) : one.begin]
    return "and" not in between or "between" in before or (other.first - one.last) % YEAR == 1


_REACH = 20


def _range(one: Span, other: Span) -> Span:
    first, last = one.first, other.last
    if not one.versioned and _has_year(other.last) and not _has_year(one.first):
        first += (other.first - 1) // YEAR * YEAR
        first -= YEAR if first > last else 0
    elif last < first:
        last += YEAR
    return Span(first, last, one.begin, other.end, one.versioned, ranged=True)


def _has_year(day: float) -> bool:
    return day > 2 * YEAR


_NUMBERED = re.compile(
    r"\b(sprint|iteration|phase|week)s? (\d{1,4})(?:(?: to | ?[-\u2013] ?| through )(\d{1,4}))?"
    r"((?:, \d{1,4})*(?:,? and \d{1,4})?)"
)
_MOST_NUMBERED = 60


def numbered_in(lowered: str) -> frozenset[str]:
    """ "Sprints 14 to 16", "sprints 17, 18 and 19": each by its name."""
    found = _NUMBERED.search(lowered)
    if found is None:
        return frozenset()
    first = int(found.group(2))
    last = min(int(found.group(3) or first), first + _MOST_NUMBERED)
    more = [int(number) for number in re.findall(r"\d+", found.group(4))]
    return frozenset(f"{found.group(1)} {number}" for number in (*range(first, last + 1), *more))
