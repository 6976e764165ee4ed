"""Text made safe to show: characters that hide or reorder what a reader sees become visible."""

from __future__ import annotations

import re

# Controls, marks of direction, and what has no glyph. The joiners U+200C and U+200D and the
# variation selectors U+FE00 to U+FE0F stay: scripts and emoji are written with them.
_INVISIBLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad"
    "\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    "\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb"
    "\U000e0000-\U000e0fff]"
)
# These end a line, or did so once: without them two words would become one.
_BREAKS = frozenset("\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029")

_IMITATION = re.compile(
    r"^(?= {0,3}(?:"
    r"#{1,6}[ \t]+(?:DMM Memory Pack|Baseline \(Always|Constraints in Force|Retrieved Context"
    r"|Pack Statistics|\[[^\]\n]{0,300}\][ \t]+\(relevance:)"
    r"|>[ \t]*(?:Notice:|cites |deprecated$|this file has a fault)))",
    re.MULTILINE | re.IGNORECASE,
)


def shield(text: str) -> str:
    """Put a backslash before lines that could be taken for the frame of a pack."""
    return _IMITATION.sub(r"\\", text)


def neutralise(text: str) -> str:
    """Show control, zero-width, bidirectional and tag characters as their code: <U+202E>."""
    return _INVISIBLE.sub(lambda found: f"<U+{ord(found[0]):04X}>", text)


def find_hidden(text: str) -> dict[int, list[str]]:
    """Name the characters of each line that `neutralise` would show; lines count from 1."""
    lines = enumerate(text.split("\n"), start=1)
    return {number: found for number, line in lines if (found := _INVISIBLE.findall(line))}


def strip_hidden(text: str) -> str:
    """Leave out the characters that `neutralise` would show; all that can be read stays."""
    return _INVISIBLE.sub(lambda found: " " if found[0] in _BREAKS else "", text)
