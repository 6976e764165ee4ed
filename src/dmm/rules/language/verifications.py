"""Constraints that ask for a look-up before an act."""

from __future__ import annotations

from dataclasses import replace

from dmm.rules.language import lexicon as lex
from dmm.rules.language.acting import (
    EVERYDAY,
    action_of,
    is_vague,
    named_actions,
    noun_of,
    terms_of,
)
from dmm.rules.language.acts import phrases_of
from dmm.rules.language.language import Sort, Token, text_at
from dmm.rules.language.rules import Noun, Term, Verification
from dmm.rules.language.verbs import is_verb
from dmm.rules.language.wordsets import word_set

Words = tuple[Token, ...]
_VERIFY = word_set("verify check confirm validate review inspect consult research examine ask")
LEADS = word_set("always must please you we should shall first need to make sure that double")


def verification_of(words: Words) -> Verification | None:
    """Verify X before Y; before Y, check X; X must be checked before Y; no Y until X is."""
    turn = next((i for i, w in enumerate(words) if w.text in ("before", "until", "unless")), None)
    without = next((i for i, word in enumerate(words) if word.text == "without"), None)
    never = next(
        (i for i, w in enumerate(words[:4]) if w.text in ("never", "no") or "not" in w.forms), None
    )
    start = 0
    while start < len(words) and words[start].text in LEADS:
        start += 1
    asked = start < len(words) and (words[start].forms & _VERIFY or words[start].text == "ensure")
    if never is not None and not asked:
        turn = turn if turn is not None else without
        return None if turn is None else _never_before(words, never, turn)
    if turn == 0:
        return _before_first(words)
    if turn is None or words[turn].text != "before":
        return None
    if asked and start < turn:
        firm = False
        while start < turn and _asks(words[start]):
            firm = firm or bool(words[start].forms & _VERIFY)
            start += 1
        return _verify(words[start:turn], words[turn + 1 :], firm=firm)
    for index in range(1, turn):
        if words[index - 1].text in ("be", "been") and words[index].forms & _VERIFY - {"review"}:
            end = next(i for i in range(index) if words[i].text in lex.AUXILIARIES)
            return _verify(words[:end], words[turn + 1 :])
    return None


def _asks(word: Token) -> bool:
    return bool(word.forms & _VERIFY) or word.text in LEADS | {"ensure"}


def _before_first(words: Words) -> Verification | None:
    for index in range(2, len(words)):
        led = words[index - 1].text in LEADS | {","}
        if led and (words[index].forms & _VERIFY or words[index].text == "ensure"):
            end = index
            while end > 1 and words[end - 1].text in LEADS | {","}:
                end -= 1
            firm = words[index].text != "ensure"
            return _verify(words[index + 1 :], words[1:end], firm=firm)
    return None


def _never_before(words: Words, never: int, turn: int) -> Verification | None:
    for index in range(turn + 1, len(words)):
        if words[index].forms & _VERIFY:
            passive = index > turn + 1 and words[index - 1].text in lex.BE
            topic = words[turn + 1 : index] if passive else words[index + 1 :]
            return _verify(topic, words[never + 1 : turn])
    return None


def _verify(topic: Words, act: Words, *, firm: bool = True) -> Verification | None:
    while act and (act[-1].sort is Sort.MARK):
        act = act[:-1]
    led = text_at(act, 0) in ("you", "we")
    while act and act[0].text in lex.DETERMINERS | lex.PRONOUNS:
        act = act[1:]
    topics = _topics(topic)
    named = act[0].forms if text_at(act, 0).endswith("ing") else frozenset[str]()
    doing = bool(act) and (led or is_verb(act, 0, 0, named))
    actions = [action_of(act, 0, len(act))] if doing else []
    actions += named_actions(act, 0, len(act)) if act else []
    action = next((one for one in actions if one is not None and one.verbs), None)
    if not topics or action is None:
        return None
    firm = firm and doing and len(action.objects) <= _MOST_OBJECTS
    firm = firm and not (action.objects and is_vague(action))
    if not action.objects and not action.conditions:
        pointing = any(word.text in ("it", "them", "this") for word in act)
        referent = _referent(topic) if pointing else None
        if referent is not None:
            action = replace(action, objects=(referent,))
            return Verification(topics, action, firm)
        firm = firm and not pointing and not action.verbs[0].forms & EVERYDAY
    return Verification(topics, action, firm)


# A longer list is a description, not a name.
_MOST_OBJECTS = 3


def _referent(topic: Words) -> Noun | None:
    """ "Verify who owns a flag before removing it": what the pronoun stands for."""
    for index, word in enumerate(topic):
        if word.end - word.start == len(word.text) + 2:
            # A possessive: "the certificate's expiry date".
            return noun_of(topic, (index,))
        if word.text in ("a", "an"):
            phrases = phrases_of(topic, index + 1, len(topic))
            return noun_of(topic, phrases[0].indices) if phrases else None
    return None


def _topics(words: Words) -> tuple[tuple[Term, ...], ...]:
    """The parts of a topic, split at "and" and commas, each as its content words."""
    for index in range(1, len(words) - 1):
        if words[index].text in ("of", "for") and words[index + 1].text in ("a", "an", "any", "it"):
            words = words[:index]
            break
    parts: list[tuple[Term, ...]] = []
    start = 0
    for index in range(len(words) + 1):
        if index == len(words) or words[index].text in ("and", ",", "&", "or"):
            terms = terms_of(words[start:index])
            strong = tuple(item for item in terms if not item.forms & _STATES)
            if terms:
                parts.append(strong or terms)
            start = index + 1
    return tuple(parts)


_STATES = word_set("pass valid green ok correct current latest status exist ready sure good recent")
