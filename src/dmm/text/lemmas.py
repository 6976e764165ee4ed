"""The base forms a word may stand for, by small rules and a table of irregular words."""

from __future__ import annotations

import re
from functools import lru_cache

from dmm.text.words import ENGLISH, english

_UNCHANGED = english("unchanged")
_VOWELS = frozenset("aeiouy")
_DOUBLED = re.compile(r"..([^aeiouls])\1\Z")


def _irregular_forms() -> dict[str, frozenset[str]]:
    table: dict[str, set[str]] = {}
    for row in " ".join(ENGLISH["irregular"]).split(";"):
        base, *inflected = row.split()
        for word in (base, *inflected):
            table.setdefault(word, {word}).add(base)
    return {word: frozenset(bases) for word, bases in table.items()}


_IRREGULAR = _irregular_forms()


@lru_cache(maxsize=4_096)
def base_forms(word: str) -> frozenset[str]:
    """Return every base form of which `word` may be an inflection, and the word itself."""
    known = _IRREGULAR.get(word)
    if known is not None:
        return known
    if len(word) < 4 or word in _UNCHANGED or not word.isalpha():
        return frozenset((word,))
    forms = frozenset((word,)) | _without_s(word)
    # "Settings" may be many of a setting, which may be of to set.
    singular = (_without_suffix(one, "ing") for one in forms - {word})
    return forms.union(_without_suffix(word, "ing"), _without_suffix(word, "ed"), *singular)


def _without_s(word: str) -> set[str]:
    if not word.endswith("s") or word.endswith(("ss", "us")):
        return set()
    if word.endswith("ies") and len(word) > 4:
        return {word[:-3] + "y"}
    if word.endswith(("shes", "ches", "xes", "zes", "sses", "oes")):
        return {word[:-2]} | _IRREGULAR.get(word[:-1], frozenset())
    stem = word[:-1]
    return {stem} | _IRREGULAR.get(stem, frozenset())


def _without_suffix(word: str, suffix: str) -> set[str]:
    stem = word.removesuffix(suffix)
    if stem == word or len(stem) < 2 or _VOWELS.isdisjoint(stem) or word.endswith("eed"):
        return set()
    if word.endswith("ied"):
        return {stem[:-1] + "y"}
    if _DOUBLED.search(stem):
        return {stem[:-1]}
    forms = {stem + "e"}
    if len(stem) > 2:
        forms.add(stem)
    if stem.endswith("ll"):
        forms.add(stem[:-1])
    return forms
