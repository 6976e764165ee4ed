"""Find decisions that lack what a rule requires or break a limit."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from dmm.rules.language.match import Breach
from dmm.rules.language.nouns import match_noun
from dmm.text import lexicon as lex
from dmm.text.acts import Act, Phrase, Polarity
from dmm.text.tokens import text_at
from dmm.text.words import english, word_set

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from dmm.rules.language.rules import Limit, Noun, Requirement, Term
    from dmm.text.amounts import Quantity
    from dmm.text.clauses import Reading


_OPTIONAL = frozenset(("optional", "unnecessary", "off", "disabled", "absent", "missing"))
_PREFIXES = ("un", "non", "in")
_AGAINST = english("going_without")


def find_denial(reading: Reading, core: Sequence[Term], *, doing: bool = True) -> Breach | None:
    """Return where the decision says that something is missing, not done or removed."""
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
    """Return whether a word heads its phrase: "the test step", not "the test runner"."""
    last = max(found)
    behind = (i for one in act.phrases if last in one.indices for i in one.indices if i > last)
    return all(reading.tokens[i].forms & (lex.CARRIERS | lex.TIMES) for i in behind)


def _denied(reading: Reading, act: Act, *, doing: bool) -> Iterator[list[int]]:
    """Return the words that an act denies."""
    if act.polarity is Polarity.NOT_DONE:
        verb = [act.verb] if act.verb is not None and doing else []
        if not act.forms & _AGAINST:
            yield [*verb, *act.told()]
        return
    optional = "be" in act.forms and any(reading.tokens[i].text in _OPTIONAL for i in act.told())
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
    """Return whether the decision says that it omits most of what the terms name."""
    for act in reading.acts:
        for places in _denied(reading, act, doing=True):
            tokens = [reading.tokens[index] for index in places]
            found = [one for one in terms if any(token.stands_for(one.forms) for token in tokens)]
            if len(found) * 2 >= len(terms) and act.polarity is not Polarity.ASIDE:
                return True
    return False


def find_contradiction(reading: Reading, part: Requirement) -> Breach | None:
    """Return where the decision omits what is required for its subject."""
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
    for index in told_by(reading.acts):
        named = reading.tokens[index].stands_for(head.forms) and index not in finding.tokens
        if named and not _is_another(reading, index, part.subject):
            return Breach(finding.certain, (*finding.tokens, index), finding.steps)
    return None


def told_by(acts: Iterable[Act]) -> Iterator[int]:
    """Return the positions of all words in the acts that are not denied."""
    for act in acts:
        yield from (act.verb,) if act.verb is not None else ()
        yield from act.told()


def _is_another(reading: Reading, index: int, noun: Noun) -> bool:
    """Return whether other words name a different thing: the meeting room, not the archive room."""
    for act in reading.acts:
        for phrase in act.phrases:
            if index in phrase.indices:
                others = [reading.tokens[i] for i in phrase.indices if i < index]
                fits = any(one.stands_for(m.forms) for one in others for m in noun.modifiers)
                return bool(others and noun.modifiers) and not fits
    return False


def _names(reading: Reading, noun: Noun) -> bool:
    return any(reading.tokens[index].stands_for(noun.head.forms) for index in told_by(reading.acts))


_NOT_DECIDED = english("other_amounts")
_REDUCING = word_set("split shorten reduce compress trim shrink cut truncate break refactor fix")
_GIVEN_UP = lex.REMOVE | lex.NEGATIVE | lex.MENTION | {"shutdown"}
_GIVING_BACK = word_set("return refund sell reimburse")
_KEEPING = word_set("keep kept retain retained retention store stored preserve hold held")
_OFFSETS = word_set("ago later earlier")
_PERIODS = ("second", "minute", "hour", "day", "week", "month", "year")


def find_breach(reading: Reading, limit: Limit) -> Breach | None:
    """Return the amount in the decision that breaks the limit."""
    stated = [
        (quantity, value, certain, subject)
        for quantity, value in _candidates(reading, limit)
        if (certain := _is_decided(reading, quantity, limit)) is not None
        and (subject := _subject_tokens(reading, limit, quantity)) is not None
    ]
    for quantity, value, certain, subject in stated:
        if holds(value, limit):
            continue
        near = [abs(one.first - subject[-1]) for one, *_ in stated] if subject else []
        if near and min(near) < abs(quantity.first - subject[-1]):
            continue
        tokens = tuple(range(quantity.first, quantity.last + 1))
        words = " ".join(reading.tokens[index].text for index in tokens)
        shown = ".".join(map(str, value)) if isinstance(value, tuple) else f"{value.normalize():f}"
        wanted = f"{limit.comparison} {'.'.join(map(str, limit.version)) or limit.value}"
        steps = (f'"{words}" is {shown}', f"the rule asks for {wanted} ({limit.measure})")
        return Breach(certain, (*tokens, *subject), steps)
    return None


def amount_holds(reading: Reading, limit: Limit) -> bool:
    """Return whether the decision has any amount that satisfies the limit."""
    return any(
        holds(value, limit)
        for quantity, value in _candidates(reading, limit)
        if (place := _holder(reading, quantity)) is None or not place[1].negated
    )


def holds(value: Decimal | tuple[int, ...], limit: Limit) -> bool:
    """Return whether an amount or a version satisfies the limit."""
    if isinstance(value, tuple):
        length = min(len(value), len(limit.version))
        order = _order(value[:length], limit.version[:length])
    else:
        order = _order((value,), (Decimal(limit.value),))
    return _SATISFIED[limit.comparison](order)


_SATISFIED: dict[str, Callable[[int], bool]] = {
    "<": lambda order: order < 0,
    "<=": lambda order: order <= 0,
    ">": lambda order: order > 0,
    ">=": lambda order: order >= 0,
}


def _order(left: tuple[Decimal | int, ...], right: tuple[Decimal | int, ...]) -> int:
    return (left > right) - (left < right)


def _candidates(
    reading: Reading, limit: Limit
) -> Iterator[tuple[Quantity, Decimal | tuple[int, ...]]]:
    if limit.measure == "version":
        yield from _versions(reading, limit)
        return
    for quantity in reading.quantities:
        wanted, given = limit.measure, quantity.measure
        same = given == wanted or (wanted == "money:" and given.startswith(wanted))
        if not same or (wanted == "count" and not _counts(quantity, limit)):
            continue
        if limit.per in (None, quantity.per):
            yield quantity, quantity.value


def _counts(quantity: Quantity, limit: Limit) -> bool:
    named = quantity.counted & {"time"} or not quantity.counted
    return bool(named) or any(quantity.counted & one.forms for one in limit.subject)


def _versions(reading: Reading, limit: Limit) -> Iterator[tuple[Quantity, tuple[int, ...]]]:
    names = limit.subject[-1].forms if limit.subject else frozenset()
    for quantity in reading.quantities:
        before = quantity.first - 1
        while before >= 0 and text_at(reading.tokens, before) in _TO_VERSION:
            before -= 1
        if quantity.version and before >= 0 and reading.tokens[before].forms & names:
            yield quantity, quantity.version


_TO_VERSION = frozenset((":", ">", "=", ">=", "to", "version", "v"))


def _sentence(reading: Reading, index: int) -> tuple[int, int]:
    return next((one for one in reading.sentences if one[0] <= index < one[1]), (0, 0))


def _holder(reading: Reading, quantity: Quantity) -> tuple[Act, Phrase] | None:
    """Return the act and the phrase that contain an amount."""
    places = range(quantity.first, quantity.last + 2)
    for act in reading.acts:
        for phrase in act.phrases:
            if any(place in phrase.indices for place in places):
                return act, phrase
    return None


def _is_decided(reading: Reading, quantity: Quantity, limit: Limit) -> bool | None:
    """Return True if the amount is the decided one, False if unsure, None if it is not."""
    held = _holder(reading, quantity)
    if held is None:
        return False
    act, phrase = held
    if act.polarity in (Polarity.NOT_DONE, Polarity.ASIDE) or phrase.negated:
        return None
    kept = _KEEPING & set(limit.text.split())
    if act.forms & lex.REMOVE and phrase.preposition == "after" and kept:
        return act.polarity is Polarity.DONE
    if _is_given_up(act, phrase, quantity) or _is_aside(reading, quantity):
        return None
    decided = act.polarity is Polarity.DONE or act.verb is None
    before = text_at(reading.tokens, quantity.first - 1)
    return decided and before not in ("under", "below", "than") and "cost" not in act.forms


def _is_given_up(act: Act, phrase: Phrase, quantity: Quantity) -> bool:
    back = act.forms & _GIVING_BACK and quantity.measure.startswith("money")
    less = act.forms & _REDUCING and phrase.preposition in (None, "of")
    return bool(act.forms & _GIVEN_UP or phrase.preposition == "from" or back or less)


def _is_aside(reading: Reading, quantity: Quantity) -> bool:
    """Return whether an amount is only a budget, a refund, a frequency or a time."""
    after = reading.tokens[quantity.last + 1 : quantity.last + 2]
    before = reading.tokens[max(0, quantity.first - 3) : quantity.first]
    if quantity.measure.startswith("money"):
        return any(token.forms & _NOT_DECIDED for token in (*after, *before))
    if quantity.measure != "time":
        return False
    often = before and before[-1].text in ("every", "last", "past", "by", "in")
    return bool(often) or any(token.text in _OFFSETS for token in after)


def _subject_tokens(reading: Reading, limit: Limit, quantity: Quantity) -> list[int] | None:
    """Return the words that show that an amount has the subject of the limit."""
    first, last = _sentence(reading, quantity.first)
    found: list[int] = []
    for term in limit.subject:
        at = [i for i in range(first, last) if reading.tokens[i].stands_for(term.forms)]
        if at:
            found.append(min(at, key=lambda i: abs(i - quantity.first)))
    rate = limit.per == quantity.per and limit.per not in (None, *_PERIODS)
    missing = len(limit.subject) - len(found)
    if not missing or rate:
        return found
    # "The coverage", where the limit is on test coverage.
    bare = len(limit.subject) == 2 and missing == 1 and limit.measure in ("share", "time", "size")
    named = found and reading.tokens[found[-1]].stands_for(limit.subject[-1].forms)
    return found if bare and named else None
