"""A quick look at code before it is parsed: how deep it nests, and whether it is code at all."""

from __future__ import annotations

import re

_OTHERS = bytes(set(range(256)) - set(b"()[]{}"))
_MARKS = re.compile(r"[()\[\]{}]|[;,]|[-+*/.!?&|<>=:]+")
_OPENS = {")": "(", "]": "[", "}": "{"}
_NEAR = 3


def nesting_of(text: str, deepest: int) -> tuple[int, bool]:
    """Return how deep brackets nest, and whether so many lack a partner that a parser would guess.

    Nothing behind a place deeper than `deepest` is looked at.
    """
    brackets = text.encode("utf-8", "replace").translate(None, _OTHERS).decode("ascii")
    stack: list[str] = []
    depth = strays = 0
    for mark in brackets:
        opens = _OPENS.get(mark)
        if opens is None:
            stack.append(mark)
            if len(stack) > depth:
                depth = len(stack)
                if depth > deepest:
                    break
        elif stack and stack[-1] == opens:
            stack.pop()
        else:
            strays += 1
            near = stack[-_NEAR:]
            del stack[len(stack) - near[::-1].index(opens) - 1 if opens in near else len(stack) :]
    return depth, strays + len(stack) > max(40, len(brackets) // 4)


def steps_of(text: str) -> tuple[int, int]:
    """Count the marks of a text, and sum up their depths: the steps to all their ancestors."""
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
