"""Does a decision do what an action describes?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dmm.policy import lexicon as lex
from dmm.policy.acts import Act, Polarity, Reading
from dmm.policy.language import Sort
from dmm.policy.wordsets import word_set

if TYPE_CHECKING:
    from collections.abc import Iterable

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
    for act in reading.acts:
        finding = _meet(reading, act, action)
        if finding is not None and finding.certain:
            return finding
        similar = similar or finding
    return similar


def _meet(reading: Reading, act: Act, action: Action) -> Finding | None:
    if act.polarity in (Polarity.NOT_DONE, Polarity.ASIDE):
        return None
    verb = verb_places(reading, act, action)
    if verb is None:
        return None
    tokens = list(verb)
    found_objects = object_places(reading, act, action) or _verb_itself(reading, act, action)
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


def verb_places(reading: Reading, act: Act, action: Action) -> list[int] | None:
    """The tokens by which the act has one of the action's verbs."""
    place = [] if act.verb is None else [act.verb]
    if not action.verbs:
        return place if _brings_about(reading, act) else None
    for verb in action.verbs:
        if act.verb is not None and verb.forms & act.forms:
            return place
        if "use" in verb.forms and (act.verb is None or act.forms & lex.USE):
            return place
        if "use" in verb.forms and _verb_itself(reading, act, action):
            return place
    return _nominal(reading, act, action)


def _brings_about(reading: Reading, act: Act) -> bool:
    """Whether the act makes its object happen, for rules that name no verb."""
    if "change" in act.forms and not act.derived and _has_result(reading, act):
        return False
    denied = lex.MENTION | lex.NEGATIVE | lex.REMOVE | lex.NEUTRAL | lex.REMAKES
    return not act.forms & (denied | {"be", "have"}) or bool(act.forms & lex.USE)


def _has_result(reading: Reading, act: Act) -> bool:
    """ "Change the window seat to an aisle seat": the object gives way."""
    return any(
        phrase.preposition in ("to", "into", "for")
        and not reading.tokens[phrase.indices[-1]].forms & lex.TIMES
        for phrase in act.phrases
    )


def _nominal(reading: Reading, act: Act, action: Action) -> list[int] | None:
    """An act named by a noun: "schedule the deployment", "a force push to main"."""
    if act.verb is not None and not act.forms & (lex.LIGHT | {"be", "happen", "occur"}):
        return None
    for phrase in act.phrases:
        if phrase.negated or phrase.preposition not in (None, "subject", "with"):
            continue
        head = reading.tokens[phrase.indices[-1]]
        verb = lex.NOMINAL.get(head.text) or next(
            (lex.NOMINAL[form] for form in sorted(head.forms) if form in lex.NOMINAL), None
        )
        if verb and any(verb in term.forms or head.forms & term.forms for term in action.verbs):
            return [phrase.indices[-1]]
    return None


def _verb_itself(reading: Reading, act: Act, action: Action) -> tuple[bool, list[int]] | None:
    """ "Just eval the string" is a use of eval."""
    if act.verb is None or not any("use" in verb.forms for verb in action.verbs):
        return None
    verb = reading.tokens[act.verb]
    if any(not noun.modifiers and verb.text in noun.head.forms for noun in action.objects):
        return True, [act.verb]
    return None


def object_places(reading: Reading, act: Act, action: Action) -> tuple[bool, list[int]] | None:
    """Whether the act has one of the action's objects: (surely, tokens), or None."""
    if not action.objects:
        return True, []
    best: tuple[bool, list[int]] | None = None
    for phrase in _object_phrases(reading, act, action):
        for noun in action.objects:
            found = match_noun(reading, act, phrase, noun)
            if found is not None and found[0]:
                certain = act.verb is not None or bool(
                    action.verbs and _nominal(reading, act, action)
                )
                return certain, found[1]
            best = best or found
    return best


def _object_phrases(reading: Reading, act: Act, action: Action) -> Iterable[Phrase]:
    carried = any(
        reading.tokens[phrase.indices[-1]].forms & lex.CARRIERS for phrase in act.objects()
    )
    partial = any(reading.tokens[phrase.indices[-1]].forms & lex.PARTS for phrase in act.objects())
    prepositions = {"as"} | ({"at"} if carried else set()) | ({"of"} if partial else set())
    for phrase in act.phrases:
        if phrase.negated:
            continue
        direct = phrase.preposition is None or (act.passive and phrase.preposition == "subject")
        if (
            direct
            or (not action.verbs and phrase.preposition not in lex.ABOUT_PREPOSITIONS | {"subject"})
            or (act.verb is None and phrase.preposition == "of")
            or (action.verbs and phrase.preposition in prepositions)
        ):
            yield phrase


def match_noun(
    reading: Reading, act: Act, phrase: Phrase, noun: Noun
) -> tuple[bool, list[int]] | None:
    """Whether the phrase names the noun: (surely, tokens), or None."""
    heads = (noun.head,) if not noun.head_optional else (noun.head, *noun.modifiers[-1:])
    for head in heads:
        others = noun.modifiers if head is noun.head else noun.modifiers[:-1]
        found = _match_head(reading, act, phrase, head, others)
        if found is not None:
            return found
    return None


def _match_head(
    reading: Reading, act: Act, phrase: Phrase, head: Term, modifiers: tuple[Term, ...]
) -> tuple[bool, list[int]] | None:
    tokens = reading.tokens
    best: tuple[bool, list[int]] | None = None
    for order, index in enumerate(phrase.indices):
        if not tokens[index].stands_for(head.forms) and not _member_of(reading, index, head):
            continue
        used = _modified(reading, act, phrase, modifiers)
        if used is None or _negated_word(reading, phrase, order):
            continue
        used.append(index)
        if _whole(reading, phrase, order, used):
            return True, used
        best = best or (False, used)
    return best


def _modified(
    reading: Reading, act: Act, phrase: Phrase, modifiers: tuple[Term, ...]
) -> list[int] | None:
    used: list[int] = []
    for modifier in modifiers:
        place = _modifier(reading, act, phrase, modifier)
        if place is None:
            return None
        used += place
    return used


def _member_of(reading: Reading, index: int, head: Term) -> bool:
    """`pickle.loads` is a use of `pickle`: a dotted call names its module first."""
    token = reading.tokens[index]
    if token.sort is not Sort.NAME or "." not in token.text:
        return False
    module, _, rest = token.text.partition(".")
    return module in head.forms and token.called and bool(rest)


def _modifier(reading: Reading, act: Act, phrase: Phrase, modifier: Term) -> list[int] | None:
    if modifier.forms & lex.WEAK_MODIFIERS and act.forms & _ADDING:
        return []
    for index in phrase.indices:
        if reading.tokens[index].stands_for(modifier.forms):
            return [index]
    for other in act.phrases:
        if other.negated or other is phrase or other.preposition in _AWAY:
            continue
        for index in other.indices:
            if reading.tokens[index].stands_for(modifier.forms):
                return [index]
    return None


_ADDING = frozenset(("add", "install", "introduce", "import"))
_AWAY = lex.ABOUT_PREPOSITIONS - {"of"}


def _negated_word(reading: Reading, phrase: Phrase, order: int) -> bool:
    """`non-X`, `X-free` and the like name the contrary of X."""
    tokens = reading.tokens
    index = phrase.indices[order]
    before = tokens[index - 1].text if index and tokens[index].glued else ""
    after = tokens[index + 1] if index + 1 < len(tokens) else None
    free = after is not None and after.glued and after.text in ("free", "less")
    return before in ("non", "anti", "no", "pseudo") or free


def _whole(reading: Reading, phrase: Phrase, order: int, used: list[int]) -> bool:
    """Whether the match covers the thing itself, not a part of a longer name or another thing."""
    tokens = reading.tokens
    index = phrase.indices[order]
    if tokens[index].quoted:
        return False
    if tokens[index].glued and index - 1 not in used:
        return False
    for position in phrase.indices[order + 1 :]:
        token = tokens[position]
        if position in used or token.sort is Sort.NUMBER or token.text in lex.COMMON_ADVERBS:
            continue
        if position + 1 < len(tokens) and tokens[position + 1].text == "than":
            continue
        if token.sort is Sort.NAME and tokens[index].forms & lex.CARRIERS and not token.glued:
            continue
        if not token.forms & (lex.CARRIERS | lex.TIMES | lex.COMMON_ADVERBS):
            return _named(reading, index, position)
    return True


def _named(reading: Reading, index: int, position: int) -> bool:
    """ "Hotel Sakura", "branch release-2": a common noun followed by a proper name."""
    token = reading.tokens[position]
    first = reading.text[token.start : token.start + 1]
    own = reading.text[reading.tokens[index].start : reading.tokens[index].end]
    common = reading.tokens[index].sort is Sort.WORD and own.isalpha()
    return (
        common
        and not token.glued
        and first.isupper()
        and not reading.text.isupper()
        and (bool(reading.tokens[index].forms & _NAMED))
    )


_NAMED = word_set("hotel hostel flight airline restaurant branch table service team city")


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
        for index in phrase.indices:
            if reading.tokens[index].stands_for(noun.head.forms):
                return index
    return None


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
    for phrase in act.phrases:
        if phrase.negated or not _compatible(condition.preposition, phrase, act):
            continue
        for noun in condition.nouns:
            found = match_noun(reading, act, phrase, noun)
            if found is not None and found[0]:
                return found[1]
            if found is not None and reading.tokens[found[1][0]].forms & lex.TIMES:
                return found[1]
    return None


def _compatible(wanted: str, phrase: Phrase, act: Act) -> bool:
    given = phrase.preposition
    if given is None or given == "subject":
        if wanted in lex.TO_WORDS and given is None:
            return not any(other.preposition in ("to", "into", "onto") for other in act.phrases)
        return True
    if wanted == given:
        return True
    if wanted in lex.FROM_WORDS or given in lex.FROM_WORDS:
        return wanted in lex.FROM_WORDS and given in lex.FROM_WORDS
    return given not in lex.ABOUT_PREPOSITIONS and wanted not in ("before", "after", "without")
