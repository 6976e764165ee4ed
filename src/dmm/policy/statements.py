"""The statements of a constraint sentence: what is forbidden, and what is said beside it."""

from __future__ import annotations

from dmm.policy import lexicon as lex
from dmm.policy.language import Token
from dmm.policy.wordsets import word_set

Words = tuple[Token, ...]
_DENYING = word_set("never don't no avoid")
_OPENERS = word_set("except unless excluding barring without until before if when while only")
_INSTEAD = word_set("use always only instead rather prefer")
# A short word before a colon is a label, not a statement.
_SHORTEST = 4


def statements_of(sentence: Words) -> tuple[Words, ...]:
    """The sentence in parts that stand for themselves; the whole where it is one statement."""
    forbids = _denies(sentence, _start(sentence))
    for index in range(2, len(sentence) - 2):
        mark, rest = sentence[index].text, sentence[index + 1 :]
        if mark == ":" and (forbids or (index >= _SHORTEST and _denies(rest, 0))):
            kept = _denies(rest, 0) or rest[0].text in _INSTEAD
            return (sentence[:index], rest) if kept else (sentence[:index],)
        if mark == "," and _breaks_off(sentence[:index], rest, forbids):
            return (sentence[:index], *statements_of(rest))
    return (sentence,)


def _start(words: Words) -> int:
    return next((i for i, word in enumerate(words[:3]) if word.text not in _LEADS), 0)


_LEADS = word_set("please and also so then :")


def _denies(words: Words, first: int) -> bool:
    """Whether a prohibition with a verb or a thing of its own begins here."""
    if first + 1 >= len(words):
        return False
    word, following = words[first].text, words[first + 1]
    if word == "do":
        return following.text == "not" and first + 2 < len(words)
    return word in _DENYING and following.text not in lex.PREPOSITIONS


def _breaks_off(before: Words, rest: Words, forbids: bool) -> bool:
    """ "Use A, don't add B"; "amounts are integers, never floats" is one statement."""
    if forbids:
        return _orders(rest)
    own = rest[0].text in ("don't", "do", "no") and _denies(rest, 0)
    return own and before[0].text not in lex.SUBORDINATORS | lex.PREPOSITIONS


def _orders(rest: Words) -> bool:
    """ ", change X and run Y": another order, and no further member of a list of verbs."""
    word, following = rest[0], rest[1].text
    if word.text in _INSTEAD and following not in (",", "or", "and"):
        return word.text not in ("only", "rather")
    verb = word.text in word.acting and word.text not in _OPENERS
    listed = any(one.text in ("or", "nor") for one in rest)
    return verb and not listed and following not in (",", "and") and _has_object(rest)


def _has_object(rest: Words) -> bool:
    return rest[1].text in lex.DETERMINERS or rest[1].text not in lex.PREPOSITIONS


def named_by(sentence: Words) -> Words:
    """What a sentence is about, where it begins with the plural that a later "them" stands for."""
    end = next((i for i in range(1, min(4, len(sentence) - 1)) if _tells(sentence, i)), 0)
    return sentence[:end] if end and sentence[end - 1].text.endswith("s") else ()


def _tells(words: Words, index: int) -> bool:
    """Whether the word is the verb of a plural: are, must, or come before "from"."""
    word = words[index]
    known = word.text in lex.AUXILIARIES or word.text in word.acting
    return known or words[index + 1].text in lex.PREPOSITIONS


def with_name(statement: Words, named: Words) -> Words:
    """ "Secrets come from X. Never commit them": the statement with what "them" stands for."""
    if not named or not _denies(statement, 0):
        return statement
    place = next((i for i, word in enumerate(statement[:4]) if word.text == "them"), None)
    return statement if place is None else (*statement[:place], *named, *statement[place + 1 :])
