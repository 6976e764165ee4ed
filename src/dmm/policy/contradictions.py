"""Decisions that say the contrary of what a rule asks for or leaves as the only choice."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dmm.policy import lexicon as lex
from dmm.policy.acts import Act, Polarity, Reading, Role
from dmm.policy.match import Finding, match_condition, match_noun, object_places, verb_places
from dmm.policy.synonyms import opposites_of, rivals_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dmm.policy.phrases import Phrase
    from dmm.policy.rules import Exclusive, Noun, Requirement, Term

_AGAINST = lex.NEGATIVE | lex.REMOVE
_STATES = frozenset(("be", "have"))


def find_contradiction(reading: Reading, requirement: Requirement) -> Finding | None:
    """Where the decision does away with what the requirement asks for."""
    for act, tokens in _denials(reading, requirement.core):
        if _is_added_elsewhere(reading, act, requirement.core):
            continue
        known = len(requirement.core) > 1 or requirement.subject is None
        certain = known or _speaks_of(reading, act, requirement.subject)
        steps = (f'the decision goes without "{requirement.text}"',)
        return Finding(certain, tuple(tokens), steps)
    return None


def _is_added_elsewhere(reading: Reading, denying: Act, core: tuple[Term, ...]) -> bool:
    """ "Remove the wrong X and add the right X" keeps X."""
    return any(
        act.polarity is Polarity.DONE
        and not act.forms & (_AGAINST | lex.MENTION)
        and act.verb is not None
        and act.verb != denying.verb
        and _is_present(reading, act, core)
        for act in reading.acts
    )


def _speaks_of(reading: Reading, act: Act, subject: Noun | None) -> bool:
    first, last = reading.sentences[act.sentence]
    forms = subject.head.forms if subject else frozenset[str]()
    return any(reading.tokens[index].stands_for(forms) for index in range(first, last))


def _denials(reading: Reading, core: tuple[Term, ...]) -> Iterator[tuple[Act, list[int]]]:
    for act in reading.acts:
        if act.verb is None or not _is_settled(reading, act):
            continue
        for phrase in act.phrases:
            if _is_denied(act, phrase):
                found = _all_terms(reading, act, phrase, core)
            else:
                found = _opposite(reading, act, phrase, core)
            if found:
                yield act, found


def _is_settled(reading: Reading, act: Act) -> bool:
    """The act belongs to what is decided: not a reason, a condition or something turned down."""
    if act.role in (Role.REASON, Role.CONDITION) or act.polarity is Polarity.ASIDE:
        return False
    if act.polarity is Polarity.UNSURE and act.role is not Role.CONCESSION:
        return False
    if not act.forms & _STATES:
        return True
    return any(
        other.polarity is Polarity.DONE and not other.forms & (_AGAINST | lex.MENTION | _STATES)
        for other in reading.acts
        if other.verb is not None
    ) and not any(
        other.sentence == act.sentence and other.role is Role.MAIN and _turns_down(other)
        for other in reading.acts
    )


def _turns_down(act: Act) -> bool:
    if act.forms & _STATES:
        return False
    return act.polarity is Polarity.NOT_DONE or bool(act.forms & _AGAINST)


def _is_denied(act: Act, phrase: Phrase) -> bool:
    against = bool(act.forms & _AGAINST)
    if act.polarity is Polarity.NOT_DONE:
        direct = phrase.preposition in (None, "with") or act.passive
        return direct and not phrase.negated and not against and not act.forms & lex.MENTION
    if phrase.negated:
        return not against
    if act.forms & lex.TRANSITIONS and phrase.preposition == "from":
        return True
    return against and (
        phrase.preposition is None or (act.passive and phrase.preposition == "subject")
    )


def _all_terms(reading: Reading, act: Act, phrase: Phrase, core: tuple[Term, ...]) -> list[int]:
    used: list[int] = []
    order = act.phrases.index(phrase)
    following = [index for other in act.phrases[order + 1 : order + 2] for index in other.indices]
    for item in core:
        places = (*phrase.indices, *following) if used else phrase.indices
        place = next((i for i in places if reading.tokens[i].stands_for(item.forms)), None)
        if place is None:
            return []
        used.append(place)
    last = phrase.indices[-1]
    behind = reading.tokens[last]
    if last not in used and not behind.forms & lex.CARRIERS and max(used) < last:
        return []
    return used


def _is_present(reading: Reading, act: Act, core: tuple[Term, ...]) -> bool:
    places = [index for phrase in act.phrases if not phrase.negated for index in phrase.indices]
    return all(any(_stands(reading, index, item) for index in places) for item in core)


def _stands(reading: Reading, index: int, item: Term) -> bool:
    token = reading.tokens[index]
    prefixed = token.glued and reading.tokens[index - 1].text in ("non", "un", "no")
    return token.stands_for(item.forms) and not prefixed


def _opposite(reading: Reading, act: Act, phrase: Phrase, core: tuple[Term, ...]) -> list[int]:
    if phrase.negated or act.polarity is Polarity.NOT_DONE or act.forms & (_AGAINST | lex.MENTION):
        return []
    if phrase.preposition in lex.ABOUT_PREPOSITIONS - {"over"} or _is_present(reading, act, core):
        return []
    for item in core:
        contrary = opposites_of(item.forms)
        for index in phrase.indices:
            token = reading.tokens[index]
            prefixed = token.glued and reading.tokens[index - 1].text in ("non", "un", "no")
            if prefixed and token.forms & item.forms:
                return [index]
            if token.forms & contrary and _rest_is_meant(reading, act, core, item):
                return [index]
    return []


def _rest_is_meant(reading: Reading, act: Act, core: tuple[Term, ...], item: Term) -> bool:
    """The contrary of a modifier counts only where the thing it modifies is spoken of."""
    first, last = reading.sentences[act.sentence]
    others = [other for other in core if other is not item]
    return all(
        any(reading.tokens[index].stands_for(other.forms) for index in range(first, last))
        for other in others
    )


def find_other_choice(reading: Reading, rule: Exclusive) -> Finding | None:
    """Where the decision takes something else than the only choice the rule leaves."""
    core = (*rule.choice.modifiers, rule.choice.head)
    if rule.choice.head_optional or rule.choice.modifiers:
        core = rule.choice.modifiers if rule.choice.head_optional else core
    for act, tokens in _denials(reading, core):
        if act.polarity is Polarity.NOT_DONE and not rule.always:
            continue
        if all(match_condition(reading, act, condition) for condition in rule.action.conditions):
            return Finding(True, tuple(tokens), (f'the decision drops "{rule.choice.head.text}"',))
    for act in reading.acts:
        if act.polarity is Polarity.DONE and act.verb is not None:
            taken, certain = _taken_instead(reading, act, rule)
            if taken:
                words = " ".join(reading.tokens[index].text for index in taken)
                choice = " ".join(item.text for item in core)
                return Finding(
                    certain, tuple(taken), (f'"{words}" stands where only "{choice}" may',)
                )
    return None


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
    names = (rule.choice.head, *rule.choice.modifiers)
    rivals = frozenset[str]().union(*(rivals_of(name.forms) for name in names))
    if any(reading.tokens[index].forms & rivals for index in phrase.indices):
        return True
    if not rule.one_thing:
        return False
    if rule.place:
        return rule.place in lex.OPEN_PLACES
    return bool(rule.action.conditions) and not act.derived
