"""Find what a sentence denies, forbids, rejects or puts off, by its words alone."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dmm.text.lexicon import VERBS
from dmm.text.words import ENGLISH, english, word_set

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

NEGATIONS = english("negations")
FORBIDDEN = english("forbidden")
ALLOWED = english("allowed")
TELLING = english("telling")
_LEADING = english("auxiliaries") | TELLING
# "No force pushes", "avoid globals": the thing itself is out.
BANS = word_set("no avoid forbid ban prohibit")
_TRYING = word_set("try attempt going")
_BE = word_set("is are remain remains stay stays")
EXCEPTING = word_set("unless except excluding barring")
CHOOSING = word_set("prefer favor favour choose pick")
_INSTEAD = tuple(row for row in ENGLISH["phrases"] if row.endswith("= insteadof"))
_INSTEAD_OF = {("insteadof",), *(tuple(row.split()[:-2]) for row in _INSTEAD)}


def _any_of(words: Iterable[str]) -> str:
    return f"(?:{'|'.join(map(re.escape, sorted(words)))})"


# Each word with the blank behind it.
_DENIAL = re.compile(
    rf"(?:{_any_of(NEGATIONS)} |{_any_of(_LEADING)} (?:not|never) )(?:{_any_of(_TRYING)} to |to )?"
    rf"|stop (?:{_any_of(_TRYING)} to )?|refrain from |under no circumstances "
    rf"|not {_any_of(ALLOWED)} to "
)


def after_denial(words: Sequence[str], at: int) -> int | None:
    """Return the position after a denial, such as "never", "must not" or "refrain from"."""
    found = _DENIAL.match("".join(f"{word} " for word in words[at : at + 4]))
    if found is None or (at > 1 and words[at] == "stop"):
        return None
    return at + found[0].count(" ")


def find_ban(words: Sequence[str]) -> int | None:
    """Return the position of the verb in "X is forbidden" or "X is off limits"."""
    for at in range(1, len(words)):
        near = words[at + 1 : at + 4]
        if words[at] in _BE and (bans(near) or is_off_limits(set(near))):
            return at
    return None


def bans(words: Sequence[str]) -> bool:
    """Return whether the words say that a thing is forbidden or not allowed."""
    denied = {
        word for at, one in enumerate(words) if one == "not" for word in words[at + 1 : at + 3]
    }
    return not (denied.isdisjoint(ALLOWED) and FORBIDDEN.isdisjoint(set(words) - denied))


def is_off_limits(words: set[str]) -> bool:
    """Return whether the words say that a thing is off limits."""
    return "off-limits" in words or {"off", "limits"} <= words


def find_choice(words: Sequence[str], at: int = 0) -> tuple[int, int] | None:
    """Return where the chosen thing ends, and where the rejected one begins.

    "A instead of B", "prefer A over B", "A, not B"; a backtick stands for code.
    """
    turning = {"over"} if words[at : at + 1] and words[at] in CHOOSING else set[str]()
    for turn in range(at + 1, len(words) - 1):
        said = next((one for one in _INSTEAD_OF if tuple(words[turn : turn + len(one)]) == one), ())
        denied = words[turn] in ("not", "never") and words[turn - 1] in (",", "`")
        # "Prefer A to B" names two things; "prefer A to parse B" says what A is for.
        liked = words[turn] == "to" and words[at] == "prefer" and at + 1 < turn < at + 4
        liked = liked and not (
            words[turn + 1] in VERBS and any(map(str.isalpha, words[turn + 2 :]))
        )
        if said or denied or liked or words[turn] in turning:
            return turn, turn + max(len(said), 1)
    return None


def find_order(words: Sequence[str]) -> tuple[slice, slice] | None:
    """Return the first step and the act it precedes, of "X before Y" or "before Y, X"."""
    turn = words.index("before") if "before" in words else None
    if turn is None:
        return None
    if turn:
        return slice(0, turn), slice(turn + 1, None)
    comma = words.index(",") if "," in words else len(words)
    return slice(comma + 1, None), slice(1, comma)
