"""Evidence: what of a call a pattern found, or why it could not look; texts searched in time."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from dmm.rules.budget import Budget, Stopped
from dmm.rules.content.limits import MAX_TEXT

if TYPE_CHECKING:
    from dmm.rules.commands.values import Span


class Evidence(NamedTuple):
    """What of a call matched a pattern: the place, the text there, and why.

    `where` names the place better than the text there does. `stopped` says that nobody knows
    whether it matches, and why the search was given up. `doubt` says why a match is not certain.
    """

    span: Span
    why: str
    where: str = ""
    stopped: str = ""
    doubt: str = ""


def search_within(pattern: str, text: str, budget: Budget | None = None) -> bool:
    """Tell whether an expression is found in a text; `Stopped` where that takes too long."""
    from dmm.rules.content.expressions import literal, search

    if literal(pattern) not in text:
        return False
    if len(text) > MAX_TEXT:
        raise Stopped(f"the text is larger than {MAX_TEXT >> 20} MB")
    return any(True for _ in search(pattern, text, budget or Budget(), by_line=False))


def unknown(span: Span, where: str, fault: Stopped) -> Evidence:
    """Tell of a thing of which nobody knows whether it matches."""
    return Evidence(span, f"{where} could not be checked: {fault.what}", where, fault.what)
