"""Verbs parted from their particle: "turn the cache off", "take the check out of the flow"."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from dmm.policy.synonyms import synonyms_of
from dmm.policy.wordsets import word_set

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dmm.policy.language import Token
    from dmm.policy.phrases import Phrase

# Verb and particle, and the verb that says the same in one word.
_PAIRS = {
    ("take", "out"): "remove",
    ("take", "away"): "remove",
    ("take", "down"): "remove",
    ("take", "off"): "remove",
    ("pull", "out"): "remove",
    ("rip", "out"): "remove",
    ("strip", "out"): "remove",
    ("cut", "out"): "remove",
    ("throw", "away"): "delete",
    ("throw", "out"): "delete",
    ("turn", "off"): "disable",
    ("switch", "off"): "disable",
    ("shut", "off"): "disable",
    ("shut", "down"): "shutdown",
    ("turn", "on"): "enable",
    ("switch", "on"): "enable",
    ("roll", "out"): "deploy",
    ("roll", "back"): "revert",
    ("write", "down"): "write",
    ("phase", "out"): "remove",
    ("hand", "over"): "give",
    ("give", "away"): "give",
    ("check", "in"): "commit",
}
_PARTICLES = frozenset(particle for _, particle in _PAIRS)


def with_particle(
    tokens: Sequence[Token], verb: int, phrases: tuple[Phrase, ...]
) -> tuple[frozenset[str], tuple[Phrase, ...]]:
    """The forms of the verb with its particle, and its phrases without the particle."""
    forms = tokens[verb].forms
    for order, phrase in enumerate(phrases):
        if phrase.preposition is not None or phrase.negated:
            continue
        word, kept = _particle(tokens, phrase)
        meaning = next((_PAIRS[form, word] for form in sorted(forms) if (form, word) in _PAIRS), "")
        if meaning:
            base = frozenset((meaning,))
            rest = tuple(
                replace(later, preposition="from") if later.preposition == "of" else later
                for later in phrases[order + 1 :]
            )
            own = replace(phrase, indices=kept)
            return base | synonyms_of(base), (*phrases[:order], own, *rest)
    return forms, phrases


def _particle(tokens: Sequence[Token], phrase: Phrase) -> tuple[str, tuple[int, ...]]:
    """The particle at the end of an object, in the object or right behind it."""
    last = phrase.indices[-1]
    if tokens[last].text in _PARTICLES and len(phrase.indices) > 1:
        return tokens[last].text, phrase.indices[:-1]
    behind = tokens[last + 1 : last + 3]
    ends = len(behind) < 2 or not behind[1].text.isalnum() or behind[1].text in _AFTER
    if behind and behind[0].text in _PARTICLES and ends:
        return behind[0].text, phrase.indices
    return "", phrase.indices


_AFTER = word_set(
    """for in during on at until while when before after because since so and or but to today with
    tonight tomorrow now again temporarily completely"""
)
