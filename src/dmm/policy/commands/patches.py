"""Patches and edits: the files that they change and the packages that they add."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dmm.policy.commands.dependencies import DependencyUse, declared
from dmm.policy.commands.facts import CallFacts, PathUse, relative_path
from dmm.policy.commands.tools import PATH_KEYS, first_text

if TYPE_CHECKING:
    from dmm.policy.commands.facts import ToolCall

_HEADER = r"(?m)^\*\*\* (Add File|Update File|Delete File|Move to): (.+?)\s*$"
_NEW_KEYS = ("content", "new_string", "newString", "new_str", "file_text", "new_source")
_OLD_KEYS = ("old_string", "oldString", "old_str")


def read_patch(patch: str, cwd: str | None) -> tuple[list[PathUse], list[DependencyUse]]:
    """Read the files of a patch in the `*** Update File:` form and the packages it adds."""
    paths: list[PathUse] = []
    packages: list[DependencyUse] = []
    headers = list(re.finditer(_HEADER, patch))
    for header, following in zip(headers, [*headers[1:], None], strict=False):
        path = header[2]
        span = (header.start(2), header.end(2))
        paths.append(PathUse(relative_path(path, cwd), "write", span))
        body = patch[header.end() : following.start() if following else len(patch)]
        lines = body.splitlines()
        after = "\n".join(line[1:] for line in lines if line.startswith("+"))
        before = "\n".join(line[1:] for line in lines if line.startswith(("-", " ")))
        packages += [one._replace(span=span) for one in declared(path, after, before)]
    return paths, packages


def _edits(call: ToolCall) -> list[tuple[str, str]]:
    """Pair the new and old texts of an edit; several for a multiple edit."""
    several = call.input.get("edits")
    inputs = [one for one in several if isinstance(one, dict)] if isinstance(several, list) else []
    pairs = []
    for one in (call.input, *inputs):
        new = first_text(one, _NEW_KEYS)
        if new is not None:
            pairs.append((new, first_text(one, _OLD_KEYS) or ""))
    return pairs


def read_edit(call: ToolCall) -> CallFacts:
    """Read a tool that writes one file."""
    path = first_text(call.input, PATH_KEYS)
    if path is None:
        return CallFacts(call, call.tool)
    span = (0, len(path))
    manifest = path.rpartition("/")[2]
    added = [one.name for new, old in _edits(call) for one in declared(path, new, old)]
    return CallFacts(
        call,
        path,
        paths=(PathUse(relative_path(path, call.cwd), "write", span),),
        dependencies=tuple(DependencyUse(name, manifest, span) for name in added),
    )
