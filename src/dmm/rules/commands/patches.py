"""Patches and edits: the files that they change and the packages that they add."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dmm.rules.commands.dependencies import DependencyUse, declared
from dmm.rules.commands.facts import CallFacts, PathUse, located
from dmm.rules.commands.tools import PATH_KEYS, first_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dmm.rules.commands.facts import Access, ToolCall

_DONE: dict[str, Access] = {"Add File": "create", "Delete File": "delete", "Move to": "rename"}
_HEADER = r"(?m)^\*\*\* (Add File|Update File|Delete File|Move to): (.+?)\s*$"
_BY_TOOL: dict[str, Access] = {"delete_file": "delete", "create_file": "create"}
_UNIFIED = r"(?m)^(---|\+\+\+) (?:[ab]/)?(?!/dev/null)(\S+).*$"
_NEW_KEYS = ("content", "new_string", "newString", "new_str", "file_text", "new_source")
_OLD_KEYS = ("old_string", "oldString", "old_str")


def is_patching(words: Sequence[str]) -> bool:
    """Whether a command takes a patch in."""
    program = words[0].rpartition("/")[2] if words else ""
    return program in ("apply_patch", "applypatch", "patch") or (
        program == "git" and tuple(words[1:2]) == ("apply",)
    )


def read_patch(patch: str, call: ToolCall) -> tuple[list[PathUse], list[DependencyUse]]:
    """Read the files of a patch, in the `*** Update File:` form or a diff, and what it adds."""
    paths: list[PathUse] = []
    packages: list[DependencyUse] = []
    headers = list(re.finditer(_HEADER, patch)) or list(re.finditer(_UNIFIED, patch))
    for header, following in zip(headers, [*headers[1:], None], strict=False):
        path = header[2]
        span = (header.start(2), header.end(2))
        use = PathUse(located(call, path), _DONE.get(header[1], "write"), span)
        paths.append(use)
        if use.access == "rename":
            # What is moved counts by both names.
            paths += [one._replace(access="rename") for one in paths[-2:-1]]
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


def replaces_text(call: ToolCall) -> bool:
    """Whether an edit names a text that it replaces, and so changes a file that exists."""
    return any(old for _, old in _edits(call))


def read_edit(call: ToolCall) -> CallFacts:
    """Read a tool that writes one file."""
    path = first_text(call.input, PATH_KEYS)
    if path is None:
        return CallFacts(call, call.tool)
    span = (0, len(path))
    access = _BY_TOOL.get(call.tool.lower(), "write")
    manifest = path.rpartition("/")[2]
    added = [one.name for new, old in _edits(call) for one in declared(path, new, old)]
    return CallFacts(
        call,
        path,
        paths=(PathUse(located(call, path), access, span),),
        dependencies=tuple(DependencyUse(name, manifest, span) for name in added),
    )
