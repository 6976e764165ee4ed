"""Arrivals: which files lie where once files or folders are moved or copied."""

from __future__ import annotations

import posixpath
from itertools import islice
from typing import TYPE_CHECKING

from dmm.rules.commands.facts import PathUse, located
from dmm.rules.commands.paths import seen_from

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dmm.rules.commands.facts import CommandUse
    from dmm.rules.commands.reach import Reach

_MOST_FILES = 200


def arrivals(use: CommandUse, source: str, target: str, reach: Reach) -> list[tuple[str, str]]:
    """Pair the files that a command moves or copies with what they become, seen from the root.

    What a folder or wildcards name is listed file by file, as far as it exists.
    """
    if use.invocation.program == "ln":
        return [(source, target)]
    folder, name = posixpath.split(source)
    if any(mark in name for mark in "*?["):
        into = posixpath.dirname(target) if posixpath.basename(target) == name else target
        found = reach.of(PathUse(source, "rename", (0, 0), glob=True))
        pairs = [(one, f"{into}/{posixpath.basename(one)}") for one in found]
        pairs = [pair for pair in pairs if posixpath.dirname(pair[0]) == folder]
    else:
        inside = posixpath.basename(target) != name and _is_folder(use, target, reach)
        pairs = [(source, f"{target}/{name}" if inside else target)]
    spread = (
        (file, made + file[len(one) :])
        for one, made in pairs
        for file in (reach.tree.below(one) or (one,))
    )
    return list(islice(spread, _MOST_FILES))


def _is_folder(use: CommandUse, path: str, reach: Reach) -> bool:
    """Whether a path is a folder that exists, or that the same call makes."""
    if reach.tree.below(path):
        return True
    if "." in posixpath.basename(path):
        return False
    makers = (one for one in use.script.invocations if one.program == "mkdir")
    made = (located(use.call, seen_from(use, word)) for one in makers for word in one.words)
    return path in made or path in reach.tree.below(posixpath.dirname(path) or ".")


def arriving_files(use: CommandUse, paths: list[PathUse], reach: Reach) -> Iterator[PathUse]:
    """List the files that come about in a folder that a command moves or copies to."""
    for write in use.script.writes:
        sources = write.output.paths
        if write.invocation != use.invocation.id or len(sources) != 1:
            continue
        target = located(use.call, write.path)
        made = {one for _, one in arrivals(use, located(use.call, sources[0]), target, reach)}
        for one in paths:
            if one.path == target and one.changes:
                yield from (one._replace(path=path, glob=False) for path in sorted(made - {target}))
