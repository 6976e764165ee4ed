"""Amounts in a decision that break a numeric limit."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from dmm.rules.language import lexicon as lex
from dmm.rules.language.acts import Act, Phrase, Polarity
from dmm.rules.language.language import text_at
from dmm.rules.language.match import Breach
from dmm.rules.language.wordsets import word_set

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from dmm.rules.language.clauses import Reading
    from dmm.rules.language.quantities import Quantity
    from dmm.rules.language.rules import Limit


_NOT_DECIDED = word_set(
    "budget limit cap save saving saved discount refund cheaper off credit ceiling allowance"
)
_REDUCING = word_set("split shorten reduce compress trim shrink cut truncate break refactor fix")
_GIVEN_UP = lex.REMOVE | lex.NEGATIVE | lex.MENTION | {"shutdown"}
_GIVING_BACK = word_set("return refund sell reimburse")
_KEEPING = word_set("keep kept retain retained retention store stored preserve hold held")
_OFFSETS = word_set("ago later earlier")
_PERIODS = ("second", "minute", "hour", "day", "week", "month", "year")


def find_breach(reading: Reading, limit: Limit) -> Breach | None:
    """The amount in the decision that breaks the limit."""
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
    """Whether the decision states an amount that satisfies the limit, whatever it is about."""
    return any(
        holds(value, limit)
        for quantity, value in _candidates(reading, limit)
        if (place := _holder(reading, quantity)) is None or not place[1].negated
    )


def holds(value: Decimal | tuple[int, ...], limit: Limit) -> bool:
    """Whether an amount or a version satisfies the comparison of a limit."""
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
    """The act and the phrase that hold an amount."""
    places = range(quantity.first, quantity.last + 2)
    for act in reading.acts:
        for phrase in act.phrases:
            if any(place in phrase.indices for place in places):
                return act, phrase
    return None


def _is_decided(reading: Reading, quantity: Quantity, limit: Limit) -> bool | None:
    """True when the amount is the one decided on, False when unsure, None when it is not."""
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
    """A budget or a refund is not the amount decided on, nor is how often or when."""
    after = reading.tokens[quantity.last + 1 : quantity.last + 2]
    before = reading.tokens[max(0, quantity.first - 3) : quantity.first]
    if quantity.measure.startswith("money"):
        return any(token.forms & _NOT_DECIDED for token in (*after, *before))
    if quantity.measure != "time":
        return False
    often = before and before[-1].text in ("every", "last", "past", "by", "in")
    return bool(often) or any(token.text in _OFFSETS for token in after)


def _subject_tokens(reading: Reading, limit: Limit, quantity: Quantity) -> list[int] | None:
    """The words that tell that the amount is about what the limit is about."""
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
