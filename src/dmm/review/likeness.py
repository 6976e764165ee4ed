"""How similar two texts are, by their words."""

from __future__ import annotations

import re
from functools import lru_cache

from dmm.errors import MemoryFileError
from dmm.files import front_matter
from dmm.files.markdown import plain

SHINGLE = 4
_WORD = re.compile(r"\w+")
_TITLE = re.compile(r"^ {0,3}#[ \t][^\n]*\n?", re.MULTILINE)


@lru_cache(maxsize=512)
def words_of(body: str) -> tuple[str, ...]:
    """The words of a body in order, without its title, whatever its layout."""
    return tuple(_WORD.findall(_TITLE.sub("", body, count=1).casefold()))


@lru_cache(maxsize=512)
def shingles_of(body: str) -> frozenset[tuple[str, ...]]:
    """Every run of a few words of a body."""
    words = words_of(body)
    return frozenset(
        words[at : at + SHINGLE] for at in range(max(1, len(words) - SHINGLE + 1)) if words
    )


def overlap(one: str, other: str) -> float:
    """The share of runs of words that two bodies have in common, of all that either has."""
    mine, theirs = shingles_of(one), shingles_of(other)
    if not mine or not theirs:
        return 0.0
    if min(len(mine), len(theirs)) < 0.1 * max(len(mine), len(theirs)):
        return 0.0
    common = len(mine & theirs)
    return common / (len(mine) + len(theirs) - common)


def body_of(text: str) -> str:
    """The body of a memory file's text; the whole where it has no front matter."""
    shown = plain(text)
    try:
        return front_matter.cut("", shown).body
    except MemoryFileError:
        return shown
