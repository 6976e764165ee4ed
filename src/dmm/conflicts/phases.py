"""Parts of a time that comes again or is counted: weekends, office hours, the first 7 days."""

from __future__ import annotations

import re
from decimal import Decimal
from itertools import islice
from math import inf
from typing import TYPE_CHECKING, NamedTuple

from dmm.conflicts.states import are_one_state, states_in
from dmm.conflicts.units import NUMBERS, singular, time_unit
from dmm.rules.language.wordsets import word_set

if TYPE_CHECKING:
    from collections.abc import Iterator

Stretch = tuple[float, float]


class Phase(NamedTuple):
    """The stretches of one axis that a text holds in, counted from what `anchor` names.

    A phase that `closes` a text may be all that is said: "deploys happen at weekends".
    """

    axis: str
    stretches: tuple[Stretch, ...]
    anchor: frozenset[str] = frozenset()
    closes: bool = False


_INSIDE: tuple[Stretch, ...] = ((0, 1),)
_OUTSIDE: tuple[Stretch, ...] = ((1, 2),)


def phases_in(lowered: str) -> tuple[Phase, ...]:
    """The parts of a week, a day, a month or a life that a text limits itself to."""
    told: list[Found] = [
        (match, Phase(_STATE, stretches, words)) for match, stretches, words in states_in(lowered)
    ]
    if any(hint in lowered for hint in _HINTS):
        told += (*_weekly(lowered), *_named(lowered), *_counted(lowered))
    if not told:
        return ()
    found = [phase._replace(closes=_closes(match, lowered)) for match, phase in told]
    axes = [phase.axis for phase in found]
    # Two stretches of one axis in one text: it cannot be told which of them a clause means.
    return tuple(phase for phase in found if axes.count(phase.axis) == 1)


_HINTS = (
    *("week", "nday", "sday", "iday", "urday", "ing day", "ess day", "other day", "the day"),
    *("daytime", "morning", "noon", "evening", "night", " hours", "peak", "window", "season"),
    *("period", "odd ", "even ", "first ", "last ", " half ", " than ", " old", "passed"),
    *("elapsed", "after ", "hours before", "days before", "within ", "from the ", "other times"),
)


def _closes(match: re.Match[str], lowered: str) -> bool:
    """Whether a phase follows what it is said of, and neither an amount nor a denial is told."""
    if _LEAD.search(lowered[max(0, match.start() - _REACH) : match.start()]):
        return False
    return _TOLD.search(lowered[: match.start()] + lowered[match.end() :]) is None


_REACH = 40
_DAY = "(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_LEAD = re.compile(
    r"(?:^|[.;:,]\s)(?:[\w-]+\s)?(?:on|at|in|every|each|from|for|the|during|over|within|after|until)?\s*"
    r"(?:the\s)?$"
)
_TOLD = re.compile(
    r"\d|\b(?:no|not|never|nobody|nothing|none|without|only|two|three|four|five|six|ten)\b|n't\b"
)


def phases_apart(one: tuple[Phase, ...], other: tuple[Phase, ...]) -> bool:
    """Whether two texts hold in parts of one time that do not meet."""
    return any(
        (_are_apart(a, b) and not (a.closes and b.closes)) or _is_rest(a, b)
        for a in one
        for b in other
    )


def phases_differ(one: tuple[Phase, ...], other: tuple[Phase, ...]) -> bool:
    """Whether two texts say of one thing that it is in parts of one time that do not meet."""
    return any(
        _are_apart(a, b) and a.closes and b.closes and a.axis != _STATE for a in one for b in other
    )


def _are_apart(a: Phase, b: Phase) -> bool:
    if a.axis == b.axis == _STATE and not are_one_state(a.anchor, b.anchor):
        return False
    if a.axis != b.axis or (a.anchor and b.anchor and not a.anchor & b.anchor):
        return False
    return not any(x < d and c < y for x, y in a.stretches for c, d in b.stretches)


def _is_rest(a: Phase, b: Phase) -> bool:
    """ "On all other days" is apart from any part of a month or week that the other tells."""
    return (a.axis == _REST) != (b.axis == _REST) and {a.axis, b.axis} & _HAS_REST != set()


_REST, _STATE = "rest", "state"
_HAS_REST = {"week", "of day", "of week", "of month", "of quarter", "of year", "of sprint"}
Found = tuple[re.Match[str], Phase]
_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_OTHERWISE = (
    r"(?P<but>\b(?:all|every|each|any|the)\s+(?:other\s+)?(?P<each>day|week|time|month)s?\s+"
    r"(?:but|except|other than|apart from|besides|excluding)\s+(?:for\s+|on\s+|in\s+|at\s+)?)?"
)
_WEEKLY = re.compile(
    rf"{_OTHERWISE}(?P<out>\boutside\s+(?:of\s+)?)?(?:the\s+|a\s+)?\b"
    rf"(?:(?P<set>weekday|weekend|(?:working|business|work|week)\sday)s?\b(?!\s(?:of|after|before))"
    rf"|(?P<day>{_DAY})s?(?:\s?(?:to|through|-|\u2013|until|till|(?P<join>plus|and))\s?"
    rf"(?P<to>{_DAY})s?)?\b)"
)
_AMOUNT = re.compile(r"(?:\d|\b(?:one|two|three|four|five|ten|a|few|next|other))\s+$")
_LISTED = re.compile(
    rf"(?:^|[.;:,]\s)(?:(?:on|every|each|from|between|and|or|the|{_DAY}s?|,)\s*){{1,12}}$"
)


def _weekly(lowered: str) -> list[Found]:
    """The days of the week that a text begins with, or weekdays and weekends anywhere in it."""
    days: set[int] = set()
    first: re.Match[str] | None = None
    for match in _WEEKLY.finditer(lowered):
        if _is_time(match, lowered):
            told = _days_of(match, lowered)
            days |= set(range(7)) - told if match.group("but") or match.group("out") else told
            first = first or match
    if first is None:
        return []
    return [(first, Phase("week", tuple((day, day + 1) for day in sorted(days))))]


def _is_time(match: re.Match[str], lowered: str) -> bool:
    """Whether a day tells when something holds; "is sent on Mondays" tells what is done."""
    if match.group("but") or match.group("out"):
        return True
    before = lowered[max(0, match.start() - _REACH) : match.start()]
    if match.group("set") is not None:
        return _AMOUNT.search(before) is None
    if match.group("to") is not None:
        return before.endswith(_BEFORE_DAYS)
    return _LISTED.search(before) is not None


_BEFORE_DAYS = ("on ", "every ", "each ", "from ", "between ")


def _days_of(match: re.Match[str], lowered: str) -> set[int]:
    named = match.group("set")
    if named is not None:
        return {5, 6} if named == "weekend" else set(range(5))
    first = _DAYS.index(match.group("day"))
    last = _DAYS.index(match.group("to") or match.group("day"))
    if match.group("join") and not lowered[: match.start()].endswith("between "):
        return {first, last}
    return set(range(first, last + 1)) if first <= last else {*range(first, 7), *range(last + 1)}


_WITHIN = re.compile(
    r"\b(?:(?P<how>outside(?:\s+of)?|out\s+of|during|within|in|inside|at)\s+(?:the\s+|our\s+|a\s+)?"
    r"(?P<what>[a-z]+[ -]hours|[a-z]+ (?:window|season|period|phase)|peak(?: time)?)"
    r"|(?P<off>off)[- ](?:peak|hours))\b"
)
_PARTS = {
    "morning": (6, 12), "noon": (12, 13), "afternoon": (12, 18), "evening": (18, 22),
    "night": (22, 30), "nighttime": (22, 30), "day": (6, 22), "daytime": (6, 22),
}  # fmt: skip
_PART = re.compile(
    r"\b(?P<how>in the|in|at|by|during the|before|after|over)\s+"
    r"(?P<part>morning|afternoon|evening|nighttime|night|daytime|day|noon)s?\b"
    r"(?!\s(?:of|after|before|in question))"
)
_PARITY = re.compile(r"\b(?P<odd>odd|even)[ -](?:numbered )?(?P<of>day|week|month|sprint)s?\b")
_OTHERS = re.compile(
    rf"\b(?:all|any|every) other (?:days?|times?|weeks?|months?|weekdays?|{_DAY}s?)\b"
    r"(?! (?:but|except|of))"
)


def _named(lowered: str) -> Iterator[Found]:
    """ "During office hours", "outside office hours", "at night", "in even weeks"."""
    for match in islice(_WITHIN.finditer(lowered), _MOST):
        away = match.group("off") is not None or match.group("how").startswith("out")
        yield match, Phase(f"in {_spell(match)}", _OUTSIDE if away else _INSIDE)
    for match in islice(_PARITY.finditer(lowered), _MOST):
        odd = match.group("odd") == "odd"
        yield match, Phase(f"parity of {match.group('of')}", _INSIDE if odd else _OUTSIDE)
    for match in islice(_PART.finditer(lowered), _MOST):
        yield match, Phase("day", (_hours_of(match),))
    others = _OTHERS.search(lowered)
    if others is not None:
        yield others, Phase(_REST, _OUTSIDE)


_MOST = 4


def _spell(match: re.Match[str]) -> str:
    named = (match.group("what") or match.group().removeprefix("off")).strip(" -")
    return named.replace("-", " ").removesuffix(" hours").removesuffix(" time")


def _hours_of(match: re.Match[str]) -> Stretch:
    if match.group("part") == "noon":
        return {"before": (0, 12), "after": (12, 24)}.get(match.group("how"), _PARTS["noon"])
    return _PARTS[match.group("part")]


_NUMBER = r"(?P<n>\d{1,4}(?:\.\d{1,2})?|[a-z]+(?:-[a-z]+)?)"
_UNIT = r"(?P<unit>seconds?|minutes?|hours?|days?|nights?|weeks?|months?|quarters?|years?|sprints?)"
_MANY = rf"{_NUMBER}\s+{_UNIT}"
_AFTER = r"(?:after|of|since|following|from|into)"
_ANCHOR = r"(?P<anchor>[\w-]+(?:\s[\w-]+){0,3})"
_WHOLE = r"(?:a|an|1|one|the|each|every|any|this)\s+(?P<whole>day|week|month|quarter|year|sprint)\b"
_EDGE = re.compile(
    rf"{_OTHERWISE}(?P<past>\bafter\s+)?\bthe\s+(?P<edge>first|last|second)\s+"
    rf"(?:{_MANY}|(?P<one>hour|day|week|month|half)|(?P<few>[a-z]+|\d{{1,2}})(?=\s+of\b))?\s*"
    rf"(?:of\s+{_WHOLE}|{_AFTER}\s+{_ANCHOR})?"
)
_PAST = re.compile(
    rf"\b(?:once|when|after|as soon as)\s+(?:the first\s+)?{_MANY}\s+(?:have|has|are|is|had)\s+"
    rf"(?:passed|elapsed|gone by|over|up)(?:\s+{_AFTER}\s+{_ANCHOR})?"
)
_THEN = re.compile(
    rf"\b(?P<how>after|later than|more than|less than|within|up to|until|for)\s+{_MANY}"
    rf"(?:\s+(?P<side>{_AFTER}|before)\s+{_ANCHOR})?"
)
_NTH = re.compile(
    r"\b(?:from|starting(?: with)?|as of) (?:the )?"
    r"(?P<nth>second|third|fourth|fifth|\d{1,2}(?:nd|rd|th))"
    rf" (?P<unit>hour|day|week|month|sprint|year) (?:on(?:wards?)? )?{_AFTER} {_ANCHOR}"
)
_ORDINALS = ("first", "second", "third", "fourth", "fifth")
_AGED = re.compile(
    rf"\b(?:(?P<than>older|newer|younger|less|more) than\s+{_MANY}(?P<old>\s+old\b)?"
    r"|(?P<when>until|once|before|after|when|as soon as)\s+(?:[\w-]+\s){1,3}is\s+"
    r"(?P<m>\d{1,4}|[a-z]+)\s+(?P<u>hours?|days?|weeks?|months?|years?)\s+old)"
)
_LENGTHS = {"day": 1, "week": 7, "month": 30, "quarter": 91, "year": 365, "sprint": 14}
_SECONDS = 86_400


def _counted(lowered: str) -> Iterator[Found]:
    """ "The first 7 days after a release", "once 7 days have passed", "older than a week"."""
    aged = _AGED.search(lowered)
    if aged is not None:
        yield from _aged(aged, lowered)
    edge = _EDGE.search(lowered)
    if edge is not None:
        yield from _at_edge(edge)
        return
    for pattern, read in ((_PAST, _passed), (_NTH, _from_nth), (_THEN, _then)):
        match = pattern.search(lowered)
        if match is not None:
            yield from read(match)
            return


def _length(number: str, unit: str) -> float | None:
    """How many days so many of a unit are."""
    count = Decimal(number) if number[0].isdigit() else _IN_WORDS.get(number)
    seconds = time_unit(singular(unit))
    return None if count is None or seconds is None else float(count * seconds) / _SECONDS


_IN_WORDS = {**NUMBERS, "a": Decimal(1), "an": Decimal(1)}


def _since(match: re.Match[str], low: float | None, high: float | None) -> Iterator[Found]:
    if low is not None and high is not None:
        yield match, Phase("since", ((low, high),), _anchor(match))


def _anchor(match: re.Match[str]) -> frozenset[str]:
    words = re.findall(r"[a-z]{3,}", match.group("anchor") or "")
    return frozenset(singular(word) for word in words if word not in _PLAIN)


_PLAIN = word_set("the a an each every any its their our has have been is was are were that this")


def _at_edge(match: re.Match[str]) -> Iterator[Found]:
    whole, edge = match.group("whole"), match.group("edge")
    length = _LENGTHS[whole] if whole else 0
    days = length / 2 if match.group("one") == "half" else _edge_length(match)
    later = bool(match.group("but") or match.group("past"))
    if days is None or (edge == "second") != (match.group("one") == "half" and edge != "first"):
        return
    if not whole:
        stretch = (days, inf) if later else (0.0, days)
        yield from _since(match, *stretch) if edge == "first" else ()
        return
    first = edge == "first"
    inside = (0.0, days) if first else (length - days, float(length))
    rest = (days, float(length)) if first else (0.0, length - days)
    yield match, Phase(f"of {whole}", (rest if later else inside,))


def _edge_length(match: re.Match[str]) -> float | None:
    if match.group("n"):
        return _length(match.group("n"), match.group("unit"))
    if match.group("one"):
        return _length("one", match.group("one"))
    few = match.group("few")
    each = match.group("each") or "day"
    return _length(few or "one", each) if match.group("whole") else None


def _passed(match: re.Match[str]) -> Iterator[Found]:
    return _since(match, _length(match.group("n"), match.group("unit")), inf)


def _from_nth(match: re.Match[str]) -> Iterator[Found]:
    nth = match.group("nth")
    over = int(re.sub(r"\D", "", nth)) - 1 if nth[0].isdigit() else _ORDINALS.index(nth)
    return _since(match, _length(str(over), match.group("unit")), inf)


def _then(match: re.Match[str]) -> Iterator[Found]:
    """ "Later than an hour after a deploy", "within 2 days of a release", "after 30 days, …"."""
    days = _length(match.group("n"), match.group("unit"))
    how, side = match.group("how"), match.group("side")
    if days is None or (side is None and not (how == "after" and match.start() == 0)):
        return
    later = how in ("after", "later than", "more than")
    if side != "before":
        yield from _since(match, days if later else 0.0, inf if later else days)
        return
    # Up to an hour before the start is an hour before it and earlier.
    early = how in ("more than", "up to", "until")
    yield match, Phase("before", ((days, inf) if early else (0.0, days),), _anchor(match))


def _aged(match: re.Match[str], lowered: str) -> Iterator[Found]:
    than = match.group("than")
    following = lowered[match.end() :]
    if (than == "less" and not match.group("old")) or following.startswith(_SIDES):
        return
    number, unit = match.group("n") or match.group("m"), match.group("unit") or match.group("u")
    days = _length(number, unit)
    young = than in ("newer", "younger", "less") or match.group("when") in ("until", "before")
    if days is not None:
        yield match, Phase("age", ((0.0, days) if young else (days, inf),))


_SIDES = (" after", " before", " since", " of ")
