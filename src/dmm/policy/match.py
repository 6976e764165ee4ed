"""Does a decision do what an action describes?"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from dmm.policy import lexicon as lex
from dmm.policy.actions import wordings_of
from dmm.policy.acts import Act, Polarity, Reading
from dmm.policy.enactment import object_places, verb_itself, verb_places
from dmm.policy.naming import match_noun
from dmm.policy.verbs import owns
from dmm.policy.wordsets import word_set

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dmm.policy.language import Token
    from dmm.policy.phrases import Phrase
    from dmm.policy.rules import Action, Condition, Noun, Term

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Finding:
    """How an act of the decision meets a rule: certain or merely similar, and by which tokens."""

    certain: bool
    tokens: tuple[int, ...]
    steps: tuple[str, ...]

    def spans(self, reading: Reading) -> tuple[Span, ...]:
        """The places in the decision's text that met the rule."""
        return spans_of(reading, self.tokens)


def spans_of(reading: Reading, indices: Iterable[int]) -> tuple[Span, ...]:
    """The text ranges of these tokens, neighbours joined."""
    spans: list[Span] = []
    previous = -2
    for index in sorted(set(indices)):
        token = reading.tokens[index]
        if index == previous + 1 and spans:
            spans[-1] = (spans[-1][0], token.end)
        else:
            spans.append((token.start, token.end))
        previous = index
    return tuple(spans)


def find_action(reading: Reading, action: Action) -> Finding | None:
    """The act of the decision that is the action: a certain one before a similar one."""
    similar: Finding | None = None
    for wording in wordings_of(action):
        for act in reading.acts:
            finding = _meet(reading, act, wording)
            if finding is not None and finding.certain:
                return finding
            similar = similar or finding
    return similar


def _meet(reading: Reading, act: Act, action: Action) -> Finding | None:
    if act.polarity in (Polarity.NOT_DONE, Polarity.ASIDE):
        return None
    verb = verb_places(reading, act, action)
    if verb is None:
        return _go_without(reading, act, action)
    tokens = list(verb)
    found_objects = object_places(reading, act, action) or verb_itself(reading, act, action)
    if found_objects is None:
        return None
    exact, object_tokens = found_objects
    tokens += object_tokens
    rest = _manner_and_conditions(reading, act, action)
    if rest is None:
        return None
    tokens += rest
    certain = exact and act.polarity is Polarity.DONE
    words = " ".join(reading.tokens[index].text for index in sorted(set(tokens)))
    steps = (f'read "{words}" as the act "{action.text}"', f"the act is {act.polarity}")
    return Finding(certain, tuple(tokens), steps)


def _go_without(reading: Reading, act: Act, action: Action) -> Finding | None:
    """ "Merge it without review" skips the review."""
    if not any(verb.forms & _SKIPPING for verb in action.verbs) or act.verb is None:
        return None
    if act.polarity is not Polarity.DONE or act.forms & (lex.MENTION | lex.NEGATIVE | lex.REMOVE):
        return None
    for phrase in act.phrases:
        if phrase.preposition != "without":
            continue
        for noun in action.objects:
            found = match_noun(reading, act, replace(phrase, negated=False), noun)
            rest = _manner_and_conditions(reading, act, action)
            if found is not None and found[0] and rest is not None:
                tokens = (act.verb, *found[1], *rest)
                return Finding(True, tokens, (f'read as the act "{action.text}"',))
    return None


_SKIPPING = frozenset(("=skip", "skip", "bypass", "omit"))


def _manner_and_conditions(reading: Reading, act: Act, action: Action) -> list[int] | None:
    used: list[int] = []
    for manner in action.manner:
        place = _anywhere(reading, act, manner)
        if place is None:
            return None
        used.append(place)
    if action.subject is not None:
        place = _subject(reading, act, action.subject)
        if place is None:
            return None
        used.append(place)
    for condition in action.conditions:
        places = match_condition(reading, act, condition)
        if places is None:
            return None
        used += places
    return used


def _subject(reading: Reading, act: Act, noun: Noun) -> int | None:
    for phrase in act.phrases:
        if phrase.negated:
            continue
        for order, index in enumerate(phrase.indices):
            if not reading.tokens[index].stands_for(noun.head.forms):
                continue
            others = [reading.tokens[other] for other in phrase.indices[:order]]
            if not (others and noun.modifiers) or _describe(others, noun):
                return index
    if noun.head.forms & _ANYBODY and not noun.modifiers:
        return _somebody(reading, act)
    return None


def _describe(words: list[Token], noun: Noun) -> bool:
    """Whether one of the words before the head is a modifier of the noun."""
    return any(word.stands_for(item.forms) for word in words for item in noun.modifiers)


def _somebody(reading: Reading, act: Act) -> int | None:
    """Where a rule is for all who work here: one called by name, or whoever decides."""
    subjects = [p for p in act.phrases if p.preposition == "subject" and not act.passive]
    if not subjects:
        return act.verb
    index = subjects[0].indices[-1]
    own = reading.text[reading.tokens[index].start : reading.tokens[index].end]
    named = own[:1].isupper() and own[1:].islower() and not own.endswith("s")
    return index if named and len(subjects) == 1 and len(subjects[0].indices) < 3 else None


_ANYBODY = word_set("employee staff worker person anyone everyone developer engineer colleague")


def _anywhere(reading: Reading, act: Act, term: Term) -> int | None:
    places = list(act.before)
    for phrase in act.phrases:
        if not phrase.negated:
            places += phrase.indices
    for index in places:
        if reading.tokens[index].stands_for(term.forms):
            return index
    return None


def match_condition(reading: Reading, act: Act, condition: Condition) -> list[int] | None:
    """The tokens that say that the act happens under the condition."""
    if act.verb is not None and condition.preposition in _BY and not act.derived:
        verb = reading.tokens[act.verb]
        if any(verb.text in noun.head.forms and not noun.modifiers for noun in condition.nouns):
            return [act.verb]
    installing = _installs(reading, act, condition)
    if installing:
        return installing
    for phrase in act.phrases:
        if phrase.negated or not (
            _compatible(condition.preposition, phrase, act)
            or _is_when(reading, phrase)
            or (condition.preposition == "from" and _is_owned(reading, phrase))
        ):
            continue
        if phrase.preposition == "of" and _is_of_copy(reading, phrase):
            continue
        for noun in condition.nouns:
            found = match_noun(reading, act, phrase, noun)
            if found is not None and (found[0] or _owns(reading, found[1][-1], condition)):
                return found[1]
            if found is not None and _may_be_partial(reading, found[1]):
                return found[1]
    return None


def _installs(reading: Reading, act: Act, condition: Condition) -> list[int]:
    """ "Run npm install X" is for a package, whatever its name is."""
    if condition.preposition != "for" or act.derived:
        return []
    if not any(noun.head.forms & _PACKAGES and not noun.modifiers for noun in condition.nouns):
        return []
    places = [index for phrase in act.objects() for index in phrase.indices]
    return [index for index in places if reading.tokens[index].text in ("install", "add")][:1]


_PACKAGES = frozenset(("package", "dependency", "=dependency"))


def _is_when(reading: Reading, phrase: Phrase) -> bool:
    """ "Out to production this Friday": a time needs no preposition."""
    times = (reading.tokens[index].forms & lex.TIMES for index in phrase.indices)
    return phrase.preposition is None and all(times)


# "Email it" is to send it by email.
_BY = frozenset(("by", "via", "over"))


def _is_owned(reading: Reading, phrase: Phrase) -> bool:
    """ "The supplier's gift" is a gift from the supplier."""
    return phrase.preposition in (None, "of") and owns(reading.tokens[phrase.indices[0]])


def _may_be_partial(reading: Reading, tokens: list[int]) -> bool:
    """A time, or the owner of what follows: "the frontend's login button"."""
    token = reading.tokens[tokens[0]]
    owner = reading.text[token.end - 2 : token.end] in ("'s", "\N{RIGHT SINGLE QUOTATION MARK}s")
    return owner or bool(token.forms & lex.TIMES)


def _is_of_copy(reading: Reading, phrase: Phrase) -> bool:
    """ "A replica of production" is not production."""
    before = phrase.indices[0] - 1
    while before > 0 and reading.tokens[before].text in lex.DETERMINERS | {"of"}:
        before -= 1
    return bool(reading.tokens[before].forms & lex.COPIES)


def _owns(reading: Reading, index: int, condition: Condition) -> bool:
    """ "The frontend's button" is in the frontend."""
    token = reading.tokens[index]
    own = reading.text[token.start : token.end]
    return condition.preposition in _PLACES and own.endswith(
        ("'s", "\N{RIGHT SINGLE QUOTATION MARK}s")
    )


_ELSEWHERE = word_set("outside beyond behind without beside near past")
_PLACES = word_set("in on for to of at within inside under")
_WITHIN = frozenset(("in", "inside", "within"))
_CALLING = word_set("call invoke use import access query run require execute trigger start")


def _compatible(wanted: str, phrase: Phrase, act: Act) -> bool:
    given = phrase.preposition
    aimed = any(other.preposition in ("to", "into", "onto") for other in act.phrases)
    if given is None or given == "subject":
        return not (wanted in lex.TO_WORDS and given is None and aimed)
    fronted = act.verb is not None and phrase.indices[0] < act.verb
    if fronted and aimed and wanted in ("to", "into", "onto"):
        return False
    if wanted == given or (given == "of" and wanted in _WITHIN):
        return True
    if given in _ELSEWHERE or wanted in _ELSEWHERE:
        return False
    if given == "of" and wanted in _PLACES:
        return True
    if wanted == "from" and given in _WITHIN and act.forms & _CALLING:
        return True
    if wanted in lex.FROM_WORDS or given in lex.FROM_WORDS:
        return wanted in lex.FROM_WORDS and given in lex.FROM_WORDS
    return given not in lex.ABOUT_PREPOSITIONS and wanted not in ("before", "after", "without")
