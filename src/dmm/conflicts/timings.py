"""How the times of two memories go together, whatever the words around them are."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

from dmm.conflicts.marks import marks_of
from dmm.conflicts.periods import ALWAYS, Period, lies_within, overlap
from dmm.conflicts.phases import phases_apart
from dmm.conflicts.roles import tells_both_sides, turns_agree

if TYPE_CHECKING:
    from dmm.conflicts.claims import Claim
    from dmm.conflicts.readings import Reading


class Lie(StrEnum):
    """How the periods of two memories lie to one another."""

    SAME = "same"
    OVERLAP = "overlap"
    APART = "apart"
    ONE = "one"
    NONE = "none"


class Turning(StrEnum):
    """Whether two memories tell one day on which something stops or begins.

    `WHOLE` is the same day, with one of them telling what holds before it and after it.
    """

    WHOLE = "whole"
    SAME = "same"
    OTHER = "other"
    HANDOVER = "handover"
    NONE = "none"


class Timing(NamedTuple):
    """How the periods of two memories lie, and the days on which something turns."""

    lie: Lie = Lie.NONE
    turning: Turning = Turning.NONE


_UNTOLD = Timing()


def timing(one: Reading, other: Reading) -> Timing:
    """Lay the times of two memories side by side."""
    mine, yours = _periods(one), _periods(other)
    if not mine and not yours:
        return _UNTOLD
    turning = _turning(mine, yours)
    if turning in (Turning.SAME, Turning.HANDOVER) and (_tells_both(one) or _tells_both(other)):
        turning = Turning.WHOLE
    return Timing(_lie(mine, yours), turning)


def standing(claim: Claim, reading: Reading) -> Period:
    """The time of a claim; one that tells none goes on in the time of the one before it."""
    before = ALWAYS
    if len(reading.claims) > _FEW:
        return claim.period
    for told in reading.claims:
        limited = told.period.told or told.period.bounded or bool(told.period.phases)
        if told is claim:
            return claim.period if limited else before
        if limited:
            before = ALWAYS if told.past else told.period
    return claim.period


_FEW = 4


def redated(one: Reading, other: Reading) -> bool:
    """Whether both hold in one stretch of days, in other figures: Q2, April to June."""
    mine, yours = _periods(one), _periods(other)
    if not any(p.start is not None and p.end is not None for p in (*mine, *yours)):
        return False
    same = _lie(mine, yours) is Lie.SAME
    return same and marks_of(one.memory).numbers != marks_of(other.memory).numbers


def shut_then(one: Claim, other: Claim) -> bool:
    """Whether one claim shuts a thing for a time in which the other one does something with it."""
    if one.period is ALWAYS or other.period is ALWAYS:
        return False
    if not (one.period.told and other.period.told):
        return False
    return _falls_into(one, other) or _falls_into(other, one)


def _falls_into(act: Claim, shut: Claim) -> bool:
    if act.period.away or shut.period.away or not _is_shut(shut) or _is_shut(act):
        return False
    if "read-only" in shut.text and _READS.search(act.text):
        return False
    return lies_within(act.period, shut.period) and _on_one_weekday(act.text, shut.text)


def _is_shut(claim: Claim) -> bool:
    # "No deploys from 1 May until 5 May": this "until" ends a time and gives no leave.
    ended = claim.restricts and claim.period.start is not None and claim.period.end is not None
    return claim.negative or ended or bool(_SHUT.search(claim.text))


_SHUT = re.compile(
    r"\b(?:down|off-?line|read-only|closed|shut|frozen|freezes?|locked|unavailable|unreachable"
    r"|stays? as it is|stay as they are|nobody|nothing|no one|only|alone)\b",
    re.IGNORECASE,
)
_READS = re.compile(r"\b(?:reads?|quer(?:y|ies)|selects?|scans?|looks? up)\b", re.IGNORECASE)
_WEEKDAY = re.compile(r"\b(mon|tues|wednes|thurs|fri|satur|sun)days?\b", re.IGNORECASE)


def _on_one_weekday(one: str, other: str) -> bool:
    mine, yours = ({day.lower() for day in _WEEKDAY.findall(text)} for text in (one, other))
    return not mine or not yours or bool(mine & yours)


def _tells_both(reading: Reading) -> bool:
    return any(tells_both_sides(text) for text in {claim.text for claim in reading.claims})


def _periods(reading: Reading) -> list[Period]:
    """The times that the claims of a memory hold in, each once."""
    told = [c.period for c in reading.claims if c.period is not ALWAYS]
    return [p for p in dict.fromkeys(told) if p.told or p.turn or p.phases] if told else told


def _lie(mine: list[Period], yours: list[Period]) -> Lie:
    if any(a.phases and b.phases and phases_apart(a.phases, b.phases) for a in mine for b in yours):
        return Lie.APART
    here, there = ([p for p in periods if p.told] for periods in (mine, yours))
    if not here or not there:
        return Lie.ONE if here or there else Lie.NONE
    found = {overlap(a, b) for a in here for b in there}
    return next((lie for lie in (Lie.SAME, Lie.APART, Lie.OVERLAP) if lie in found), Lie.NONE)


def _turning(mine: list[Period], yours: list[Period]) -> Turning:
    pairs = [
        (a.turn, b.turn)
        for a in mine
        for b in yours
        if a.turn and b.turn and a.turn.versioned == b.turn.versioned
    ]
    if not pairs:
        return Turning.NONE
    agreeing = [a.stops == b.stops for a, b in pairs if turns_agree(a, b)]
    if any(agreeing):
        return Turning.SAME
    if agreeing:
        return Turning.HANDOVER
    return Turning.OTHER if any(a.stops == b.stops for a, b in pairs) else Turning.NONE
