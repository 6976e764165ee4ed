"""The grammar words, verb families and same-meaning rows that reading a rule needs.

The words are in `data/english.txt`, which also says what each list is.
"""

from __future__ import annotations

import re
from functools import lru_cache

from dmm.text.words import ENGLISH, english

DETERMINERS = english("determiners")
PRONOUNS = english("pronouns")
AUXILIARIES = english("auxiliaries")
BE = english("be")
MODALS = english("modals")
PREPOSITIONS = english("prepositions")
CONJUNCTIONS = english("conjunctions")
CONDITIONS = english("conditions")
REASONS = english("reasons")
ADVERBS = english("adverbs")
MANNERS = english("manners")
TIMES = english("times")
USE = english("use")
MENTION = english("mention")
UNSURE = english("unsure")
NEGATIVE = english("negative")
REMOVE = english("remove")
REPLACE = english("replace")
TRANSITION = english("transition")
NOUNLIKE = english("nounlike")
LIGHT = english("light")
COMPARED = english("compared")
CARRIERS = english("carriers")
ABOUT = english("about")
TEXTS = english("texts")
SAYING = english("saying")
PARTS = english("parts")
COPIES = english("copies")
WEAK = english("weak")
GRAMMAR = DETERMINERS | PRONOUNS | AUXILIARIES | PREPOSITIONS | CONJUNCTIONS | ADVERBS | CONDITIONS
IDLE = MENTION | NEGATIVE | REMOVE | TRANSITION | english("idle")
VERBS = USE | IDLE | english("more_verbs")


def _same() -> dict[str, frozenset[str]]:
    table: dict[str, set[str]] = {}
    for row in ENGLISH["same"]:
        words = row.split()
        for word in words:
            table.setdefault(word, set()).add(f"={words[0]}")
    return {word: frozenset(marks) for word, marks in table.items()}


def _kinds() -> dict[str, frozenset[str]]:
    table: dict[str, set[str]] = {}
    for line in ENGLISH["kinds"]:
        general, members = line.split(": ")
        for member in members.split():
            table.setdefault(member, set()).update({general} | _MARKS.get(general, frozenset()))
    return {word: frozenset(general) for word, general in table.items()}


def _phrases() -> dict[str, tuple[tuple[tuple[str, ...], str], ...]]:
    table: dict[str, list[tuple[tuple[str, ...], str]]] = {}
    for line in ENGLISH["phrases"]:
        left, word = line.split(" = ")
        first, *rest = left.split()
        table.setdefault(first, []).append((tuple(rest), word))
    return {
        first: tuple(sorted(rows, key=lambda row: -len(row[0]))) for first, rows in table.items()
    }


_MARKS = _same()
_GENERAL = _kinds()
PHRASES = _phrases()
_NOTHING: frozenset[str] = frozenset()


@lru_cache(maxsize=4_096)
def meanings_of(forms: frozenset[str]) -> frozenset[str]:
    """Return marks for the meanings that these forms share with other words."""
    return _NOTHING.union(*(_MARKS.get(form, _NOTHING) for form in forms))


@lru_cache(maxsize=4_096)
def kinds_of(forms: frozenset[str]) -> frozenset[str]:
    """Return the more general words for these forms."""
    return _NOTHING.union(*(_GENERAL.get(form, _NOTHING) for form in forms))


# The t of "deletion" belongs to the verb.
_ENDING = re.compile(
    r"(?:(?<=.{3})(?:(t)ion|sion)|(?<=.{5})(?:ment|ance)|(?<=.{4})(?:ication|ation|ition|ibility"
    r"|ability|ible|able|ity|icate|ify|ate|ise|ize|e|(?<![aeou])y))\Z"
)
_AL = re.compile(r"(?<=[vs])al\Z")


@lru_cache(maxsize=4_096)
def stem_of(word: str) -> str:
    """Return the stem that a verb shares with its noun: encrypt and encryption."""
    return _ENDING.sub(r"\1", _AL.sub("", word))


def _verb_stems() -> dict[str, str]:
    return {stem_of(verb): verb for verb in sorted(VERBS)}


VERB_BY_STEM = _verb_stems()
