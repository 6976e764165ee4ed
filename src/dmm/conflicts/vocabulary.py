"""From words to concepts: what a word or phrase stands for, whatever its form."""

from __future__ import annotations

from functools import lru_cache

from dmm.conflicts.synonyms import CONCEPTS
from dmm.conflicts.verbs import VERBS
from dmm.index.stem import stem
from dmm.rules.language.lemmas import base_forms

# Words that say little about what a sentence is about.
_GENERIC_TEXT = """
use store require allow forbid avoid prefer every code project run create handle be have do make
set get keep thing way need new always only must should may can team contributor also just
please ensure contain name type update automatically list return in our we this that here there
it they default provide support apply follow happen system whole entire work rule policy
convention standard practice guideline decision note current currently now value version one
primary before after go take see via per when if time write global number amount size file
repository once then still part kind case base basis anything something nothing everything
anyone whatever exactly strictly plain simply normally usually generally typically appear occur
forget remember fire ready last own well good give let come become stay remain mean correct
right full available specific individual certain particular possible different same other
another various times exceed
"""


def joined_lines(text: str) -> list[str]:
    """The lines of a table; a line that is set in belongs to the one before it."""
    found: list[str] = []
    for line in text.strip().splitlines():
        if line.startswith(" "):
            found[-1] += " " + line.strip()
        else:
            found.append(line)
    return found


def _parse() -> tuple[dict[str, str], dict[str, tuple[tuple[tuple[str, ...], str], ...]]]:
    words: dict[str, str] = {}
    phrases: dict[str, list[tuple[tuple[str, ...], str]]] = {}
    for line in joined_lines(CONCEPTS):
        concept, _, rest = line.partition(":")
        words.setdefault(concept, concept)
        for alternative in rest.split(","):
            first, *others = alternative.replace("-", " ").split()
            if others:
                phrases.setdefault(first, []).append((tuple(others), concept))
            else:
                words.setdefault(first, concept)
    ordered = {
        first: tuple(sorted(set(options), key=lambda option: (-len(option[0]), option)))
        for first, options in phrases.items()
    }
    return words, ordered


_WORDS, _PHRASES = _parse()
# Words that have a meaning of their own in this form alone.
_EXACT = {"develop": "developbranch"}


@lru_cache(maxsize=65_536)
def forms_of(word: str) -> frozenset[str]:
    """The base forms that a lower-case word may have."""
    return base_forms(word)


@lru_cache(maxsize=65_536)
def concept_of(word: str) -> str:
    """The concept that a lower-case word stands for; its stem where it is not a known one."""
    if word in _WORDS or word in _EXACT:
        return _EXACT.get(word) or _WORDS[word]
    forms = sorted(forms_of(word), key=lambda form: (-len(form), form))
    for form in forms:
        if form in _WORDS:
            return _WORDS[form]
    verb = next((form for form in forms if form in VERBS), None)
    if verb is not None:
        return stem(verb)
    if word.endswith("ly") and len(word) > 6:
        return concept_of(word[:-4] if word.endswith("ally") else word[:-2])
    return stem(word)


def concepts(text: str) -> frozenset[str]:
    """The words of a text as themselves and as the concepts they stand for."""
    return frozenset(name for word in text.split() for name in (word, concept_of(word)))


GENERIC = frozenset(
    name
    for word in _GENERIC_TEXT.split()
    for name in (word, word if word in _WORDS else concept_of(word))
)


@lru_cache(maxsize=65_536)
def phrases_from(word: str) -> tuple[tuple[tuple[str, ...], str], ...]:
    """The phrases that begin with this word in any of its forms, longest first."""
    found = [option for form in forms_of(word) for option in _PHRASES.get(form, ())]
    return tuple(sorted(found, key=lambda option: (-len(option[0]), option)))
