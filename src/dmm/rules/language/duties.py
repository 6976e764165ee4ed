"""Decisions that go without what a rule asks for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dmm.rules.language import lexicon as lex
from dmm.rules.language.acts import Act, Polarity
from dmm.rules.language.match import Breach
from dmm.rules.language.nouns import match_noun
from dmm.rules.language.wordsets import word_set

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from dmm.rules.language.clauses import Reading
    from dmm.rules.language.rules import Noun, Requirement, Term

_OPTIONAL = frozenset(("optional", "unnecessary", "off", "disabled", "absent", "missing"))
_PREFIXES = ("un", "non", "in")
# To act as these say is to go without a thing.
_AGAINST = word_set(
    """skip omit bypass disable deactivate remove drop forgo waive lack miss avoid decline ignore
    refuse strip eliminate delete abandon replace swap exclude"""
)


def find_denial(reading: Reading, core: Sequence[Term], *, doing: bool = True) -> Breach | None:
    """Where the decision says that something is not there, not done or done away with."""
    for act in reading.acts:
        if act.polarity in (Polarity.ASIDE, Polarity.UNSURE) and act.verb is not None:
            continue
        if act.forms & lex.REPLACE and any(
            one.preposition in ("with", "for", "by") and _all_of(reading, one.indices, core)
            for one in act.phrases
        ):
            continue
        for places in _denied(reading, act, doing=doing):
            found = _all_of(reading, places, core)
            if found is not None and not _is_head(reading, act, found):
                continue
            # What is taken away under a closer name is one such thing, not all of them.
            one_of = bool(act.forms & lex.REMOVE) and found is not None and len(found) < len(places)
            if found is not None and not one_of:
                return Breach(True, tuple(found), ("the decision goes without it",))
    contrary = {f"{prefix}{form}" for form in core[-1].forms for prefix in _PREFIXES}
    contrary = contrary if len(core) == 1 else set()
    for index, token in enumerate(reading.tokens):
        before = reading.tokens[index - 1].text if index and token.glued else ""
        opposed = token.forms & contrary or f"{before}{token.text}" in contrary
        if opposed and _is_told(reading, index):
            return Breach(True, (index,), (f'"{token.text}" is the contrary',))
    return None


def _is_head(reading: Reading, act: Act, found: Sequence[int]) -> bool:
    """ "Skip the test runner" is not about tests; "skip the test step" is."""
    last = max(found)
    behind = (i for one in act.phrases if last in one.indices for i in one.indices if i > last)
    return all(reading.tokens[i].forms & (lex.CARRIERS | lex.TIMES) for i in behind)


def _own(act: Act) -> Iterator[int]:
    return (i for one in act.phrases if not one.negated for i in one.indices)


def _denied(reading: Reading, act: Act, *, doing: bool) -> Iterator[list[int]]:
    """The words that an act says nothing is done with."""
    if act.polarity is Polarity.NOT_DONE:
        verb = [act.verb] if act.verb is not None and doing else []
        if not act.forms & _AGAINST:
            yield [*verb, *_own(act)]
        return
    optional = "be" in act.forms and any(reading.tokens[i].text in _OPTIONAL for i in _own(act))
    objects = set(act.objects()) if act.forms & _AGAINST else set()
    for phrase in act.phrases:
        if phrase.negated:
            denied = not act.forms & (lex.NEGATIVE - {"skip", "omit", "bypass"})
        else:
            left = act.forms & lex.TRANSITION and phrase.preposition in ("from", "off")
            denied = bool(left) or phrase in objects
            denied = denied or (optional and phrase.preposition == "subject")
        if denied:
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
        if act.verb == index:
            return act.polarity is Polarity.DONE
        for phrase in act.phrases:
            if index in phrase.indices:
                done = act.polarity is Polarity.DONE and not phrase.negated
                heads = [reading.tokens[one.indices[-1]].forms for one in act.phrases]
                spoken = any(head & lex.ABOUT for head in heads)
                return (
                    done
                    and not spoken
                    and not act.forms & (lex.NEGATIVE | lex.REMOVE | lex.MENTION)
                )
    return False


def is_denied(reading: Reading, terms: Sequence[Term]) -> bool:
    """Whether the decision says that it goes without most of what the terms name."""
    for act in reading.acts:
        for places in _denied(reading, act, doing=True):
            tokens = [reading.tokens[index] for index in places]
            found = [one for one in terms if any(token.stands_for(one.forms) for token in tokens)]
            if len(found) * 2 >= len(terms) and act.polarity is not Polarity.ASIDE:
                return True
    return False


def find_contradiction(reading: Reading, part: Requirement) -> Breach | None:
    """Where the decision goes without what is required, for what it is required for."""
    finding = find_denial(reading, part.core, doing=part.subject is not None)
    if finding is None or (part.where is not None and not _names(reading, part.where)):
        return None
    if part.subject is None:
        return finding
    head = part.subject.head
    for act in reading.acts:
        # "Do not log the password": the verb that is asked for, of another thing.
        denied = act.polarity is Polarity.NOT_DONE and act.verb in finding.tokens
        if denied and any(True for _ in act.objects()):
            named = any(match_noun(reading, act, one, part.subject) for one in act.objects())
            return finding if named else None
    for index in _told(reading):
        named = reading.tokens[index].stands_for(head.forms) and index not in finding.tokens
        if named and not _is_another(reading, index, part.subject):
            return Breach(finding.certain, (*finding.tokens, index), finding.steps)
    return None


def _told(reading: Reading) -> Iterator[int]:
    for act in reading.acts:
        yield from (act.verb,) if act.verb is not None else ()
        for phrase in act.phrases:
            yield from () if phrase.negated else phrase.indices


def _is_another(reading: Reading, index: int, noun: Noun) -> bool:
    """Whether other words tell which one it is: the meeting room, not the archive room."""
    for act in reading.acts:
        for phrase in act.phrases:
            if index in phrase.indices:
                others = [reading.tokens[i] for i in phrase.indices if i < index]
                fits = any(one.stands_for(m.forms) for one in others for m in noun.modifiers)
                return bool(others and noun.modifiers) and not fits
    return False


def _names(reading: Reading, noun: Noun) -> bool:
    return any(reading.tokens[index].stands_for(noun.head.forms) for index in _told(reading))
