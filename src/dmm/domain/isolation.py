"""Find banned terms in memories, however they are spelled."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from functools import lru_cache
from typing import TYPE_CHECKING

from dmm.domain.hidden import drop_unseen

if TYPE_CHECKING:
    from collections.abc import Iterable

# Between the parts of a name: nothing, a blank, a hyphen, a new line with its quotation mark.
_BETWEEN = r"[\W_]{0,4}"
_BEGINS, _ENDS = r"(?<![^\W_])", r"(?![^\W_])"
_PART = re.compile(r"[^\W_]+")
_CODE = re.compile(r"<U\+[0-9A-F]{4,6}>")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def find_terms(text: str, terms: Iterable[str]) -> list[tuple[str, int]]:
    """Find terms as whole words in any letter case, with hyphens or without; with their lines."""
    plain = _fold(_CODE.sub("", drop_unseen(text)))
    spaced = _fold(_CAMEL.sub(" ", text))
    found: set[tuple[int, str]] = set()
    for term, first, pattern in _patterns(tuple(terms)):
        for version in (plain, spaced):
            # Most texts do not even hold the first part of a term.
            if first not in version:
                continue
            breaks = [at for at, sign in enumerate(version) if sign == "\n"]
            found |= {
                (bisect_left(breaks, match.start()) + 1, term)
                for match in pattern.finditer(version)
            }
    return [(term, line) for line, term in sorted(found)]


def _fold(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()


@lru_cache(maxsize=16)
def _patterns(terms: tuple[str, ...]) -> tuple[tuple[str, str, re.Pattern[str]], ...]:
    patterns = []
    for term in dict.fromkeys(terms):
        parts = _PART.findall(_fold(_CAMEL.sub(" ", term)))
        if parts:
            middle = _BETWEEN.join(map(re.escape, parts))
            patterns.append((term, parts[0], re.compile(f"{_BEGINS}{middle}{_ENDS}")))
    return tuple(patterns)
