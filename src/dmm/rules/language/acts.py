"""Acts and the noun phrases they are made of."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from dmm.rules.language import lexicon as lex
from dmm.rules.language.language import Sort, Token, text_at

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


class Polarity(StrEnum):
    """Whether the text says that an act is done."""

    DONE = "done"
    NOT_DONE = "not done"
    UNSURE = "unsure"
    ASIDE = "aside"


@dataclass(frozen=True, slots=True)
class Phrase:
    """Content words under one preposition; `None` marks a direct object.

    A `joined` phrase goes on with a list: "in handlers or in templates".
    """

    preposition: str | None
    indices: tuple[int, ...]
    negated: bool = False
    joined: bool = False


@dataclass(frozen=True, slots=True)
class Act:
    """One verb with what it is done to, where, when and how; no verb where things are named."""

    verb: int | None
    forms: frozenset[str]
    polarity: Polarity
    phrases: tuple[Phrase, ...]
    sentence: int
    passive: bool = False
    before: tuple[int, ...] = ()

    def objects(self) -> Iterator[Phrase]:
        """The phrases the verb acts on directly."""
        for phrase in self.phrases:
            if phrase.preposition is None or (self.passive and phrase.preposition == "subject"):
                yield phrase


def speaks(tokens: Sequence[Token], act: Act) -> bool:
    """Whether the act speaks of a matter, does away with it, or makes something that speaks."""
    if act.forms & (lex.MENTION | lex.NEGATIVE | lex.REMOVE):
        return True
    own = [phrase for phrase in act.phrases if phrase.preposition != "subject"]
    return any(tokens[phrase.indices[-1]].forms & lex.ABOUT for phrase in own)


_DENYING = frozenset(("without", "except", "insteadof", "than"))
_SKIPPED = (lex.DETERMINERS | lex.PRONOUNS | lex.AUXILIARIES | lex.ADVERBS) - {"no"}
_ARTICLES = frozenset(("the", "a", "an", "our", "my", "your", "their", "its", "this", "every"))


def phrases_of(tokens: Sequence[Token], first: int, last: int) -> tuple[Phrase, ...]:
    """The phrases of a stretch of tokens, the direct object first."""
    scan = _Scan(tokens)
    for index in range(first, last):
        scan.take(index)
    scan.flush()
    return tuple(scan.found)


class _Scan:
    """Gathers content words under the preposition and the denial they stand under."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        self.tokens = tokens
        self.found: list[Phrase] = []
        self.held: list[int] = []
        self.preposition: str | None = None
        self.negated = False
        self.joined = False

    def flush(self) -> None:
        if self.held:
            held = tuple(self.held)
            self.found.append(Phrase(self.preposition, held, self.negated, self.joined))
            self.joined = False
        self.held = []

    def take(self, index: int) -> None:
        token = self.tokens[index]
        word = token.text
        compound = index + 1 < len(self.tokens) and self.tokens[index + 1].glued
        if word in ("not", "never", "no", "neither", "nor") and not (token.glued or compound):
            self.flush()
            self.negated = True
        elif "not" in token.forms:
            self.flush()
        elif word in lex.PREPOSITIONS:
            self._open(word, index)
        elif word in lex.CONJUNCTIONS or token.sort is Sort.MARK:
            self.flush()
            self.negated = self.negated and word in ("or", "and")
            self.joined = word in ("or", "and", ",") and bool(self.found)
        elif word in _ARTICLES and self.held:
            self.flush()
            doing = self.tokens[index - 1].text.endswith("ing")
            self.preposition = self.preposition if doing else None
        elif word in lex.CONDITIONS:
            self.flush()
            self.preposition, self.negated = word, False
        elif word not in _SKIPPED:
            self.held.append(index)

    def _open(self, word: str, index: int) -> None:
        if word == "as" and text_at(self.tokens, index - 2) == "as":
            word = "than"
        kept = self.negated and (not self.held or word == "of")
        self.flush()
        self.negated = word in _DENYING or kept
        self.preposition = word
