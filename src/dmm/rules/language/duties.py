"""Decisions that go without what a rule asks for, or fill its place with something else."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dmm.rules.language import lexicon as lex
from dmm.rules.language.clauses import Act, Polarity, Reading
from dmm.rules.language.language import Sort
from dmm.rules.language.match import Finding, find_action, puts_to_use

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from dmm.rules.language.rules import Exclusive, Requirement, Term

_PREFIXES = ("un", "non", "in")
_AGAINST = lex.NEGATIVE | lex.REMOVE


def find_denial(reading: Reading, core: Sequence[Term]) -> Finding | None:
    """Where the decision says that something is not there, not done or done away with."""
    for act in reading.acts:
        if act.polarity in (Polarity.ASIDE, Polarity.UNSURE) and act.verb is not None:
            continue
        for places in _denied(reading, act):
            found = _all_of(reading, places, core)
            if found is not None:
                return Finding(True, tuple(found), ("the decision goes without it",))
    contrary = {f"{prefix}{form}" for term in core for form in term.forms for prefix in _PREFIXES}
    for index, token in enumerate(reading.tokens):
        if token.sort is Sort.WORD and token.text in contrary and _is_told(reading, index):
            return Finding(True, (index,), (f'"{token.text}" is the contrary',))
    return None


def _denied(reading: Reading, act: Act) -> Iterator[list[int]]:
    """The words that an act says nothing is done with."""
    verb = [] if act.verb is None else [act.verb]
    if act.polarity is Polarity.NOT_DONE:
        if not act.forms & _AGAINST:
            yield [*verb, *(i for one in act.phrases for i in one.indices)]
        return
    for phrase in act.phrases:
        if phrase.negated and not act.forms & _AGAINST:
            yield list(phrase.indices)
    if act.forms & _AGAINST:
        for phrase in act.objects():
            if not phrase.negated:
                yield [i for i in phrase.indices]
    if act.forms & lex.TRANSITION:
        for phrase in act.phrases:
            if phrase.preposition in ("from", "off", "away"):
                yield list(phrase.indices)


def _all_of(reading: Reading, places: Iterable[int], core: Sequence[Term]) -> list[int] | None:
    held = list(places)
    found: list[int] = []
    for term in core:
        at = next((i for i in held if reading.tokens[i].stands_for(term.forms)), None)
        if at is None:
            return None
        found.append(at)
    return found


def _is_told(reading: Reading, index: int) -> bool:
    for act in reading.acts:
        for phrase in act.phrases:
            if index in phrase.indices:
                done = act.polarity is Polarity.DONE and not phrase.negated
                return done and not act.forms & (_AGAINST | lex.MENTION)
    return False


def find_contradiction(reading: Reading, part: Requirement) -> Finding | None:
    """Where the decision goes without what is required, for what it is required for."""
    finding = find_denial(reading, part.core)
    if finding is None or part.subject is None:
        return finding
    head = part.subject.head
    for index, token in enumerate(reading.tokens):
        if token.stands_for(head.forms) and index not in finding.tokens:
            return Finding(finding.certain, (*finding.tokens, index), finding.steps)
    return None


def find_other_choice(reading: Reading, part: Exclusive) -> Finding | None:
    """Where something else than the only choice fills its place."""
    terms = (*part.choice.modifiers, part.choice.head)
    instead = find_denial(reading, terms)
    act_found = find_action(reading, part.action)
    if act_found is None:
        return None
    if instead is not None:
        return Finding(True, (*instead.tokens, *act_found.tokens), act_found.steps)
    named = part.choice.head if not part.choice.head_optional else part.choice.modifiers[-1]
    if any(token.stands_for(named.forms) for token in reading.tokens):
        return None
    for act in reading.acts:
        if act.verb not in act_found.tokens:
            continue
        for phrase in act.phrases:
            other = phrase.preposition == (part.place or None) and not phrase.negated
            used = puts_to_use(reading, act, phrase) if not part.place else True
            own = set(phrase.indices) & set(act_found.tokens)
            if other and used and not own and act.polarity is Polarity.DONE:
                return Finding(act_found.certain, (*act_found.tokens, *phrase.indices), act_found.steps)
    return None


