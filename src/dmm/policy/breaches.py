"""Amounts in a decision that break a numeric limit."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from dmm.policy import lexicon as lex
from dmm.policy.acts import Act, Polarity, Reading
from dmm.policy.language import Sort, Token
from dmm.policy.match import Finding
from dmm.policy.quantities import Quantity, version_in
from dmm.policy.wordsets import word_set

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dmm.policy.rules import Limit

_NOT_SPENT = word_set(
    """budget limit cap save saving saved discount refund cheaper off credit ceiling allowance"""
)


def find_breach(reading: Reading, limit: Limit) -> Finding | None:
    """The amount in the decision that breaks the limit."""
    stated = [
        (quantity, value, certain, subject)
        for quantity, value in _candidates(reading, limit)
        if (certain := _is_stated(reading, quantity)) is not None
        and (subject := _subject_tokens(reading, limit, quantity)) is not None
    ]
    for quantity, value, certain, subject in stated:
        rivals = [other for other, *_ in stated if other is not quantity]
        if _holds(value, limit) or _is_of_another(reading, limit, quantity, rivals, subject):
            continue
        tokens = tuple(range(quantity.first, quantity.last + 1))
        words = " ".join(reading.tokens[index].text for index in tokens)
        wanted = f"{limit.comparison} {'.'.join(map(str, limit.version)) or limit.value}"
        steps = (f'"{words}" is {_shown(value)}', f"the rule asks for {wanted} ({limit.measure})")
        return Finding(certain, (*tokens, *subject), steps)
    return None


def _is_of_another(
    reading: Reading,
    limit: Limit,
    quantity: Quantity,
    rivals: list[Quantity],
    subject: list[int],
) -> bool:
    """Whether another amount is the one that the subject, or the decision, is about."""
    if subject and limit.measure not in ("count", "version"):
        own = abs(quantity.first - subject[-1])
        return any(abs(rival.first - subject[-1]) < own for rival in rivals)
    return _is_described(reading, quantity) and any(
        not _is_described(reading, rival) for rival in rivals
    )


def _is_described(reading: Reading, quantity: Quantity) -> bool:
    """ "The suite costs $4000": told, not decided."""
    return any(
        act.forms & {"cost", "be", "have", "total"}
        for act in reading.acts
        if _holds_token(act, quantity.first)
    )


def _shown(value: Decimal | tuple[int, ...]) -> str:
    return ".".join(map(str, value)) if isinstance(value, tuple) else f"{value.normalize():f}"


def _candidates(
    reading: Reading, limit: Limit
) -> Iterator[tuple[Quantity, Decimal | tuple[int, ...]]]:
    if limit.measure == "version":
        yield from _versions(reading, limit)
        return
    for quantity in reading.quantities:
        if not _same_measure(quantity.measure, limit.measure):
            continue
        if limit.measure == "count" and not _counts(reading, quantity, limit):
            continue
        value = _in_terms_of(reading, quantity, limit)
        if value is not None:
            yield quantity, value


def _same_measure(given: str, wanted: str) -> bool:
    """A limit on money without a currency holds for any currency."""
    return given == wanted or (wanted == "money:" and given.startswith(wanted))


def _counts(reading: Reading, quantity: Quantity, limit: Limit) -> bool:
    counted = limit.counted
    if counted is None:
        return not quantity.counted or any(quantity.counted & one.forms for one in limit.subject)
    if quantity.counted & counted.forms:
        return True
    if "time" in quantity.counted:
        first, last = _sentence(reading, quantity.first)
        return any(reading.tokens[i].forms & counted.forms for i in range(first, last))
    return False


def _versions(reading: Reading, limit: Limit) -> Iterator[tuple[Quantity, tuple[int, ...]]]:
    names = limit.subject[-1].forms if limit.subject else frozenset()
    for quantity in reading.quantities:
        before = quantity.first - 1
        while before >= 0 and reading.tokens[before].text in (
            ":",
            ">",
            "=",
            ">=",
            "to",
            "version",
            "v",
        ):
            before -= 1
        if quantity.version and before >= 0 and reading.tokens[before].forms & names:
            yield quantity, quantity.version
    for index, token in enumerate(reading.tokens):
        found = version_in(token.text) if token.sort is Sort.NAME else None
        if found is not None and found[0] in names:
            yield Quantity(Decimal(0), "version", index, index, version=found[1]), found[1]


def _in_terms_of(reading: Reading, quantity: Quantity, limit: Limit) -> Decimal | None:
    """The amount in the unit of the limit: a nightly rate times the nights is a total."""
    if quantity.per == limit.per:
        return quantity.value
    first, last = _sentence(reading, quantity.first)
    if limit.per is None and quantity.per is not None:
        return quantity.value * _times(reading, quantity.per, first, last)
    if quantity.per is None and limit.per is not None:
        times = _times(reading, limit.per, first, last)
        return quantity.value / times if times > 1 else None
    return None


def _times(reading: Reading, unit: str, first: int, last: int) -> Decimal:
    for other in reading.quantities:
        inside = first <= other.first < last and other.measure == "count"
        if inside and (unit in other.counted or (unit == "each" and other.counted)):
            return max(other.value, Decimal(1))
    return Decimal(1)


def _sentence(reading: Reading, index: int) -> tuple[int, int]:
    for first, last in reading.sentences:
        if first <= index < last:
            return first, last
    return 0, len(reading.tokens)


def _holds(value: Decimal | tuple[int, ...], limit: Limit) -> bool:
    if isinstance(value, tuple):
        length = min(len(value), len(limit.version))
        order = _order(value[:length], limit.version[:length])
    else:
        order = _order((value,), (Decimal(limit.value),))
    if order == 0:
        return limit.comparison in ("<=", ">=")
    return order == _SIGN[limit.comparison[0]]


_SIGN = {"<": -1, ">": 1}


def _order(left: tuple[Decimal | int, ...], right: tuple[Decimal | int, ...]) -> int:
    return (left > right) - (left < right)


def _is_stated(reading: Reading, quantity: Quantity) -> bool | None:
    """True when the amount is the one decided on, False when unsure, None when it is not."""
    if quantity.measure.startswith("money") and _is_aside(reading, quantity):
        return None
    before = reading.tokens[quantity.first - 1].text if quantity.first else ""
    acts = [act for act in reading.acts if _holds_token(act, quantity.first)]
    if not acts:
        return False
    act = acts[0]
    if act.verb is None and act.polarity is Polarity.UNSURE:
        return not acts[0].phrases[0].negated
    phrase = next(p for p in act.phrases if quantity.first in p.indices)
    if act.polarity in (Polarity.NOT_DONE, Polarity.ASIDE) or phrase.negated:
        return None
    if act.forms & (lex.REMOVE | lex.NEGATIVE | lex.MENTION) or phrase.preposition == "from":
        return None
    return act.polarity is Polarity.DONE and before not in ("under", "below", "than")


def _is_aside(reading: Reading, quantity: Quantity) -> bool:
    """A budget, a saving or a refund is not the amount decided on."""
    tokens = reading.tokens
    after = tokens[quantity.last + 1 : quantity.last + 2]
    before: list[Token] = []
    for index in range(quantity.first - 1, max(-1, quantity.first - 4), -1):
        if tokens[index].sort is Sort.MARK:
            break
        before.append(tokens[index])
    return any(token.forms & _NOT_SPENT for token in (*after, *before))


def _holds_token(act: Act, index: int) -> bool:
    return any(index in phrase.indices for phrase in act.phrases)


def _subject_tokens(reading: Reading, limit: Limit, quantity: Quantity) -> list[int] | None:
    first, last = _sentence(reading, quantity.first)
    used: list[int] = []
    for term in limit.subject:
        place = next(
            (i for i in range(first, last) if reading.tokens[i].stands_for(term.forms)), None
        )
        if place is None:
            return None
        used.append(place)
    return used
