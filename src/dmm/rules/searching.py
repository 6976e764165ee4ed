"""Searching a text with somebody's regular expression, within a limit of time."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

SECONDS = 0.05


@lru_cache(maxsize=1024)
def _compiled(pattern: str) -> Any:
    # It takes 25 ms to load; most calls meet no rule that needs it.
    import regex  # type: ignore[import-untyped]  # it has no stubs here

    return regex.compile(pattern)


def search_within(pattern: str, text: str, seconds: float = SECONDS) -> bool:
    """Tell whether an expression is found in a text; TimeoutError where that takes too long."""
    return _compiled(pattern).search(text, timeout=seconds) is not None
