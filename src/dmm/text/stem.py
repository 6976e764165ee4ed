"""A light English stemmer: plurals, -ed, -ing, final y or e.

Heavier stemming was measured and lost: it throws `compose` and `composition` together.
"""

from __future__ import annotations

import re
from functools import lru_cache

# What is shorter, or holds anything but plain letters, is no word to be reduced.
_WORD = re.compile("[A-Za-z]{4,}")
_PLURAL = re.compile(r"(?<=ss)es\Z|(?<=i)es\Z|(?<![su])s\Z")
_FINAL_Y, _FINAL_E = re.compile(r"(?<=..)y\Z"), re.compile(r"(?<=...)e\Z")
_ENDING = re.compile(r"ed\Z|ing\Z")
_DOUBLED = re.compile(r"([bcdfghjkmnpqrtvwx])\1\Z")
_RISE = re.compile("v+c+")
# The vowels behind each sound: y is one after a consonant.
_VOWELS = {"": "aeiou", "v": "aeiou", "c": "aeiouy"}


@lru_cache(maxsize=4_096)
def stem(word: str) -> str:
    """Reduce a lower-case word to the form that its inflections share."""
    if not _WORD.fullmatch(word):
        return word
    return _FINAL_E.sub("", _FINAL_Y.sub("i", _inflection(_PLURAL.sub("", word))))


def _inflection(word: str) -> str:
    if word.endswith("eed"):
        return word[:-1] if _RISE.search(_sounds(word[:-3])) else word
    rest = _ENDING.sub("", word)
    return _repair(rest) if rest != word and "v" in _sounds(rest) else word


def _repair(rest: str) -> str:
    """Return the base form of a word without its ending: hop for hopp."""
    sounds = _sounds(rest)
    if _DOUBLED.search(rest):
        return rest[:-1]
    short = len(_RISE.findall(sounds)) == 1 and sounds.endswith("cvc") and rest[-1] not in "wxy"
    return rest + "e" if short or rest.endswith(("at", "bl", "iz")) else rest


def _sounds(word: str) -> str:
    """Return the pattern of vowels and consonants in a word."""
    sounds = ""
    for letter in word:
        sounds += "cv"[letter in _VOWELS[sounds[-1:]]]
    return sounds
