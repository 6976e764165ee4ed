"""Hours of the day from which and up to which a text holds, or outside of which."""

from __future__ import annotations

import re
from typing import NamedTuple

from dmm.conflicts.units import NUMBERS

DAY = 1440


class Hours(NamedTuple):
    """The minutes of the day that a text names; `away` where it holds at all others."""

    span: tuple[int, int]
    away: bool


_UNTIL = re.compile(
    r"\b(\d{1,2}):(\d\d)(?: utc| cet)?(?:\s?(?:to|and|until|till|-|\u2013)\s?"
    r"(?:(\d{1,2}):(\d\d)|(midnight|noon)))?"
)
_LASTING = re.compile(
    r"\b(?:(?P<n>[a-z]+|\d{1,2}) hours|(?P<one>(?:the|an|one) hour)) "
    r"(?:(?:that |which )?(?:starts?|begins?|starting|beginning) (?:at|with)|from|after|following) "
    r"(?:(?P<h>\d{1,2}):(?P<m>\d\d)|(?P<named>midnight|noon))"
)
_OUTSIDE = re.compile(
    r"\b(?:outside|other than|except|away from|clear of)(?: of)?"
    r"(?: (?:the|between|from|hours)){0,3}\s*$"
)
_NAMED = {"midnight": DAY, "noon": DAY // 2}


def hours_in(lowered: str) -> Hours | None:
    """The hours that a text names: "from 2:00 to 4:00", "the two hours that start at 2:00"."""
    lasting = _LASTING.search(lowered) if "hour" in lowered else None
    found = (lasting and _lasting(lasting)) or (":" in lowered and _until(lowered)) or None
    if found is None:
        return None
    begin, span = found
    return Hours(span, _OUTSIDE.search(lowered[max(0, begin - 40) : begin]) is not None)


def _lasting(match: re.Match[str]) -> tuple[int, tuple[int, int]] | None:
    number = "1" if match.group("one") else match.group("n")
    many = int(number) if number.isdigit() else int(NUMBERS.get(number, 0))
    start = _NAMED.get(match.group("named") or "", 0) % DAY
    if match.group("h"):
        start = int(match.group("h")) * 60 + int(match.group("m"))
    return (match.start(), (start, start + many * 60)) if 0 < many < _ALL else None


_ALL = 24


def _until(lowered: str) -> tuple[int, tuple[int, int]] | None:
    found = _UNTIL.search(lowered)
    if found is None:
        return None
    start = int(found.group(1)) * 60 + int(found.group(2))
    if found.group(3):
        end = int(found.group(3)) * 60 + int(found.group(4))
        return found.start(), (start, end if end > start else end + DAY)
    return found.start(), (start, _NAMED.get(found.group(5) or "", start))
