"""What denies or forbids in a sentence of a rule, and where that which is denied begins."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dmm.text.words import english, word_set

if TYPE_CHECKING:
    from collections.abc import Sequence

NEGATIONS = english("negations")
FORBIDDEN = english("forbidden")
ALLOWED = english("allowed")
TELLING = english("telling")
_LEADING = english("auxiliaries") | TELLING
# "No force pushes", "avoid globals": the thing itself is out.
BANS = word_set("no avoid forbid ban prohibit")
_BE = word_set("is are remain remains stay stays")


def after_denial(words: Sequence[str], at: int) -> int | None:
    """Return the place behind what denies at a place: "never", "must not", "refrain from"."""
    one, two, three = (*words[at : at + 3], "", "", "")[:3]
    if one in NEGATIONS:
        return at + 1
    if (one, two, three) == ("under", "no", "circumstances"):
        return at + 3
    if one == "not" and two in ALLOWED and three == "to":
        return at + 3
    if one in _LEADING and two in ("not", "never"):
        return at + 2
    if (one, two) == ("refrain", "from"):
        return at + 2
    return at + 1 if one == "stop" and at < 2 else None


def find_ban(words: Sequence[str]) -> int | None:
    """Return the place of the verb in "X is forbidden", "X are not allowed", "X is off limits"."""
    for at in range(1, len(words)):
        near = set(words[at + 1 : at + 4])
        banned = near & (ALLOWED if "not" in near else FORBIDDEN)
        if words[at] in _BE and (banned or is_off_limits(near)):
            return at
    return None


def is_off_limits(words: set[str]) -> bool:
    """Whether some words say that nobody may come near a thing."""
    return "off-limits" in words or {"off", "limits"} <= words
