"""Read both versions out of a text with Git's conflict markers."""

from __future__ import annotations

import re
from dataclasses import dataclass

from dmm.domain.markers import WHAT, find_marker
from dmm.errors import MemoryFileError
from dmm.files.markdown import plain

_CONFLICT = re.compile(
    r"^<{7}(?: .*)?\n(?P<ours>(?s:.*?))"
    r"(?:^\|{7}(?: .*)?\n(?P<base>(?s:.*?)))?"
    r"^={7}\n(?P<theirs>(?s:.*?))^>{7}(?: .*)?(?:\n|\Z)",
    re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class Sides:
    """The whole text of each side; the base only where Git wrote it between the markers."""

    base: str
    ours: str
    theirs: str


def read_sides(path: str, text: str) -> Sides:
    """Parse a text with conflict markers; incomplete markers are refused."""
    text = plain(text)
    ours, theirs, base = (_take(text, side) for side in ("ours", "theirs", "base"))
    line = find_marker(ours) or find_marker(theirs)
    if line is not None:
        hint = "the markers are incomplete: keep the lines you want and delete the marker lines"
        raise MemoryFileError(path, "merge_conflict", WHAT, line=find_marker(text), hint=hint)
    known = any(found["base"] is not None for found in _CONFLICT.finditer(text))
    return Sides(base if known else "", ours, theirs)


def _take(text: str, side: str) -> str:
    """Return the text with one side in place of each conflict."""
    return _CONFLICT.sub(lambda found: found[side] or "", text)
