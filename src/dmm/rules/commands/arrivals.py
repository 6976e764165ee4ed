"""Arrivals: which files lie where once files or folders are moved."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING

from dmm.rules.commands.facts import PathUse, located
from dmm.rules.commands.paths import seen_from
from dmm.rules.commands.reach import OUTSIDE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dmm.rules.commands.facts import CommandUse
    from dmm.rules.commands.reach import Reach


def arrivals(use: CommandUse, source: str, target: str, reach: Reach) -> list[tuple[str, str]]:
    """Pair the files and folders that a command moves with what they become, seen from the root.

    What wildcards name is listed as far as it exists; what lies in a folder is not.
    """
    folder, name = posixpath.split(source)
    if any(mark in name for mark in "*?["):
        into = posixpath.dirname(target) if posixpath.basename(target) == name else target
        found = reach.of(PathUse(source, "rename", (0, 0), glob=True))
        pairs = [(one, f"{into}/{posixpath.basename(one)}") for one in found]
        return [pair for pair in pairs if posixpath.dirname(pair[0]) == folder]
    inside = posixpath.basename(target) != name and _is_folder(use, target, reach)
    return [(source, f"{target}/{name}" if inside else target)]


def arriving_files(use: CommandUse, paths: list[PathUse], reach: Reach) -> Iterator[PathUse]:
    """List what comes about in a folder that a command moves to."""
    for write in use.script.writes.get(use.invocation.id, ()):
        sources = write.output.paths
        if len(sources) != 1:
            continue
        target = located(use.call, write.path)
        made = {one for _, one in arrivals(use, located(use.call, sources[0]), target, reach)}
        for one in paths:
            if one.path == target and one.changes:
                yield from (one._replace(path=path, glob=False) for path in sorted(made - {target}))


def _is_folder(use: CommandUse, path: str, reach: Reach) -> bool:
    """Whether a path is a folder that exists, or that the same call makes."""
    if path.startswith(OUTSIDE):
        return False
    if reach.tree.below(path):
        return True
    if "." in posixpath.basename(path):
        return False
    makers = (one for one in use.script.invocations if one.program == "mkdir")
    made = (located(use.call, seen_from(use, word)) for one in makers for word in one.words)
    return path in made or path in reach.tree.below(posixpath.dirname(path) or ".")
