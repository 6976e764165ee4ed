"""When a statement holds: dates, releases and events that begin or end it."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from dmm.policy.wordsets import word_set

_MONTHS = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
]
_MONTH = (
    {name: number for number, name in enumerate(_MONTHS, 1)}
    | {name[:3]: number for number, name in enumerate(_MONTHS, 1)}
    | {"sept": 9}
)
_MONTH_PATTERN = "(?:" + "|".join([*_MONTHS, *(m[:3] for m in _MONTHS), "sept"]) + r")\b\.?"
_DATE = (
    rf"(?:(?P<y1>20\d\d)-(?P<m1>\d\d)(?:-(?P<d1>\d\d))?"
    rf"|(?P<d2>\d{{1,2}})(?:st|nd|rd|th)?\s+(?P<m2>{_MONTH_PATTERN})(?:,?\s+(?P<y2>20\d\d))?"
    rf"|(?P<m3>{_MONTH_PATTERN})(?:\s+(?P<d3>\d{{1,2}})(?:st|nd|rd|th)?(?!\d))?(?:,?\s+(?P<y3>20\d\d))?"
    rf"|(?P<q>q[1-4])(?:\s+(?P<y4>20\d\d))?|(?P<y5>20\d\d)(?!\d)"
    rf"|(?:version|release|v)\s?(?P<v>\d+(?:\.\d+)*))"
)
_PART = (
    r"(?:the\s+)?(?:end\s+of\s+|start\s+of\s+|beginning\s+of\s+|early\s+|mid\s+|late\s+|first\s+)?"
)
_FROM = re.compile(
    rf"\b(?:from|since|starting(?:\s+(?:in|on|from|with))?|as\s+of|as\s+from|after|beginning(?:\s+(?:in|with))?|effective)\s+{_PART}{_DATE}"
    rf"(?:\s+(?:on|onwards?))?",
    re.IGNORECASE,
)
_UNTIL = re.compile(
    rf"\b(?:until|till|through|up\s+to|before|by|prior\s+to|ends?\s+(?:in|on))\s+{_PART}{_DATE}",
    re.IGNORECASE,
)
_BETWEEN = re.compile(rf"\bbetween\s+{_PART}{_DATE}\s+and\s", re.IGNORECASE)
_AND = re.compile(rf"\band\s+{_PART}{_DATE}", re.IGNORECASE)
_IN = re.compile(rf"\b(?:in|during|on|for)\s+{_PART}{_DATE}", re.IGNORECASE)
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
    r"\b(during|throughout|over)\s+(?:the\s+)?((?:[\w-]+\s?){1,4})"
    r"|\b(freeze|sprint\s\d+|black friday|holidays?|christmas)\b",
    re.IGNORECASE,
)
_FOR_NOW = re.compile(
    r"\b(temporar(?:y|ily)|for now|for the time being|interim|in the meantime"
    r"|this (?:week|sprint|month|quarter)"
    r"|provisional(?:ly)?|until further notice|at the moment|short[- ]term)\b",
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
    if parts["v"]:
        value = 0.0
        for order, piece in enumerate(parts["v"].split(".")[:3]):
            value += int(piece) / 1000**order
        return value, True
    year = next((int(parts[k]) for k in ("y1", "y2", "y3", "y4", "y5") if parts[k]), None)
    month = next((parts[k] for k in ("m1", "m2", "m3") if parts[k]), None)
    day = next((int(parts[k]) for k in ("d1", "d2", "d3") if parts[k]), None)
    if parts["q"]:
        number = 3 * int(parts["q"][1]) - (0 if closing else 2)
    elif month is None:
        number = 12 if closing else 1
    else:
        number = int(month) if month.isdigit() else _MONTH[month.lower().rstrip(".")]
    whole = closing and match.re is not _UNTIL
    return float((year or 0) * 372 + (number - 1) * 31 + (day or (31 if whole else 1))), False


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
    between = _BETWEEN.search(lowered)
    ending = _AND.search(lowered, between.end() - 5) if between else None
    if between and ending:
        start, _ = _number(between, closing=False)
        end, _ = _number(ending, closing=True)
        return start, end + (_YEAR if end < start else 0), False
    begin, close, within = _FROM.search(lowered), _UNTIL.search(lowered), _IN.search(lowered)
    if within and not begin and not close and not within.group("v"):
        return _number(within, closing=False)[0], _number(within, closing=True)[0], False
    first = _number(begin, closing=False) if begin else (None, False)
    last = _number(close, closing=True) if close else (None, False)
    return first[0], last[0], first[1] or last[1]


_YEAR = 372
_DATED = re.compile(
    rf"\b(?:20\d\d|q[1-4]\b|{_MONTH_PATTERN}|(?:version|release|v)\s?\d)", re.IGNORECASE
)
_TIMELY = re.compile(
    r"\d|until|till|before|up to|after|once|since|as of|following|as soon|during|throughout|over"
    r"|freeze|sprint|black friday|holiday|christmas|temporar|now|time being|interim|meantime|this "
    r"|provisional|moment|term|(?:jan|febr)uary|march|april|may |june|july|august|ember|october"
)
_EVENTFUL = re.compile(
    r"\b(?:until|till|before the|up to|after the|once|since the|as of|following|as soon as|during"
    r"|throughout|over|freeze|sprint|black friday|holidays?|christmas)\b"
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
    named = frozenset(word for word in words if word not in _EMPTY)
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
        if first.end is not None and second.start is not None and first.end <= second.start + 1:
            return True
    return False


def _has_year(period: Period) -> bool:
    return (period.start or period.end or 0) > _YEARLESS


def _without_year(period: Period) -> Period:
    if period.versioned or not _has_year(period):
        return period
    base = int(period.start or period.end or 0) // _YEAR * _YEAR
    start = None if period.start is None else period.start - base
    end = None if period.end is None else period.end - base
    return replace(period, start=start, end=end)


_YEARLESS = 2 * _YEAR
