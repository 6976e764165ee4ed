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
    """Content words under one preposition; `None` marks a direct object."""

    preposition: str | None
    indices: tuple[int, ...]
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Act:
    """One verb with what it is done to, where, when and how; no verb where only things are named."""

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
    found: list[Phrase] = []
    held: list[int] = []
    preposition: str | None = None
    negated = False

    def flush() -> None:
        if held:
            found.append(Phrase(preposition, tuple(held), negated))
            held.clear()

    for index in range(first, last):
        token = tokens[index]
        word = token.text
        if word in ("not", "never", "no", "neither", "nor") and not token.glued:
            flush()
            negated = True
        elif "not" in token.forms:
            flush()
        elif word in lex.PREPOSITIONS:
            if word == "as" and text_at(tokens, index - 2) == "as":
                word = "than"
            kept = negated and not held
            flush()
            negated = word in _DENYING or kept or (negated and word == "of")
            preposition = word
        elif word in lex.CONJUNCTIONS or token.sort is Sort.MARK:
            flush()
            negated = negated and word in ("or", "and")
        elif word in _ARTICLES and held:
            flush()
            if preposition not in _DENYING:
                preposition = preposition if tokens[index - 1].text.endswith("ing") else None
        elif word in lex.CONDITIONS:
            flush()
            preposition, negated = word, False
        elif word not in _SKIPPED:
            held.append(index)
    flush()
    return tuple(found)
