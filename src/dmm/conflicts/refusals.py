"""Bounds told by what fails beyond them: what rejects all above 25 MB allows at most 25 MB."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

from dmm.conflicts.clauses import AUXILIARIES
from dmm.rules.language.wordsets import word_set

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dmm.conflicts.quantities import Quantity
    from dmm.conflicts.words import Word

FAILS = frozenset(("fail", "reject", "block", "refuse", "break", "stop", "forbid"))
_NOT_BELOW = re.compile(r"(?:\bnot|n't|\bnever)\b[^.;,]*\b(?:below|under|beneath)\b", re.IGNORECASE)
_NOT_ABOVE = re.compile(r"(?:\bnot|n't|\bnever)\b[^.;,]*\b(?:above|beyond|over)\b", re.IGNORECASE)
_Amounts = tuple["Quantity", ...]


def bounded_by(
    main: Sequence[Word], claimed: _Amounts, triggers: _Amounts, sentence: str
) -> tuple[_Amounts, _Amounts]:
    """The amounts claimed and those of a condition; "fails when below 90" claims at least 90."""
    if _NOT_BELOW.search(sentence):
        claimed = tuple(replace(q, bound="least", low=q.high or q.low, high=None) for q in claimed)
    elif _NOT_ABOVE.search(sentence):
        claimed = tuple(replace(q, bound="most", high=q.high or q.low, low=None) for q in claimed)
    if not _fails(main):
        return claimed, triggers
    kept = tuple(q if _is_allowed(q, main) else _opposite(q) for q in claimed)
    return kept + tuple(map(_opposite, triggers)), ()


def _fails(words: Sequence[Word]) -> bool:
    """Whether a clause says that something fails; "failed jobs are retried" does not."""
    if not any(word.concept in FAILS for word in words) and not _is_turned_away(words):
        return False
    return _is_turned_away(words) or any(
        word.concept in FAILS and not _is_kind(words, place) for place, word in enumerate(words)
    )


def _is_turned_away(words: Sequence[Word]) -> bool:
    return any((a.text, b.text) in _TURNED_AWAY for a, b in pairwise(words))


_TURNED_AWAY = frozenset(
    (verb, particle)
    for verbs, particle in (
        (("turn", "turns", "turned"), "away"),
        (("cut", "cuts"), "off"),
        (("send", "sends", "sent"), "back"),
    )
    for verb in verbs
)


def _is_kind(words: Sequence[Word], place: int) -> bool:
    """Whether a word of failing only tells which things are meant: "a rejected upload"."""
    if not words[place].text.endswith("ed") or place + 1 >= len(words):
        return False
    before = words[place - 1].text if place else ""
    following = words[place + 1]
    return (
        before not in AUXILIARIES
        and before not in _BECOMING
        and following.sort in ("word", "name")
        and following.text not in _AFTER_VERB
    )


_BECOMING = word_set("get gets getting not never always automatically immediately and or")
_AFTER_VERB = word_set("by with at if when in on after before above over below under for as and or")


def _is_allowed(quantity: Quantity, main: Sequence[Word]) -> bool:
    """Whether words say that so much may be, not what fails: "rejects at most 5 %"."""
    before = " ".join(w.text for w in main[max(0, quantity.first - 3) : quantity.first])
    return before.endswith(_ALLOWING)


_ALLOWING = ("at most", "at least", "up to", "at the most", "at the least")


def _opposite(quantity: Quantity) -> Quantity:
    bound = {"most": "least", "least": "most"}.get(quantity.bound)
    if bound is None:
        return quantity
    return replace(quantity, bound=bound, low=quantity.high, high=quantity.low)
