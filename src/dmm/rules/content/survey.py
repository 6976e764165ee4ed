"""A quick look at code before it is parsed: how deep it nests, and whether it is code at all."""

from __future__ import annotations

import re

_OTHERS = re.compile(r"[^()\[\]{}]+")
_MARKS = re.compile(r"[()\[\]{}]|[;,]|[-+*/.!?&|<>=:]+")
_PAIRS = ("()", "[]", "{}")


def nesting_of(text: str, deepest: int) -> tuple[int, bool]:
    """Tell how deep brackets nest, and whether so many lack a partner that a parser would guess.

    Nothing deeper than `deepest` is looked at.
    """
    rest = _OTHERS.sub("", text)
    count, depth = len(rest), 0
    while depth <= deepest:
        before = len(rest)
        for pair in _PAIRS:
            rest = rest.replace(pair, "")
        if len(rest) == before:
            break
        depth += 1
    return depth, len(rest) > max(200, count // 3)


def steps_of(text: str) -> tuple[int, int]:
    """Count the marks of a text, and the sum of their depths: what a walk to all ancestors takes."""
    depth = run = steps = marks = 0
    for found in _MARKS.finditer(text):
        mark = found[0]
        marks += 1
        if mark in "([{":
            depth, run = depth + 1, 0
        elif mark in ")]}":
            depth, run = max(0, depth - 1), 0
        elif mark in ";,":
            run = 0
        else:
            run += 1
        steps += 2 * depth + run
    return marks, steps
