"""Numeric limits, as constraints word them."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

from dmm.policy import lexicon as lex
from dmm.policy.kin import with_kin
from dmm.policy.language import Sort, Token
from dmm.policy.quantities import Quantity, quantities_of
from dmm.policy.rules import Limit, Term
from dmm.policy.wordsets import word_set

Words = tuple[Token, ...]
# Wordings of a comparison that stand before the amount, longest first.
_BEFORE: tuple[tuple[tuple[str, ...], str], ...] = (
    (("no", "more", "than"), "<="),
    # "No longer" is read as one word, "never".
    (("never", "than"), "<="),
    (("no", "later", "than"), "<="),
    (("no", "less", "than"), ">="),
    (("no", "fewer", "than"), ">="),
    (("no", "earlier", "than"), ">="),
    (("not", "more", "than"), "<="),
    (("not", "less", "than"), ">="),
    (("at", "or", "above"), ">="),
    (("at", "or", "below"), "<="),
    (("at", "or", "over"), ">="),
    (("at", "or", "under"), "<="),
    (("at", "most"), "<="),
    (("at", "least"), ">="),
    (("up", "to"), "<="),
    (("more", "than"), ">"),
    (("longer", "than"), ">"),
    (("later", "than"), ">"),
    (("larger", "than"), ">"),
    (("bigger", "than"), ">"),
    (("greater", "than"), ">"),
    (("higher", "than"), ">"),
    (("newer", "than"), ">"),
    (("less", "than"), "<"),
    (("fewer", "than"), "<"),
    (("smaller", "than"), "<"),
    (("shorter", "than"), "<"),
    (("lower", "than"), "<"),
    (("older", "than"), "<"),
    (("younger", "than"), "<"),
    (("earlier", "than"), "<"),
    (("cheaper", "than"), "<"),
    (("limit", "to"), "<="),
    (("limited", "to"), "<="),
    (("cap", "at"), "<="),
    (("capped", "at"), "<="),
    (("maximum", "of"), "<="),
    (("minimum", "of"), ">="),
    (("exceed",), ">"),
    (("exceeds",), ">"),
    (("exceeding",), ">"),
    (("over",), ">"),
    (("above",), ">"),
    (("beyond",), ">"),
    (("after",), ">"),
    (("under",), "<"),
    (("below",), "<"),
    (("before",), "<"),
    (("within",), "<="),
    (("maximum",), "<="),
    (("max",), "<="),
    (("minimum",), ">="),
    (("min",), ">="),
    ((">=",), ">="),
    (("<=",), "<="),
    ((">",), ">"),
    (("<",), "<"),
)
_AFTER: tuple[tuple[tuple[str, ...], str], ...] = (
    (("or", "newer"), ">="),
    (("or", "later"), ">="),
    (("or", "higher"), ">="),
    (("or", "above"), ">="),
    (("or", "more"), ">="),
    (("or", "greater"), ">="),
    (("and", "above"), ">="),
    (("and", "newer"), ">="),
    (("and", "up"), ">="),
    (("or", "less"), "<="),
    (("or", "fewer"), "<="),
    (("or", "older"), "<="),
    (("or", "below"), "<="),
    (("or", "lower"), "<="),
    (("max",), "<="),
    (("maximum",), "<="),
    (("minimum",), ">="),
    (("min",), ">="),
)
CONTRARY = {">": "<=", "<": ">=", ">=": "<", "<=": ">"}
_GENERIC = word_set(
    """budget total cost price spend spending amount maximum minimum limit keep stay set have use
    using value spent pay expense overall trip must remain exceed go money be require required
    requires need needs fit allow take make run last may arrive happen finish contain
    include list hold offer provide single individual weigh weighs receive"""
)
_MONEY = word_set("budget cost price spend spending expense fare =cost")
_TIMED = ("clock",)


def limit_of(words: Words) -> Limit | None:
    """The limit a sentence of a constraint sets, if it sets one."""
    for quantity in quantities_of(words):
        found = comparison_of(words, quantity)
        if found is None:
            continue
        comparison, used = found
        if _is_negated(words, used):
            comparison = CONTRARY[comparison]
        return _limit(words, quantity, comparison, used)
    return None


def range_of(words: Words) -> tuple[Limit, ...]:
    """ "Between 2 and 8 degrees": at least the one, at most the other."""
    found = quantities_of(words)
    for low, high in pairwise(found):
        opener = low.first - 1
        joined = high.first == low.last + 2 and words[low.last + 1].text == "and"
        if opener < 1 or words[opener].text != "between" or not joined:
            continue
        if _is_negated(words, {opener}) or low.value >= high.value:
            return ()
        used = {opener, low.last + 1, *range(low.first, low.last + 1)}
        pair = [_limit(words, high, "<=", used)]
        if low.measure in (high.measure, "count"):
            value = low.value if low.measure == high.measure else low.value * high.scale
            pair.append(_limit(words, replace(high, value=value), ">=", used))
        return tuple(limit for limit in pair if limit is not None)
    return ()


def comparison_of(words: Words, quantity: Quantity) -> tuple[str, set[int]] | None:
    """How the words compare the amount, and which of them say so."""
    texts = [word.text for word in words]
    if quantity.version and texts[quantity.first].endswith("+"):
        return ">=", set()
    for wording, comparison in _AFTER:
        start = quantity.last + 1
        if tuple(texts[start : start + len(wording)]) == wording:
            return comparison, set(range(start, start + len(wording)))
    announced = _announced(texts, quantity)
    if announced is not None:
        return announced
    first = quantity.first
    for gap in (0, 1, 2):
        if gap and not _may_stand_between(words, first - gap):
            break
        for wording, comparison in _BEFORE:
            start = first - gap - len(wording)
            if start >= 0 and tuple(texts[start : first - gap]) == wording:
                if wording[0] in ("before", "after") and quantity.measure not in _TIMED:
                    return None
                return _turned(words, wording[0], comparison, quantity), set(
                    range(start, first - gap)
                )
    return None


def _turned(words: Words, word: str, comparison: str, quantity: Quantity) -> str:
    """An old version has a low number, an old backup or person a high age."""
    aged = quantity.measure in ("time", "age") or not quantity.version
    aged = aged or any(one.forms & PERSONS for one in words[: quantity.first])
    if word in ("older", "newer") and aged:
        return {"older": ">", "newer": "<"}[word]
    return comparison


def _announced(texts: list[str], quantity: Quantity) -> tuple[str, set[int]] | None:
    """ "The maximum file size is 5 MB": the comparison stands away from the amount."""
    joint = quantity.first - 1
    if joint > 0 and texts[joint] in ("to", "at") and texts[0] in ("limit", "cap", "restrict"):
        return "<=", {0, joint}
    if joint < 1 or texts[joint] not in ("is", "are", "of", ":", "="):
        return None
    for index in range(joint - 1, max(-1, joint - 6), -1):
        comparison = _ANNOUNCING.get(texts[index])
        if texts[index] == "budget" and quantity.measure.startswith("money"):
            comparison = "<="
        if comparison:
            return comparison, {index}
    return None


_ANNOUNCING = {
    "maximum": "<=",
    "max": "<=",
    "limit": "<=",
    "cap": "<=",
    "minimum": ">=",
    "min": ">=",
}


def _may_stand_between(words: Words, index: int) -> bool:
    return (
        index > 0
        and words[index].sort is not Sort.MARK
        and words[index].text not in lex.AUXILIARIES
    )


def _is_negated(words: Words, used: set[int]) -> bool:
    start = min(used, default=0)
    own = {words[index].text for index in used}
    if own & {"no", "not", "never"} or own & {"budget", *_ANNOUNCING}:
        return False
    return any(
        "not" in word.forms or word.text in ("no", "never", "avoid", "cannot", "without", "refuse")
        for word in words[:start]
    )


def _limit(words: Words, quantity: Quantity, comparison: str, used: set[int]) -> Limit | None:
    span = set(range(quantity.first, quantity.last + 1))
    words = _without_company(words, quantity.last + 1)
    is_version = _names_version(words, quantity)
    counted = None if is_version else _counted_term(words, quantity)
    counted_at = {quantity.last + 1} if counted else set()
    if counted and words[quantity.last + 1].text in _SORTED:
        counted_at.add(quantity.last + 2)
    if counted:
        counted_at |= {i for i in range(quantity.last + 2, len(words)) if _is_whose(words, i)}
    subject = tuple(
        with_kin(Term(word.text, word.forms))
        for index, word in enumerate(words)
        if index not in span | used | counted_at
        and _is_subject(word, timed=quantity.measure == "time")
    )
    measure = "version" if is_version else quantity.measure
    if measure == "count" and counted is None and any(item.forms & PERSONS for item in subject):
        measure = "age"
    if measure == "count" and counted is None and any(word.forms & _MONEY for word in words):
        measure = "money:"
    subject = tuple(item for item in subject if item.text not in ("anyone", "anybody"))
    if is_version:
        subject = tuple(item for item in subject if "version" not in item.forms) or subject
    subject = _without_measure(subject, measure)
    if not subject and counted is None and not measure.startswith("money"):
        return None
    text = " ".join(word.text for word in words)
    version = quantity.version if is_version else ()
    return Limit(
        text, comparison, str(quantity.value), measure, quantity.per, version, counted, subject[:4]
    )


def _without_company(words: Words, first: int) -> Words:
    """ "At most 3 retries, with a backoff": what goes along is another matter."""
    ends = (i for i in range(first, len(words) - 1) if words[i].text == ",")
    end = next((i for i in ends if words[i + 1].text in ("with", "and")), len(words))
    return words[:end]


PERSONS = word_set(
    """patient driver user customer child employee member passenger person people guest kid minor
    anyone student visitor player buyer participant applicant worker resident rider volunteer"""
)


def _without_measure(subject: tuple[Term, ...], measure: str) -> tuple[Term, ...]:
    """ "Upload size" of 5 MB: the size is said by the unit."""
    named = _MEASURE_NAMES.get(measure, frozenset[str]())
    kept = tuple(item for item in subject if not item.forms & named)
    return kept or subject


_MEASURE_NAMES = {
    "size": frozenset(("size",)),
    "time": frozenset(("time", "duration")),
    "count": frozenset(("number", "count", "time", "same")),
    "length": frozenset(("distance", "length")),
    "weight": frozenset(("weight", "dose", "dosage")),
}


def _names_version(words: Words, quantity: Quantity) -> bool:
    if not quantity.version or quantity.measure != "count":
        return False
    before = words[quantity.first - 1] if quantity.first else None
    named = before is not None and before.sort is not Sort.MARK and before.forms & _VERSIONED
    return bool(named) or (len(quantity.version) > 1 and before is not None)


_VERSIONED = word_set(
    """python node nodejs java go rust ruby php tls ssl postgres postgresql django react vue
    typescript version npm gcc cmake kubernetes http macos ubuntu debian =python =postgresql
    =typescript =kubernetes =javascript es"""
)


def _counted_term(words: Words, quantity: Quantity) -> Term | None:
    if quantity.measure != "count" or quantity.last + 1 >= len(words):
        return None
    word = words[quantity.last + 1]
    if word.text in _SORTED and quantity.last + 2 < len(words):
        word = words[quantity.last + 2]
    if word.sort is not Sort.WORD or word.text in lex.PREPOSITIONS | lex.AUXILIARIES:
        return None
    return Term(word.text, word.forms)


_SORTED = word_set("open active concurrent parallel simultaneous different separate total")


def _is_whose(words: Words, index: int) -> bool:
    """ "Per person", "of one company": whose amount it is, not what it is of."""
    before = words[index - 1].text
    return before == "one" or (before in ("per", "each") and bool(words[index].forms & PERSONS))


def _is_subject(word: Token, *, timed: bool = False) -> bool:
    if word.sort is Sort.MARK or word.sort is Sort.NUMBER:
        return False
    grammar = lex.DETERMINERS | lex.PRONOUNS | lex.AUXILIARIES | lex.PREPOSITIONS | lex.ADVERBS
    if word.text in grammar | lex.NEGATIONS | lex.CONJUNCTIONS or "not" in word.forms:
        return False
    if "trip" in word.forms and timed:
        return True
    return not word.forms & (_GENERIC | {"avoid", "never", "small", "large", "long", "older"})
