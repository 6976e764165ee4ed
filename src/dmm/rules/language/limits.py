"""Numeric limits: how constraints word them, and the amounts in a decision that break them."""

from __future__ import annotations

from decimal import Decimal
from itertools import pairwise
from typing import TYPE_CHECKING

from dmm.rules.language import lexicon as lex
from dmm.rules.language.clauses import Act, Phrase, Polarity, Reading
from dmm.rules.language.language import Sort, Token, text_at
from dmm.rules.language.match import Finding
from dmm.rules.language.quantities import Quantity, quantities_of, version_in
from dmm.rules.language.rules import Limit, Term
from dmm.rules.language.wordsets import word_set

if TYPE_CHECKING:
    from collections.abc import Iterator

Words = tuple[Token, ...]
CONTRARY = {">": "<=", "<": ">=", ">=": "<", "<=": ">"}
_MORE = word_set("more longer later larger bigger greater higher newer")
_LESS = word_set("less fewer smaller shorter lower older younger earlier cheaper")
# A comparison in one word before the amount.
_BEFORE = {
    **dict.fromkeys(
        ("exceed", "exceeds", "exceeding", "over", "above", "beyond", "after", ">"), ">"
    ),
    **dict.fromkeys(("under", "below", "before", "<"), "<"),
    **dict.fromkeys(("within", "maximum", "max", "<="), "<="),
    **dict.fromkeys(("minimum", "min", ">="), ">="),
}
_PAIRS = {
    ("at", "most"): "<=",
    ("at", "least"): ">=",
    ("up", "to"): "<=",
    ("limited", "to"): "<=",
    ("capped", "at"): "<=",
    ("maximum", "of"): "<=",
    ("minimum", "of"): ">=",
    ("never", "than"): "<=",
}
_ANNOUNCED = {
    "maximum": "<=",
    "max": "<=",
    "limit": "<=",
    "cap": "<=",
    "minimum": ">=",
    "min": ">=",
}
_GENERIC = word_set(
    """budget total cost price spend spending amount maximum minimum limit keep stay set have use
    value pay expense overall trip must remain exceed go money be require need fit allow take make
    run last arrive happen finish contain include list hold offer provide single individual weigh
    receive avoid never small large long old older reject accept cap least most more less"""
)
_MONEY = word_set("budget cost price spend spending expense fare =cost")
PERSONS = word_set(
    """patient driver user customer child employee member passenger person people guest kid minor
    anyone student visitor player buyer participant applicant worker"""
)
_MEASURED = {
    "size": word_set("size"),
    "time": word_set("time duration"),
    "count": word_set("number count time same"),
    "length": word_set("distance length"),
    "weight": word_set("weight dose dosage"),
}


def limits_of(words: Words) -> tuple[Limit, ...]:
    """The limits a sentence of a constraint sets, if it sets any."""
    found = quantities_of(words)
    if found:
        commas = (i for i in range(found[0].last, len(words) - 1) if words[i].text == ",")
        cut = (i for i in commas if words[i + 1].text in ("with", "and", "but", "so"))
        words = words[: next(cut, len(words))]
    for low, high in pairwise(found):
        joined = high.first == low.last + 2 and words[low.last + 1].text in ("and", "to")
        if joined and text_at(words, low.first - 1) in ("between", "from") and low.first > 1:
            return _range(words, low, high)
    for quantity in found:
        compared = comparison_of(words, quantity)
        if compared is None:
            continue
        comparison, used = compared
        if _is_negated(words, used):
            comparison = CONTRARY[comparison]
        limit = _limit(words, quantity, comparison, used)
        return (limit,) if limit else ()
    return ()


def _range(words: Words, low: Quantity, high: Quantity) -> tuple[Limit, ...]:
    """ "Between 2 and 8 degrees": at least the one, at most the other."""
    if low.value >= high.value:
        return ()
    used = {low.first - 1, low.last + 1, *range(low.first, low.last + 1)}
    value = low.value if low.measure == high.measure else low.value * high.scale
    bounds = [
        _limit(words, high, "<=", used),
        _limit(words, high, ">=", used, f"{value.normalize():f}"),
    ]
    return tuple(one for one in bounds if one is not None)


def comparison_of(words: Words, quantity: Quantity) -> tuple[str, set[int]] | None:
    """How the words compare the amount, and which of them say so."""
    texts = [word.text for word in words]
    first, behind = quantity.first, quantity.last + 1
    if texts[first].endswith("+"):
        return ">=", set()
    if text_at(words, behind) in ("or", "and") and text_at(words, behind + 1) in _MORE | _LESS | {
        "above",
        "below",
        "up",
    }:
        low = texts[behind + 1] in _LESS | {"below"}
        return "<=" if low else ">=", {behind, behind + 1}
    if text_at(words, behind) in _ANNOUNCED:
        return _ANNOUNCED[texts[behind]], {behind}
    return _announced(texts, quantity) or _compared_before(words, quantity)


def _announced(texts: list[str], quantity: Quantity) -> tuple[str, set[int]] | None:
    """ "The maximum file size is 5 MB": the comparison stands away from the amount."""
    joint = quantity.first - 1
    if joint > 0 and texts[joint] in ("to", "at") and texts[0] in ("limit", "cap", "restrict"):
        return "<=", {0, joint}
    if joint < 1 or texts[joint] not in ("is", "are", "of", ":", "="):
        return None
    for index in range(joint - 1, max(-1, joint - 6), -1):
        if texts[index] in _ANNOUNCED:
            return _ANNOUNCED[texts[index]], {index}
        if texts[index] == "budget" and quantity.measure.startswith("money"):
            return "<=", {index}
    return None


def _compared_before(words: Words, quantity: Quantity) -> tuple[str, set[int]] | None:
    for gap in (0, 1, 2):
        at = quantity.first - 1 - gap
        if at < 0 or (gap and words[at + 1].sort is Sort.MARK):
            return None
        word, pair = words[at].text, (text_at(words, at - 1), words[at].text)
        if word in ("or", "above", "below") and pair[0] == "or" and at > 1:
            return ("<=" if word == "below" else ">="), {at - 2, at - 1, at}
        if pair in _PAIRS:
            return _PAIRS[pair], {at - 1, at}
        if word == "than" and pair[0] in _MORE | _LESS:
            return _than(words, at, quantity)
        if word in _BEFORE:
            timed = quantity.measure == "clock"
            denied = any("not" in one.forms or one.text == "no" for one in words[:at])
            late = word == "after" and quantity.measure == "time" and denied
            if word in ("before", "after") and not timed and not late:
                return None
            return _BEFORE[word], {at}
    return None


def _than(words: Words, at: int, quantity: Quantity) -> tuple[str, set[int]]:
    word = words[at - 1].text
    comparison = ">" if word in _MORE else "<"
    if word in ("older", "newer") and (quantity.measure in ("time", "age") or not quantity.version):
        # An old version has a low number, an old backup or person a high age.
        comparison = CONTRARY[comparison].rstrip("=")
    if text_at(words, at - 2) in ("no", "not", "never"):
        return CONTRARY[comparison], {at - 2, at - 1, at}
    return comparison, {at - 1, at}


def _is_negated(words: Words, used: set[int]) -> bool:
    own = {words[index].text for index in used}
    if not used or own & {"no", "not", "never", "budget", *_ANNOUNCED}:
        return False
    if any(word.text in ("not", "never") or word.text in _BANNED for word in words[max(used) :]):
        return True
    before = words[: min(used, default=0)]
    denying = ("no", "never", "avoid", "cannot", "without", "refuse")
    return any("not" in word.forms or word.text in denying for word in before) or any(
        word.forms & {"reject", "refuse"} for word in words
    )


def _limit(
    words: Words, quantity: Quantity, comparison: str, used: set[int], value: str = ""
) -> Limit | None:
    is_version = _names_version(words, quantity)
    counted = None if is_version else _counted_term(words, quantity)
    taken = used | set(range(quantity.first, quantity.last + 1 + (counted is not None)))
    subject = tuple(
        Term(word.text, word.forms)
        for index, word in enumerate(words)
        if index not in taken and _is_subject(word) and word.text != text_at(words, 0)[:0]
    )
    measure = "version" if is_version else quantity.measure
    if measure == "count" and counted is None:
        if any(item.forms & PERSONS for item in subject):
            measure = "age"
        elif any(word.forms & _MONEY for word in words):
            measure = "money:"
    named = _MEASURED.get(measure, frozenset()) | ({"version"} if is_version else frozenset())
    subject = tuple(item for item in subject if not item.forms & named) or subject
    if not subject and counted is None and not measure.startswith("money"):
        return None
    return Limit(
        " ".join(word.text for word in words),
        comparison,
        value or f"{quantity.value.normalize():f}",
        measure,
        quantity.per,
        quantity.version if is_version else (),
        counted,
        subject[:4],
    )


def _names_version(words: Words, quantity: Quantity) -> bool:
    if not quantity.version or quantity.measure != "count" or not quantity.first:
        return False
    before = words[quantity.first - 1]
    named = before.text in ("version", "v") or before.text == text_at(words, quantity.first - 1)
    dotted = len(quantity.version) > 1 and before.sort is not Sort.MARK
    behind = text_at(words, quantity.last + 1) in ("or", "and", "")
    plus = words[quantity.first].text.endswith("+")
    product = before.sort is Sort.NAME or before.text not in lex.GRAMMAR | _GENERIC
    newer = {word.text for word in words} & {"newer", "later", "older", "version"}
    return dotted or (named and product and (plus or (behind and bool(newer))))


def _counted_term(words: Words, quantity: Quantity) -> Term | None:
    if quantity.measure != "count" or quantity.last + 1 >= len(words):
        return None
    word = words[quantity.last + 1]
    if word.sort is not Sort.WORD or word.text in lex.GRAMMAR:
        return None
    return Term(word.text, word.forms)


def _is_subject(word: Token) -> bool:
    if word.sort in (Sort.MARK, Sort.NUMBER) or "not" in word.forms:
        return False
    return word.text not in lex.GRAMMAR and not word.forms & _GENERIC


_BANNED = frozenset(("forbidden", "prohibited", "banned", "rejected", "refused"))
_NOT_DECIDED = word_set(
    "budget limit cap save saving saved discount refund cheaper off credit ceiling allowance"
)
_REDUCING = word_set("split shorten reduce compress trim shrink cut truncate break refactor fix")
_GIVEN_UP = lex.REMOVE | lex.NEGATIVE | lex.MENTION | {"shutdown"}
_GIVING_BACK = word_set("return refund sell reimburse")
_KEEPING = word_set("keep kept retain retained retention store stored preserve hold held")
_OFFSETS = word_set("ago later earlier")
_PERIODS = ("second", "minute", "hour", "day", "week", "month", "year")


def find_breach(reading: Reading, limit: Limit) -> Finding | None:
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
        if near and limit.measure != "version" and min(near) < abs(quantity.first - subject[-1]):
            continue
        tokens = tuple(range(quantity.first, quantity.last + 1))
        words = " ".join(reading.tokens[index].text for index in tokens)
        shown = ".".join(map(str, value)) if isinstance(value, tuple) else f"{value.normalize():f}"
        wanted = f"{limit.comparison} {'.'.join(map(str, limit.version)) or limit.value}"
        steps = (f'"{words}" is {shown}', f"the rule asks for {wanted} ({limit.measure})")
        return Finding(certain, (*tokens, *subject), steps)
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
    left: tuple[Decimal | int, ...]
    if isinstance(value, tuple):
        length = min(len(value), len(limit.version))
        left, right = value[:length], limit.version[:length]
    else:
        left, right = (value,), (Decimal(limit.value),)
    if left == right:
        return limit.comparison in ("<=", ">=")
    return (left > right) == (limit.comparison[0] == ">")


def _candidates(
    reading: Reading, limit: Limit
) -> Iterator[tuple[Quantity, Decimal | tuple[int, ...]]]:
    if limit.measure == "version":
        yield from _versions(reading, limit)
        return
    for quantity in reading.quantities:
        wanted, given = limit.measure, quantity.measure
        same = given == wanted or (wanted == "money:" and given.startswith(wanted))
        same = same or (wanted == "time" and given == "day")
        if not same or (wanted == "count" and not _counts(reading, quantity, limit)):
            continue
        value = _in_terms_of(reading, quantity, limit)
        if value is not None:
            yield quantity, value


def _counts(reading: Reading, quantity: Quantity, limit: Limit) -> bool:
    if limit.counted is None:
        named = quantity.counted & {"time"} or not quantity.counted
        return bool(named) or any(quantity.counted & one.forms for one in limit.subject)
    if quantity.counted & limit.counted.forms:
        return True
    first, last = _sentence(reading, quantity.first)
    bare = text_at(reading.tokens, quantity.first - 1) in ("to", "at", ":", "=", "of")
    if "time" not in quantity.counted and (quantity.counted or not bare):
        return False
    return any(reading.tokens[i].forms & limit.counted.forms for i in range(first, last))


def _versions(reading: Reading, limit: Limit) -> Iterator[tuple[Quantity, tuple[int, ...]]]:
    names = limit.subject[-1].forms if limit.subject else frozenset()
    for quantity in reading.quantities:
        before = quantity.first - 1
        while before >= 0 and text_at(reading.tokens, before) in _TO_VERSION:
            before -= 1
        if quantity.version and before >= 0 and reading.tokens[before].forms & names:
            yield quantity, quantity.version
    for index, token in enumerate(reading.tokens):
        found = version_in(token.text) if token.sort is Sort.NAME else None
        if found is not None and found[0] in names:
            yield Quantity(Decimal(0), "version", index, index, version=found[1]), found[1]


_TO_VERSION = frozenset((":", ">", "=", ">=", "to", "version", "v"))


def _in_terms_of(reading: Reading, quantity: Quantity, limit: Limit) -> Decimal | None:
    """The amount in the unit of the limit: a nightly rate times the nights is a total."""
    if quantity.per == limit.per:
        return quantity.value
    first, last = _sentence(reading, quantity.first)
    unit = quantity.per or limit.per or ""
    for other in reading.quantities:
        inside = first <= other.first < last and other.measure == "count"
        if inside and (unit in other.counted or (unit == "each" and other.counted)):
            times = max(other.value, Decimal(1))
            return quantity.value * times if quantity.per else quantity.value / times
        behind = reading.tokens[other.first + 3 : other.first + 4]
        if inside and "time" in other.counted and behind and unit in behind[0].forms:
            return quantity.value * other.value
    return quantity.value if limit.per is None else None


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
    texts = set(limit.text.split())
    if act.forms & lex.REMOVE and phrase.preposition == "after" and texts & _KEEPING:
        return act.polarity is Polarity.DONE
    if act.forms & _GIVEN_UP or phrase.preposition == "from" or _is_aside(reading, quantity):
        return None
    if act.forms & _GIVING_BACK and quantity.measure.startswith("money"):
        return None
    if act.forms & _REDUCING and phrase.preposition in (None, "of"):
        return None
    before = text_at(reading.tokens, quantity.first - 1)
    if act.forms & {"cost"}:
        return False
    if act.verb is None:
        return before not in ("under", "below", "than")
    return act.polarity is Polarity.DONE and before not in ("under", "below", "than")


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
    last = found and reading.tokens[found[-1]].stands_for(limit.subject[-1].forms)
    return found if bare and last else None
