"""Regular expressions: compiled once, within limits, and searched against the clock."""

from __future__ import annotations

import re
from functools import lru_cache
from time import thread_time
from typing import TYPE_CHECKING, Any

from dmm.rules.budget import NO_LIBRARY, Stopped
from dmm.rules.content.limits import MAX_PATTERN

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dmm.rules.budget import Budget

# A line that is a comment does nothing.
LINE = r"^(?!\s*(?://|/\*|\*\s|#\s|--\s)).*?"
# The start of a line, and what stands before a match in it, where both surely are code.
CODE_LINE = r"""^(?!\s*(?:\{?\s*/[/*]|\*|\#|--|;|%|<!--|""\"|'''))(?:(?!//|/\*|\#\s|<!--).)*?"""

# The least count of a repeat is written out when an expression is compiled.
MAX_WRITTEN_OUT = 20_000
_LEAST_LITERAL = 2
_TOKEN = re.compile(
    r"\\(?P<escaped>.)|(?P<set>\[\^?\]?(?:\\.|\[:\w+:\]|[^\]\\])*\])"
    r"|(?P<open>\((?:\?(?P<flags>[a-zA-Z0-9]*-?[a-zA-Z]*[):]|[^)]))?)|(?P<close>\))"
    r"|(?P<count>\{(?P<least>\d*)[^}]*\})|(?P<repeat>[*+?])|(?P<either>\|)"
    r"|(?P<mark>[.^$])|(?P<plain>.)",
    re.S,
)
_CHANGING = frozenset("xV")
_MATCHES_A_LOOK = 64
_TOO_LONG = "its regex took too long"


def _tokens(expression: str) -> Iterator[re.Match[str]]:
    return _TOKEN.finditer(expression)


def written_out(expression: str) -> int:
    """Estimate how long an expression becomes once its counted repeats are written out."""
    if _changes_meaning(expression):
        size = len(expression)
        for found in re.finditer(r"\{(\d+)", expression):
            size *= max(int(found[1]), 1)
            if size > MAX_WRITTEN_OUT:
                break
        return size
    levels: list[list[int]] = [[0]]
    for found in _tokens(expression):
        held = levels[-1]
        if found["open"] and not (found["flags"] or "").endswith(")"):
            levels.append([0])
        elif found["close"]:
            inner = sum(levels.pop())
            levels = levels or [[0]]
            levels[-1].append(inner + 1)
        elif found["count"]:
            times = max(int(found["least"] or 1), 1)
            held[-1] = min(held[-1] * times, MAX_WRITTEN_OUT + 1)
        else:
            held.append(1)
    return sum(sum(held) for held in levels)


def _changes_meaning(expression: str) -> bool:
    """Whether flags change how the expression itself is read."""
    return any(
        _CHANGING & set(found[1]) for found in re.finditer(r"\(\?([a-zA-Z0-9]+)", expression)
    )


@lru_cache(maxsize=4_096)
def literal(expression: str) -> str:
    """Return the longest text that every match must hold; empty where none is certain."""
    runs, run, depth = [""], "", 0
    if re.search(r"\(\?[a-zA-Z0-9-]*[ixVLub]", expression):
        return ""
    for found in _tokens(expression):
        if found["either"] and depth == 0:
            return ""
        escaped = found["escaped"]
        letter = found["plain"] or (escaped if escaped and not escaped.isalnum() else None)
        if letter and depth == 0:
            run += letter
            continue
        if found["repeat"] or found["count"]:
            run = run[:-1]
        runs.append(run)
        run = ""
        if found["open"] and not (found["flags"] or "").endswith(")"):
            depth += 1
        elif found["close"]:
            depth = max(0, depth - 1)
    best = max((*runs, run), key=len)
    return best if len(best) >= _LEAST_LITERAL else ""


@lru_cache(maxsize=4_096)
def compiled(expression: str, *, ignore_case: bool = False, by_line: bool = True) -> Any:
    """Compile an expression; one that is too large or no expression is refused as `Stopped`.

    `by_line` has `^` and `$` stand for the ends of every line.
    """
    try:
        import regex  # type: ignore[import-untyped]  # it has no stubs here
    except ImportError as fault:
        raise Stopped(NO_LIBRARY) from fault
    if len(expression) > MAX_PATTERN:
        raise Stopped(f"its regex is longer than {MAX_PATTERN:,} characters")
    if written_out(expression) > MAX_WRITTEN_OUT:
        raise Stopped("its regex becomes too large: it repeats repeats")
    flags = regex.MULTILINE if by_line else 0
    flags |= regex.IGNORECASE if ignore_case else 0
    try:
        return regex.compile(expression, flags)
    except (regex.error, RecursionError, ValueError, OverflowError) as fault:
        raise Stopped(f"its regex can't be used: {fault}") from fault


def search(
    expression: str,
    text: str,
    budget: Budget,
    *,
    ignore_case: bool = False,
    by_line: bool = True,
    share: float = 1,
    within: tuple[int, int] | None = None,
) -> Iterator[tuple[int, int]]:
    """Find all places that match, one by one, within a share of the time that is left.

    `within` gives the part of the text to search.
    """
    allowed = budget.left() * share
    found = compiled(expression, ignore_case=ignore_case, by_line=by_line)
    start = thread_time()
    try:
        start_at, stop_at = within or (0, len(text))
        matches = found.finditer(text, start_at, stop_at, timeout=allowed)
        for number, match in enumerate(matches):
            # The library does not look at the clock between matches.
            if number % _MATCHES_A_LOOK == 0 and thread_time() - start > allowed:
                raise budget.blame(allowed, allowed, _TOO_LONG)
            yield match.span()
    except TimeoutError as fault:
        raise budget.blame(allowed, thread_time() - start, _TOO_LONG) from fault
    except MemoryError as fault:
        raise Stopped("its regex took too much memory") from fault
    finally:
        budget.charge(thread_time() - start)
