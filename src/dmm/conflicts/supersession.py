"""Memories that take the place of another one, by their front matter or in so many words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dmm.conflicts.vocabulary import GENERIC, concept_of
from dmm.conflicts.words import words_of

if TYPE_CHECKING:
    from dmm.conflicts.readings import Reading
    from dmm.conflicts.statements import Statement
    from dmm.domain.memory import Memory


def supersedes(newer: Memory, older: Memory) -> bool:
    """Whether the front matter of one memory names the other as its predecessor."""
    names = {older.id, older.path, older.name, older.name.removesuffix(".md")}
    return not names.isdisjoint(newer.supersedes)


def replaces_in_words(newer: Reading, older: Reading) -> bool:
    """Whether one memory says that it takes the place of what the other holds."""
    told, earlier = newer.replaced
    if earlier:
        return True
    dropped = {choice for s in newer.statements if s.changes for choice in s.refused}
    if any(dropped & s.chosen for s in older.statements):
        return True
    held = older.title | frozenset(t for s in older.statements for t in s.terms)
    held |= frozenset(word.text for word in words_of(older.memory.title) if word.sort == "number")
    return bool(told & held) and bool(told & (held - newer.claimed))


def is_superseded(newer: Statement, older: Statement) -> bool:
    """Whether one statement says itself that it takes the place of the other."""
    if not newer.changes:
        return False
    told = newer.old | newer.rejected | {concept_of(member) for _, member in newer.refused}
    amounts = {quantity.raw for quantity in newer.old_quantities}
    if not told and not amounts:
        return True
    held = older.terms | {concept_of(member) for _, member in older.chosen}
    held_amounts = {quantity.raw for quantity in older.quantities}
    specific = {term for term in told if term not in GENERIC}
    return bool(specific & held) or bool(amounts & held_amounts) or not (specific or amounts)
