"""Text to search terms: stemmed words and identifier parts, without stop words."""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING

from dmm.text.stem import stem

if TYPE_CHECKING:
    from dmm.index.records import IndexedMemory

VERSION = "analysis-1"

STOP_WORDS = frozenset(
    (
        *("a", "an", "and", "are", "as", "at", "be", "but", "by", "can", "did", "do", "does"),
        *("for", "from", "had", "has", "have", "he", "her", "him", "his", "how", "i", "if", "in"),
        *("into", "is", "it", "its", "me", "my", "no", "not", "of", "on", "or", "our", "she"),
        *("should", "so", "such", "than", "that", "the", "their", "them", "then", "there"),
        *("these", "they", "this", "to", "us", "was", "we", "were", "what", "when", "where"),
        *("which", "who", "whom", "why", "will", "with", "would", "you", "your"),
    )
)
# Possessive, and never begun inside a run of underscores: linear on any text.
_WORD = re.compile(r"(?<!_)_*+[^\W_]++(?:_++[^\W_]++)*+")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+|[^\W\d_a-zA-Z]+")
_CLITIC = re.compile(r"(\w)['\u2019](?:s|t|re|ve|ll|d|m)\b")
_IDENTIFIER = re.compile(r"\w_\w|[a-z][A-Z]|\w\.\w|\w\(|::|/\w")


def analyze(text: str) -> list[str]:
    """List the terms of a text in order; a compound identifier gives its parts and itself."""
    words = _WORD.findall(_CLITIC.sub(r"\1", text))
    return [term for word in words for term in _terms(word)]


@lru_cache(maxsize=8_192)
def _terms(word: str) -> tuple[str, ...]:
    whole = word.strip("_").lower()
    parts = [part.lower() for piece in word.split("_") if piece for part in _split_case(piece)]
    if len(parts) < 2:
        return () if whole in STOP_WORDS else (stem(whole),)
    return tuple(term for term in (*map(stem, parts), whole) if term not in STOP_WORDS)


def _split_case(piece: str) -> list[str]:
    whole = piece.islower() or piece.isupper() or not piece.isascii()
    return [piece] if whole else _PART.findall(piece)


def weigh(memory: IndexedMemory) -> dict[str, float]:
    """Count the terms of a memory's text and names; boosts were measured and do nothing."""
    return count_terms("\n".join((memory.content, memory.title, *memory.tags, *memory.aliases)))


def count_terms(text: str) -> dict[str, float]:
    """Count the terms of a text."""
    return {term: float(count) for term, count in Counter(analyze(text)).items()}


def content_words(text: str) -> list[str]:
    """List the distinct words of a text as written, without stop words."""
    words = (word.strip("_").lower() for word in _WORD.findall(_CLITIC.sub(r"\1", text)))
    return [word for word in dict.fromkeys(words) if word not in STOP_WORDS]


def weigh_query(text: str) -> dict[str, float]:
    """Weigh the terms of a query: each counts once."""
    return dict.fromkeys(analyze(text), 1.0)


def code_density(text: str) -> float:
    """Measure how much of a text is the punctuation of programs, among all that is not blank."""
    solid = sum(map(len, text.split()))
    return sum(map(text.count, "(){}[]=_;<>")) / solid if solid else 0.0


def names_identifier(query: str) -> bool:
    """Return whether a query names code: snake_case, camelCase, dotted.name, call(), path/to."""
    return _IDENTIFIER.search(query) is not None
