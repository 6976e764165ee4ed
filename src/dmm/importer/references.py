"""Resolve the relative paths in a source against its folder."""

from __future__ import annotations

import posixpath
import re
from dataclasses import replace
from typing import TYPE_CHECKING

from dmm.importer.sources import Source, folder_of

if TYPE_CHECKING:
    from collections.abc import Callable

_FENCE = re.compile(r"\s*(```|~~~)")
# A link's target, or a code span that is nothing but a path.
_LINK = re.compile(r"(?<=\]\()(?P<path>[^()\s#:]+)(?=[)#])")
_SPAN = re.compile(r"(?<=`)(?P<path>(?:\.{1,2}/)?[\w.@-]+(?:/[\w.@-]+)*/?)(?=`)")


def resolve_paths(source: Source, exists: Callable[[str], bool]) -> Source:
    """Return a source with its paths relative to the top of the project; code blocks stay."""
    folder = folder_of(source.path)

    def resolved(match: re.Match[str]) -> str:
        path = match["path"]
        target = posixpath.normpath(posixpath.join(folder, path))
        relative = path.startswith(("./", "../"))
        if target == path.rstrip("/") or (not relative and exists(path)) or not exists(target):
            return path
        return target + "/" if path.endswith("/") else target

    fenced = False
    lines = []
    for line in source.text.split("\n"):
        fenced ^= bool(_FENCE.match(line))
        lines.append(line if fenced else _SPAN.sub(resolved, _LINK.sub(resolved, line)))
    return replace(source, text="\n".join(lines))
