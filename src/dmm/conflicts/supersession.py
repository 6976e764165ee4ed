"""Memories that take the place of another one, by their front matter or by what they say."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dmm.conflicts.replacements import numbered_in
from dmm.conflicts.words import words_of

if TYPE_CHECKING:
    from dmm.conflicts.readings import Reading
    from dmm.conflicts.replacements import Phrase
    from dmm.domain.memory import Memory


def supersedes(newer: Memory, older: Memory) -> bool:
    """Whether the front matter of one memory names the other as its predecessor."""
    names = {older.id, older.path, older.name, older.name.removesuffix(".md")}
    return not names.isdisjoint(newer.supersedes)


HISTORY, EXPLICIT, GONE = "history", "explicit", "gone"


def change_between(one: Reading, other: Reading) -> str:
    """What one of two memories tells of change: `HISTORY`, `EXPLICIT`, `GONE` or nothing.

    `HISTORY`: one is itself marked as past; `EXPLICIT`: one says that it replaces the other;
    `GONE`: one says that a thing which the other uses is no more.
    """
    mine = one.traces
    yours = other.traces
    if mine.history or yours.history:
        return HISTORY
    if _replaces(one, other) or _replaces(other, one):
        return EXPLICIT
    return GONE if _outlives(one, other) or _outlives(other, one) else ""


def _replaces(newer: Reading, older: Reading) -> bool:
    traces = newer.traces
    if not (traces.earlier or traces.replaces):
        return False
    numbers = numbered_in(newer.memory.body)
    named = numbered_in(f"{older.memory.title} {older.memory.body}")
    if numbers and named:
        return bool(numbers & named)
    return traces.earlier or any(_is_held(phrase, older) for phrase in traces.replaces)


def _outlives(newer: Reading, older: Reading) -> bool:
    """Whether one memory tells that a thing is gone which the other one still uses."""
    gone = newer.traces.gone
    if not gone:
        return False
    buried = {c for p in older.traces.gone for c in p.names or p.words}
    return any(_is_held(phrase, older, buried) for phrase in gone)


def _is_held(
    phrase: Phrase, older: Reading, buried: set[str] | frozenset[str] = frozenset()
) -> bool:
    """Whether a memory speaks of a thing as in use: of a name in it, or of all its words."""
    if phrase.figures and not _has_figures(phrase, older):
        return False
    held = older.context - older.denied - buried
    if phrase.names & held or (phrase.words and phrase.words <= held):
        return True
    return any(_is_form(name, word) for name in phrase.names for word in held)


def _has_figures(phrase: Phrase, older: Reading) -> bool:
    """ "Python 3.9" is used by one that names 3.9, and does not tell that it is gone too."""
    told = {w.text for w in words_of(older.memory.body[:_LONGEST]) if w.sort == "number"}
    return phrase.figures <= told.difference(*(p.figures for p in older.traces.gone))


def _is_form(name: str, word: str) -> bool:
    """ "Jenkins" in "Jenkinsfile", "colors.scss" in "src/theme/colors.scss"."""
    if "." in name:
        return word.endswith(f"/{name}")
    return len(name) >= _LONG_NAME and word.startswith(name)


_LONG_NAME = 6
_LONGEST = 4_000
