"""Things that a rule names: what they are as patterns on tool calls, and where they end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from dmm.policy.wordsets import word_set

if TYPE_CHECKING:
    from collections.abc import Callable

    from dmm.policy.commands.rules import Pattern
    from dmm.policy.spoken.pieces import Pieces
    from dmm.policy.spoken.scopes import Scope

DETERMINERS = word_set(
    "the a an any all every our your my this that these those each its their some"
)
# Adverbs that narrow nothing: whoever acts through a tool acts this way.
IDLE = word_set(
    """directly straight ever again manually yourself yourselves automatically here anywhere please
    simply just at all blindly ourselves by hand itself"""
)
LINKS = word_set("or and nor plus")
# A command or a name in prose ends here.
STOPS = (
    DETERMINERS
    | IDLE
    | LINKS
    | word_set(
        """on in to from without unless except for with against when if because before after while
        during outside as since until via into onto inside within under over is are was be must
        should which instead but not than even through using so like except"""
    )
)


@dataclass(frozen=True, slots=True)
class Thing:
    """What a rule names; a `broad` thing, such as a whole program, is no ground for a mere hint."""

    patterns: tuple[Pattern, ...]
    exceptions: tuple[Pattern, ...] = ()
    tools: tuple[str, ...] = ()
    scopes: tuple[Scope, ...] = ()
    broad: bool = False


Found = tuple[Thing, int]
T = TypeVar("T")


def skip(pieces: Pieces, at: int, *groups: frozenset[str]) -> int:
    """Pass the words of some groups."""
    while at < len(pieces) and any(pieces[at].word in group for group in groups):
        at += 1
    return at


def word_at(pieces: Pieces, at: int) -> str:
    """Give the plain word at a place, or nothing."""
    return pieces[at].word if 0 <= at < len(pieces) else ""


def read_list(
    pieces: Pieces, at: int, read: Callable[[Pieces, int], tuple[T, int] | None]
) -> tuple[list[T], int]:
    """Read the members of a list; behind commas alone, with no "or" at the end, is a remark."""
    found: list[tuple[T, int]] = []
    sure = 1
    place: int | None = at
    while place is not None and (one := read(pieces, place)) is not None:
        found.append(one)
        place, linked = _next(pieces, one[1])
        sure = len(found) + 1 if linked else sure
    kept = found[:sure]
    return [one[0] for one in kept], kept[-1][1] if kept else at


def _next(pieces: Pieces, at: int) -> tuple[int | None, bool]:
    start = at
    if at < len(pieces) and pieces[at].mark and pieces[at].text == ",":
        at += 1
    after = skip(pieces, at, LINKS)
    if not start < after < len(pieces):
        return None, False
    # Code behind code is a list, unless the second is what to use.
    coded = pieces[after].code and pieces[start - 1].code
    listed = coded and word_at(pieces, after + 1) not in ("instead", "is", "are", "works")
    return after, after > at or listed
