"""Constraints that ask for something: a choice, an only place, a duty."""

from __future__ import annotations

from dataclasses import replace

from dmm.rules.language import lexicon as lex
from dmm.rules.language.acting import (
    NOTHING_SAID,
    action_of,
    is_vague,
    named_actions,
    noun_of,
    terms_of,
)
from dmm.rules.language.language import Sort, Token, text_at
from dmm.rules.language.prohibitions import BEHIND, NEEDING, subject_of
from dmm.rules.language.rules import (
    Action,
    Condition,
    Exclusive,
    Exemption,
    Noun,
    Part,
    Prohibition,
    Requirement,
    Term,
)
from dmm.rules.language.verbs import is_participle, is_verb
from dmm.rules.language.verifications import LEADS
from dmm.rules.language.wordsets import word_set

Words = tuple[Token, ...]


def contrast_of(words: Words) -> tuple[Part, ...]:
    """Use X instead of Y; X, not Y; use X, never Y: Y is out."""
    turn = next((i for i, word in enumerate(words) if word.text == "insteadof"), None)
    if turn is None and text_at(words, 0) in ("choose", "pick", "favor", "prefer"):
        turn = next((i for i, word in enumerate(words) if word.text == "over"), None)
    if turn is None:
        turn = next(
            (
                i + 1
                for i in range(1, len(words) - 2)
                if words[i].text == "," and words[i + 1].text in ("not", "never")
            ),
            None,
        )
    if not turn or "not" in words[0].forms or words[0].text in ("never", "do"):
        return ()
    other = words[turn + 1 :]
    binding = is_verb(words, 0, 0) or {w.text for w in words[:turn]} & {"must", "should", "always"}
    placed = text_at(other, 0) in lex.PREPOSITIONS - {"as"}
    if not other or (words[turn].text not in ("insteadof", "over") and (not binding or placed)):
        return ()
    other = other[1:] if placed else other
    if not other:
        return ()
    behind = next((i for i, w in enumerate(other) if i and w.text in ("for", "in", "when")), None)
    front = next((i for i, w in enumerate(words[:turn]) if i > 1 and w.text == "for"), None)
    scope = other[behind:] if behind else words[front:turn] if front else ()
    if other[0].text.endswith("ing") and is_verb(other, 0, 0, other[0].forms):
        action = action_of(other, 0, len(other))
        front_act = action_of(words, 0, turn)
        pointing = text_at(other, 1) in ("it", "them") and front_act is not None
        if action is not None and front_act is not None and pointing and not action.objects:
            thing = front_act.objects[:1]
            named = " ".join(one.text for one in thing)
            action = replace(action, objects=thing, text=f"{other[0].text} {named}")
        return () if action is None or is_vague(action) else (Prohibition(action),)
    stop = (i for i, w in enumerate(other) if w.sort is Sort.MARK or (i and w.text in BEHIND))
    noun = noun_of(other, range(min(next(stop, len(other)), behind or len(other))))
    if noun is None:
        return ()
    chosen = action_of(words, 0, turn) if is_verb(words, 0, 0) else None
    if chosen is not None and chosen.conditions and not _is_used(chosen):
        place = replace(chosen.conditions[-1], nouns=(noun,))
        text = f"{chosen.verbs[0].text} {place.preposition} {noun.text}"
        action = replace(chosen, conditions=(*chosen.conditions[:-1], place), text=text)
        return () if is_vague(action) else (Prohibition(action),)
    places = named_actions(tuple(scope), 0, len(scope)) if scope else []
    conditions = places[0].conditions if places else ()
    modal = next((i for i, w in enumerate(words[:turn]) if w.text in ("must", "should")), 0)
    subject = subject_of(words[:modal])
    if subject is not None and not conditions:
        conditions = (Condition("in", (subject,)),)
    verb = Term("use", frozenset(("use", "=use")))
    action = Action(f"use {noun.text}", (verb,), (noun,), (), conditions)
    return () if is_vague(action) else (Prohibition(action),)


def exclusive_of(words: Words) -> tuple[Part, ...]:
    """Only deploy from main; deploy only from main: another place there is out."""
    named = (i for i, w in enumerate(words[:6]) if w.text == "only" and not w.glued)
    only = next(named, None)
    if only is None:
        return ()
    rest = (*words[:only], *words[only + 1 :])
    start = next((i for i in range(len(rest)) if rest[i].text not in LEADS), 0)
    action = action_of(rest, start, len(rest)) if is_verb(rest, start, start) else None
    if action is None or is_vague(action):
        return ()
    if action.conditions and (action.objects or not _is_used(action)):
        place = action.conditions[-1]
        if place.preposition in _OPEN:
            act = replace(action, conditions=action.conditions[:-1])
            return (Exclusive(act, place.nouns[0], place.preposition),)
    if action.objects and action.conditions and _is_used(action):
        return (Exclusive(replace(action, objects=()), action.objects[0]),)
    if action.objects and action.objects[0].modifiers:
        thing = action.objects[0]
        return (Requirement(thing.text, thing.modifiers, Noun(thing.head)),)
    return ()


_OPEN = frozenset(("from", "to", "into", "via", "through", "with", "in", "on"))


def _is_used(action: Action) -> bool:
    return any(verb.forms & {"use", "=use"} for verb in action.verbs)


def requirement_of(words: Words) -> tuple[Part, ...]:
    """Every X must have Y, X must be done, Y is required, always do X, keep X."""
    for form in (_always, _must, _required, _kept):
        found = form(words)
        if found:
            return tuple(part for part in found if _is_specific(part))
    return ()


def _is_specific(part: Part) -> bool:
    """Whether a requirement names something that not every decision could go without."""
    if not isinstance(part, Requirement):
        return True
    empty = NOTHING_SAID | {"do", "make", "have", "get", "be", "go", "use", "see", "keep", "add"}
    return any(not term.forms & empty for term in part.core)


def _always(words: Words) -> tuple[Part, ...]:
    if text_at(words, 0) != "always" or len(words) < 3 or not is_verb(words, 1, 1, words[1].forms):
        return ()
    turn = next((i for i, word in enumerate(words) if word.text == "before"), None)
    if turn is not None:
        return _procedure(words[1:turn], words[turn + 1 :])
    action = action_of(words, 1, len(words))
    if action is None or not action.objects:
        return ()
    if action.verbs[0].forms & (lex.USE | {"have"}):
        core = (*action.objects[0].modifiers, action.objects[0].head)
        subject = action.conditions[0].nouns[0] if action.conditions else None
        parts: tuple[Part, ...] = (Requirement(action.objects[0].text, core, subject),)
        if _is_used(action) and action.conditions:
            parts = (*parts, Exclusive(replace(action, objects=()), action.objects[0]))
        return parts
    return (Requirement(action.text, action.verbs[:1], action.objects[0]),)


def _procedure(first: Words, then: Words) -> tuple[Part, ...]:
    """Always do X before Y: Y without X is out."""
    if not then or not is_verb(then, 0, 0, then[0].forms):
        return ()
    action, terms = action_of(then, 0, len(then)), terms_of(first)
    if action is None or not terms:
        return ()
    return (Prohibition(action, (Exemption(terms, absent=True),)),)


def _must(words: Words) -> tuple[Part, ...]:
    modal = next((i for i, w in enumerate(words[:8]) if w.text in _DUTY), None)
    if not modal or modal + 1 >= len(words):
        return ()
    if words[modal].text in _STAYING:
        subject = subject_of(words[:modal])
        return () if subject is None else _stays(words[modal + 1 :], subject)
    subject, start = subject_of(words[:modal]), modal + 1
    if text_at(words, start) == "to":
        start += 1
    verb = words[start] if start < len(words) else None
    if subject is None or verb is None:
        return ()
    if verb.text in ("stay", "remain") or (
        verb.text == "be" and text_at(words, start + 1) == "kept"
    ):
        return _stays(words[start + 1 + (verb.text == "be") :], subject)
    if verb.text == "be" and start + 1 < len(words):
        state = words[start + 1]
        end = _first_preposition(words, start)
        core = terms_of(words[start + 1 : end])
        if not core:
            behind = noun_of(words, range(end + 1, len(words)), place=True)
            core = (*behind.modifiers, behind.head) if behind else ()
            return (Requirement(behind.text, core, subject),) if behind else ()
        if core[-1].forms & _PRESENT:
            return (Requirement(subject.text, (*subject.modifiers, subject.head)),)
        if end < len(words) and words[end].text in _OPEN and is_participle(state):
            action = Action(f"{state.text} {subject.text}", core[-1:], (subject,))
            choice = noun_of(words, range(end + 1, len(words)), place=True)
            return () if choice is None else (Exclusive(action, choice, words[end].text),)
        where = noun_of(words, range(end + 1, len(words)), place=True) if end < len(words) else None
        text = f"{' '.join(one.text for one in core)} {subject.text}"
        return (Requirement(text, core, subject, where=where),)
    needs = words[modal].text in NEEDING and text_at(words, modal + 1) != "to"
    noun = noun_of(words, range(start + (not needs), len(words)))
    if noun is None or "before" in {word.text for word in words}:
        return ()
    return (Requirement(noun.text, (*noun.modifiers, noun.head), subject),)


_PRESENT = word_set("include provide allow permit present available enable")


_STAYING = frozenset(("stay", "stays", "remain", "remains"))


_DUTY = _STAYING | frozenset(
    ("must", "shall", "should", "needs", "need", "requires", "require", "has", "have")
)


def _first_preposition(words: Words, start: int) -> int:
    found = (i for i in range(start + 1, len(words)) if words[i].text in lex.PREPOSITIONS)
    return next(found, len(words))


def _stays(words: Words, subject: Noun) -> tuple[Part, ...]:
    """ "Verification must stay enabled", "doors must stay closed"."""
    core = (*subject.modifiers, subject.head)
    if not words or words[0].text in lex.PREPOSITIONS or words[0].forms & {"enable", "active"}:
        place = noun_of(words, range(min(1, len(words)), len(words)))
        return (Requirement(subject.text, core, place),)
    state = Term(words[0].text, words[0].forms)
    where = noun_of(words, range(2, len(words)), place=True)
    return (Requirement(f"{state.text} {subject.text}", (state,), subject, where=where),)


def _required(words: Words) -> tuple[Part, ...]:
    """ "Wheelchair accessible rooms required", "a signature is mandatory for refunds"."""
    for index, word in enumerate(words):
        if index and word.text in ("required", "mandatory", "compulsory"):
            noun = noun_of(words, range(index))
            behind = noun_of(words, range(index + 1, len(words)))
            if noun is not None and noun.modifiers and noun.modifiers[-1].text.endswith(_ADJECTIVE):
                return (Requirement(noun.text, noun.modifiers, Noun(noun.head)),)
            if noun is not None:
                return (Requirement(noun.text, (*noun.modifiers, noun.head), behind),)
    return ()


_ADJECTIVE = ("able", "ible", "ed", "free", "ive", "al")


def _kept(words: Words) -> tuple[Part, ...]:
    """ "Keep Redis as the session store": neither removed nor replaced."""
    turn = next((i for i, word in enumerate(words) if word.text in ("as", "in", "on")), None)
    if text_at(words, 0) != "keep" or not turn:
        return ()
    noun, place = noun_of(words, range(1, turn)), noun_of(words, range(turn + 1, len(words)))
    if noun is None or place is None:
        return ()
    if words[turn].text == "as":
        return (Requirement(noun.text, (*noun.modifiers, noun.head)),)
    return (Requirement(place.text, (*place.modifiers, place.head), noun),)
