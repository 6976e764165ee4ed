"""Words that code must hold to match a pattern, told without any parser."""

from __future__ import annotations

import json
import re
from functools import cached_property, lru_cache
from typing import Any

from dmm.rules.content.limits import MAX_PARSED

HOLE = re.compile(r"\$\$\$[A-Z_][A-Z0-9_]*|\$\$\$|\$\$?[A-Z_][A-Z0-9_]*")
_RELATIONS = ("inside", "has", "precedes", "follows")
_FEW = 40


@lru_cache(maxsize=4_096)
def words_of(pattern: str, rule: str) -> frozenset[str]:
    """List the words without which neither a pattern nor a rule can match."""
    try:
        held = json.loads(rule) if rule else {}
    except (ValueError, RecursionError):
        held = {}
    return frozenset(_words({"pattern": pattern}) | _words(held))


def _words(rule: Any) -> set[str]:
    found: set[str] = set()
    for key, value in rule.items() if isinstance(rule, dict) else ():
        if key == "pattern":
            code = value if isinstance(value, str) else ""
            found.update(re.findall(r"\w{2,}", HOLE.sub(" ", code)))
        elif key == "all" and isinstance(value, list):
            found.update(word for one in value for word in _words(one))
        elif key in _RELATIONS:
            found |= _words(value)
    return found


class Vocabulary:
    """The words of a text; they are listed once many have been asked for."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._asked = 0

    @cached_property
    def _words(self) -> frozenset[str]:
        return frozenset(re.findall(r"\w{2,}", self.text))

    @cached_property
    def folded(self) -> str:
        """The text without the case of its letters."""
        return self.text.casefold()

    def holds(self, words: frozenset[str]) -> bool:
        """Whether all of some words may stand in the text."""
        self._asked += 1
        if self._asked < _FEW or len(self.text) > MAX_PARSED:
            return all(word in self.text for word in words)
        return words <= self._words
