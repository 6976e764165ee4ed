"""Read numeric limits from the words of constraints."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

from dmm.rules.language.rules import Limit, Term
from dmm.text import lexicon as lex
from dmm.text.amounts import Quantity, quantities_of
from dmm.text.polarity import FORBIDDEN
from dmm.text.tokens import Sort, Token, Words, text_at
from dmm.text.words import english, group_by_word, word_set

CONTRARY = {">": "<=", "<": ">=", ">=": "<", "<=": ">"}
# Comparisons behind "or" and before "than", before the amount in one word or two, and away from it.
_COMPARED = group_by_word("compared_words")
_BEFORE = group_by_word("compared_before")
_PAIRS = group_by_word("compared_in_two")
_ANNOUNCED = group_by_word("announced")
_GENERIC = english("limit_words")
_MONEY = word_set("budget cost price spend spending expense fare =cost")
_MEASURED = {
    "size": word_set("size"),
    "time": word_set("time duration"),
    "count": word_set("number count time same"),
    "length": word_set("distance length"),
    "weight": word_set("weight dose dosage"),
}


def limits_of(words: Words) -> tuple[Limit, ...]:
    """Return the limits that a sentence of a constraint sets."""
    found = quantities_of(words)
    if found:
        commas = (i for i in range(found[0].last, len(words) - 1) if words[i].text == ",")
        cut = (i for i in commas if words[i + 1].text in ("with", "and", "but", "so"))
        words = words[: next(cut, len(words))]
        found = quantities_of(words)
    for low, high in pairwise(found):
        joined = high.first == low.last + 2 and words[low.last + 1].text in ("and", "to")
        if joined and text_at(words, low.first - 1) in ("between", "from"):
            return _range(words, low, high)
    for quantity in found:
        compared = comparison_of(words, quantity)
        if compared is None:
            continue
        comparison, used = compared
        if _is_negated(words, used):
            comparison = CONTRARY[comparison]
        elif comparison in ("<", ">") and _is_told_of(words, quantity.last + 1):
            continue
        limit = _limit(words, quantity, comparison, used)
        return (limit,) if limit else ()
    return ()


def _is_told_of(words: Words, start: int) -> bool:
    """ "Orders over $50 ship for free": the amount tells which orders, and sets no limit."""
    rest = words[start:]
    return any(word.text in lex.AUXILIARIES for word in rest) or bool(
        rest and rest[0].forms & (lex.VERBS - lex.NOUNLIKE)
    )


def _range(words: Words, low: Quantity, high: Quantity) -> tuple[Limit, ...]:
    """ "Between 2 and 8 MB": at most the one, at least the other."""
    upper = _limit(words, high, "<=", set(range(low.first - 1, low.last + 2)))
    if upper is None or low.value >= high.value:
        return ()
    least = low.value if low.measure == high.measure else low.value * high.scale
    return upper, replace(upper, comparison=">=", value=f"{least.normalize():f}")


def comparison_of(words: Words, quantity: Quantity) -> tuple[str, set[int]] | None:
    """Return the comparison with an amount, and the words that express it."""
    texts = [word.text for word in words]
    first, behind = quantity.first, quantity.last + 1
    if texts[first].endswith("+"):
        return ">=", set()
    if text_at(words, behind) in ("or", "and") and text_at(words, behind + 1) in _COMPARED:
        return _COMPARED[texts[behind + 1]], {behind, behind + 1}
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
        word, lead = words[at].text, text_at(words, at - 1)
        if f"{lead}-{word}" in _PAIRS:
            return _PAIRS[f"{lead}-{word}"], {at - 1, at}
        if word == "than" and lead in _COMPARED:
            return _than(lead, quantity), {at - 1, at}
        if word in _BEFORE:
            timed = quantity.measure == "clock"
            denied = any("not" in one.forms or one.text == "no" for one in words[:at])
            late = word == "after" and quantity.measure == "time" and denied
            if word in ("before", "after") and not timed and not late:
                return None
            return _BEFORE[word], {at}
    return None


def _than(word: str, quantity: Quantity) -> str:
    comparison = _COMPARED[word].rstrip("=")
    # An old version has a low number, an old backup or person a high age.
    aged = word in ("older", "newer") and (quantity.measure == "time" or not quantity.version)
    return CONTRARY[comparison].rstrip("=") if aged else comparison


def _is_negated(words: Words, used: set[int]) -> bool:
    own = {words[index].text for index in used}
    if not used or own & {"no", "not", "never", "budget", *_ANNOUNCED}:
        return False
    if any(
        word.text in ("not", "never") or word.text in FORBIDDEN | {"rejected", "refused"}
        for word in words[max(used) :]
    ):
        return True
    before = words[: min(used, default=0)]
    denying = ("no", "never", "avoid", "cannot", "without", "refuse")
    return any("not" in word.forms or word.text in denying for word in before) or any(
        word.forms & {"reject", "refuse"} for word in words
    )


def _limit(words: Words, quantity: Quantity, comparison: str, used: set[int]) -> Limit | None:
    is_version = _names_version(words, quantity)
    taken = used | set(range(quantity.first, quantity.last + 1))
    subject = tuple(
        Term(word.text, word.forms)
        for index, word in enumerate(words)
        if index not in taken and _is_subject(word)
    )
    measure = "version" if is_version else quantity.measure
    if measure == "count" and any(word.forms & _MONEY for word in words):
        measure = "money:"
    named = _MEASURED.get(measure, frozenset()) | ({"version"} if is_version else frozenset())
    subject = tuple(item for item in subject if not item.forms & named) or subject
    if not subject and not measure.startswith("money"):
        return None
    return Limit(
        " ".join(word.text for word in words),
        comparison,
        f"{quantity.value.normalize():f}",
        measure,
        quantity.per,
        quantity.version if is_version else (),
        subject[:4],
    )


def _names_version(words: Words, quantity: Quantity) -> bool:
    if not quantity.version or quantity.measure != "count" or not quantity.first:
        return False
    before = words[quantity.first - 1]
    dotted = len(quantity.version) > 1 and before.sort is not Sort.MARK
    behind = text_at(words, quantity.last + 1) in ("or", "and", "")
    plus = words[quantity.first].text.endswith("+")
    product = before.sort is Sort.NAME or before.text not in lex.GRAMMAR | _GENERIC
    newer = {word.text for word in words} & {"newer", "later", "older", "version"}
    return dotted or (product and (plus or (behind and bool(newer))))


def _is_subject(word: Token) -> bool:
    if word.sort in (Sort.MARK, Sort.NUMBER) or "not" in word.forms:
        return False
    return word.text not in lex.GRAMMAR and not word.forms & _GENERIC
