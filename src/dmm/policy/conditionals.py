"""Rules for amounts only: files larger than 10 MB must be rejected, no refunds after 30 days."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from dmm.policy import lexicon as lex
from dmm.policy.amounts import CONTRARY, comparison_of, limit_of
from dmm.policy.exemptions import assent_of
from dmm.policy.language import Sort, Token
from dmm.policy.quantities import quantities_of
from dmm.policy.rules import Limit, Part, Prohibition
from dmm.policy.wordsets import word_set

if TYPE_CHECKING:
    from collections.abc import Callable

    from dmm.policy.quantities import Quantity

Words = tuple[Token, ...]
_PREDICATES = word_set(
    """must shall should may can cannot will is are need needs require requires has have do does
    mustn't shouldn't can't won't"""
)
_REFUSED = word_set(
    """reject refuse decline block deny forbidden prohibited banned disallowed forbid prohibit ban
    drop abort disallow off-limits"""
)
_ALLOWED = word_set("allow permit accept acceptable make be happen occur approve use process okay")
_NEEDING = word_set("need needs require requires must")


def conditional_of(
    words: Words, parts_of: Callable[[Words], tuple[Part, ...]]
) -> tuple[Part, ...] | None:
    """The rule for the amounts that the sentence names; None where it is no such sentence."""
    for quantity in quantities_of(words):
        found = comparison_of(words, quantity)
        if found is None:
            continue
        comparison, used = found
        start = min(used, default=quantity.first)
        predicate = _predicate_after(words, quantity.last + 1)
        if start and predicate is not None and not _has_predicate(words[:start]):
            return _judged(words, (start, quantity.last + 1), predicate, comparison, parts_of)
    return _late(words, parts_of)


def _predicate_after(words: Words, first: int) -> int | None:
    for index in range(first, len(words)):
        word = words[index]
        acting = word.text in word.acting and not word.forms & lex.NOUNLIKE
        if word.text in _PREDICATES or "not" in word.forms or acting:
            return index
    return None


def _has_predicate(words: Words) -> bool:
    refusing = {"no", "never", "avoid", "without", "keep", "limit"}
    return any(word.text in _PREDICATES | refusing or "not" in word.forms for word in words)


def _judged(
    words: Words,
    amount: tuple[int, int],
    predicate: int,
    comparison: str,
    parts_of: Callable[[Words], tuple[Part, ...]],
) -> tuple[Part, ...]:
    bound = limit_of(words[:predicate])
    if bound is None:
        return ()
    rest = words[predicate:]
    contrary = replace(bound, comparison=CONTRARY[comparison])
    assent = assent_of(rest) if rest[0].text in _NEEDING else None
    if assent is not None and not _is_denied(rest):
        return (replace(contrary, exemptions=(assent,)),)
    if _is_refused(rest):
        return (contrary,)
    if not _is_denied(rest):
        return ()
    plain = (*words[: amount[0]], *words[amount[1] : predicate], *rest)
    when = replace(bound, comparison=comparison, subject=())
    return _for_amounts(parts_of(plain), when)


def _is_denied(words: Words) -> bool:
    return any("not" in word.forms or word.text in ("never", "cannot") for word in words[:3])


def _is_refused(words: Words) -> bool:
    verbs = [word for word in words if word.sort is Sort.WORD and word.text not in _GRAMMAR]
    first = next((word for word in verbs if "not" not in word.forms), None)
    if first is None:
        return False
    if _is_denied(words):
        passive = any(word.text in lex.BE for word in words[:3])
        return passive and bool(first.forms & _ALLOWED)
    return bool(first.forms & _REFUSED)


_GRAMMAR = _PREDICATES | lex.AUXILIARIES | lex.ADVERBS


def _for_amounts(parts: tuple[Part, ...], when: Limit) -> tuple[Part, ...]:
    return tuple(replace(part, when=when) for part in parts if isinstance(part, Prohibition))


def _late(words: Words, parts_of: Callable[[Words], tuple[Part, ...]]) -> tuple[Part, ...] | None:
    """ "Not allowed after 30 days": the time that has passed is the condition."""
    for quantity in quantities_of(words):
        before = words[quantity.first - 1].text if quantity.first else ""
        if before != "after" or quantity.measure != "time" or not _forbids(words, quantity):
            continue
        plain = (*words[: quantity.first - 1], *words[quantity.last + 1 :])
        when = Limit("", ">", str(quantity.value), "time")
        return _for_amounts(parts_of(plain), when) or None
    return None


def _forbids(words: Words, quantity: Quantity) -> bool:
    return any(
        "not" in word.forms or word.text in ("no", "never") or word.forms & _REFUSED
        for word in words[: quantity.first]
    )
