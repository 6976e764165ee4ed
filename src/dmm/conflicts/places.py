"""Where a clause says that it holds: environments, platforms, parts and the like."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from dmm.conflicts.clauses import is_verb
from dmm.conflicts.facets import PARTS, facet_of
from dmm.conflicts.telling import tells
from dmm.conflicts.vocabulary import concepts
from dmm.rules.language.wordsets import word_set

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dmm.conflicts.words import Word


_WORDS = ("word", "name")


def facets_in(words: Sequence[Word]) -> list[tuple[int, str, str]]:
    """The words that name a place: their index, dimension and value."""
    found: list[tuple[int, str, str]] = []
    for index, word in enumerate(words):
        if word.sort in _WORDS:
            facet = facet_of(word.text, word.concept, named=word.named)
            if facet is not None and _is_meant(words, index, facet[0]):
                found.append((index, *facet))
    return found


def _is_meant(words: Sequence[Word], index: int, dimension: str) -> bool:
    """ "A read timeout" is a kind of timeout; "a load balancer" is no kind of test."""
    head = _HEADS.get(dimension)
    if head is None or head in words[index].text or words[index].concept == "e2e":
        return True
    return any(word.concept == head for word in words[max(0, index - 3) : index + 4])


_HEADS = {"test-level": "test", "timeout-kind": "timeout", "token-kind": "token"}


def scopes_in(words: Sequence[Word]) -> dict[str, frozenset[str]]:
    """The values that the words name, by dimension."""
    table: dict[str, set[str]] = {}
    for index, dimension, value in facets_in(words):
        if dimension == "language" and is_written_in(words, index):
            continue
        if dimension == "part" and index and _is_head(words[index - 1]):
            continue
        if value == "ci" and not (index and words[index - 1].text in _PLACING | _DOING):
            continue
        table.setdefault(dimension, set()).add(value)
    return {dimension: frozenset(values) for dimension, values in table.items()}


def _is_head(before: Word) -> bool:
    """ "The cache backend" is a cache; it is not the back end."""
    return before.sort == "word" and tells(before) and not is_verb(before)


def is_written_in(words: Sequence[Word], index: int) -> bool:
    """Whether a language is what something is written in, not where a rule holds."""
    near = [word.concept for word in words[max(0, index - 3) : index]]
    if near[-1:] == ["use"]:
        return True
    return any(concept in ("write", "implement", "language", "rewrite", "port") for concept in near)


_DOING = frozenset(("by", "from", "via", "only"))
_PLACING = word_set("in on for under at inside within outside across")


_PLACE_NOUNS = concepts(
    """code file client service project app environment build script team machine source"""
)


def placed_in(words: Sequence[Word]) -> frozenset[str]:
    """The dimensions of place that the words name as a place, not just in passing."""
    found: set[str] = set()
    for index, dimension, _ in facets_in(words):
        before = {near.text for near in words[max(0, index - 2) : index]}
        after = words[index + 1].concept if index + 1 < len(words) else ""
        if before & _PLACING or after in _PLACE_NOUNS or index == 0:
            found.add(dimension)
    return frozenset(found)


def confined_in(words: Sequence[Word]) -> frozenset[str]:
    """The dimensions of place that "only" is said of: "only in development", "by CI only"."""
    if not any(word.text in _ONLY for word in words):
        return frozenset()
    found: set[str] = set()
    for index, dimension, _ in facets_in(words):
        if any(near.text in _ONLY for near in words[max(0, index - 3) : index + 2]):
            found.add(dimension)
    return frozenset(found)


_ONLY = frozenset(("only", "exclusively", "solely"))


def parts_in(words: Sequence[Word]) -> frozenset[str]:
    """Names of parts: the words right before "service", "page", "table"."""
    found: set[str] = set()
    for before, head in pairwise(words):
        if head.concept in PARTS and tells(before) and not is_verb(before):
            found.add(before.concept)
    return frozenset(found)
