"""What a date does in a sentence: it begins, ends or limits a time, or something stops on it."""

from __future__ import annotations

import re
from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

from dmm.conflicts.dates import YEAR

if TYPE_CHECKING:
    from dmm.conflicts.spans import Span


class Role(Enum):
    """How a date limits a time."""

    FROM = "from"
    AFTER = "after"
    BEFORE = "before"
    THROUGH = "through"
    WITHIN = "within"
    ENDS = "ends"
    NONE = "none"


class Turn(NamedTuple):
    """Between which days something stops or begins."""

    stops: bool
    first: float
    last: float
    versioned: bool = False


_DAYS = r"(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day,?\s+)?"
_WORDS = {
    Role.ENDS: r"(?:ends?|expires?|ceases?|runs?\s+out|stops?|closes?)(?:\s+(?:on|in|at|with))?",
    Role.FROM: r"from|since|when|once|resumes?|starting(?:\s+(?:in|on|from|with|at))?"
    r"|as\s+(?:of|from)|effective|beginning(?:\s+(?:in|on|with))?|not\s+before|no\s+earlier\s+than|on\s+or\s+after",
    Role.AFTER: r"(?<!on\sor\s)after|later\s+than|following",
    Role.THROUGH: r"through|throughout\s+and\s+including|up\s+to\s+and\s+including",
    Role.BEFORE: r"(?:up\s+)?until|till|up\s+to|(?<!not\s)before|by|prior\s+to|earlier\s+than",
    Role.WITHIN: r"in|during|on|for|throughout|over|at|of|within|between",
}
_ROLE = re.compile(
    r"\b(?:"
    + "|".join(f"(?P<{role.value}>{words})" for role, words in _WORDS.items())
    + rf")\s+(?:(?:the|all|about|app|mobile|release|version)\s+){{0,2}}{_DAYS}$"
)
_LIMITED = re.compile(
    r"\b(?:(?P<before>until|till|before)|(?P<from>since|once|after))\s+(?:[\w.'-]+\s+){1,6}"
    rf"(?:on|in|at)\s+(?:the\s+)?{_DAYS}$"
)
_REACH = 70


def role_of(lowered: str, span: Span) -> Role:
    """The role that the words before a date give it."""
    before = lowered[max(0, span.begin - _REACH) : span.begin]
    found = _LIMITED.search(before) or _ROLE.search(before)
    if found is None:
        whole = before.endswith("(") or lowered.startswith(("all", "whole"), span.begin)
        return Role.WITHIN if span.ranged or whole else Role.NONE
    role = Role(next(name for name, text in found.groupdict().items() if text))
    if span.ranged:
        return Role.WITHIN
    closing = role is Role.BEFORE and span.first == span.last and not span.versioned
    named_end = _ENDING.match(lowered, span.begin)
    return Role.THROUGH if closing and named_end else role


_ENDING = re.compile(r"(?:end|close)\s+of\b")
_CUT = re.compile(
    r";|\.\s|,\s(?:then|after that|and not|not|but)\b|\band not\b"
    r"|\band (?=go|drop|remov|delet|switch)"
)
_GONE = re.compile(
    r"\b(?:stop(?:s|ped)?|ceas\w+|end(?:s|ed)?(?! of)|expire[sd]?|drop(?:s|ped)?|remov\w+|delet\w+"
    r"|retir\w+|revok\w+|disabl\w+|terminat\w+|decommission\w*|discontinu\w+|withdrawn"
    r"|sunset\w*|abandon\w*|go(?:es)? (?:away|dark)|is gone|runs? out|410|cut off"
    r"|switch\w* (?:\w+ ){0,4}off|turn\w* (?:\w+ ){0,3}off|shut\w* (?:\w+ ){0,3}down"
    r"|(?:take|takes|taken|taking) (?:\w+ ){0,5}down|reject\w*|refus\w*|los(?:e|es|t))\b"
)
_BEGUN = re.compile(r"\b(?:starts?|begins?|becomes?|goes live|launch(?:es)?|takes? effect)\b")
_DENIED = re.compile(r"\b(?:no|not|never|nobody|nothing|none|cannot|without)\b|n['\u2019]t\b")


_BOTH_SIDES = re.compile(
    r"\b(?:up to|until|till|before|after|from) (?:that|then|this)\b|\b(?:and|,) then\b"
    r"|\bnot (?:a day|any|one day)? ?(?:earlier|sooner|before)|\bno (?:earlier|sooner|further)\b"
    r"|\bnot in any\b|\bgo(?:es)? away in\b"
)


def tells_both_sides(text: str) -> bool:
    """Whether a text says what holds before a turn and what holds after it."""
    return bool(_BOTH_SIDES.search(text.lower()))


def turn_of(lowered: str, span: Span, role: Role) -> Turn | None:
    """When something stops or begins: "until 30 June it works", "from 1 July it is gone"."""
    if role is Role.NONE or span.ranged:
        return None
    piece = _piece(lowered, span)
    gone = bool(_GONE.search(piece))
    denied = gone or bool(_DENIED.search(piece))
    days = _days_of(span, role)
    if role is Role.WITHIN and lowered.startswith(_WHOLES, span.begin) and not span.versioned:
        return Turn(not denied, span.last, span.last + 1)
    if role is Role.WITHIN:
        found = gone or bool(_BEGUN.search(piece))
        return Turn(gone, *days, span.versioned) if found else None
    if role is Role.ENDS:
        return Turn(not _DENIED.search(piece), *days, span.versioned)
    if role in (Role.FROM, Role.AFTER):
        return Turn(denied, *days, span.versioned)
    return Turn(not denied, *days, span.versioned)


_WHOLES = ("whole of", "all of", "rest of")


def _days_of(span: Span, role: Role) -> tuple[float, float]:
    """Between which days a turn lies: after a day, on it, or within a month."""
    if role is Role.FROM:
        return span.first, span.first
    if role is Role.AFTER:
        return span.last, span.last
    if role is Role.THROUGH or (span.first == span.last and not span.versioned):
        return span.last, span.last + (0 if span.versioned else 1)
    if span.versioned:
        return span.first, span.first
    return span.first, span.last


def _piece(lowered: str, span: Span) -> str:
    """The clause that a date stands in."""
    earliest, latest = max(0, span.begin - _CLAUSE), min(len(lowered), span.end + _CLAUSE)
    cuts = _CUT.finditer(lowered, earliest, span.begin)
    begin = max((cut.end() for cut in cuts), default=earliest)
    after = _CUT.search(lowered, span.end, latest)
    return lowered[begin : after.start() if after else latest]


_CLAUSE = 400


def turns_agree(one: Turn, other: Turn) -> bool:
    """Whether two turns may be on one day, give or take the day itself."""
    slack = 0 if one.versioned else 1
    mine, yours = one, other
    if not one.versioned and (one.last < _YEARLESS) != (other.last < _YEARLESS):
        mine, yours = _of_any_year(one), _of_any_year(other)
    return mine.first <= yours.last + slack and yours.first <= mine.last + slack


_YEARLESS = 2 * YEAR


def _of_any_year(turn: Turn) -> Turn:
    base = (turn.first - 1) // YEAR * YEAR
    return turn._replace(first=turn.first - base, last=turn.last - base)
