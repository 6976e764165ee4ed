"""Match equal lines of two texts in bounded time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

# Texts further apart than this are told as one replaced by the other.
MOST_CHANGES = 1_000


@dataclass(frozen=True, slots=True)
class Run:
    """A run of equal lines: where it begins in either text, and how long it is."""

    one: int
    other: int
    length: int


def split_lines(text: str) -> list[str]:
    """Cut a text at its newlines; the newline at its end is not a line of its own."""
    lines = text.split("\n")
    return lines[:-1] if lines[-1] == "" else lines


def match_lines(one: Sequence[str], other: Sequence[str]) -> list[Run]:
    """List the runs of equal lines on a shortest way from one text to the other, in order."""
    head = 0
    while head < min(len(one), len(other)) and one[head] == other[head]:
        head += 1
    tail = 0
    shorter = min(len(one), len(other)) - head
    while tail < shorter and one[-1 - tail] == other[-1 - tail]:
        tail += 1
    middle = _middle(one[head : len(one) - tail], other[head : len(other) - tail])
    runs = [
        Run(0, 0, head),
        *(Run(run.one + head, run.other + head, run.length) for run in middle),
        Run(len(one) - tail, len(other) - tail, tail),
    ]
    return list(_joined(run for run in runs if run.length))


def _joined(runs: Iterator[Run]) -> Iterator[Run]:
    held: Run | None = None
    for run in runs:
        if held and held.one + held.length == run.one and held.other + held.length == run.other:
            held = Run(held.one, held.other, held.length + run.length)
            continue
        if held:
            yield held
        held = run
    if held:
        yield held


def _middle(one: Sequence[str], other: Sequence[str]) -> list[Run]:
    """Follow the furthest-reaching paths (Myers), and walk the best one back."""
    if not one or not other:
        return []
    trail: list[dict[int, int]] = []
    reach = {1: 0}
    for changes in range(min(len(one) + len(other), MOST_CHANGES) + 1):
        trail.append(reach)
        reach = _step(reach, changes, one, other)
        if reach.get(len(one) - len(other), -1) >= len(one):
            return _walk_back(trail, len(one), len(other))
    return []


def _step(
    reach: dict[int, int], changes: int, one: Sequence[str], other: Sequence[str]
) -> dict[int, int]:
    """Go one change further on every diagonal, then as far as the lines are equal."""
    further: dict[int, int] = {}
    for diagonal in range(-changes, changes + 1, 2):
        x = _start(reach, diagonal, len(one), len(other))[0]
        if x < 0:
            continue
        y = x - diagonal
        while x < len(one) and y < len(other) and one[x] == other[y]:
            x, y = x + 1, y + 1
        further[diagonal] = x
    return further


def _start(reach: dict[int, int], diagonal: int, width: int, height: int) -> tuple[int, bool]:
    """Where a diagonal begins, -1 for nowhere, and whether the step there went down."""
    right = reach.get(diagonal - 1, -2) + 1
    down = reach.get(diagonal + 1, -1)
    right = right if right <= width else -1
    down = down if down - diagonal <= height else -1
    return max(right, down), down >= right


def _walk_back(trail: list[dict[int, int]], width: int, height: int) -> list[Run]:
    runs: list[Run] = []
    x, y = width, height
    for reach in reversed(trail):
        diagonal = x - y
        start, down = _start(reach, diagonal, width, height)
        if x > start:
            runs.append(Run(start, start - diagonal, x - start))
        x, y = (start, start - diagonal - 1) if down else (start - 1, start - diagonal)
    return runs[::-1]
