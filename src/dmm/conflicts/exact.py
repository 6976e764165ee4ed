"""Find conflicts that need no model: links, equal texts, one changed number."""

from __future__ import annotations

import re
from itertools import product, starmap
from typing import TYPE_CHECKING

from dmm.domain.conflict import Clash, ConflictType
from dmm.text.lexicon import GRAMMAR

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dmm.domain.memory import Memory

    Choice = tuple[list[str], str]

DECIDE = "Decide which holds and deprecate the other, or say where each holds."
MERGE = "Merge them into one memory and deprecate the other."
SAME = "Both memories say the same thing."
VALUES = "They give different values for the same thing."
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_WORD = re.compile(r"[\w#$%@/.:+-]*\w|%")
_FEWEST = 4  # words that two texts with different numbers have in common
_REFUSALS = frozenset({"not", "never"})
_INSTEAD = frozenset({("instead", "of"), ("rather", "than")})
_ORDER = frozenset({"after", "before", "over", "than", "then", "to", "from", "into"})


def linked(one: Memory, other: Memory) -> bool:
    """Return whether one memory supersedes the other."""
    return other.id in one.supersedes or one.id in other.supersedes


def rivals(one: Memory, other: Memory) -> Clash | None:
    """Return a clash if two memories supersede the same one."""
    targets = sorted(set(one.supersedes) & set(other.supersedes))
    if not targets:
        return None
    told = f"Both memories claim to take the place of {', '.join(targets)}."
    return Clash(ConflictType.SUPERSESSION, 0.7, told, DECIDE, (one.title, other.title))


def compare_texts(one: str, other: str) -> ConflictType | None:
    """Compare two texts word by word; None where only a model can tell.

    Equal texts are duplicates. Texts that differ in nothing but numbers clash, and so do texts of
    the same words around "before" or "over" with two of them exchanged.
    """
    mine, yours = _words(one), _words(other)
    if mine == yours:
        return ConflictType.DUPLICATE
    if len(mine) != len(yours):
        return None
    changed = [pair for pair in zip(mine, yours, strict=True) if pair[0] != pair[1]]
    if len(mine) - len(changed) < _FEWEST:
        return None
    if all(_NUMBER.fullmatch(word) for pair in changed for word in pair):
        return ConflictType.NUMERIC
    turned = len(changed) == 2 and changed[0] == changed[1][::-1]
    if turned and not _ORDER.isdisjoint(mine):
        return ConflictType.CONTRADICTION
    return None


def compare_choices(one: Iterable[str], other: Iterable[str]) -> ConflictType | None:
    """Compare sentences that choose: "Use A, not B" and "Use B, never A", however they go on."""
    pairs = product(_choices(one), _choices(other))
    return ConflictType.CONTRADICTION if any(starmap(_refuse_each_other, pairs)) else None


def _choices(sentences: Iterable[str]) -> list[Choice]:
    found = (_choice(_words(sentence)) for sentence in sentences)
    return [(taken, refused) for taken, refused in found if refused is not None]


def _refuse_each_other(mine: Choice, yours: Choice) -> bool:
    (taken, refused), (others_taken, others_refused) = mine, yours
    return (
        refused in others_taken
        and others_refused in taken
        and refused not in taken
        and others_refused not in others_taken
    )


def _choice(words: list[str]) -> tuple[list[str], str | None]:
    """Return the words before the first refusal of a thing, and the word that is refused."""
    for at in range(1, len(words) - 1):
        refuses = words[at] in _REFUSALS or (words[at - 1], words[at]) in _INSTEAD
        if refuses and words[at + 1] not in GRAMMAR:
            return words[:at], words[at + 1]
    return words, None


def numbers_in(text: str) -> set[str]:
    """Return the numbers of a text."""
    return set(_NUMBER.findall(text))


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())
