"""Two versions of a text, line by line: what the newer one adds and what it takes away."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

Ranges = tuple[tuple[int, int], ...]


def normal(text: str) -> str:
    """Write line ends as editors compare them."""
    return text.replace("\r\n", "\n") if "\r" in text else text


def lines_of(text: str) -> list[str]:
    """Split a text into lines; an empty text has none."""
    return text.split("\n") if text else []


def line_starts(text: str) -> list[int]:
    """Return the offset at which each line begins."""
    return [0, *accumulate(len(line) + 1 for line in text.split("\n"))][:-1]


def touched(start: int, end: int, starts: Sequence[int]) -> tuple[int, int]:
    """Return the first line that a piece of text touches, and the one behind its last."""
    return bisect_right(starts, start) - 1, bisect_left(starts, max(end, start + 1))


def overlaps(first: int, behind: int, ranges: Ranges) -> bool:
    """Whether a run of lines meets one of several others."""
    return any(first < stop and start < behind for start, stop in ranges)


def compare(old: str, new: str) -> tuple[Ranges, str]:
    """Compare two texts: the lines of the new one that are added, and the text that is gone."""
    before, after = lines_of(old), lines_of(new)
    most = min(len(before), len(after))
    head = next((at for at in range(most) if before[at] != after[at]), most)
    rest = most - head
    tail = next((at for at in range(rest) if before[-1 - at] != after[-1 - at]), rest)
    before, after = before[head : len(before) - tail], after[head : len(after) - tail]
    kept = _kept(before, after)
    stayed = {one for one, _ in kept}
    gone = [line for at, line in enumerate(before) if at not in stayed]
    added = _missing((other for _, other in kept), len(after))
    return tuple((one + head, other + head) for one, other in added), "\n".join(gone)


def _missing(kept: Iterable[int], count: int) -> Ranges:
    """Return the runs of numbers below a count that are not kept."""
    edges = [-1, *kept, count]
    return tuple((one + 1, other) for one, other in pairwise(edges) if one + 1 < other)


def _kept(before: Sequence[str], after: Sequence[str]) -> list[tuple[int, int]]:
    """Pair the lines that two texts share, in order, where neither their ends nor starts are equal.

    Lines that stand in each text once are paired first, and around those whatever is equal. That
    takes one pass, however the texts were made.
    """
    found: list[tuple[int, int]] = []
    one, other = 0, 0
    for place, at in [*_anchors(before, after), (len(before), len(after))]:
        back = 0
        while (
            place - back > one
            and at - back > other
            and (before[place - back - 1] == after[at - back - 1])
        ):
            back += 1
        found += [(place - step, at - step) for step in range(back, 0, -1)]
        one, other = place, at
        while one < len(before) and other < len(after) and before[one] == after[other]:
            found.append((one, other))
            one, other = one + 1, other + 1
    return _ordered(found)


def _anchors(before: Sequence[str], after: Sequence[str]) -> list[tuple[int, int]]:
    """Pair the lines that stand once in each text, as many as keep their order."""
    places, others = _single(before), _single(after)
    pairs = [(places[line], at) for line, at in others.items() if line in places]
    ends: list[int] = []
    last: list[int] = []
    links: list[int] = []
    for number, (place, _) in enumerate(pairs):
        at = bisect_left(ends, place)
        links.append(last[at - 1] if at else -1)
        ends[at : at + 1] = [place]
        last[at : at + 1] = [number]
    chain: list[tuple[int, int]] = []
    number = last[-1] if last else -1
    while number >= 0:
        chain.append(pairs[number])
        number = links[number]
    return chain[::-1]


def _single(lines: Sequence[str]) -> dict[str, int]:
    found: dict[str, int] = {}
    for at, line in enumerate(lines):
        found[line] = -1 if line in found else at
    return {line: at for line, at in found.items() if at >= 0}


def _ordered(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Drop a pair that an earlier one has taken already."""
    found: list[tuple[int, int]] = []
    for pair in pairs:
        if not found or (pair[0] > found[-1][0] and pair[1] > found[-1][1]):
            found.append(pair)
    return found
