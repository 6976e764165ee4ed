"""Two memories that say the same thing in the same or other words."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from dmm.conflicts.distances import Distance, distance_of
from dmm.conflicts.facets import WEAK
from dmm.conflicts.families import FAMILIES
from dmm.conflicts.quantities import are_near
from dmm.conflicts.signs import NEGATIVE, Sign, are_opposed
from dmm.conflicts.topics import cover
from dmm.conflicts.vocabulary import GENERIC, concept_of

if TYPE_CHECKING:
    from dmm.conflicts.quantities import Quantity
    from dmm.conflicts.readings import Reading


def same_claim(one: Reading, other: Reading, likeness: float | None) -> float:
    """How sure it is that two memories say the same; 0 where anything they say differs."""
    if not one.statements or not other.statements:
        return 0.0
    if _differ_in_amount(one, other) or _differ_in_choice(one, other):
        return 0.0
    if _scopes(one) != _scopes(other) or _differ_in_name(one, other) or _are_apart(one, other):
        return 0.0
    if _differ_in_time(one, other) or _differ_in_stance(one, other):
        return 0.0
    forward = cover(_terms(one), _terms(other), other.context)
    backward = cover(_terms(other), _terms(one), one.context)
    least = min(forward, backward)
    if _are_opposed_somewhere(one, other) or _differ_in_one_word(one, other):
        return 0.0
    if _is_narrower(one, other, likeness) or _is_narrower(other, one, likeness):
        return 0.0
    return least if likeness is None else (least + likeness) / 2


def _differ_in_one_word(one: Reading, other: Reading) -> bool:
    """Whether one word stands where another does, and all else is the same word for word."""
    if len(one.statements) != 1 or len(other.statements) != 1:
        return False
    mine, yours = one.statements[0], other.statements[0]
    if mine.denied_condition != yours.denied_condition:
        return True
    if (mine.sign is Sign.OPTIONAL) != (yours.sign is Sign.OPTIONAL):
        return True
    here = [term for term in mine.order if term in mine.terms]
    there = [term for term in yours.order if term in yours.terms]
    if len(here) != len(there):
        return False
    pairs = [(a, b) for a, b in zip(here, there, strict=True) if a != b]
    if len(pairs) != 1 or not GENERIC.isdisjoint(pairs[0]):
        return False
    return pairs[0][0] not in yours.terms and pairs[0][1] not in mine.terms


def _are_opposed_somewhere(one: Reading, other: Reading) -> bool:
    return any(
        are_opposed(mine.sign, yours.sign)
        and not (mine.restricts or yours.restricts)
        and cover(mine.terms, yours.terms, frozenset()) >= _OPPOSED_COVER
        and cover(yours.terms, mine.terms, frozenset()) >= _OPPOSED_COVER
        for mine in one.statements
        for yours in other.statements
    )


_OPPOSED_COVER = 0.75


def _is_narrower(one: Reading, other: Reading, likeness: float | None) -> bool:
    """Whether one memory says all that the other says, and more."""
    if likeness is not None and likeness >= _VERY_ALIKE:
        return False
    more = [t for t in _terms(one) - _terms(other) - other.context if t not in GENERIC]
    less = [t for t in _terms(other) - _terms(one) - one.context if t not in GENERIC]
    return len(more) > 1 and not less


_VERY_ALIKE = 0.85


def _are_apart(one: Reading, other: Reading) -> bool:
    """Whether the only statements of both speak of different things, places or times."""
    if len(one.statements) != 1 or len(other.statements) != 1:
        return False
    return distance_of(one.statements[0], other.statements[0], one, other) != Distance()


def _terms(reading: Reading) -> frozenset[str]:
    return frozenset(term for statement in reading.statements for term in statement.said)


def _differ_in_amount(one: Reading, other: Reading) -> bool:
    mine, yours = _amounts(one), _amounts(other)
    return not (_all_found(mine, yours) and _all_found(yours, mine))


def _all_found(amounts: list[Quantity], others: list[Quantity]) -> bool:
    return all(
        any(other.measure == amount.measure and are_near(amount, other) for other in others)
        for amount in amounts
    )


def _amounts(reading: Reading) -> list[Quantity]:
    return [
        quantity
        for statement in reading.statements
        for quantity in statement.quantities
        if quantity.measure != "count" or quantity.low != 1
    ]


def _choices(reading: Reading) -> frozenset[tuple[str, str]]:
    return frozenset(
        choice
        for statement in reading.statements
        for choice in statement.chosen
        if not FAMILIES[choice[0]].contrary
    )


def _differ_in_choice(one: Reading, other: Reading) -> bool:
    mine = {concept_of(member) for _, member in _choices(one)}
    yours = {concept_of(member) for _, member in _choices(other)}
    return bool(mine - _mentioned(other)) or bool(yours - _mentioned(one))


def _mentioned(reading: Reading) -> set[str]:
    told = {
        concept_of(member)
        for statement in reading.statements
        for _, member in statement.chosen | statement.refused
    }
    return told | reading.context


def _scopes(reading: Reading) -> frozenset[tuple[str, str]]:
    found = {
        (dimension, value)
        for scopes in (s.scopes for s in reading.statements)
        for dimension, values in scopes.items()
        for value in values
        if dimension not in WEAK
    }
    return frozenset(found)


def _differ_in_name(one: Reading, other: Reading) -> bool:
    mine = frozenset(name for s in one.statements for name in s.names if name not in GENERIC)
    yours = frozenset(name for s in other.statements for name in s.names if name not in GENERIC)
    return bool(mine - other.context) and bool(yours - one.context)


def _differ_in_time(one: Reading, other: Reading) -> bool:
    mine = {replace(s.period, passing=False) for s in one.statements}
    return mine != {replace(s.period, passing=False) for s in other.statements}


def _differ_in_stance(one: Reading, other: Reading) -> bool:
    mine = {s.sign in NEGATIVE for s in one.statements}
    yours = {s.sign in NEGATIVE for s in other.statements}
    return mine.isdisjoint(yours)
