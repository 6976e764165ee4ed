"""A code pattern that shows a section of a repository."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING

from dmm.ask import libraries

if TYPE_CHECKING:
    from dmm.ask.sections import Section


@dataclass(frozen=True, slots=True)
class Rule:
    """One sign: where it belongs, how strong it is, and what else (`beside`) the code has to hold.

    `many` of it in one file are a stronger sign: this is where it is done.
    The group `at` of the pattern marks the word that has to be code. A text without any of the
    `needles` can't hold it, and is spared the pattern.
    """

    section: Section
    label: str
    strength: int
    needles: tuple[str, ...]
    pattern: str
    beside: tuple[str, ...] = ()
    in_string: bool = False
    imports: bool = False
    many: float = inf


def write_rule(
    section: Section,
    label: str,
    strength: int,
    needles: str,
    pattern: str,
    *beside: str,
    in_string: bool = False,
    many: float = inf,
) -> Rule:
    """Write a rule; the needles are words with spaces between."""
    words = tuple(needles.split())
    return Rule(section, label, strength, words, pattern, beside, in_string, many=many)


def write_use(
    section: Section, label: str, strength: int, names: dict[str, str], *beside: str
) -> Rule:
    """Write the rule that code uses any of some libraries."""
    pattern, needles = libraries.write_pattern(names), libraries.list_names(names)
    return Rule(section, label, strength, needles, pattern, beside, imports=True)


def write_import(names: str) -> str:
    """Write the pattern of an import in Python."""
    return rf"^[ \t]*(?:import|from)[ \t]+(?:{names})\b"
