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
    from collections.abc import Iterable, Iterator

    from dmm.policy.rules import Limit, Term

Held = dict[int, list[Act]]
_NOT_SPENT = word_set(
    """budget limit cap save saving saved discount refund cheaper off credit ceiling allowance"""
)


def find_breach(reading: Reading, limit: Limit) -> Finding | None:
    """The amount in the decision that breaks the limit."""
    held = _holders(reading)
    named: dict[int, list[int | None]] = {}
    stated = [
        (quantity, value, certain, subject)
        for quantity, value in _candidates(reading, limit)
        if (certain := _is_decided(reading, held, quantity, limit)) is not None
        and (subject := _subject_tokens(reading, limit, quantity, named)) is not None
    ]
    nearest = _nearest((quantity, subject) for quantity, _, _, subject in stated)
    decided = any(not _is_described(held, quantity) for quantity, *_ in stated)
    for quantity, value, certain, subject in stated:
        if _holds(value, limit):
            continue
        if subject and limit.measure not in ("count", "version"):
            if nearest[subject[-1]] < abs(quantity.first - subject[-1]):
                continue
        elif decided and _is_described(held, quantity):
            continue
        tokens = tuple(range(quantity.first, quantity.last + 1))
        words = " ".join(reading.tokens[index].text for index in tokens)
        wanted = f"{limit.comparison} {'.'.join(map(str, limit.version)) or limit.value}"
        steps = (f'"{words}" is {_shown(value)}', f"the rule asks for {wanted} ({limit.measure})")
        return Finding(certain, (*tokens, *subject), steps)
    return None


def amount_holds(reading: Reading, limit: Limit) -> bool:
    """Whether the decision states an amount that satisfies the limit, whatever it is about."""
    passed = [
        (quantity, quantity.value)
        for quantity in reading.quantities
        if quantity.measure == "day" and limit.measure == "time"
    ]
    return any(
        _holds(value, limit) and not _is_denied(reading, quantity)
        for quantity, value in (*_candidates(reading, limit), *passed)
    )


def _is_denied(reading: Reading, quantity: Quantity) -> bool:
    return any(
        act.polarity is Polarity.NOT_DONE or phrase.negated
        for act in reading.acts
        for phrase in act.phrases
        if quantity.first in phrase.indices
    )


def _holders(reading: Reading) -> Held:
    """The acts that hold each token in one of their phrases."""
    held: Held = {}
    for act in reading.acts:
        for index in {place for phrase in act.phrases for place in phrase.indices}:
            held.setdefault(index, []).append(act)
    return held


def _nearest(stated: Iterable[tuple[Quantity, list[int]]]) -> dict[int, int]:
    """How near the nearest amount is to each word that names what the limit is about."""
    nearest: dict[int, int] = {}
    for quantity, subject in stated:
        for place in subject[-1:]:
            own = abs(quantity.first - place)
            nearest[place] = min(own, nearest.get(place, own))
    return nearest


def _is_described(held: Held, quantity: Quantity) -> bool:
    """ "The suite costs $4000": told, not decided."""
    told = {"cost", "be", "have", "total"}
    return any(act.forms & told for act in held.get(quantity.first, ()))


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
        named = quantity.counted & {"time"} or not quantity.counted
        return bool(named) or any(quantity.counted & one.forms for one in limit.subject)
    if quantity.counted & counted.forms:
        return True
    if "time" in quantity.counted:
        first, last = _sentence(reading, quantity.first)
        return any(reading.tokens[i].forms & counted.forms for i in range(first, last))
    return not quantity.counted and _is_set_to(reading, quantity, counted)


def _is_set_to(reading: Reading, quantity: Quantity, counted: Term) -> bool:
    """ "Raise the retries to 8": the number is said of what is set to it."""
    for act in reading.acts:
        if act.derived or not act.forms & _SETTING:
            continue
        ends = [phrase.indices[-1] for phrase in act.objects() if not phrase.negated]
        own = any(reading.tokens[index].stands_for(counted.forms) for index in ends)
        if own and any(
            phrase.indices == (quantity.first,) and phrase.preposition in ("to", "at")
            for phrase in act.phrases
        ):
            return True
    return False


_SETTING = word_set("raise increase set bump lower reduce change limit cap keep extend configure")


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
    repeated = _repeated(reading, limit.per, first, last) if quantity.per is None else None
    if repeated is not None:
        return quantity.value * repeated
    if quantity.per is None and limit.per is not None:
        times = _times(reading, limit.per, first, last)
        return quantity.value / times if times > 1 else None
    return None


def _repeated(reading: Reading, unit: str | None, first: int, last: int) -> Decimal | None:
    """How many times a day, where the limit is for a day."""
    for other in reading.quantities:
        if first <= other.first < last and "time" in other.counted:
            behind = reading.tokens[other.first + 2 : other.first + 4]
            if len(behind) == 2 and behind[0].text in ("a", "per", "each", "every"):
                return other.value if unit is not None and unit in behind[1].forms else None
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


def _is_decided(reading: Reading, held: Held, quantity: Quantity, limit: Limit) -> bool | None:
    """Whether the amount is decided on; what is deleted after a time is kept for that time."""
    if limit.measure == "time" and limit.comparison[0] == ">" and _is_kept(limit):
        act = next(iter(held.get(quantity.first, ())), None)
        if act is not None and act.forms & lex.REMOVE and _is_after(act, quantity):
            return True if act.polarity is Polarity.DONE else None
    return _is_stated(reading, held, quantity)


def _is_after(act: Act, quantity: Quantity) -> bool:
    phrase = next(one for one in act.phrases if quantity.first in one.indices)
    return phrase.preposition == "after" and not phrase.negated


def _is_kept(limit: Limit) -> bool:
    return bool(_KEPT & set(limit.text.split()))


_KEPT = word_set("keep kept retain retained retention store stored preserve preserved hold held")


def _is_stated(reading: Reading, held: Held, quantity: Quantity) -> bool | None:
    """True when the amount is the one decided on, False when unsure, None when it is not."""
    if quantity.measure.startswith("money") and _is_aside(reading, quantity):
        return None
    before = reading.tokens[quantity.first - 1].text if quantity.first else ""
    # "One" is no part of a phrase: what it counts is.
    place = quantity.first + (reading.tokens[quantity.first].text == "one")
    act = next(iter(held.get(place, ())), None)
    if act is None:
        return False
    if act.verb is None and act.polarity is Polarity.UNSURE:
        return not act.phrases[0].negated
    phrase = next(p for p in act.phrases if place in p.indices)
    if act.polarity in (Polarity.NOT_DONE, Polarity.ASIDE) or phrase.negated:
        return None
    given_up = lex.REMOVE | lex.NEGATIVE | lex.MENTION | {"shut", "terminate"}
    if act.forms & given_up or phrase.preposition == "from":
        return None
    if _is_another_time(reading, act, quantity) or (
        act.forms & _REDUCING and phrase.preposition in (None, "of")
    ):
        return None
    return act.polarity is Polarity.DONE and before not in ("under", "below", "than")


def _is_another_time(reading: Reading, act: Act, quantity: Quantity) -> bool:
    """ "Every 20 seconds", "moved by an hour", "in two days": how often or when, not how long."""
    if quantity.measure.startswith("money"):
        return bool(act.forms & _GIVING_BACK)
    if quantity.measure != "time":
        return False
    before = reading.tokens[quantity.first - 1].text if quantity.first else ""
    behind = reading.tokens[quantity.last + 1 : quantity.last + 2]
    if before in ("every", "last", "past") or any(one.text in _OFFSETS for one in behind):
        return True
    shifted = before == "by" and act.forms & (lex.TRANSITIONS | _SHIFTING)
    return bool(shifted or (before == "in" and act.forms & _STARTING))


_GIVING_BACK = word_set("return refund sell resell reimburse")
_OFFSETS = word_set("ago later earlier")
_SHIFTING = word_set("delay postpone push defer extend")
_STARTING = word_set("schedule start plan meet deploy call begin launch arrange leave")
# The object of these is what it was before.
_REDUCING = word_set("split shorten reduce compress trim shrink cut truncate break refactor fix")


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


def _subject_tokens(
    reading: Reading, limit: Limit, quantity: Quantity, named: dict[int, list[int | None]]
) -> list[int] | None:
    """The words that tell that the amount is about what the limit is about."""
    first, last = _sentence(reading, quantity.first)
    if first not in named:
        named[first] = [
            next((i for i in range(first, last) if reading.tokens[i].stands_for(term.forms)), None)
            for term in limit.subject
        ]
    found = named[first]
    used = [place for place in found if place is not None]
    if len(used) == len(found):
        return used
    if found[-1] is not None and _is_bare(reading, limit, found[-1]):
        return used
    if limit.counted is not None and _is_set_to(reading, quantity, limit.counted):
        return used if _is_of_calls(reading, limit, first, last) else None
    rate = limit.per is not None and limit.per == quantity.per
    return used if rate and (used or limit.per in _TELLING) else None


def _is_of_calls(reading: Reading, limit: Limit, first: int, last: int) -> bool:
    """ "The retries of the client", where the limit is on those of a call."""
    if not limit.subject or not limit.subject[-1].forms & _CALLS:
        return False
    return any(reading.tokens[index].forms & _CALLERS for index in range(first, last))


_CALLS = frozenset(("call", "request"))
_CALLERS = word_set("call request client api endpoint http https webhook")


def _is_bare(reading: Reading, limit: Limit, place: int) -> bool:
    """ "The coverage", where the limit is on test coverage: nothing says that it is another."""
    if limit.measure not in ("share", "time", "size") or len(limit.subject) != 2:
        return False
    if f"{limit.subject[0].text} {limit.subject[1].text}" not in limit.text:
        return False
    verb = any(act.verb == place for act in reading.acts)
    before = reading.tokens[place - 1].text if place else "the"
    return not verb and before in ("the", "our", "its")


# What is priced by these can only be what the limit speaks of.
_TELLING = word_set("night seat person guest ticket room passenger")
