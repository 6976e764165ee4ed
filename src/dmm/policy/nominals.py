"""Acts named by a noun: "the acceptance of X is fine", "the reselling of X starts in May"."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from dmm.policy import lexicon as lex
from dmm.policy.deeds import kinds_of_deed
from dmm.policy.wordsets import word_set

if TYPE_CHECKING:
    from dmm.policy.acts import Act, Reading
    from dmm.policy.phrases import Phrase
    from dmm.policy.rules import Action, Term

_MEANS = ("with", "via", "through", "by")
_NONE: frozenset[str] = frozenset()
# What a noun ends in, and what its verb ends in instead.
_ENDINGS = (
    ("duction", ("duce",)),
    ("usion", ("ude", "use")),
    ("ision", ("ide", "ise")),
    ("ension", ("end",)),
    ("ization", ("ize",)),
    ("ification", ("ify",)),
    ("ation", ("", "e", "ate")),
    ("ission", ("it",)),
    ("ion", ("", "e")),
    ("ment", ("",)),
    ("ance", ("", "e")),
    ("ence", ("", "e")),
    ("al", ("", "e")),
)
_SHORTEST = 2


def named_act(reading: Reading, act: Act, action: Action) -> list[int] | None:
    """An act named by a noun: "schedule the deployment", "a force push to main"."""
    light = act.verb is None or bool(act.forms & lex.LIGHT_FOR_NOUNS)
    if act.derived or act.forms & (lex.MENTION | lex.NEGATIVE | lex.REMOVE):
        return None
    places = (None, "subject", *_MEANS) if light else _MEANS
    for phrase in act.phrases:
        if phrase.negated or phrase.preposition not in places:
            continue
        if phrase.preposition in _MEANS and _is_definite(reading, phrase):
            continue
        if phrase.preposition == "subject" and not _is_said_to_be(reading, act):
            continue
        if any(_names(reading, phrase.indices[-1], term) for term in action.verbs):
            return [phrase.indices[-1]]
    return None


def _is_definite(reading: Reading, phrase: Phrase) -> bool:
    first = phrase.indices[0]
    return first > 0 and reading.tokens[first - 1].text in ("the", "this", "that", "these")


def _is_said_to_be(reading: Reading, act: Act) -> bool:
    """Whether what is said of the act is that it takes place: "is fine", "is on Friday"."""
    if "be" not in act.forms:
        return True
    said = [reading.tokens[i] for p in act.phrases if p.preposition is None for i in p.indices]
    return all(word.text in _AGREED or word.forms & lex.TIMES for word in said)


_AGREED = word_set(
    """fine ok okay acceptable good allowed permitted scheduled planned due underway set approved
    agreed ready go on tonight now done complete live"""
)


def _names(reading: Reading, index: int, term: Term) -> bool:
    """Whether the noun names the act of the term."""
    noun = reading.tokens[index]
    if noun.text.endswith("ing"):
        after = reading.tokens[index + 1].text if index + 1 < len(reading.tokens) else ""
        return after == "of" and bool(noun.forms & (term.forms | kinds_of_deed(term.forms)))
    verb = lex.NOMINAL.get(noun.text) or next(
        (lex.NOMINAL[form] for form in sorted(noun.forms) if form in lex.NOMINAL), None
    )
    if verb is not None:
        return verb in term.forms | kinds_of_deed(term.forms) or bool(noun.forms & term.forms)
    return bool(verbs_of_noun(noun.forms) & term.forms)


@lru_cache(maxsize=4_096)
def verbs_of_noun(forms: frozenset[str]) -> frozenset[str]:
    """The words that may be the verb of a noun: `acceptance` gives `accept`."""
    return _NONE.union(*(_stems(form) for form in forms if form.isalpha()))


def _stems(word: str) -> frozenset[str]:
    for ending, turns in _ENDINGS:
        stem = word.removesuffix(ending)
        if stem != word and len(stem) >= _SHORTEST:
            return frozenset(stem + turn for turn in turns)
    return _NONE
