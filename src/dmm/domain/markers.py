"""Git's conflict markers: where a text holds any, it is two texts and must not be read as one.

A marker stands at the start of a line, so an indented example of one is plain text.
"""

from __future__ import annotations

import re

WHAT = "unresolved merge conflict"
WAY_OUT = "resolve it with: dmm merge"
# `=======` alone underlines a heading, and `|||||||` can be a row of a table.
_MARKER = re.compile(r"^(?:<{7}|>{7})(?:[ \t].*)?\r?$", re.MULTILINE)


def find_marker(text: str) -> int | None:
    """Return the line of the first conflict marker, counted from 1."""
    if "<<<<<<<" not in text and ">>>>>>>" not in text:
        return None
    found = _MARKER.search(text)
    return None if found is None else text.count("\n", 0, found.start()) + 1


def is_torn(data: bytes | None) -> bool:
    """Return whether a file's bytes hold a conflict marker."""
    return data is not None and find_marker(data.decode("utf-8", "replace")) is not None
