"""The paths that a tool call names, relative to the project where possible."""

from __future__ import annotations

import posixpath
import re
from itertools import islice
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

_NAMES = (
    "file_path", "filePath", "path", "absolute_path", "notebook_path", "target_file", "filename",
    "relative_path",
)  # fmt: skip
_PATCHES = ("command", "patch", "patchText", "input", "diff")
_PATCHED = re.compile(r"^\*\*\* ((?:Add|Update|Delete) File|Move to): (.+?)\s*$", re.MULTILINE)
_REDIRECT = re.compile(
    r"(?:^|[\s;&|])(?:(?:cat|echo|printf)\b[^\n>|]*>{1,2}|tee\s+(?:-a\s+)?)\s*([^\s;&|<>]+)"
)
_IN_PLACE = re.compile(r"\b(?:sed|perl)\s+(?:-\S+\s+)*-\w*i\S*\s")
_REMOVE = re.compile(r"(?:^|[;&]\s*)(?:git\s+)?rm\s+([^;&|\n<>]+)")
_REMOVED = re.compile(r"(?<!\S)(?!-)['\"]*([^\s*?$~{'\"][^\s*?$~{]*?)['\"]*(?!\S)")
_PATH = re.compile(r".{1,300}")
_OUTSIDE = re.compile(r"/(?:dev|proc|tmp|var)(?:/|$)|$")
MOST_PATCHED = 20


def texts_of(given: Mapping[str, object], names: Iterable[str], joint: str) -> Iterator[str]:
    """Return those of some arguments that are texts; one in parts is joined."""
    for name in names:
        value = given.get(name)
        parts = value if isinstance(value, list) else [value]
        text = joint.join(one for one in parts if isinstance(one, str))
        if text.strip():
            yield text


def named_path(given: Mapping[str, object]) -> str:
    """Find the path that a call names."""
    found = (one for one in texts_of(given, _NAMES, "\n") if _PATH.fullmatch(one))
    return next(found, "")


def patched_paths(given: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    """Find the files of a patch, each behind what becomes of it, as the patch says."""
    for text in texts_of(given, _PATCHES, "\n"):
        if "*** " in text:
            found = islice(_PATCHED.finditer(text), MOST_PATCHED)
            yield from ((one[1], one[2]) for one in found)


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
    return _REMOVED.findall(found[1])[:MOST_PATCHED] if found else []


def is_outside(path: str) -> bool:
    """Return whether a path names no file of the project: none at all, or a temporary one."""
    return _OUTSIDE.match(path) is not None


def relate(path: str, cwd: str, root: str) -> str:
    """Return a path relative to the project, or to the agent's working directory."""
    if not path:
        return ""
    plain = posixpath.normpath(posixpath.join(cwd, path) if cwd.startswith("/") else path)
    bases = filter(None, (root.rstrip("/"), cwd.rstrip("/")))
    return next((plain[len(one) + 1 :] for one in bases if plain.startswith(f"{one}/")), plain)
