"""Decisions that say the contrary of what a rule asks for."""

from __future__ import annotations

from enum import Enum
from itertools import islice, pairwise
from typing import TYPE_CHECKING

from dmm.policy import lexicon as lex
from dmm.policy.acts import Act, Polarity, Reading
from dmm.policy.amounts import PERSONS
from dmm.policy.denials import (
    AGAINST,
    denials,
    is_taken,
    pieces_of,
    rival_places,
    settled_acts,
)
from dmm.policy.language import Sort
from dmm.policy.match import Finding
from dmm.policy.rivals import contraries_of, names_of, rival_names
from dmm.policy.switches import turned_off
from dmm.policy.wordsets import word_set

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dmm.policy.language import Token
    from dmm.policy.phrases import Phrase
    from dmm.policy.rules import Noun, Requirement, Term

# Subjects that every decision is about.
_EVERYTHING = word_set(
    """traffic communication everything system app application project product
    codebase code thing all team work site website we resource infrastructure workload"""
)
# Adjectives that narrow a subject: without them the decision is about something else.
_NARROWING = word_set(
    """public internal external production private legacy critical sensitive personal paid guest
    mobile remote urgent international domestic"""
)
# Heads that say no more than the words before them: menu items.
_GENERIC = word_set("item thing entry element content provider supplier")
_MAKING = word_set("write create build start add make design develop implement introduce set")
_OLD = word_set("old existing legacy current former")


def find_contradiction(reading: Reading, requirement: Requirement) -> Finding | None:
    """Where the decision does away with what the requirement asks for."""
    steps = (f'the decision goes without "{requirement.text}"',)
    unsure: Finding | None = None
    noun = requirement.subject
    subject = (*noun.modifiers, noun.head) if noun and not noun.head.forms & _EVERYTHING else ()
    taken = _taking_acts(reading, requirement.core)
    for act, tokens, how in _contrary_acts(reading, requirement.core, subject):
        rival = how is _How.RIVAL
        if any(rival or other.verb != act.verb or other.derived for other in taken):
            continue
        if rival and requirement.subject is None:
            continue
        if how is _How.UNDONE and not _is_undone(reading, act, requirement.subject):
            continue
        undone = act.forms & lex.REMOVE - {"disable"} or tokens == [act.verb]
        if requirement.omitted and undone:
            continue
        known = requirement.subject is None or (
            how is _How.DENIED and len(requirement.core) > 1 and not _is_of_people(subject)
        )
        known = known or _gives_way_to_rival(reading, act, requirement.core)
        certain = known or _speaks_of(reading, act, requirement.subject)
        if tokens == [act.verb] and not _is_object(reading, act, requirement.subject):
            continue
        if how is not _How.DENIED and _is_beside(reading, act, requirement.subject, tokens):
            certain = False
        certain = certain and _speaks_of(reading, act, requirement.where)
        if certain:
            return Finding(True, tuple(tokens), steps)
        unsure = unsure or Finding(False, tuple(tokens), steps)
    return unsure


def _is_of_people(subject: tuple[Term, ...]) -> bool:
    """What is asked of some people is not asked of others."""
    return any(item.forms & (PERSONS | _ROLES) for item in subject)


_ROLES = word_set("admin administrator engineer manager developer nurse intern staff contractor")


def _is_object(reading: Reading, act: Act, subject: Noun | None) -> bool:
    """Whether what is not done would have been done to the subject, or to nothing named."""
    things = [phrase for phrase in act.objects() if not phrase.negated]
    if subject is None or not things:
        return True
    places = [index for phrase in things for index in phrase.indices]
    return any(reading.tokens[index].stands_for(subject.head.forms) for index in places)


def _is_undone(reading: Reading, act: Act, subject: Noun | None) -> bool:
    """Whether what the act does the contrary to is the subject itself, by name."""
    if subject is None:
        return False
    first, last = reading.sentences[act.sentence]
    own = [item for item in subject.modifiers if not item.forms & lex.WEAK_MODIFIERS]
    if not all(_named(reading.tokens[first:last], item) for item in own):
        return False
    return any(
        reading.tokens[phrase.indices[-1]].stands_for(subject.head.forms)
        for phrase in act.objects()
        if not phrase.negated
    )


def _is_beside(reading: Reading, act: Act, subject: Noun | None, used: list[int]) -> bool:
    """ "The configuration endpoint": the subject only tells which other thing is meant."""
    if subject is None:
        return False
    for phrase in act.phrases:
        for order, index in enumerate(phrase.indices):
            if reading.tokens[index].stands_for(subject.head.forms):
                rest = [i for i in phrase.indices[order + 1 :] if i not in used]
                behind = [reading.tokens[i] for i in rest]
                return any(one.sort is Sort.WORD and not one.forms & _BEHIND for one in behind)
    return False


_BEHIND = lex.CARRIERS | lex.TIMES | lex.COMMON_ADVERBS | {"open", "public", "live"}


class _How(Enum):
    """How an act stands against what is asked for."""

    DENIED = "denied"
    NONE = "none"
    OPPOSITE = "opposite"
    RIVAL = "rival"
    UNDONE = "undone"


def _contrary_acts(
    reading: Reading, core: tuple[Term, ...], subject: tuple[Term, ...]
) -> Iterator[tuple[Act, list[int], _How]]:
    """Acts against the core, with their words."""
    for denying, tokens in denials(reading, core):
        yield denying, tokens, _How.DENIED
    for denying, tokens in _without_any(reading, core, subject):
        yield denying, tokens, _How.NONE
    names = names_of(core)
    for act in settled_acts(reading, core):
        if act.verb is not None and _undoes(reading, act, core):
            yield act, [act.verb], _How.UNDONE
        for phrase in act.phrases:
            found = _opposite(reading, act, phrase, core)
            if found and _is_of_another(reading, phrase, found[0], (*core, *subject)):
                continue
            if found:
                yield act, found, _How.OPPOSITE
        rival = rival_places(reading, act, names)
        if rival and not _is_present(reading, act, core) and _is_whole(reading, act, core, rival):
            yield act, rival, _How.RIVAL


def _without_any(
    reading: Reading, core: tuple[Term, ...], subject: tuple[Term, ...]
) -> Iterator[tuple[Act, list[int]]]:
    """Acts on the subject that do without anything of the sort that is asked for."""
    if len(core) < 2 or not subject:
        return
    for act, tokens in denials(reading, core[-1:]):
        if _is_without_any(reading, act, tokens) and _holds(reading, act, subject):
            yield act, tokens


def _is_without_any(reading: Reading, act: Act, tokens: list[int]) -> bool:
    """ "Without a flag" is without a flag of any sort."""
    bare = any(
        phrase.preposition == "without" and phrase.indices == tuple(tokens)
        for phrase in act.phrases
    )
    before = reading.tokens[tokens[0] - 1].text if tokens[0] else ""
    return bare and before in ("a", "an", "any", "without")


def _holds(reading: Reading, act: Act, subject: tuple[Term, ...]) -> bool:
    """Whether the act itself, and not another clause, names the subject."""
    places = [index for phrase in act.phrases if not phrase.negated for index in phrase.indices]
    tokens = [reading.tokens[index] for index in places]
    return all(any(token.stands_for(item.forms) for token in tokens) for item in subject)


def _undoes(reading: Reading, act: Act, core: tuple[Term, ...]) -> bool:
    """ "Unlock the room", where it has to be locked."""
    if len(core) != 1 or act.polarity is not Polarity.DONE or act.verb is None or act.derived:
        return False
    # What has to be closed each time is opened before: only a state is undone.
    if not core[0].text.endswith("ed"):
        return False
    return bool(reading.tokens[act.verb].forms & contraries_of(core[0].forms))


def _is_of_another(reading: Reading, phrase: Phrase, index: int, own: tuple[Term, ...]) -> bool:
    """ "The random generator": the contrary is said of a thing that is not the subject."""
    if not own or reading.tokens[index].kinds:
        return False
    behind = [reading.tokens[i] for i in phrase.indices if i > index]
    return any(
        token.sort is Sort.WORD
        and not token.forms & _BEHIND
        and not any(token.stands_for(item.forms) for item in own)
        for token in behind
    )


def _is_whole(reading: Reading, act: Act, core: tuple[Term, ...], rival: list[int]) -> bool:
    """Whether the rival stands for the whole core, or the rest of the core is spoken of."""
    if len(core) <= len(rival):
        return True
    first, last = reading.sentences[act.sentence]
    tokens = reading.tokens[first:last]
    rivals = {form for index in rival for form in reading.tokens[index].forms}
    others = [item for item in core if not rivals & rival_names(item.forms)]
    return len(others) < len(core) and all(_named(tokens, item) for item in others)


def _gives_way_to_rival(reading: Reading, act: Act, core: tuple[Term, ...]) -> bool:
    """ "Replace X with its rival" is about X, whatever else it is about."""
    if not act.forms & lex.REPLACEMENTS or not rival_places(reading, act, names_of(core)):
        return False
    return any(other is act for other, _ in denials(reading, core))


def _taking_acts(reading: Reading, core: tuple[Term, ...]) -> list[Act]:
    """ "Remove the wrong X and add the right X" keeps X: the first acts that have the core."""
    found = (
        act
        for act in reading.acts
        if act.polarity is Polarity.DONE
        and not act.forms & (AGAINST | lex.MENTION)
        and act.verb is not None
        and _is_present(reading, act, core)
    )
    return list(islice(found, _ENOUGH))


# Two different acts are enough: whichever act denies the core, another one takes it.
_ENOUGH = 4


def _speaks_of(reading: Reading, act: Act, subject: Noun | None) -> bool:
    """Whether the sentence of the act is about the subject."""
    if subject is None:
        return True
    first, last = reading.sentences[act.sentence]
    tokens = reading.tokens[first:last]
    for modifier in subject.modifiers:
        if modifier.text == "new" and act.forms & _MAKING:
            if any(token.forms & _OLD for token in tokens):
                return False
        elif modifier.forms & (_NARROWING | {"new"}) and not _named(tokens, modifier):
            return False
    if subject.head.forms & _EVERYTHING:
        return True
    if _is_another_such(reading, act, subject):
        return False
    vague = bool(subject.modifiers) and subject.head.forms & _GENERIC
    if vague and all(_named(tokens, modifier) for modifier in subject.modifiers):
        return True
    return _named(tokens, subject.head) and not any(
        any(token.forms & _set_apart(modifier) for token in tokens)
        for modifier in subject.modifiers
        if not _named(tokens, modifier)
    )


def _is_another_such(reading: Reading, act: Act, subject: Noun) -> bool:
    """ "The meeting room", where the rule is on the archive room."""
    single = not subject.head.text.endswith("s")
    first, last = reading.sentences[act.sentence]
    tokens = reading.tokens[first:last]
    own = [item for item in subject.modifiers if not item.forms & lex.WEAK_MODIFIERS]
    if not single or not own or any(_named(tokens, item) for item in own):
        return False
    heads = {i for i in range(first, last) if reading.tokens[i].stands_for(subject.head.forms)}
    described = {
        index
        for phrase in act.phrases
        for before, index in pairwise(phrase.indices)
        if index in heads and before == index - 1
    }
    return bool(heads) and heads == described


def _set_apart(modifier: Term) -> frozenset[str]:
    """ "The south gate" is not the north gate."""
    return rival_names(modifier.forms) | contraries_of(modifier.forms)


def _named(tokens: tuple[Token, ...], item: Term) -> bool:
    return any(token.stands_for(item.forms) or pieces_of(token) & item.forms for token in tokens)


def _is_present(reading: Reading, act: Act, core: tuple[Term, ...]) -> bool:
    left = ("from", "off") if act.forms & lex.TRANSITIONS else ()
    places = [
        index
        for phrase in act.phrases
        if not phrase.negated and phrase.preposition not in left
        if phrase.preposition is None or not act.derived
        if is_taken(act, phrase) and not _is_referred_to(act, phrase)
        for index in phrase.indices
    ]
    return all(any(_stands(reading, index, item) for index in places) for item in core)


def _is_referred_to(act: Act, phrase: Phrase) -> bool:
    """Whether a pronoun stands for the phrase, which may be another thing."""
    direct = phrase.preposition is None and not act.derived
    return direct and act.verb is not None and phrase.indices[-1] < act.verb


def _stands(reading: Reading, index: int, item: Term) -> bool:
    token = reading.tokens[index]
    prefixed = token.glued and reading.tokens[index - 1].text in ("non", "un", "no")
    return token.stands_for(item.forms) and not prefixed and not turned_off(token.text)


def _opposite(reading: Reading, act: Act, phrase: Phrase, core: tuple[Term, ...]) -> list[int]:
    if phrase.negated or act.polarity is Polarity.NOT_DONE or act.forms & (AGAINST | lex.MENTION):
        return []
    if phrase.preposition in lex.ABOUT_PREPOSITIONS - {"over"} or _is_present(reading, act, core):
        return []
    for item in core:
        contrary = contraries_of(item.forms)
        for index in phrase.indices:
            token = reading.tokens[index]
            prefixed = token.glued and reading.tokens[index - 1].text in ("non", "un", "no")
            if prefixed and token.forms & item.forms:
                return [index]
            if token.text == "http":
                continue
            if token.forms & contrary and not prefixed and _rest_is_meant(reading, act, core, item):
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
