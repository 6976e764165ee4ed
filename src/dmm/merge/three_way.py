"""Merge the text of a memory or rule file from a common base.

The order of the sides does not matter: the same three texts give the same result.
"""

from __future__ import annotations

import yaml

from dmm.domain.markers import find_marker
from dmm.errors import MemoryFileError
from dmm.files import front_matter
from dmm.files.markdown import plain
from dmm.merge.body import merge_bodies
from dmm.merge.fields import merge_fronts
from dmm.merge.hunks import Clash, agree
from dmm.merge.sides import read_sides

FENCE = f"{front_matter.FENCE}\n"


def merge_texts(path: str, base: str, ours: str, theirs: str) -> str:
    """Merge two versions of a file; the base is empty where there is none.

    What can't be merged as one is refused.
    """
    crlf = "\r\n" in ours and "\r\n" in theirs
    origin, *sides = (_whole(path, text) for text in (base, ours, theirs))
    one, other = sorted(sides)
    try:
        merged = agree(origin, one, other)
    except Clash:
        merged = _merge(path, origin, one, other)
    return merged.replace("\n", "\r\n") if crlf else merged


def _whole(path: str, text: str) -> str:
    """Return a side as one text: conflicts that were committed are merged first."""
    text = plain(text)
    if find_marker(text) is None:
        return text
    sides = read_sides(path, text)
    return merge_texts(path, sides.base, sides.ours, sides.theirs)


def _merge(path: str, base: str, one: str, other: str) -> str:
    """Merge two versions of which none is the other's base."""
    if not one.startswith(FENCE) and not other.startswith(FENCE):
        return f"{merge_bodies(base, one, other)}\n"
    first, second = front_matter.cut(path, one), front_matter.cut(path, other)
    origin = front_matter.cut(path, base or f"{FENCE}{FENCE}")
    try:
        front = merge_fronts(origin.front_matter, first.front_matter, second.front_matter)
    except yaml.YAMLError as error:
        what = "the front matter of one version is not valid YAML"
        raise MemoryFileError(path, "merge_conflict", what, hint="merge them by hand") from error
    body = merge_bodies(origin.body, first.body, second.body)
    gap = "\n" * first.body.startswith("\n")
    return f"{FENCE}{front}{FENCE}{gap}{body}\n"
