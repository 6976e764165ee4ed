"""Noun phrases: the words that follow a verb or a preposition, and whether they are denied."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dmm.policy import lexicon as lex
from dmm.policy.language import Sort, Token

if TYPE_CHECKING:
    from collections.abc import Sequence

_DENYING = frozenset(("without", "except", "insteadof"))
_SKIPPED = (lex.DETERMINERS | lex.PRONOUNS | lex.AUXILIARIES | lex.ADVERBS) - lex.COMMON_ADVERBS | {
    "once"
}
# A determiner after content words opens the next noun: "give the intern the key".
_PARTICLES = frozenset(("up", "down", "out", "away", "back", "both", "all"))
_NOT = frozenset(("not", "never", "neither", "nor"))
_OPENING = frozenset(
    ("the", "a", "an", "our", "my", "your", "their", "its", "this", "these", "each", "every")
)


@dataclass(frozen=True, slots=True)
class Phrase:
    """Content words under one preposition; `None` marks a direct object."""

    preposition: str | None
    indices: tuple[int, ...]
    negated: bool


class _Scan:
    def __init__(self, tokens: Sequence[Token]) -> None:
        self.tokens = tokens
        self.found: list[Phrase] = []
        self.preposition: str | None = None
        self.negated = False
        self.indices: list[int] = []

    def flush(self) -> None:
        if self.indices:
            self.found.append(Phrase(self.preposition, tuple(self.indices), self.negated))
        self.indices = []

    def take(self, index: int) -> None:
        token = self.tokens[index]
        word = token.text
        if word in _NOT or (word == "no" and not token.glued):
            self.flush()
            self.negated = True
        elif word in lex.PREPOSITIONS:
            held = bool(self.indices)
            if word == self.preposition == "as" and self.tokens[index - 2].text == "as":
                word = "than"
            self.flush()
            if not (self.negated and word == "of"):
                self.negated = word in _DENYING or (self.negated and not held)
            self.preposition = word
        elif word in lex.SUBORDINATORS and self.indices:
            self.flush()
            self.preposition, self.negated = word, False
        elif word in lex.CONJUNCTIONS or token.sort is Sort.MARK:
            self.flush()
            self.negated = self.negated and word != "but"
        elif word in _OPENING and self.indices and not self._goes_on():
            self.flush()
            self.preposition = None if self.preposition not in _DENYING else self.preposition
        elif word not in _SKIPPED and not (word in ("get", "gets", "getting") and self.indices):
            self.indices.append(index)

    def _goes_on(self) -> bool:
        """ "For parsing the page", "scale down the fleet": the next noun is still its object."""
        last = self.tokens[self.indices[-1]].text
        return last in _PARTICLES or (self.preposition is not None and last.endswith("ing"))


def phrases_of(tokens: Sequence[Token], first: int, last: int) -> tuple[Phrase, ...]:
    """The phrases of a stretch of tokens, the direct object first."""
    scan = _Scan(tokens)
    for index in range(first, last):
        scan.take(index)
    scan.flush()
    return tuple(scan.found)
