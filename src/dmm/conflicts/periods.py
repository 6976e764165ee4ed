"""When a statement holds: dates, releases and events that begin or end it."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache

from dmm.conflicts.dates import HAPPENING, MONTH, YEAR
from dmm.conflicts.hours import DAY, hours_in
from dmm.conflicts.phases import Phase, phases_apart, phases_in
from dmm.conflicts.roles import Role, Turn, role_of, turn_of
from dmm.conflicts.spans import Span, numbered_in, put_in_figures, spans_in
from dmm.rules.language.wordsets import word_set

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
_OUTSIDE = re.compile(r"\b(outside)\s+(?:of\s+)?(?:the\s+)?((?:[\w-]+\s?){1,4})", re.IGNORECASE)
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
    outside: frozenset[str] = frozenset()
    hours: tuple[int, int] | None = None
    turn: Turn | None = None
    phases: tuple[Phase, ...] = ()
    away: bool = False

    @property
    def bounded(self) -> bool:
        """Whether anything limits the time at all."""
        told = self.until or self.after or self.during or self.outside
        return bool(told) or self.passing or self.start is not None or self.end is not None

    @property
    def told(self) -> bool:
        """Whether days, releases, hours or named times are told."""
        named = self.during or self.outside or self.hours
        return bool(named) or self.start is not None or self.end is not None


ALWAYS = Period()


@lru_cache(maxsize=1024)
def period_of(sentence: str) -> Period:
    """The time that a sentence limits itself to."""
    lowered = sentence.lower()
    phases = phases_in(lowered)
    if not _TIMELY.search(lowered):
        return replace(ALWAYS, phases=phases) if phases else ALWAYS
    lowered = put_in_figures(lowered)
    dated = _dated_in(lowered) if _DATED.search(lowered) else ALWAYS
    hours = hours_in(lowered) if ":" in lowered or " hour" in lowered else None
    until = after = during = outside = frozenset[str]()
    if _EVENTFUL.search(lowered):
        until = frozenset() if dated.end is not None else _event(_EVENT_BEFORE, lowered)
        after = frozenset() if dated.start is not None else _event(_EVENT_AFTER, lowered)
        during = numbered_in(lowered) or _event(_DURING, lowered)
        outside = _event(_OUTSIDE, lowered)
    return replace(
        dated,
        until=until,
        after=after,
        during=during - outside,
        passing=bool(_FOR_NOW.search(lowered)),
        outside=outside,
        hours=hours and hours.span,
        away=hours is not None and hours.away,
        phases=phases,
    )


def _dated_in(lowered: str) -> Period:
    """The days or releases from which and up to which a text holds."""
    start = end = None
    versioned = False
    turn: Turn | None = None
    for span in spans_in(lowered):
        role = role_of(lowered, span)
        turned = turn_of(lowered, span, role)
        gone = role is Role.WITHIN and turned is not None and turned.last <= span.last
        first, last = (span.first, None) if gone else _limits(lowered, span, role)
        turn = turn or turned
        if first is None and last is None:
            continue
        told = start is not None or end is not None
        if told and ((start is not None and end is not None) or span.versioned != versioned):
            break
        start = first if start is None else start
        end = last if end is None else end
        versioned = span.versioned
    return Period(start, end, versioned, turn=turn)


def _limits(lowered: str, span: Span, role: Role) -> tuple[float | None, float | None]:
    if role is Role.FROM:
        return span.first, None
    if role is Role.AFTER:
        return span.last if span.versioned else span.last + _HALF, None
    if role in (Role.THROUGH, Role.ENDS):
        return None, span.last
    if role is Role.BEFORE:
        return None, span.first if span.versioned else span.first - _HALF
    if role is Role.WITHIN:
        return _within(lowered, span)
    return None, None


_HALF = 0.5


def _within(lowered: str, span: Span) -> tuple[float | None, float | None]:
    """The time of "in March", "during Q2", "in 2.x"; what happens then is not limited to it."""
    if span.versioned and not span.ranged and _TURNED.search(lowered):
        return span.first, None
    happening = HAPPENING.search(lowered) if not span.ranged and not span.versioned else None
    if happening and happening.end() == span.end:
        return None, None
    return span.first, span.last


_TURNED = re.compile(
    r"\b(?:replaced|introduced|added|removed|dropped|took|arrived|landed|deprecated|changed|became)\b"
)
_DATED = re.compile(
    rf"\b(?:20\d\d|q[1-4]\b|{MONTH}|(?:version|release|v)\s?\d|\d{{1,4}}\.[\dx])", re.IGNORECASE
)
_TIMELY = re.compile(
    r"\d|until|till|before|up to|after|once|since|as of|following|as soon|during|throughout|over"
    r"|while|as long"
    r"|freeze|sprint|black friday|holiday|christmas|temporar|now|time being|interim|meantime|this "
    r"|provisional|moment|term|next |today|outside"
    r"|(?:jan|febr)uary|march|april|may |june|july|august|ember|october"
)
_EVENTFUL = re.compile(
    r"\b(?:until|till|before the|up to|after the|once|since the|as of|following|as soon as|during"
    r"|throughout|over|while the|as long as the|outside|freeze|sprints?|weeks? \d|black friday"
    r"|holidays?|christmas)\b"
)
_CLEAR = frozenset(("until", "till", "once", "as soon as", "outside"))
_EMPTY = word_set(
    """the a an we is are has have been be of to in on and or it they all that this for with each
    every any by so new do does not"""
)
_MOMENTS = word_set(
    """freeze migration launch cutover rollout audit sprint holiday holidays christmas window
    maintenance incident outage event rewrite switch transition beta ga pilot trial quarter year
    deadline weekend friday upgrade move milestone phase sale
    campaign season"""
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
    if are_disjoint(one, other):
        return True
    if _dated(one) and _dated(other):
        return False
    if one.until & other.after or one.after & other.until:
        return True
    if (one.outside and _is_within(other)) or (other.outside and _is_within(one)):
        return True
    if bool(one.during) != bool(other.during) or (one.during and not one.during & other.during):
        return True
    return _is_limited(one) != _is_limited(other)


def _is_within(period: Period) -> bool:
    return bool(period.during) or _dated(period)


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


def are_disjoint(one: Period, other: Period) -> bool:
    """Whether one ends, by its dates or releases, before the other begins, or phases differ."""
    if one.phases and other.phases and phases_apart(one.phases, other.phases):
        return True
    if one.versioned != other.versioned or not (_may_end(one, other) or _may_end(other, one)):
        return False
    if one.versioned:
        return _ends_before(one, other) or _ends_before(other, one)
    if _has_year(one) and _has_year(other):
        return _ends_before(one, other) or _ends_before(other, one)
    return _part_in_any_year(_without_year(one), _without_year(other))


def _may_end(one: Period, other: Period) -> bool:
    return one.end is not None and other.start is not None


def _ends_before(one: Period, other: Period) -> bool:
    if one.end is None or other.start is None:
        return False
    return one.end <= other.start if one.versioned else one.end < other.start


def _part_in_any_year(one: Period, other: Period) -> bool:
    """Whether days of any year keep apart, laid as near to one another as the years allow."""
    moved = [_moved(other, years * YEAR) for years in (-1, 0, 1)]
    if _dated(one) and _dated(other):
        return all(_ends_before(one, at) or _ends_before(at, one) for at in moved)
    nearest = min(moved, key=lambda at: _distance(one, at))
    return _ends_before(one, nearest) or _ends_before(nearest, one)


def _moved(period: Period, days: int) -> Period:
    start = None if period.start is None else period.start + days
    return replace(period, start=start, end=None if period.end is None else period.end + days)


def _distance(one: Period, other: Period) -> float:
    """How far the end of either lies from the start of the other."""
    gaps = [
        abs(first.end - second.start)
        for first, second in ((one, other), (other, one))
        if first.end is not None and second.start is not None
    ]
    return min(gaps, default=0.0)


def _has_year(period: Period) -> bool:
    return (period.start or period.end or 0) > _YEARLESS


def _without_year(period: Period) -> Period:
    if period.versioned or not _has_year(period):
        return period
    base = int((period.start or period.end or 0) - 1) // YEAR * YEAR
    return _moved(period, -base)


_YEARLESS = 2 * YEAR


def hours_apart(one: Period, other: Period) -> bool:
    """Whether two claims hold at different hours, at least one of them for a while."""
    if one.hours is None or other.hours is None or one.away or other.away:
        return False
    (a, b), (c, d) = one.hours, other.hours
    days = (-DAY, 0, DAY)
    return (a != b or c != d) and not any(a <= d + day and c + day <= b for day in days)


def shun_alike(one: Period, other: Period) -> bool:
    """Whether what one keeps away from is the very stretch of hours that the other names."""
    return one.away != other.away and one.hours is not None and one.hours == other.hours


def overlap(one: Period, other: Period) -> str:
    """How two periods lie: "same", "overlap", "apart", or "unknown" where one is not told."""
    if not (one.told and other.told):
        return "unknown"
    if are_disjoint(one, other) or hours_apart(one, other):
        return "apart"
    if one.during and other.during and not one.during & other.during:
        return "apart"
    if (one.outside and _is_within(other)) or (other.outside and _is_within(one)):
        return "apart"
    if (one.hours, one.during) == (other.hours, other.during) and _same_days(one, other):
        return "same"
    dated = (one.start or one.end) and (other.start or other.end)
    return "overlap" if dated or _hours_meet(one, other) else "unknown"


def lies_within(one: Period, other: Period) -> bool:
    """Whether one period, told by its days or hours, lies wholly in the other."""
    if overlap(one, other) != "overlap" or one.versioned or other.versioned:
        return False
    dated = _dated(one) and _dated(other)
    if dated and not _days_within(one, other):
        return False
    if one.hours is None or other.hours is None:
        return dated
    return _hours_within(one.hours, other.hours)


def _days_within(one: Period, other: Period) -> bool:
    if not (_has_year(one) and _has_year(other)):
        one, other = _without_year(one), _without_year(other)
    return any(_holds(_moved(one, years * YEAR), other) for years in (-1, 0, 1))


def _holds(inner: Period, outer: Period) -> bool:
    first, last = (
        (inner.start or 0.0) - (outer.start or 0.0),
        (outer.end or 0.0) - (inner.end or 0.0),
    )
    return first >= 0 and last >= 0


def _hours_within(inner: tuple[int, int], outer: tuple[int, int]) -> bool:
    return any(outer[0] <= inner[0] + day and inner[1] + day <= outer[1] for day in (-DAY, 0, DAY))


def _same_days(one: Period, other: Period) -> bool:
    """Whether two periods begin and end alike, give or take a day; a release is exact."""
    slack = 0 if one.versioned or _is_short(one) or _is_short(other) else 1
    for mine, yours in ((one.start, other.start), (one.end, other.end)):
        if (mine is None) != (yours is None):
            return False
        if mine is not None and yours is not None and abs(mine - yours) > slack:
            return False
    return one.versioned == other.versioned


def _is_short(period: Period) -> bool:
    """Whether a day more or less matters."""
    if period.start is None or period.end is None:
        return False
    return period.end - period.start < _FORTNIGHT


_FORTNIGHT = 14


def _hours_meet(one: Period, other: Period) -> bool:
    """Whether both tell hours, at least one of them a while; two points are two values."""
    spans = [p.hours for p in (one, other) if p.hours is not None]
    return len(spans) == 2 and any(start != end for start, end in spans)
