"""How far a rule reaches: to every case, to some alone, to anyone."""

from __future__ import annotations

import re
from itertools import takewhile
from typing import TYPE_CHECKING

from dmm.conflicts.clauses import is_verb
from dmm.conflicts.terms import PREPOSITIONS, tells

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dmm.conflicts.words import Word

UNIVERSAL = re.compile(
    r"\b(?:all|every|everywhere|always|never|any|no exceptions?|regardless|whatever|only|nobody"
    r"|no one|without exception|under no circumstances|not even|anywhere|whole|entire|nothing"
    r"|each)\b",
    re.IGNORECASE,
)
# Words by which a rule takes in every case, however it is named.
_SWEEPING = re.compile(
    r"\b(?:without (?:any )?exceptions?|(?:with|are) no exceptions?|no exceptions?(?=\s*[.;,]|$)"
    r"|no matter|whatever|whichever|regardless|under no circumstances|site-wide|company-wide"
    r"|included|and all|without fail|anywhere|everywhere|nowhere|not a single|not even|ever)\b"
    r"|^(?:every|all|no|each|any|everything|anything|nothing|nobody)\b"
    r"|\b(?:in|on|for|from|under|of|by|to) (?:any|every|all)\b|\bany \w+",
    re.IGNORECASE,
)
STRICT = re.compile(
    r"\b(?:always|never|nobody|no exceptions?|at all times|even|under no circumstances|regardless"
    r"|without exception|whatever|in every case|at any time|ever)\b",
    re.IGNORECASE,
)
ANYONE = re.compile(
    r"^(?:any(?:one|body)?|every(?:one|body)?|all)\b(?: \w+){0,3} (?:can|may|has|have)\b",
    re.IGNORECASE,
)
ONLY = re.compile(
    r"\b(?:only|solely|exclusively|nothing (?:but|else)|no other|no one else|none but)\b"
    r"(?! (?:but|not))",
    re.IGNORECASE,
)
NOT_ONLY = re.compile(r"\bnot (?:[^.;,]*\s)?(?:only|just|merely|solely)\b", re.IGNORECASE)


def sweeps(sentence: str) -> bool:
    """Whether a sentence takes in every case: "every …", "no matter who", "backups included"."""
    return bool(_SWEEPING.search(sentence))


def range_of(words: Sequence[Word]) -> frozenset[str]:
    """The nouns that a rule is said of all of: "any service", "every new endpoint"."""
    found: set[str] = set()
    for place, word in enumerate(words):
        if word.text in _EACH:
            near = takewhile(lambda w: tells(w) and not is_verb(w), words[place + 1 : place + 4])
            found.update(w.concept for w in near)
    return frozenset(found)


_EACH = frozenset(("any", "every", "each", "all", "no"))


def bound_slot(words: Sequence[Word]) -> str:
    """The slot of the phrase that "only" is said of: "only through", "by mail only"."""
    for index, word in enumerate(words):
        following = words[index + 1].text if index + 1 < len(words) else ""
        if index == 0 and (word.text == "only" or following in ("but", "except")):
            return "subject"
        if word.text not in ("only", "solely", "exclusively"):
            continue
        if following in PREPOSITIONS:
            return PREPOSITIONS[following]
        if index + 1 >= len(words) or words[index + 1].sort == "mark":
            before = [w.text for w in words[:index] if w.text in PREPOSITIONS]
            return PREPOSITIONS[before[-1]] if before else ""
    return ""
