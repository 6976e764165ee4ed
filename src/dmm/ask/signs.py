"""Find code patterns that show an entry point, storage, an interface or a model call.

A sign counts where its first word stands in code; a few are strings that code uses, such as the
text of a schema. Comments and documentation strings are no evidence.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from dmm.ask.rules import RULES
from dmm.text.words import word_set

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dmm.ask.rule import Rule
    from dmm.ask.sections import Section
    from dmm.repo.strip_comments import Bare

MOST_OF_A_RULE = 3
# What many signs in one file add; where its name says nothing, it takes more of them.
MANY, UNNAMED = 2, 4
LONGEST_IMPORT = 2_000
SIGNED = frozenset(rule.section for rule in RULES)

_FROM = re.compile(r"^\s*from\s+[\w.]+\s+import\b")
_STATEMENT = re.compile(r"^[ \t]*(?:import|export|const|let|var)\b", re.MULTILINE)
# Types are gone when code runs: who imports them uses nothing.
_TYPES = re.compile(r"\s*(?:import|export)\s+type\b(?!\s+from\b)")
# What names are imported from, or the end of a statement: what stands before is another one.
_ENDED = re.compile(r"[;\"'`]")
_NAME = re.compile(r"[A-Za-z_]\w{2,}")
_KEYWORDS = word_set("import from require const let var use using static extern crate")


@dataclass(frozen=True, slots=True)
class Sign:
    """A sign that was found, its line, and how often the file shows it."""

    section: Section
    label: str
    line: int
    strength: int
    count: int = 1


def find_signs(
    bare: Bare, sections: frozenset[Section], named: frozenset[Section] = frozenset()
) -> Iterator[Sign]:
    """Find the signs of some sections in a source file, whose name may hint at some of them."""
    for rule in RULES:
        if rule.section not in sections or not any(one in bare.text for one in rule.needles):
            continue
        places = _places(rule, bare)
        if places and all(_compiled(one).search(bare.told) for one in rule.beside):
            enough = rule.many if rule.section in named else UNNAMED * rule.many
            strength = rule.strength + MANY * (len(places) >= enough)
            for at in places[:MOST_OF_A_RULE]:
                yield Sign(rule.section, rule.label, bare.line(at), strength, len(places))


def _places(rule: Rule, bare: Bare) -> list[int]:
    stands = bare.is_told if rule.in_string else bare.is_code
    found: list[int] = []
    used: list[int] = []
    for match in _compiled(rule.pattern).finditer(bare.text):
        name = match.lastgroup or "at"
        at = match.start(name)
        if name == "script" and _TYPES.match(_before(bare.text, at)):
            continue
        # The path of a Go module is a string alone on its line.
        if stands(at) or (name == "go" and bare.is_told(at)):
            found.append(at)
            used += _first_use(match, bare) if rule.imports else ()
    return used or found


def _first_use(match: re.Match[str], bare: Bare) -> list[int]:
    """Find where a file first uses what it imports; it may never do."""
    end = _end_of_import(bare.text, match.end())
    if end < 0:
        return []
    said = _FROM.sub("", bare.text[match.start() : end])
    if match.lastgroup == "script":
        said = _before(bare.text, match.start())
    names = [name for name in _NAME.findall(said) if name not in _KEYWORDS]
    later = _used(tuple(names)).search(bare.code, end) if names else None
    return [] if later is None else [later.start()]


def _before(text: str, at: int) -> str:
    """Return what an import of JavaScript names before its module, maybe on lines of its own."""
    earliest, line = max(0, at - LONGEST_IMPORT), text.rfind("\n", 0, at) + 1
    starts = [one.start() for one in _STATEMENT.finditer(text, earliest, at + len("import"))]
    said = text[max((one for one in starts if one <= at), default=line) : at]
    return text[line:at] if _ENDED.search(said) else said


def _end_of_import(text: str, start: int) -> int:
    """Find the end of the line, or of the lines that a brace continues."""
    end = text.find("\n", start)
    line = text.rfind("\n", 0, start) + 1
    if "{" in text[line:end] and "}" not in text[line:end]:
        closed = text.find("}", end, end + LONGEST_IMPORT)
        return end if closed < 0 else text.find("\n", closed)
    return end


@lru_cache(maxsize=64)
def _used(names: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w.])(?:{'|'.join(map(re.escape, names))})\s*(?:[.(<{{]|::)")


@lru_cache(maxsize=256)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.MULTILINE)
