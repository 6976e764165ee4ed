"""Patches: what the `*** Update File:` form and unified diffs change in each file."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dmm.rules.content.changes import Change, FileChange

if TYPE_CHECKING:
    from collections.abc import Iterator

_HEADER = re.compile(r"(?m)^\*\*\* (Add|Update|Delete) File: (.+?)\s*$")
_MOVE = re.compile(r"(?m)\A\s*\*\*\* Move to: (.+?)\s*$\n?")
_UNIFIED = re.compile(r"(?m)^--- (\S+).*\n\+\+\+ (\S+).*$")
_MARKS = ("*** End", "diff --git ", "index ", "\\ No newline")


def patch_changes(patch: str) -> Iterator[FileChange]:
    """Read the changes of a patch, file by file."""
    headers = list(_HEADER.finditer(patch))
    for header, following in zip(headers, [*headers[1:], None], strict=False):
        body = patch[header.end() + 1 : following.start() if following else len(patch)]
        yield _file(header[1], header[2], body)
    if not headers:
        yield from _unified(patch)


def _file(verb: str, path: str, body: str) -> FileChange:
    if verb == "Add":
        lines = [line[1:] for line in body.split("\n") if line.startswith("+")]
        return FileChange(path, "\n".join([*lines, ""]))
    if verb == "Delete":
        return FileChange(path, "")
    moved = _MOVE.match(body)
    target = moved[1] if moved else path
    return FileChange(target, steps=_hunks(body[moved.end() :] if moved else body), source=path)


def _unified(patch: str) -> Iterator[FileChange]:
    headers = list(_UNIFIED.finditer(patch))
    for header, following in zip(headers, [*headers[1:], None], strict=False):
        body = patch[header.end() + 1 : following.start() if following else len(patch)]
        old, new = (re.sub(r"^[ab]/", "", name) for name in header.groups())
        if old == "/dev/null":
            yield _file("Add", new, body)
        elif new == "/dev/null":
            yield FileChange(old, "")
        else:
            yield FileChange(new, steps=_hunks(body), source=old)


def _hunks(body: str) -> tuple[Change, ...]:
    """Read hunks: lines before and after, and which of those after are new."""
    steps: list[Change] = []
    for hunk in re.split(r"(?m)^@@.*$\n?", body):
        before: list[str] = []
        after: list[str] = []
        added: list[tuple[int, int]] = []
        for line in hunk.removesuffix("\n").split("\n"):
            if line.startswith(_MARKS):
                continue
            mark, text = line[:1], line[1:]
            if mark != "+":
                before.append(text)
            if mark == "+":
                added.append((len(after), len(after) + 1))
            if mark != "-":
                after.append(text)
        if added or before != after:
            step = Change("\n".join(before), "\n".join(after), lines=True, added=tuple(added))
            steps.append(step)
    return tuple(steps)
