"""Words that code must hold to match a pattern, told without any parser."""

from __future__ import annotations

import json
import re
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

from dmm.rules.content.limits import MAX_PARSED

if TYPE_CHECKING:
    from collections.abc import Collection

HOLE = re.compile(r"\$\$\$[A-Z_][A-Z0-9_]*|\$\$\$|\$\$?[A-Z_][A-Z0-9_]*")
_RELATIONS = ("inside", "has", "precedes", "follows")
_FEW = 10
_BETWEEN = {at: " " for at in range(128) if not re.match(r"\w", chr(at))}


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


def _in_words(text: str) -> list[str]:
    """Split a text at whatever ASCII does not count as part of a word."""
    return text.translate(_BETWEEN).split()


class Vocabulary:
    """The words of a text; they are listed once many have been asked for."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._asked = 0

    @cached_property
    def _words(self) -> str:
        return " ".join(set(_in_words(self.text)))

    @cached_property
    def _folded_words(self) -> str:
        return self._words.casefold()

    @cached_property
    def _folded(self) -> str:
        return self.text.casefold()

    def holds(self, parts: Collection[str], *, folded: bool = False) -> bool:
        """Whether all of some texts may stand in this one; `folded`: in any case."""
        self._asked += 1
        wanted = [part.casefold() for part in parts] if folded else parts
        if self._asked > _FEW and len(self.text) <= MAX_PARSED:
            # A text holds most of its words many times: it is far longer than a list of them.
            words = self._folded_words if folded else self._words
            if not all(word in words for part in wanted for word in _in_words(part)):
                return False
        text = self._folded if folded else self.text
        return all(part in text for part in wanted)
