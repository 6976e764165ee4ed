"""Words of one family: encrypt and encryption, reversible and reverse, retain and retention."""

from __future__ import annotations

from functools import lru_cache

from dmm.policy.rules import Term
from dmm.policy.synonyms import synonyms_of

_FAMILIES_TEXT = """
retain retention; maintain maintenance maintained; choose choice;
expire expiry expiration lifetime lifespan ttl;
analyze analysis; sell sale; lose loss; weigh weight; access accessible accessibility; able
ability; available availability; compatible compatibility; secure security; valid validity
validate; own owner ownership; open opening; allergy allergic allergen; deep depth;
high height; long length; store storage; deliver delivery; recover recovery; fail failure; close
closure; backup backups; license licence licensed licensing; safe safety; pay payment;
authenticate authentication auth authenticated login; authorize authorization authorized;
permit permission; warrant warranty; insure insurance; vaccinate vaccination vaccine; weather
forecast; certify certificate certification; prescribe prescription; describe description;
subscribe subscription; receive reception receipt; size sized; visit visitor;
baggage bag luggage suitcase
"""
_NOUN_ENDINGS = ("ion", "ation", "ment", "al", "ance", "able", "ible", "ability", "ibility")
_SHORTEST = 4


def _families() -> dict[str, frozenset[str]]:
    table: dict[str, frozenset[str]] = {}
    for row in _FAMILIES_TEXT.split(";"):
        words = frozenset(row.split())
        for word in words:
            table[word] = table.get(word, frozenset()) | words
    return table


_FAMILIES = _families()


@lru_cache(maxsize=4_096)
def kin_of(forms: frozenset[str]) -> frozenset[str]:
    """The forms with every noun, verb and adjective of their families."""
    words = {form for form in forms if form.isalpha()}
    roots = words.union(*(_roots(word) for word in words if len(word) > _SHORTEST))
    grown = {made for root in roots if len(root) >= _SHORTEST for made in _grown(root)}
    every = roots | grown
    every = every.union(*(_FAMILIES.get(word, frozenset()) for word in every))
    return forms | every | synonyms_of(frozenset(words))


def with_kin(item: Term) -> Term:
    """The term, standing for its whole family."""
    return Term(item.text, kin_of(item.forms))


def _roots(word: str) -> set[str]:
    for ending, turns in _TURNS:
        stem = word.removesuffix(ending)
        if stem != word and len(stem) >= _SHORTEST - 1:
            return {stem + turn for turn in turns}
    return set()


_TURNS = (
    ("ification", ("ify",)),
    ("ication", ("y", "icate")),
    ("ization", ("ize",)),
    ("ability", ("", "e", "able")),
    ("ibility", ("", "e", "ible")),
    ("ation", ("", "e", "ate")),
    ("ption", ("pt", "be")),
    ("ssion", ("ss", "t")),
    ("ion", ("", "e")),
    ("ment", ("",)),
    ("able", ("", "e", "ate")),
    ("ible", ("", "e")),
    ("ance", ("", "e")),
)


def _grown(root: str) -> set[str]:
    if root.endswith("fy"):
        return {root[:-1] + "ication"}
    if root.endswith("e"):
        return {root[:-1] + ending for ending in _NOUN_ENDINGS}
    return {root + ending for ending in _NOUN_ENDINGS}
