"""Whether an amount is a limit: at most, at least, or exactly so much."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dmm.policy.wordsets import word_set

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dmm.conflicts.words import Word

_MOST = re.compile(
    r"(at most|up to|no more than|not more than|maximum|max|under|below|less than|fewer than|within"
    r"|limited? to|capped at|cap|never exceed|not exceed|exceed|no longer than|<=?|\u2264|limit"
    r"|not be longer than|not longer than|shorter than|smaller than|no larger than|no bigger than"
    r"|stay under|ceiling)\W*(?:of|is|to|at|are|a|the|be|than|over|above|about|value|set)?\W*"
    r"(?:of|is|to|at|the|a)?\W*$"
)


_LEAST = re.compile(
    r"(at least|minimum|min|no less than|no fewer than|not less than|more than|over|above|>=?"
    r"|\u2265|exceeds|exceeding|(?:greater|older|longer|larger|bigger|higher) than|floor)\W*"
    r"(?:of|is|to|at|are|a|the|be)?\W*$"
)


_DENIED = re.compile(
    r"\b(?:no|not|never|nobody|none|cannot|n't)\b[^.;,]*\b(?P<than>more|longer|larger|bigger|higher"
    r"|greater|older|exceed|fewer|less|lower|shorter|smaller)\b(?: than)?(?: of)?\W*$"
)


_MORE = word_set("more longer larger bigger higher greater older exceed")


_AFTER_MOST = re.compile(r"^\W*(or less|or fewer|at most|max|maximum|tops|or below|or under|limit)")


_AFTER_LEAST = re.compile(
    r"^\W*(or more|at least|min|minimum|(?:or|and) (?:newer|later|above|up|higher)|\+)"
)


def bound_of(words: Sequence[Word], index: int, last: int, sentence: str, *, counted: bool) -> str:
    """The bound that the words around an amount give it."""
    before = sentence[: words[index].span[0]].lower()[-40:]
    after = sentence[words[last].span[1] :].lower()[:24]
    tail = words[last + 1].span[1] - words[last].span[1] if last + 1 < len(words) else 0
    denied = _DENIED.search(sentence[: words[index].span[0]].lower())
    if denied:
        return "most" if denied.group("than") in _MORE else "least"
    if _MOST.search(before) or _AFTER_MOST.match(after) or _AFTER_MOST.match(after[tail:]):
        return "most"
    if _LEAST.search(before) or _AFTER_LEAST.match(after) or _AFTER_LEAST.match(after[tail:]):
        return "least"
    return norm_of(words, counted=counted)


def norm_of(words: Sequence[Word], *, counted: bool) -> str:
    """The bound that a clause as a whole gives: a minimum, a maximum, a need, a permission."""
    plain = {word.text for word in words} | {word.concept for word in words}
    if plain & {"minimum", "min"}:
        return "least"
    if plain & {"limit", "maximum", "max", "cap", "allow", "can", "may", "rate-limit"}:
        return "most"
    return "least" if counted and plain & {"require", "must", "should"} else "exact"
