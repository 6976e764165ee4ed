"""Whether an amount is a limit: at most, at least, about, or exactly so much."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dmm.rules.language.wordsets import word_set

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dmm.conflicts.words import Word

_LINK = r"(?: (?:of|is|are|to|at|be|than|set|value|only|the|a|an|:|=|just|about|v|version)){0,3}$"


_MOST = re.compile(
    r"(?:^| )(?:at (?:the (?:very )?)?most|up to|maximum|max|under|below|less than|fewer than"
    r"|within|limit(?:ed)? to|limit|limited|capped|cap|caps|<=?|\u2264"
    r"|(?:shorter|smaller|lower|earlier) than|ceiling|upper bound|beneath|tops out)" + _LINK
)


_LEAST = re.compile(
    r"(?:^| )(?:at (?:the (?:very )?)?least|minimum|min|more than|over|above|>=?|\u2265|exceed"
    r"|exceeds|exceeding|(?:greater|older|longer|larger|bigger|higher|newer|later) than"
    r"|floor|lower bound|beyond|msrv)" + _LINK
)


_DENIED = re.compile(
    r"(?:^| )(?:no|not|never|nobody|nothing|none|cannot|without|n't) (?:[^.;, ]+ ){0,6}?"
    r"(?P<than>more|longer|larger|bigger|higher|greater|older|later|exceed|exceeding|above|over"
    r"|beyond|fewer|less|lower|shorter|smaller|below|under|beneath|earlier)"
    r"(?: (?:than|of|the|a|an)){0,3}$"
)


_MORE = word_set("more longer larger bigger higher greater older later exceed exceeding above over")
_MORE |= {"beyond"}


_ABOUT = re.compile(r"(?:^| )(?:about|around|roughly|approximately|approx|circa|nearly|almost|~)$")
_EXACT = re.compile(r"(?:^| )(?:exactly|precisely|always|fixed at|set to|pinned to)$")


_AFTER_MOST = re.compile(
    r"(?:or|and) (?:less|fewer|below|under|older|earlier|lower|shorter|smaller)\b"
    r"|at (?:the (?:very )?)?most|max\b|maximum|tops\b|limit\b|ceiling"
)


_AFTER_LEAST = re.compile(
    r"(?:or|and) (?:more|newer|later|above|up|higher|greater|over|longer|better|faster|upwards?"
    r"|onwards?)\b|at (?:the (?:very )?)?least|min\b|minimum|\+|upwards?\b"
)


_BEFORE, _AFTER = 9, 5


def bound_of(words: Sequence[Word], index: int, last: int, *, counted: bool) -> str:
    """The bound that the words around an amount give it."""
    before = " ".join(word.text for word in words[max(0, index - _BEFORE) : index])
    denied = _DENIED.search(before)
    if denied:
        return "most" if denied.group("than") in _MORE else "least"
    if _EXACT.search(before):
        return "exact"
    stated = _stated(before, [word.text for word in words[last + 1 : last + 1 + _AFTER]])
    return stated or norm_of(_around(words, index, last), counted=counted)


def _around(words: Sequence[Word], index: int, last: int) -> list[Word]:
    return [*words[max(0, index - _CLAUSE) : index], *words[last + 1 : last + 1 + _CLAUSE]]


_CLAUSE = 40


def _stated(before: str, after: Sequence[str]) -> str:
    """The bound in the words right before or after the amount, or after what is counted."""
    following, later = " ".join(after), " ".join(after[1:])
    if _AFTER_MOST.match(following) or _AFTER_MOST.match(later):
        return "most"
    if _AFTER_LEAST.match(following) or _AFTER_LEAST.match(later):
        return "least"
    if _MOST.search(before):
        return "most"
    if _LEAST.search(before):
        return "least"
    return "about" if _ABOUT.search(before) else ""


def norm_of(words: Sequence[Word], *, counted: bool) -> str:
    """The bound that a clause as a whole gives: a minimum, a maximum, a need, a permission."""
    plain = {word.text for word in words} | {word.concept for word in words}
    if plain & {"exactly", "precisely"}:
        return "exact"
    if plain & {"minimum", "min"}:
        return "least"
    if plain & {"limit", "maximum", "max", "cap", "allow", "can", "may", "rate-limit"}:
        return "most"
    if plain & _LARGEST or any(text.lstrip("-").startswith(_MAX) for text in plain):
        return "most"
    return "least" if counted and plain & {"require", "must", "should"} else "exact"


_LARGEST = word_set("largest biggest longest highest slowest")
_MAX = ("max_", "max-")
