"""Work out what `find` would pass on, as far as its words say."""

from __future__ import annotations

from itertools import takewhile
from typing import TYPE_CHECKING

from dmm.rules.commands.values import Word

if TYPE_CHECKING:
    from collections.abc import Sequence


FINDERS = frozenset({"find", "gfind", "fd"})


def roots_of(words: Sequence[Word]) -> list[Word]:
    """Return where `find` begins: the working directory unless it names others."""
    named = takewhile(lambda word: not word.text.startswith(("-", "(", "!")), words[1:])
    return list(named) or [Word(".", 0, 0)]


def found_by(words: Sequence[Word]) -> list[Word]:
    """Return what `find` would pass on: its roots, narrowed by a name if one is given."""
    roots = roots_of(words)
    texts = [word.text for word in words[1:]]
    tests = ("-name", "-iname", "-path", "-wholename", "-regex")
    names = [
        (texts[at + 1] if texts[at] in tests[:2] else texts[at + 1].strip("*/").rpartition("/")[2])
        for at in range(len(texts) - 1)
        if texts[at] in tests
    ]
    if not names:
        return roots
    return [
        root._replace(text=f"{root.text.rstrip('/')}/{name}") for root in roots for name in names
    ]
