"""States and their ends as times: while a thing is in beta, once it leaves beta."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dmm.conflicts.units import singular
from dmm.rules.language.wordsets import word_set

if TYPE_CHECKING:
    from collections.abc import Iterator

# A state goes from 0 to 1; before it is from -1 to 0, after it from 1 to 2.
_Stretches = tuple[tuple[float, float], ...]
_CLAUSE = re.compile(
    r"\b(?P<how>while|(?:as|so) long as|during|throughout|until|till|after|when|as soon as"
    r"|once(?!\s+(?:(?:a|an|per|every|each|this)\s+(?:second|minute|hour|day|week|month|quarter|year)"
    r"|(?:per|every|each|more|again|before|after|in|at|on|and|or|for|daily|with|from)\b)))\s+"
    r"(?P<what>[a-z][^,;:.()]{2,80})"
)
_HINTS = (
    *("while ", " long as ", "during ", "throughout ", "until ", "till ", "once ", "as soon as "),
    *("after ", "no longer"),
)
_ENDS = re.compile(
    r"\b(?:no longer|over|ends?|ended|leaves?|left|exits?|exited|finish(?:es|ed)?|done|completed?"
    r"|gone|stops?|stopped|lifted|closed|expires?|expired|out of)\b"
)
_DENIED = re.compile(r"\bnot\b|n['\u2019]t\b")
_LASTING = frozenset(("while", "during", "throughout"))
_UNTIL = frozenset(("until", "till"))


def states_in(lowered: str) -> Iterator[tuple[re.Match[str], _Stretches, frozenset[str]]]:
    """Each state that a text names a time by, the stretches of it, and the words of the state."""
    if not any(hint in lowered for hint in _HINTS) and not _ends_when(lowered):
        return
    for match in _CLAUSE.finditer(lowered):
        what = match.group("what")
        named = frozenset(singular(word) for word in re.findall(r"[a-z]{2,}", _ENDS.sub(" ", what)))
        stretches = _stretches_of(match.group("how"), what)
        if stretches and named - _PLAIN:
            yield match, stretches, named - _PLAIN


def _ends_when(lowered: str) -> bool:
    told = _ENDS.search(lowered) or _DENIED.search(lowered) if "when " in lowered else None
    return told is not None


def _stretches_of(how: str, what: str) -> _Stretches:
    ended, denied = _ENDS.search(what) is not None, _DENIED.search(what) is not None
    lasting = how in _LASTING or how.endswith("long as")
    if denied:
        return () if ended or not (lasting or how == "when") else ((-1, 0), (1, 2))
    if how in _UNTIL:
        return ((-1, 1),) if ended else ((-1, 0),)
    if ended:
        return ((1, 2),)
    if how == "after" and len(what.split()) < _FEWEST_OF_CLAUSE:
        return ()
    return ((0, 1),) if lasting else ((0, 2),)


# "After the deploy" may be all that is said; "after the audit has been signed" tells a case.
_FEWEST_OF_CLAUSE = 4
_PLAIN = word_set(
    """the an each every any its their our has have been is was are were be that this it they we
    you in on of to at by for running run active ongoing progress still being not phase mode and
    going under way place up yet doe had"""
)


def are_one_state(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether all words by which one names a state are among those of the other."""
    return one <= other or other <= one
