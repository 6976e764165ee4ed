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
    start, at = _same_start(old, new)
    back = _same_end(old, new, at)
    before, after = _lines_between(old, at, back), _lines_between(new, at, back)
    kept = _kept(before, after)
    stayed = {one for one, _ in kept}
    gone = [line for at, line in enumerate(before) if at not in stayed]
    added = _missing((other for _, other in kept), len(after))
    return tuple((one + start, other + start) for one, other in added), "\n".join(gone)


def _same_start(old: str, new: str) -> tuple[int, int]:
    """Count the lines that two texts begin with alike, and their letters."""
    low, high = 0, min(len(old), len(new))
    while low < high:
        middle = (low + high + 1) // 2
        if old[low:middle] == new[low:middle]:
            low = middle
        else:
            high = middle - 1
    at = old.rfind("\n", 0, low) + 1
    return old.count("\n", 0, at), at


def _same_end(old: str, new: str, start: int) -> int:
    """Count the letters of the whole lines that two texts end with alike, behind a start."""
    low, high = 0, min(len(old), len(new)) - start
    while low < high:
        middle = (low + high + 1) // 2
        parts = [text[len(text) - middle : len(text) - low] for text in (old, new)]
        if parts[0] == parts[1]:
            low = middle
        else:
            high = middle - 1
    newline = old.find("\n", len(old) - low) if low else -1
    return len(old) - newline - 1 if newline >= 0 else 0


def _lines_between(text: str, start: int, back: int) -> list[str]:
    """Return the lines behind a start, without those of an end that ends with them."""
    stop = len(text) - back
    if not text or (back and stop <= start):
        return []
    return text[start : stop - 1 if back else stop].split("\n")


def _missing(kept: Iterable[int], count: int) -> Ranges:
    """Return the runs of numbers below a count that are not kept."""
    edges = [-1, *kept, count]
    return tuple((one + 1, other) for one, other in pairwise(edges) if one + 1 < other)


def _kept(before: Sequence[str], after: Sequence[str]) -> list[tuple[int, int]]:
    """Pair the lines that both texts share, in order.

    Equal beginnings and ends are paired first, then lines that stand in each text once, and around
    those whatever is equal. That takes one pass, however the texts were made.
    """
    most = min(len(before), len(after))
    head = next((at for at in range(most) if before[at] != after[at]), most)
    rest = most - head
    tail = next((at for at in range(rest) if before[-1 - at] != after[-1 - at]), rest)
    stops = (len(before) - tail, len(after) - tail)
    found = [(at, at) for at in range(head)]
    found += _around(before, after, _anchors(before, after, head, stops), (head, head), stops)
    return found + [(stops[0] + at, stops[1] + at) for at in range(tail)]


def _anchors(
    before: Sequence[str], after: Sequence[str], head: int, stops: tuple[int, int]
) -> list[tuple[int, int]]:
    """Pair the lines that stand once in each middle part, as many as keep their order."""
    places, others = _single(before, head, stops[0]), _single(after, head, stops[1])
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


def _single(lines: Sequence[str], start: int, stop: int) -> dict[str, int]:
    found: dict[str, int] = {}
    for at in range(start, stop):
        found[lines[at]] = -1 if lines[at] in found else at
    return {line: at for line, at in found.items() if at >= 0}


def _around(
    before: Sequence[str],
    after: Sequence[str],
    anchors: list[tuple[int, int]],
    start: tuple[int, int],
    stops: tuple[int, int],
) -> list[tuple[int, int]]:
    """Add the equal lines next to each anchor."""
    found: list[tuple[int, int]] = []
    one, other = start
    for place, at in [*anchors, stops]:
        back = 0
        while (
            place - back > one
            and at - back > other
            and (before[place - back - 1] == after[at - back - 1])
        ):
            back += 1
        found += [(place - step, at - step) for step in range(back, 0, -1)]
        one, other = place, at
        while one < stops[0] and other < stops[1] and before[one] == after[other]:
            found.append((one, other))
            one, other = one + 1, other + 1
    return _ordered(found)


def _ordered(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Drop a pair that an earlier one has taken already."""
    found: list[tuple[int, int]] = []
    for pair in pairs:
        if not found or (pair[0] > found[-1][0] and pair[1] > found[-1][1]):
            found.append(pair)
    return found
