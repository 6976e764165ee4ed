"""Constraints that set one thing against another: use X, not Y; stored as X, not as Y."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dmm.policy import lexicon as lex
from dmm.policy.actions import begins_with_verb, with_thing
from dmm.policy.choices import usage_of
from dmm.policy.language import Token, text_at
from dmm.policy.prohibitions import forbid
from dmm.policy.requirements import requirement_of
from dmm.policy.wordsets import word_set

if TYPE_CHECKING:
    from dmm.policy.rules import Part

Words = tuple[Token, ...]


def choice_of(words: Words) -> tuple[Part, ...]:
    """Use X, not Y; use X instead of Y: Y is forbidden and X is not to be dropped."""
    for index in range(2, len(words) - 1):
        word = words[index].text
        turned = word == "insteadof" or (word in ("not", "never") and words[index - 1].text == ",")
        if turned and begins_with_verb(words, 1 if text_at(words, 0) == "always" else 0, index):
            lead = 1 if text_at(words, 0) == "always" else 0
            kept = usage_of((*words[lead:index], *_shared_scope(words, lead, index)))
            if _is_doing(words, index + 1):
                done = with_thing(words[index + 1 :], words[lead + 1 : index])
                return (*forbid(done, 0, len(done), []), *kept)
            denied = (*_frame(words[lead:index]), *words[index + 1 :])
            return (*forbid(denied, 0, len(denied), []), *kept)
    return ()


def _shared_scope(words: Words, lead: int, turn: int) -> Words:
    """ "Use X rather than Y for Z": Z is what X is for, too."""
    own = words[lead:turn]
    fits = words[lead].text == "use" and words[turn].text == "insteadof"
    if not fits or any(word.text in lex.PREPOSITIONS for word in own):
        return ()
    first = next((i for i in range(turn + 2, len(words)) if words[i].text in _FOR), len(words))
    doing = any(word.text.endswith("ing") and word.acting for word in words[first:])
    return () if doing else words[first:]


_FOR = word_set("for in on within")


def _is_doing(words: Words, index: int) -> bool:
    """Whether a verb phrase follows, and no noun that may be a verb, too ("email for …")."""
    if not begins_with_verb(words, index, len(words)):
        return False
    following = text_at(words, index + 1)
    means = any(word.text in ("with", "via", "through") for word in words[: index - 1])
    noun = not words[index].text.endswith("ing") and (words[0].text == "use" or means)
    return not (noun and (not following or following in lex.PREPOSITIONS))


def _frame(words: Words) -> Words:
    """What both sides share: "pay suppliers by X, not Y" is about paying suppliers by either."""
    places = [i for i, word in enumerate(words) if word.text in lex.PREPOSITIONS]
    end = len(words) - 1 if words[-1].text == "," else len(words)
    if len(places) == 1 and places[0] + 1 < end and words[0].text != "use":
        return words[: places[0] + 1]
    return words[:1]


def contrast_of(words: Words) -> tuple[Part, ...]:
    """ "Prices must be stored as integers, not as floats": the act with the other value."""
    modal = next((i for i, word in enumerate(words) if word.text in ("must", "should")), None)
    turn = next((i for i in range(2, len(words) - 1) if _turns(words, i)), None)
    if modal is None or turn is None or not modal + 2 < turn or text_at(words, modal + 1) != "be":
        return ()
    verb, rest = words[modal + 2], words[turn + 1 :]
    before = [word for word in words[modal + 3 : turn] if word.text in lex.PREPOSITIONS]
    if rest[0].text not in lex.PREPOSITIONS and before:
        rest = (before[0], *rest)
    act = (verb, *words[:modal], *rest)
    return (*forbid(act, 0, len(act), []), *requirement_of(words[:turn]))


def _turns(words: Words, index: int) -> bool:
    word = words[index].text
    joined = words[index - 1].text in (",", "and", "but")
    return word == "insteadof" or (word in ("not", "never") and joined)
