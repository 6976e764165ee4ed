"""Evidence: the part of a call that matches a pattern, or why that is unknown."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from dmm.rules.budget import Stopped
    from dmm.rules.commands.values import Span


class Evidence(NamedTuple):
    """The part of a call that matches a pattern: the place, its text, and why.

    `where` names the place better than the text there does. `stopped` says that nobody knows
    whether it matches, and why the search was given up. `doubt` says why a match is not certain.
    """

    span: Span
    why: str
    where: str = ""
    stopped: str = ""
    doubt: str = ""


def unknown(span: Span, where: str, fault: Stopped) -> Evidence:
    """Return the finding that a match is unknown."""
    return Evidence(span, f"{where} could not be checked: {fault.what}", where, fault.what)
