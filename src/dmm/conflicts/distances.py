"""What keeps two statements apart: place, time, version, part, condition."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dmm.conflicts.facets import WEAK
from dmm.conflicts.families import places_of
from dmm.conflicts.periods import are_apart as periods_apart
from dmm.conflicts.signs import NEGATIVE
from dmm.conflicts.topics import are_about_version, cover
from dmm.conflicts.vocabulary import GENERIC
from dmm.policy.wordsets import word_set

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dmm.conflicts.readings import Reading
    from dmm.conflicts.statements import Statement


@dataclass(frozen=True, slots=True)
class Distance:
    """Why two statements do not meet: entirely apart, or one a narrower case of the other."""

    apart: str = ""
    narrower: str = ""


def distance_of(one: Statement, other: Statement, first: Reading, second: Reading) -> Distance:
    """What keeps two statements from meeting."""
    reason = _time_between(one, other)
    if reason:
        return Distance(apart=reason)
    scoped = _scopes_apart(one, other, first, second)
    if scoped.apart:
        return scoped
    reason = _thing_between(one, other, first, second)
    if reason:
        return Distance(apart=reason)
    return scoped if scoped.narrower else _conditions(one, other, first, second)


def _time_between(one: Statement, other: Statement) -> str:
    if one.past or other.past:
        return "one tells what was"
    return "they hold at different times" if periods_apart(one.period, other.period) else ""


def _thing_between(one: Statement, other: Statement, first: Reading, second: Reading) -> str:
    if _excepts(one, other, second) or _excepts(other, one, first):
        return "one names the other as its exception"
    if _intervals_apart(one, other):
        return "they speak of different cycles"
    if _versions_apart(one, other):
        return "they speak of different versions"
    if _subjects_apart(one, other, first, second) or _parts_apart(one, other, first, second):
        return "they speak of different parts"
    return "they speak of different things" if _modifiers_apart(one, other) else ""


def _all_scopes(statement: Statement, reading: Reading) -> dict[str, frozenset[str]]:
    return {**reading.title_scopes, **statement.scopes}


def _scopes_apart(one: Statement, other: Statement, first: Reading, second: Reading) -> Distance:
    here, there = _all_scopes(one, first), _all_scopes(other, second)
    narrower = ""
    for dimension in sorted({*here, *there}):
        mine = here.get(dimension) or _tagged(first, dimension)
        yours = there.get(dimension) or _tagged(second, dimension)
        if mine and yours:
            if not mine & yours:
                return Distance(apart=f"different {dimension}")
        elif dimension not in WEAK and (mine or yours):
            narrower = _narrower(one, other, bool(mine), dimension) or narrower
    tags = _tags_apart(first.tag_scopes, second.tag_scopes, here, there)
    return Distance(apart=tags) if tags else Distance(narrower=narrower)


_TAGGED = frozenset(("environment", "platform", "language", "part"))


def _tagged(reading: Reading, dimension: str) -> frozenset[str]:
    if dimension not in _TAGGED:
        return frozenset()
    return reading.tag_scopes.get(dimension, frozenset())


def _tags_apart(
    mine: Mapping[str, frozenset[str]],
    yours: Mapping[str, frozenset[str]],
    here: Mapping[str, frozenset[str]],
    there: Mapping[str, frozenset[str]],
) -> str:
    for dimension in sorted(_TAGGED & mine.keys() & yours.keys()):
        if dimension in here or dimension in there:
            continue
        if not mine[dimension] & yours[dimension]:
            return f"different {dimension}"
    return ""


def _narrower(one: Statement, other: Statement, mine: bool, dimension: str) -> str:
    general = other if mine else one
    if general.universal or dimension not in (one if mine else other).placed:
        return ""
    if dimension == "environment" and "deploy" in one.terms & other.terms:
        return ""
    return f"one holds for a certain {dimension} only"


def _excepts(one: Statement, other: Statement, second: Reading) -> bool:
    if not one.exceptions:
        return False
    told = {term for term in one.exceptions if term not in GENERIC}
    return bool(told & (other.terms | other.conditions | second.title))


def _parts_apart(one: Statement, other: Statement, first: Reading, second: Reading) -> bool:
    mine = _own(one.parts - other.terms - second.context)
    yours = _own(other.parts - one.terms - first.context)
    return bool(mine) and bool(yours) and not one.parts & other.parts


def _intervals_apart(one: Statement, other: Statement) -> bool:
    """ "Daily backups are kept 7 days": how often is a name here, another amount the claim."""
    mine = {q.low for q in one.quantities if q.measure == "interval"}
    yours = {q.low for q in other.quantities if q.measure == "interval"}
    claims = {q.measure for q in one.quantities} & {q.measure for q in other.quantities}
    return bool(mine and yours and not mine & yours and claims - {"interval"})


def _versions_apart(one: Statement, other: Statement) -> bool:
    if are_about_version(one, other):
        return False
    mine = {q.low for q in one.quantities if q.measure == "version"}
    yours = {q.low for q in other.quantities if q.measure == "version"}
    return bool(mine) and bool(yours) and not mine & yours


def _subjects_apart(one: Statement, other: Statement, first: Reading, second: Reading) -> bool:
    """ "The API logs …" and "the worker logs …": each names a subject the other does not know."""
    mine = _own(one.subject - one.names)
    yours = _own(other.subject - other.names)
    if not mine or not yours:
        return False
    unknown = mine.isdisjoint(other.terms | second.context)
    return unknown and yours.isdisjoint(one.terms | first.context)


def _own(parts: frozenset[str]) -> frozenset[str]:
    return frozenset(p for p in parts if p not in GENERIC and not places_of(p, p))


def _modifiers_apart(one: Statement, other: Statement) -> bool:
    for head in one.modifiers.keys() & other.modifiers.keys():
        if head in _EMPTY_HEADS:
            continue
        mine = _plain(one, one.modifiers[head] - other.terms)
        yours = _plain(other, other.modifiers[head] - one.terms)
        if one.modifiers[head] & other.modifiers[head] or _are_rivals(mine, yours):
            continue
        if mine and yours:
            return True
    return False


_TELLING = word_set("primary secondary project default old new full single own")


_EMPTY_HEADS = GENERIC - word_set(
    "version file type name size number amount team project system code"
)


def _plain(statement: Statement, modifiers: frozenset[str]) -> frozenset[str]:
    return frozenset(
        term
        for term in modifiers
        if (term not in GENERIC or term in _TELLING) and term not in statement.names
    )


def _are_rivals(mine: frozenset[str], yours: frozenset[str]) -> bool:
    families = {family for term in mine for family, _ in places_of(term, term)}
    return any(family in families for term in yours for family, _ in places_of(term, term))


def _conditions(one: Statement, other: Statement, first: Reading, second: Reading) -> Distance:
    for mine, yours, context in (
        (one, other, second.context),
        (other, one, first.context),
    ):
        if yours.universal and yours.sign in NEGATIVE:
            continue
        told = frozenset(term for term in mine.conditions if term not in GENERIC)
        if told and cover(told, yours.terms | yours.conditions, context) < _CONDITION_COVER:
            return Distance(narrower="one holds under a condition")
    return Distance()


_CONDITION_COVER = 0.5
