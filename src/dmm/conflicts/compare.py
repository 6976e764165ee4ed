"""Two memories side by side: do they say the same, contradict one another, or go together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dmm.conflicts.clashes import find_clash
from dmm.conflicts.duplicates import same_claim
from dmm.conflicts.readings import Reading, read_memory
from dmm.conflicts.supersession import replaces_in_words, supersedes
from dmm.domain.conflict import Clash, ConflictType
from dmm.domain.memory import has_expired

if TYPE_CHECKING:
    import datetime as dt

__all__ = ["Reading", "compare", "read_memory"]

_SAME = 0.62
_LEAST_CONFIDENCE = 0.5


def compare(
    one: Reading, other: Reading, *, likeness: float | None, today: dt.date | None = None
) -> Clash | None:
    """Say in which way two memories do not go together; None where they do."""
    first, second = one.memory, other.memory
    if not first.in_force or not second.in_force:
        return None
    if today is not None and (
        has_expired(first.expires, today) or has_expired(second.expires, today)
    ):
        return None
    if supersedes(first, second) or supersedes(second, first):
        return None
    rivals = sorted(set(first.supersedes) & set(second.supersedes))
    if rivals:
        return _rival_successors(one, other, rivals)
    found = find_clash(one, other, likeness)
    if found is not None and (replaces_in_words(one, other) or replaces_in_words(other, one)):
        return None
    if found is not None and found.confidence >= _LEAST_CONFIDENCE:
        return Clash(
            found.type,
            found.confidence,
            found.reason,
            "Decide which holds and deprecate the other, or say where each holds.",
            found.quotes,
        )
    score = same_claim(one, other, likeness)
    if score < _SAME:
        return None
    return Clash(
        ConflictType.DUPLICATE,
        round(min(score, 1.0), 2),
        "Both memories say the same thing.",
        "Merge them into one memory and deprecate the other.",
        (_quote(one), _quote(other)),
    )


def _rival_successors(one: Reading, other: Reading, targets: list[str]) -> Clash:
    return Clash(
        ConflictType.SUPERSESSION,
        0.7,
        f"Both memories claim to take the place of {', '.join(targets)}.",
        "Decide which is the successor, or merge the two.",
        (_quote(one), _quote(other)),
    )


def _quote(reading: Reading) -> str:
    return reading.statements[0].text if reading.statements else reading.memory.title
