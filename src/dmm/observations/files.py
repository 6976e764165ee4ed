"""The paths that a tool call names, relative to the project where possible."""

from __future__ import annotations

import posixpath
import re
from itertools import islice
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_NAMES = (
    "file_path", "filePath", "path", "absolute_path", "notebook_path", "target_file", "filename",
    "relative_path",
)  # fmt: skip
_PATCHES = ("command", "patch", "patchText", "input", "diff")
_PATCHED = re.compile(
    r"^\*\*\* (Add|Update|Delete) File: (.+?)\s*$|^\*\*\* Move to: (.+?)\s*$", re.MULTILINE
)
_REDIRECT = re.compile(
    r"(?:^|[\s;&|])(?:(?:cat|echo|printf)\b[^\n>|]*>{1,2}|tee\s+(?:-a\s+)?)\s*([^\s;&|<>]+)"
)
_IN_PLACE = re.compile(r"\b(?:sed|perl)\s+(?:-\S+\s+)*-\w*i\S*\s")
_REMOVE = re.compile(r"(?:^|[;&]\s*)(?:git\s+)?rm\s+([^;&|\n<>]+)")
_LONGEST = 300
_SCRATCH = ("dev", "proc", "tmp", "var")
MOST_PATCHED = 20


def named_path(given: Mapping[str, object]) -> str:
    """Find the path that a call names."""
    for name in _NAMES:
        value = given.get(name)
        if isinstance(value, str) and 0 < len(value) <= _LONGEST:
            return value
    return ""


def patched_paths(given: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    """Find the files of a patch, each with what becomes of it: add, update, delete."""
    for name in _PATCHES:
        text = given.get(name)
        if isinstance(text, list):
            text = "\n".join(one for one in text if isinstance(one, str))
        if isinstance(text, str) and "*** " in text:
            for found in islice(_PATCHED.finditer(text), MOST_PATCHED):
                yield (found[1] or "add").casefold(), found[2] or found[3]


def written_by_shell(command: str) -> str:
    """Find the file that a command writes itself, by a redirection or in place."""
    head = command[:2_000]
    found = _REDIRECT.search(head)
    if found and not found[1].startswith(("$", "&", "-")):
        return found[1].strip("'\"")
    if _IN_PLACE.search(head):
        last = head.split("\n")[0].split("|")[0].split("&&")[0].split(";;")[0].split()[-1]
        return "" if last.startswith(("-", "'", '"', "s/")) else last
    return ""


def removed_by_shell(command: str) -> list[str]:
    """Find the files that a command removes by name."""
    found = _REMOVE.search(command[:2_000])
    words = found[1].split() if found else []
    named = [word.strip("'\"") for word in words if not word.startswith("-")]
    return [one for one in named if one and not set(one) & set("*?$~{")][:MOST_PATCHED]


def is_scratch(path: str) -> bool:
    """Return whether a file lies in a temporary folder."""
    return path.startswith("/") and path.split("/")[1] in _SCRATCH


def relate(path: str, cwd: str, root: str) -> str:
    """Return a path relative to the project, or to the agent's working directory."""
    if not path.startswith("/"):
        path = posixpath.join(cwd, path) if cwd.startswith("/") else path
    plain = posixpath.normpath(path)
    for base in (root, cwd):
        start = base.rstrip("/") + "/"
        if len(start) > 1 and plain.startswith(start):
            return plain[len(start) :]
    return plain
