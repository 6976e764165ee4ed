"""Searching a text with somebody's regular expression, within a limit of time."""

from __future__ import annotations

from dmm.rules.content.limits import Budget

SECONDS = 0.05


def search_within(pattern: str, text: str, seconds: float = SECONDS) -> bool:
    """Tell whether an expression is found in a text; `Stopped` where that takes too long."""
    # What it loads takes 25 ms; most calls meet no rule that needs it.
    from dmm.rules.content.expressions import search

    return any(True for _ in search(pattern, text, Budget(seconds), by_line=False))
