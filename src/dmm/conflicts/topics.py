"""Whether two statements speak of the same thing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dmm.conflicts.vocabulary import GENERIC, concepts

if TYPE_CHECKING:
    from decimal import Decimal

    from dmm.conflicts.readings import Reading
    from dmm.conflicts.statements import Statement

_GENERIC_WEIGHT = 0.25


_CONTEXT_WEIGHT = 0.75


def weigh(terms: frozenset[str]) -> float:
    """How much a set of concepts tells."""
    return sum(_GENERIC_WEIGHT if term in GENERIC else 1.0 for term in terms)


@dataclass(frozen=True, slots=True)
class Topic:
    """What two statements share: how far each is covered, and what each has alone."""

    forward: float
    backward: float
    shared: frozenset[str]
    left: frozenset[str]
    right: frozenset[str]

    @property
    def least(self) -> float:
        """The cover of the statement that is covered less."""
        return min(self.forward, self.backward)

    @property
    def most(self) -> float:
        """The cover of the statement that is covered more."""
        return max(self.forward, self.backward)


def cover(terms: frozenset[str], other: frozenset[str], context: frozenset[str]) -> float:
    """How much of the terms the other statement holds; what its surroundings hold counts less."""
    total = weigh(terms)
    if total == 0:
        return 1.0
    return (weigh(terms & other) + _CONTEXT_WEIGHT * weigh((terms - other) & context)) / total


def topic_of(
    one: Statement,
    other: Statement,
    first: Reading,
    second: Reading,
    without: frozenset[str] = frozenset(),
) -> Topic:
    """What two statements share, leaving out the concepts that are the values compared."""
    here, there = one.terms - without, other.terms - without
    return Topic(
        cover(here, there, second.context),
        cover(there, here, first.context),
        frozenset(term for term in here & there if term not in GENERIC),
        frozenset(t for t in here - there - second.context if t not in GENERIC),
        frozenset(t for t in there - here - first.context if t not in GENERIC),
    )


_VERSION_WORDS = concepts(
    """newer later version target require support run use minimum baseline upgrade pin build
    production runtime interpreter need ci deploy image standard server database"""
)


def are_about_version(one: Statement, other: Statement) -> bool:
    """Whether two statements claim which version of one product is used, and nothing else."""
    products = frozenset[str]().union(
        *(q.counted for q in (*one.quantities, *other.quantities) if q.measure == "version")
    )
    if not products & one.terms & other.terms or _other_amounts(one) != _other_amounts(other):
        return False
    rest = (one.terms ^ other.terms) - _VERSION_WORDS - products
    shared = (one.terms & other.terms) - _VERSION_WORDS - products
    return weigh(rest) <= _LITTLE and weigh(shared) <= _SOME


def _other_amounts(statement: Statement) -> set[Decimal | None]:
    return {q.raw for q in statement.quantities if q.measure != "version"}


_LITTLE = 0.5


_SOME = 2.0
