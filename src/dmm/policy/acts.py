"""The values of a decision as read: acts, clauses and polarity."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dmm.policy.language import Token
    from dmm.policy.phrases import Phrase
    from dmm.policy.quantities import Quantity


class Polarity(StrEnum):
    """Whether the text says that an act is done."""

    DONE = "done"
    NOT_DONE = "not done"
    UNSURE = "unsure"
    ASIDE = "aside"


class Role(StrEnum):
    """The part a clause plays in its sentence."""

    MAIN = "main"
    REASON = "reason"
    CONCESSION = "concession"
    CONDITION = "condition"
    RELATIVE = "relative"


@dataclass(frozen=True, slots=True)
class Clause:
    """A stretch of tokens with one role; `opener` is the word that opened it."""

    first: int
    last: int
    role: Role
    opener: str = ""


@dataclass(frozen=True, slots=True)
class Act:
    """One verb with what it is done to, where, when and how."""

    verb: int | None
    forms: frozenset[str]
    polarity: Polarity
    role: Role
    phrases: tuple[Phrase, ...]
    sentence: int
    passive: bool = False
    derived: bool = False
    before: tuple[int, ...] = ()

    def objects(self) -> Iterator[Phrase]:
        """The phrases the verb acts on directly."""
        for phrase in self.phrases:
            if phrase.preposition is None or (self.passive and phrase.preposition == "subject"):
                yield phrase


@dataclass(frozen=True, slots=True)
class Reading:
    """A decision as read: tokens, acts, amounts and the range of each sentence."""

    text: str
    tokens: tuple[Token, ...]
    acts: tuple[Act, ...]
    quantities: tuple[Quantity, ...]
    sentences: tuple[tuple[int, int], ...]
