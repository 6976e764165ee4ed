"""Read constraints that forbid: never, do not, no, avoid, is forbidden, only … may."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

from dmm.rules.language.acting import action_of, is_vague, named_actions, noun_of, terms_of
from dmm.rules.language.limits import comparison_of, limits_of
from dmm.rules.language.rules import (
    Action,
    Condition,
    Exemption,
    Limit,
    Noun,
    Part,
    Prohibition,
    Requirement,
)
from dmm.text import lexicon as lex
from dmm.text.amounts import quantities_of
from dmm.text.polarity import ALLOWED, BANS, FORBIDDEN, after_denial, find_ban
from dmm.text.tokens import Sort, Words, text_at
from dmm.text.verbs import is_verb
from dmm.text.words import word_set

_MODALS = frozenset(("must", "shall", "should", "may", "can", "do", "does", "will", "are", "is"))
_HARMLESS = word_set("forget hesitate worry only just fail mind matter need have let panic assume")
# A denial further on is told of something else.
_FARTHEST = 9


def _denial(words: Words) -> tuple[int, int] | None:
    """Return the start of "never", "must not" and the like, and the verb phrase after it."""
    texts = [word.text for word in words]
    for index, text in enumerate(texts[:_FARTHEST]):
        after = after_denial(texts, index)
        if after is not None and after <= _FARTHEST:
            told = texts[:1] == ["the"] and text == "is"
            return None if told else (index, after)
        if text in lex.CONDITIONS:
            return None
    return None


def prohibition_of(words: Words) -> tuple[Part, ...]:
    """Return the prohibition in "never do X", "do not", "must not" or "refrain from"."""
    begin, start = _denial(words) or (0, len(words))
    if start >= len(words):
        return ()
    if words[start].text in _HARMLESS:
        return ()
    told = words[start].text in ALLOWED | FORBIDDEN - {"forbid"}
    if told and words[start - 1].text in ("not", "aren't", "isn't"):
        return ()
    if words[-1].text in ("it", "them") or _POINTING & {
        word.text for word in (*words[:begin], *words[start + 1 : start + 2])
    }:
        return ()
    subject = subject_of(words[:begin])
    if text_at(words, start) in ("be", "been") and start + 1 < len(words):
        parts = _forbid(words[start + 1 :], subject, passive=True)
        about = named_actions(words, 0, begin)
        places = about[-1].conditions if about and not quantities_of(words[:begin]) else ()
        return tuple(
            replace(one, action=replace(one.action, conditions=(*one.action.conditions, *places)))
            for one in parts
            if isinstance(one, Prohibition)
        )
    if words[start].forms & _CONTAINING and subject is not None:
        inside = noun_of(words, range(start + 1, len(words)))
        if inside is not None:
            action = Action(inside.text, (), (inside,), (), (Condition("in", (subject,)),))
            return (Prohibition(action),)
    return _forbid(words[start:], subject)


# Who or what is meant was said elsewhere: "it must never push", "do not disable this default".
_POINTING = frozenset(("it", "they", "this", "these", "those"))
_CONTAINING = word_set("contain include hold carry")


def subject_of(words: Words) -> Noun | None:
    """Return who or what a rule is about, or None if it is about everyone."""
    named = [
        i
        for i, word in enumerate(words)
        if word.text not in lex.GRAMMAR | {"refrain", "stop", "decided", "cannot"}
        and word.sort is not Sort.MARK
        and "not" not in word.forms
    ]
    noun = noun_of(words, [i for i in range(len(words)) if i in named or words[i].text in _OF])
    if noun is not None and noun.head.forms & {"=modify"} and not noun.modifiers:
        # "Every change to the screen" is about the screen.
        behind = next((i for i, word in enumerate(words) if word.text in ("to", "of", "in")), 0)
        noun = noun_of(words, range(behind, len(words))) or noun
    return None if noun is None or noun.head.forms & _ANYBODY else noun


_OF = lex.PREPOSITIONS
_ANYBODY = word_set("agent ai claude assistant developer engineer contributor anyone")


def _forbid(words: Words, subject: Noun | None, *, passive: bool = False) -> tuple[Part, ...]:
    words, exemptions = _cut_absence(words)
    words, unnamed = _cut_unnamed(words)
    found: list[Part] = []
    for piece in _pieces(words):
        action = action_of(piece, 0, len(piece))
        if action is None:
            return ()
        if passive and subject is not None:
            action = replace(action, objects=(subject,), text=f"{action.text} {subject.text}")
        elif subject is not None:
            action = replace(action, subject=subject, text=f"{subject.text} {action.text}")
        if is_vague(action) and not (exemptions and action.verbs):
            return ()
        action = replace(action, conditions=(*action.conditions, *unnamed))
        found.append(Prohibition(action, exemptions))
        if action.objects and action.verbs[0].forms & {"=skip", "forgo", "=disable"}:
            thing = action.objects[0]
            found.append(Requirement(thing.text, thing.terms))
    return tuple(found)


def _cut_unnamed(words: Words) -> tuple[Words, tuple[Condition, ...]]:
    """Cut off "here", and the clause of "changes you did not make": no decision names them."""
    if words and words[-1].text == "here":
        return words[:-1], (Condition("here", ()),)
    for index, (one, two) in enumerate(pairwise(words)):
        if one.text in _WHATEVER or (one.text, two.text) in _EVEN:
            # A concession narrows nothing.
            return words[:index], ()
        if one.text in lex.CONDITIONS or one.sort is Sort.MARK:
            break
        if index and two.text in _SPEAKERS and one.text not in lex.GRAMMAR - {"that"}:
            return words[: index + (one.text != "that")], (Condition("that", ()),)
    return words, ()


_WHATEVER = frozenset(("whatever", "whoever", "whichever", "wherever"))
_EVEN = frozenset((("no", "matter"), ("even", "if"), ("even", "when"), ("even", "though")))
_SPEAKERS = frozenset(("you", "we", "they", "i"))


def _pieces(words: Words) -> list[Words]:
    """ "Push to main or deploy on Fridays" is two acts; "commit or push secrets" is one."""
    for index in range(2, len(words) - 2):
        if words[index].text in ("or", "and") and words[index - 1].text != ",":
            verb = words[index + 1]
            base = verb.text in verb.forms & lex.VERBS and verb.text not in lex.NOUNLIKE
            fits = base or text_at(words, index + 2) in lex.DETERMINERS | lex.PREPOSITIONS
            listed = all(one.sort is Sort.MARK or one.forms & lex.VERBS for one in words[:index])
            if fits and not listed and is_verb(words, index + 1, index + 1):
                return [words[:index], *_pieces(words[index + 1 :])]
    return [words]


def _cut_absence(words: Words) -> tuple[Words, tuple[Exemption, ...]]:
    """ "… without approval", "… until it is signed": what the act may not go without."""
    for index in range(1, len(words) - 1):
        if words[index].text in ("without", "until", "before"):
            terms = terms_of(words[index + 1 :])
            timed = any(one.sort is Sort.NUMBER or one.forms & lex.TIMES for one in words[index:])
            if terms and not (timed and words[index].text != "without"):
                return words[:index], (Exemption(terms, absent=True),)
    return words, ()


def no_thing_of(words: Words) -> tuple[Part, ...]:
    """No X, avoid X, X is forbidden, nobody may: anything that brings X about."""
    first = text_at(words, 0)
    if first == "nobody" and text_at(words, 1) in ("but", "except"):
        return reserved_of((words[0], *words[2:]))
    if first in ("nobody", "no"):
        modal = next((i for i, w in enumerate(words[:7]) if w.text in _MODALS), None)
        if modal is not None and modal + 1 < len(words):
            if words[modal + 1].text in ("be", "allowed", "permitted"):
                return _forbid_thing((*words[1:modal], *words[modal + 2 :]))
            return _forbid(words[modal + 1 :], subject_of(words[1:modal]))
    done = next((i for i in range(2, len(words)) if _is_done(words, i)), 0)
    if first == "no" and done:
        # What is not needed is not forbidden.
        needed = bool(words[done].forms & NEEDING)
        return () if needed else _forbid((words[done], *words[1:done], *words[done + 1 :]), None)
    if first in BANS:
        start = 2 if text_at(words, 1) in ("more", "using") else 1
        return (
            ()
            if text_at(words, start) in _NO_THINGS
            else _forbid_thing(words[start:], named=first == "no")
        )
    ban = find_ban([word.text for word in words])
    if ban is None:
        return ()
    places = (i for i in range(ban + 2, len(words)) if words[i].text in BEHIND)
    return _forbid_thing((*words[:ban], *words[next(places, len(words)) :]))


def _is_done(words: Words, index: int) -> bool:
    """ "No secrets committed": what must not be done to the thing."""
    ends = text_at(words, index + 1) in lex.PREPOSITIONS | {""}
    named = words[index - 1].text not in lex.GRAMMAR and words[index - 1].sort is not Sort.MARK
    known = bool(words[index].forms & (lex.VERBS - lex.BE))
    return ends and named and known and words[index].text.endswith("ed")


_NO_THINGS = word_set("later longer one problem need more less fewer matter doubt sooner way")
BEHIND = lex.PREPOSITIONS - {"off"}


def _forbid_thing(words: Words, *, named: bool = True) -> tuple[Part, ...]:
    """Forbid a thing, or what a gerund does; after "no" a gerund may say which thing."""
    words, exemptions = _cut_absence(words)
    if not words:
        return ()
    found = named_actions(words, 0, len(words))
    if words[0].text.endswith("ing") and is_verb(words, 0, 0, words[0].forms):
        doing = action_of(words, 0, len(words))
        acted = doing is not None and not named and bool(doing.objects or doing.conditions)
        found = [*([doing] if doing is not None else []), *([] if acted else found)]
    kept = [one for one in found if not is_vague(one) or (exemptions and one.verbs)]
    return tuple(Prohibition(one, exemptions) for one in kept)


def above_amount_of(words: Words) -> tuple[Part, ...]:
    """ "Purchases above $5,000 need approval", "files over 5 MB must not be committed"."""
    modal = next((i for i, w in enumerate(words) if w.text in NEEDING | _MODALS and i), None)
    for quantity in quantities_of(words):
        compared = comparison_of(words, quantity)
        if modal is None or compared is None or quantity.last >= modal:
            continue
        when = limits_of(words[:modal])
        subject = noun_of(words, range(min(compared[1], default=quantity.first)))
        if not when or subject is None:
            return ()
        return _guarded(words, modal, when[0])
    return ()


NEEDING = frozenset(("need", "needs", "require", "requires"))


def _guarded(words: Words, modal: int, when: Limit) -> tuple[Part, ...]:
    rest = words[modal + 1 :]
    if words[modal].text in NEEDING or text_at(rest, 0) in ("have", "get"):
        terms = terms_of(rest)
        parts: tuple[Part, ...] = tuple(
            Prohibition(one, (Exemption(terms, absent=True),))
            for one in named_actions(words, 0, modal)[:1]
        )
    else:
        parts = prohibition_of((*words[:1], *words[modal:]))
    return tuple(
        replace(part, action=_without_amounts(part.action), when=when)
        for part in parts
        if isinstance(part, Prohibition)
    )


def _without_amounts(action: Action) -> Action:
    conditions = tuple(
        one for one in action.conditions if not any(_is_amount(n) for n in one.nouns)
    )
    objects = tuple(one for one in action.objects if not _is_amount(one))
    return replace(action, conditions=conditions, objects=objects)


def _is_amount(noun: Noun) -> bool:
    return any(char.isdigit() for char in noun.text)


def reserved_of(words: Words) -> tuple[Part, ...]:
    """Only admins may delete projects: nobody else may."""
    modal = next((i for i, w in enumerate(words[:7]) if w.text in ("may", "can", "should")), None)
    if text_at(words, 0) not in ("only", "nobody") or modal is None or modal < 2:
        return ()
    who, action = terms_of(words[1:modal]), action_of(words, modal + 1, len(words))
    if not who or action is None or is_vague(action):
        return ()
    return (Prohibition(action, (Exemption(who, actor=True),)),)
