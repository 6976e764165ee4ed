"""Decisions that take something else than the only choice a rule leaves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dmm.policy import lexicon as lex
from dmm.policy.acts import Act, Polarity, Reading
from dmm.policy.denials import (
    AGAINST,
    denials,
    ends_name,
    is_copying,
    is_taken,
    pieces_of,
    rival_places,
)
from dmm.policy.enactment import object_places, verb_places
from dmm.policy.language import Sort
from dmm.policy.match import Finding, match_condition
from dmm.policy.naming import match_noun
from dmm.policy.rivals import contraries_of, names_of, rival_names
from dmm.policy.rules import Condition
from dmm.policy.wordsets import word_set

if TYPE_CHECKING:
    from dmm.policy.phrases import Phrase
    from dmm.policy.rules import Exclusive, Noun, Term


def find_other_choice(reading: Reading, rule: Exclusive) -> Finding | None:
    """Where the decision takes something else than the only choice the rule leaves."""
    core = (*rule.choice.modifiers, rule.choice.head)
    if rule.choice.head_optional or rule.choice.modifiers:
        core = rule.choice.modifiers if rule.choice.head_optional else core
    kept = _is_kept(reading, rule.choice)
    for act, tokens in denials(reading, core):
        if act.polarity is Polarity.NOT_DONE and not rule.always:
            continue
        if act.polarity is Polarity.DONE and kept:
            continue
        bound = _is_bound(reading, act, rule) or _goes_without(reading, act, tokens)
        if _concerns(reading, act, rule) and bound:
            return Finding(True, tuple(tokens), (f'the decision drops "{rule.choice.head.text}"',))
    for act in reading.acts:
        if act.polarity is not Polarity.DONE or act.verb is None:
            continue
        taken, certain = _rival_taken(reading, act, rule) if not kept else ([], False)
        if not taken:
            taken, certain = _taken_instead(reading, act, rule)
        if taken:
            words = " ".join(reading.tokens[index].text for index in taken)
            choice = " ".join(item.text for item in core)
            step = f'"{words}" stands where only "{choice}" may'
            return Finding(certain, tuple(taken), (step,))
    return None


def _concerns(reading: Reading, act: Act, rule: Exclusive) -> bool:
    """Whether the act is about what the choice is for."""
    things = [Condition("", rule.action.objects)] if rule.action.objects else []
    met = [
        bool(match_condition(reading, act, condition)) or _is_named(reading, act, condition.nouns)
        for condition in (*things, *rule.action.conditions)
    ]
    if all(met):
        return True
    role = all(condition.preposition == "as" for condition in rule.action.conditions)
    return (role or any(met)) and bool(rival_places(reading, act, _names(rule.choice)))


def _is_named(reading: Reading, act: Act, nouns: tuple[Noun, ...]) -> bool:
    first, last = reading.sentences[act.sentence]
    tokens = reading.tokens[first:last]
    return any(
        all(
            any(token.stands_for(item.forms) or pieces_of(token) & item.forms for token in tokens)
            for item in _telling(noun)
        )
        for noun in nouns
    )


def _telling(noun: Noun) -> tuple[Term, ...]:
    """The words that have to be spoken: a head that says little and plain adjectives need not."""
    telling = tuple(
        one
        for one in noun.modifiers
        if not one.forms & lex.WEAK_MODIFIERS and not one.text.endswith("ed")
    )
    vague = noun.head.forms & (lex.CARRIERS | _ACTIVITIES) and telling
    return telling if vague else (*telling, noun.head)


_ACTIVITIES = word_set("communication management development handling processing tracking")


def _is_bound(reading: Reading, act: Act, rule: Exclusive) -> bool:
    """Whether a rule on nothing in particular is about such an act: a use, or its own verb."""
    if rule.action.objects or rule.action.conditions:
        return True
    return verb_places(reading, act, rule.action) is not None or _is_use(act, rule)


def _goes_without(reading: Reading, act: Act, tokens: list[int]) -> bool:
    """ "Pay without the card": whatever is done, it is done without it."""
    if act.forms & (lex.MENTION | lex.NEUTRAL | lex.REMOVE | lex.NEGATIVE):
        return False
    before = tokens[0] - 1
    while before > 0 and reading.tokens[before].text in lex.DETERMINERS:
        before -= 1
    return act.polarity is Polarity.DONE and reading.tokens[before].text == "without"


def _is_use(act: Act, rule: Exclusive) -> bool:
    using = any("use" in verb.forms for verb in rule.action.verbs)
    return using and bool(act.forms & (lex.USE | lex.REPLACEMENTS | lex.TRANSITIONS | lex.REMOVE))


def _is_about(reading: Reading, act: Act, rule: Exclusive) -> bool:
    things = (*rule.action.objects, *(n for c in rule.action.conditions for n in c.nouns))
    return not things or _is_named(reading, act, things)


def _rival_taken(reading: Reading, act: Act, rule: Exclusive) -> tuple[list[int], bool]:
    """A known rival of the choice, in an act that is about what the choice is for."""
    if not rule.one_thing and not rule.action.conditions and not rule.action.objects:
        return [], False
    taken = rival_places(reading, act, _names(rule.choice)) or _contrary_places(
        reading, act, rule.choice
    )
    if not taken or not _concerns(reading, act, rule) or not _is_about(reading, act, rule):
        return [], False
    if not _is_bound(reading, act, rule):
        return [], False
    return taken, True


def _contrary_places(reading: Reading, act: Act, choice: Noun) -> list[int]:
    """ "In inches", where the metric system is asked for."""
    if act.derived or act.forms & (AGAINST | lex.MENTION) or not choice.head.forms & _GENERIC:
        return []
    against = frozenset[str]().union(*(contraries_of(one.forms) for one in choice.modifiers))
    return [
        index
        for phrase in act.phrases
        if not phrase.negated and is_taken(act, phrase) and phrase.preposition not in _ORIGINS
        if not act.forms & lex.TRANSITIONS or phrase.preposition in ("to", "into")
        for index in phrase.indices
        if reading.tokens[index].forms & against
    ][:1]


_ORIGINS = frozenset(("from", "off", "subject", "about", "against"))


def _is_kept(reading: Reading, choice: Noun) -> bool:
    """Whether some act of the decision keeps or takes the choice itself."""
    return any(
        match_noun(reading, act, phrase, choice)
        for act in reading.acts
        if act.polarity is Polarity.DONE and not act.forms & AGAINST - lex.REPLACEMENTS
        for phrase in act.phrases
        if not phrase.negated and is_taken(act, phrase)
        if phrase.preposition is None or not act.derived
        if not (phrase.preposition in ("from", "off") and act.forms & lex.TRANSITIONS)
    )


def _names(noun: Noun) -> frozenset[str]:
    plural = noun.head.text.endswith("s") and noun.head.text[:-1] in noun.head.forms
    if plural and noun.modifiers and rival_names(noun.head.forms):
        return names_of(noun.modifiers)
    return names_of((*noun.modifiers, noun.head))


def _taken_instead(reading: Reading, act: Act, rule: Exclusive) -> tuple[list[int], bool]:
    if verb_places(reading, act, rule.action) is None:
        return [], False
    things = object_places(reading, act, rule.action)
    if things is None or not things[0]:
        return [], False
    phrases = [phrase for phrase in act.phrases if not phrase.negated]
    if any(match_noun(reading, act, phrase, rule.choice) for phrase in phrases):
        return [], False
    conditions = [match_condition(reading, act, c) for c in rule.action.conditions]
    if not all(conditions):
        return [], False
    filling = [phrase for phrase in phrases if _fills(act, phrase, rule)]
    for phrase in filling:
        if _differs(reading, act, phrase, rule):
            return list(phrase.indices), True
    unsure = bool(rule.place) and rule.one_thing and bool(filling)
    return (list(filling[0].indices), False) if unsure else ([], False)


def _fills(act: Act, phrase: Phrase, rule: Exclusive) -> bool:
    if rule.place:
        return phrase.preposition == rule.place
    return phrase.preposition is None or (act.passive and phrase.preposition == "subject")


def _differs(reading: Reading, act: Act, phrase: Phrase, rule: Exclusive) -> bool:
    """Whether the phrase names another choice: a rival, or anything where one thing may be."""
    if is_copying(reading, act):
        return False
    if _holds_rival(reading, act, phrase, rule.choice):
        return True
    if not rule.one_thing:
        return False
    if rule.place:
        named = bool(rule.action.objects) and _is_proper(reading, phrase)
        return rule.place in lex.OPEN_PLACES or named
    return bool(rule.action.conditions) and not act.derived and _is_proper(reading, phrase)


# Heads that add nothing to what is said of them.
_GENERIC = word_set("food meal dish option thing item product system unit")


def _holds_rival(reading: Reading, act: Act, phrase: Phrase, choice: Noun) -> bool:
    rivals = rival_names(_names(choice))
    against = frozenset[str]().union(*(contraries_of(one.forms) for one in choice.modifiers))
    headed = bool(choice.head.forms & _GENERIC) or any(
        reading.tokens[index].stands_for(choice.head.forms)
        for one in act.phrases
        for index in one.indices
    )
    against |= contraries_of(choice.head.forms)
    for order, index in enumerate(phrase.indices):
        token = reading.tokens[index]
        if token.forms & rivals and ends_name(reading, phrase, order, choice.head.forms):
            return True
        if token.kinds & rivals & lex.TIMES or (headed and token.forms & against):
            return True
    return False


def _is_proper(reading: Reading, phrase: Phrase) -> bool:
    """Whether the phrase is a proper name or a name from code, and no time."""
    tokens = [reading.tokens[index] for index in phrase.indices]
    if any(token.forms & lex.TIMES or token.sort is Sort.NUMBER for token in tokens):
        return False
    return (
        any(
            token.sort is Sort.NAME or reading.text[token.start : token.start + 1].isupper()
            for token in tokens
        )
        and not reading.text.isupper()
    )
