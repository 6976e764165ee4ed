"""The base forms a word may stand for, by small rules and a table of irregular words."""

from __future__ import annotations

from functools import lru_cache

from dmm.text.words import ENGLISH, english

_UNCHANGED = english("unchanged")
_VOWELS = frozenset("aeiouy")


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
    """Every base form `word` may be an inflection of, the word itself included."""
    known = _IRREGULAR.get(word)
    if known is not None:
        return known
    if len(word) < 4 or word in _UNCHANGED or not word.isalpha():
        return frozenset((word,))
    forms = {word}
    if word.endswith("s"):
        forms |= _without_s(word)
    for suffix in ("ing", "ed"):
        if word.endswith(suffix):
            forms |= _without_suffix(word, suffix)
    for singular in tuple(forms):
        if singular != word and singular.endswith("ing"):
            forms |= _without_suffix(singular, "ing")
    return frozenset(forms)


def _without_s(word: str) -> set[str]:
    if word.endswith(("ss", "us")):
        return set()
    if word.endswith("ies") and len(word) > 4:
        return {word[:-3] + "y"}
    if word.endswith(("shes", "ches", "xes", "zes", "sses", "oes")):
        return {word[:-2]} | _IRREGULAR.get(word[:-1], frozenset())
    stem = word[:-1]
    return {stem} | _IRREGULAR.get(stem, frozenset())


def _without_suffix(word: str, suffix: str) -> set[str]:
    stem = word[: -len(suffix)]
    if len(stem) < 2 or not _VOWELS & set(stem) or word.endswith("eed"):
        return set()
    if suffix == "ed" and stem.endswith("i"):
        return {stem[:-1] + "y"}
    doubled = len(stem) > 3 and stem[-1] == stem[-2] and stem[-1] not in "aeiouls"
    if doubled:
        return {stem[:-1]}
    forms = {stem + "e"}
    if len(stem) > 2:
        forms.add(stem)
    if stem.endswith("ll"):
        forms.add(stem[:-1])
    return forms
