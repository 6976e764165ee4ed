"""Line up two changed sequences with the one they come from."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence


T = TypeVar("T")


class Clash(Exception):
    """Both sides changed the same thing, each in its own way."""


def agree(base: T, one: T, other: T) -> T:
    """Return the value of the side that changed it; raise where both did and they differ."""
    if one == other or other == base:
        return one
    if one == base:
        return other
    raise Clash


@dataclass(frozen=True, slots=True)
class Chunk:
    """A stretch of the base with what each side made of it."""

    base: tuple[str, ...]
    one: tuple[str, ...]
    other: tuple[str, ...]

    def agreed(self) -> tuple[str, ...]:
        """Return the outcome where at most one side changed the stretch, or both did the same."""
        return agree(self.base, self.one, self.other)


@dataclass(frozen=True, slots=True)
class _Hunk:
    """A stretch of the base that one side (0 or 1) replaced."""

    start: int
    end: int
    side: int
    new: tuple[str, ...]


def align(
    base: Sequence[str], one: Sequence[str], other: Sequence[str], *, apart: bool = False
) -> Iterator[Chunk]:
    """Cut all three into chunks; changes that overlap are in one chunk.

    With `apart`, changes that touch are in one chunk too.
    """
    at = 0
    for group in _group([*_diff(base, one, 0), *_diff(base, other, 1)], apart=apart):
        start, end = group[0].start, max(hunk.end for hunk in group)
        kept = tuple(base[at:start])
        yield Chunk(kept, kept, kept)
        sides = (_apply(base, start, end, (h for h in group if h.side == side)) for side in (0, 1))
        yield Chunk(tuple(base[start:end]), *sides)
        at = end
    kept = tuple(base[at:])
    yield Chunk(kept, kept, kept)


def share(one: Sequence[str], other: Sequence[str]) -> list[str]:
    """Return what two sequences have in common, in order."""
    blocks = SequenceMatcher(None, one, other).get_matching_blocks()
    return [item for block in blocks for item in one[block.a : block.a + block.size]]


def _diff(base: Sequence[str], changed: Sequence[str], side: int) -> Iterator[_Hunk]:
    codes = SequenceMatcher(None, base, changed).get_opcodes()
    for tag, start, end, first, last in codes:
        if tag != "equal":
            yield _Hunk(start, end, side, tuple(changed[first:last]))


def _group(hunks: list[_Hunk], *, apart: bool) -> list[list[_Hunk]]:
    """Group hunks that overlap; two insertions at one place do."""
    groups: list[list[_Hunk]] = []
    last = (-1, -1)
    for hunk in sorted(hunks, key=lambda one: (one.start, one.end)):
        own = (hunk.start, hunk.end)
        if groups and (hunk.start < last[1] or own == last or (apart and hunk.start == last[1])):
            groups[-1].append(hunk)
            last = (last[0], max(last[1], hunk.end))
        else:
            groups.append([hunk])
            last = own
    return groups


def _apply(base: Sequence[str], start: int, end: int, hunks: Iterable[_Hunk]) -> tuple[str, ...]:
    """Return a stretch of the base with one side's hunks in it."""
    made: list[str] = []
    for hunk in hunks:
        made += [*base[start : hunk.start], *hunk.new]
        start = hunk.end
    return (*made, *base[start:end])
