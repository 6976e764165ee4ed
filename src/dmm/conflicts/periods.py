"""When a statement holds: dates, releases and events that begin or end it."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache

from dmm.conflicts.dates import (
    DATE,
    HAPPENING,
    MONTH,
    YEAR,
    day_of,
    month_number,
    version_of,
)
from dmm.policy.wordsets import word_set

_PART = (
    r"(?:the\s+)?"
    r"(?:end\s+of\s+|start\s+of\s+|beginning\s+of\s+|early\s+|mid[\s-]+|late\s+|first\s+)?"
)
_FROM = re.compile(
    r"\b(?:from|since|starting(?:\s+(?:in|on|from|with))?|as\s+of|as\s+from|after"
    rf"|beginning(?:\s+(?:in|with))?|effective)\s+{_PART}{DATE}(?:\s+(?:on|onwards?))?",
    re.IGNORECASE,
)
_UNTIL = re.compile(
    r"\b(?:until|till|through|up\s+to|before|by|prior\s+to|ends?\s+(?:in|on))"
    rf"\s+{_PART}{DATE}",
    re.IGNORECASE,
)
_SPAN = re.compile(
    rf"\b(?:from|between)\s+(?:the\s+)?(?P<day>\d{{1,2}})(?:st|nd|rd|th)?"
    rf"(?:\s+(?:of\s+)?(?P<month>{MONTH}))?(?:,?\s+(?P<year>20\d\d))?"
    rf"\s+(?:to|and|until|till|through|-)\s+(?:the\s+)?{DATE}",
    re.IGNORECASE,
)
_BETWEEN = re.compile(rf"\b(?:between|from)\s+{_PART}{DATE}\s+(?=and\s|to\s)", re.IGNORECASE)
_AND = re.compile(rf"\b(?:and|to)\s+{_PART}{DATE}", re.IGNORECASE)
_IN = re.compile(rf"\b(?:in|during|on|for)\s+{_PART}{DATE}", re.IGNORECASE)
_EVENT_BEFORE = re.compile(
    r"\b(until|till|before|up to)\s+(?:the\s+|we\s+(?:have\s+)?|all\s+|a\s+)?((?:\w+[ -]?){1,5})",
    re.IGNORECASE,
)
_EVENT_AFTER = re.compile(
    r"(?<!at )\b(after|once|since|as of|following|as soon as)\s+"
    r"(?:the\s+|we\s+(?:have\s+)?|all\s+|a\s+)?((?:\w+[ -]?){1,5})",
    re.IGNORECASE,
)
_DURING = re.compile(
    r"\b(during|throughout|over|while|as long as)\s+(?:the\s+)?((?:[\w-]+\s?){1,4})"
    r"|\b(freeze|sprint\s\d+|black friday|holidays?|christmas)\b",
    re.IGNORECASE,
)
_FOR_NOW = re.compile(
    r"\b(?:temporarily|(?:is|are|be|only|just) temporary"
    r"|temporary (?:measure|fix|workaround|solution|exception|rule|limit|hack|arrangement|setting)"
    r"|for now|for the time being|interim|in the meantime|until further notice|at the moment"
    r"|(?:this|next) (?:week|sprint|month|quarter|cycle|iteration|release)|today only"
    r"|for the next (?:\w+ )?(?:days?|weeks?|months?|sprints?|quarters?)"
    r"|provisional(?:ly)?|in the short[- ]term)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Period:
    """A stretch of time: days as numbers where dates are given, words where events are."""

    start: float | None = None
    end: float | None = None
    versioned: bool = False
    until: frozenset[str] = frozenset()
    after: frozenset[str] = frozenset()
    during: frozenset[str] = frozenset()
    passing: bool = False

    @property
    def bounded(self) -> bool:
        """Whether anything limits the time at all."""
        return self != ALWAYS


ALWAYS = Period()


def _number(match: re.Match[str], *, closing: bool) -> tuple[float, bool]:
    parts = match.groupdict()
    version = version_of(parts)
    if version is not None:
        return version[0], True
    return day_of(parts, closing=closing, whole=closing and match.re is not _UNTIL), False


@lru_cache(maxsize=1024)
def period_of(sentence: str) -> Period:
    """The time that a sentence limits itself to."""
    lowered = sentence.lower()
    if not _TIMELY.search(lowered):
        return ALWAYS
    until = after = during = frozenset[str]()
    start = end = None
    versioned = False
    if _DATED.search(lowered):
        start, end, versioned = _dates(lowered)
    if _EVENTFUL.search(lowered):
        until = frozenset() if end is not None else _event(_EVENT_BEFORE, lowered)
        after = frozenset() if start is not None else _event(_EVENT_AFTER, lowered)
        during = _event(_DURING, lowered)
    return Period(start, end, versioned, until, after, during, bool(_FOR_NOW.search(lowered)))


def _dates(lowered: str) -> tuple[float | None, float | None, bool]:
    spanned = _span(lowered)
    if spanned is not None:
        return *spanned, False
    begin, close, within = _FROM.search(lowered), _UNTIL.search(lowered), _IN.search(lowered)
    if within and not begin and not close:
        return _within(within, lowered)
    first = _number(begin, closing=False) if begin else (None, False)
    last = _number(close, closing=True) if close else (None, False)
    return first[0], last[0], first[1] or last[1]


def _span(lowered: str) -> tuple[float, float] | None:
    """ "From 20 to 31 December", "between 15 December and 2 January"."""
    spanned = _SPAN.search(lowered)
    if spanned and version_of(spanned.groupdict()) is None:
        end = _number(spanned, closing=True)[0]
        month = spanned.group("month")
        base = (end - 1) // YEAR * YEAR if spanned.group("year") is None else _year(spanned)
        number = month_number(month) - 1 if month else int(end - 1) % YEAR // 31
        start = base + number * 31 + int(spanned.group("day"))
        return start, end + (YEAR if end < start else 0)
    between = _BETWEEN.search(lowered)
    ending = _AND.match(lowered, between.end()) if between else None
    if between and ending and version_of(between.groupdict()) is None:
        start, end = _number(between, closing=False)[0], _number(ending, closing=True)[0]
        return start, end + (YEAR if end < start else 0)
    return None


_TURNED = re.compile(
    r"\b(?:replaced|introduced|added|removed|dropped|took|arrived|landed|deprecated|changed|became)\b"
)


def _year(match: re.Match[str]) -> float:
    return float(int(match.group("year")) * YEAR)


def _within(match: re.Match[str], lowered: str) -> tuple[float | None, float | None, bool]:
    """The time of "in March", "during Q2", "in 2.x"; what happens then is not limited to it."""
    version = version_of(match.groupdict())
    if version is not None:
        number, parts = version
        if _TURNED.search(lowered):
            return number, None, True
        return number, number + 1 / 1000 ** (parts - 1), True
    happening = HAPPENING.search(lowered)
    if happening and happening.end() == match.end():
        return None, None, False
    return _number(match, closing=False)[0], _number(match, closing=True)[0], False


_DATED = re.compile(
    rf"\b(?:20\d\d|q[1-4]\b|{MONTH}|(?:version|release|v)\s?\d|\d{{1,4}}\.[\dx])", re.IGNORECASE
)
_TIMELY = re.compile(
    r"\d|until|till|before|up to|after|once|since|as of|following|as soon|during|throughout|over"
    r"|while|as long"
    r"|freeze|sprint|black friday|holiday|christmas|temporar|now|time being|interim|meantime|this "
    r"|provisional|moment|term|next |today"
    r"|(?:jan|febr)uary|march|april|may |june|july|august|ember|october"
)
_EVENTFUL = re.compile(
    r"\b(?:until|till|before the|up to|after the|once|since the|as of|following|as soon as|during"
    r"|throughout|over|while the|as long as the|freeze|sprint|black friday|holidays?|christmas)\b"
)
_CLEAR = frozenset(("until", "till", "once", "as soon as"))
_EMPTY = word_set(
    """the a an we is are has have been be of to in on and or it they all that this for with each
    every any by so new do does not"""
)
_MOMENTS = word_set(
    """freeze migration launch cutover rollout audit sprint holiday holidays christmas window
    maintenance incident outage event rewrite switch transition beta ga pilot trial quarter year
    deadline weekend friday upgrade move milestone phase"""
)


def _event(pattern: re.Pattern[str], text: str) -> frozenset[str]:
    match = pattern.search(text)
    if match is None:
        return frozenset()
    opener, *groups = match.groups()
    if opener == "once" and re.match(r"once (?:a|an|per|every|more)\b", match.group()):
        return frozenset()
    if opener not in _CLEAR and opener is not None and " the " not in match.group():
        return frozenset()
    words = re.findall(r"[a-z0-9]+", next(group for group in groups if group))
    named = frozenset(word for word in words if word not in _EMPTY and not word.isdigit())
    return named if opener in _CLEAR or named & _MOMENTS else frozenset()


def are_apart(one: Period, other: Period) -> bool:
    """Whether two periods do not meet, or one is a passing exception to the other."""
    if one == other:
        return False
    if one.versioned == other.versioned and _disjoint(one, other):
        return True
    if _dated(one) and _dated(other):
        return False
    if one.until & other.after or one.after & other.until:
        return True
    if bool(one.during) != bool(other.during) or (one.during and not one.during & other.during):
        return True
    return _is_limited(one) != _is_limited(other)


def _dated(period: Period) -> bool:
    return period.start is not None and period.end is not None


def _is_limited(period: Period) -> bool:
    return bool(
        period.end is not None
        or period.until
        or period.passing
        or period.start is not None
        or period.after
    )


def _disjoint(one: Period, other: Period) -> bool:
    if _has_year(one) != _has_year(other):
        one, other = _without_year(one), _without_year(other)
    for first, second in ((one, other), (other, one)):
        slack = 0 if first.versioned else 1
        if first.end is not None and second.start is not None and first.end <= second.start + slack:
            return True
    return False


def _has_year(period: Period) -> bool:
    return (period.start or period.end or 0) > _YEARLESS


def _without_year(period: Period) -> Period:
    if period.versioned or not _has_year(period):
        return period
    base = int(period.start or period.end or 0) // YEAR * YEAR
    start = None if period.start is None else period.start - base
    end = None if period.end is None else period.end - base
    return replace(period, start=start, end=end)


_YEARLESS = 2 * YEAR
