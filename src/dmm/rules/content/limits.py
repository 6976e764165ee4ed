"""Limits: how large a pattern may be, and what it is searched in."""

from __future__ import annotations

from dmm.rules.budget import Stopped

MAX_PATTERN = 2_000
MAX_TEXT = 4 << 20
MAX_SEARCHED = 1 << 20
QUICKLY_SEARCHED = 64 << 10
MAX_PARSED = 200 << 10
MAX_NESTING = 400
# The letters of a file, once for each hunk of a patch that is looked for in its lines.
MAX_PLACED = 50_000_000


class Unfit(Stopped):
    """A pattern that is not code of a language; files in that language don't match."""
