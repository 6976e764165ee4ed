"""A light English stemmer: plurals, -ed, -ing, final y or e.

Heavier stemming was measured and lost: it throws `compose` and `composition` together.
"""

from __future__ import annotations

import re
from functools import lru_cache

SHORTEST = 4

_RISE = re.compile("v+c+")


@lru_cache(maxsize=4_096)
def stem(word: str) -> str:
    """Reduce a lower-case word to the form that its inflections share."""
    if len(word) < SHORTEST or not word.isascii() or not word.isalpha():
        return word
    word = _inflection(_plural(word))
    if word.endswith("y") and len(word) > 2:
        word = word[:-1] + "i"
    if word.endswith("e") and len(word) > 3:
        word = word[:-1]
    return word


def _plural(word: str) -> str:
    if word.endswith(("sses", "ies")):
        return word[:-2]
    if word.endswith("s") and not word.endswith(("ss", "us")):
        return word[:-1]
    return word


def _inflection(word: str) -> str:
    if word.endswith("eed"):
        return word[:-1] if _RISE.search(_sounds(word[:-3])) else word
    for ending in ("ed", "ing"):
        rest = word.removesuffix(ending)
        if rest != word:
            return _repair(rest) if "v" in _sounds(rest) else word
    return word


def _repair(rest: str) -> str:
    """Return a word that lost its ending the form it has without one: hop for hopp."""
    sounds = _sounds(rest)
    if rest.endswith(("at", "bl", "iz")):
        return rest + "e"
    if len(rest) > 1 and rest[-1] == rest[-2] and sounds[-1] == "c" and rest[-1] not in "lsz":
        return rest[:-1]
    if len(_RISE.findall(sounds)) == 1 and sounds.endswith("cvc") and rest[-1] not in "wxy":
        return rest + "e"
    return rest


def _sounds(word: str) -> str:
    """Spell a word in vowels and consonants; y is a vowel after a consonant."""
    sounds = ""
    for letter in word:
        vowel = letter in "aeiou" or (letter == "y" and sounds.endswith("c"))
        sounds += "v" if vowel else "c"
    return sounds
