"""Read the changes to each file from patches: `*** Update File:` or unified diffs."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dmm.rules.commands.dependencies import declared
from dmm.rules.commands.edits import Change, FileChange
from dmm.rules.commands.facts import PathUse, located
from dmm.rules.commands.paths import seen_from

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from dmm.rules.commands.dependencies import DependencyUse
    from dmm.rules.commands.facts import Access, CommandUse, ToolCall
    from dmm.rules.commands.scripts import TextOf

_HEADER = r"(?m)^\*\*\* (Add|Update|Delete) File: (?P<path>.+?)\s*$"
_MOVE = r"(?m)\A\s*\*\*\* Move to: (.+?)\s*$\n?"
# Possessive: linear on any text. Git quotes a name with other letters than those of English.
_NAME = r"\"(?:[^\"\\\n]|\\.)*+\"|\S++"
_NAMES = rf"--- (?P<old>{_NAME}).*\n\+\+\+ (?P<path>{_NAME}).*"
_ESCAPED = dict(zip(b"abfnrtv", b"\a\b\f\n\r\t\v", strict=True))
_UNIFIED = (
    rf"(?m)^(?:{_NAMES}|(?P<how>rename|copy) from (?P<from>.+)\n(?P=how) to (?P<to>.+)"
    r"(?:\n(?:index .*\n)?--- .*\n\+\+\+ .*)?)$"
)
# A patch that is only looked at, or taken back: what it adds does not get there.
_NOT_APPLIED = "--check|--stat|--numstat|--summary|--dry-run|-R|--reverse"
_MARKS = ("*** End", "diff --git ", "index ", "\\ No newline")


def patches_of(use: CommandUse, files: TextOf | None) -> list[str]:
    """List the texts that a command takes patches from: its words, its input, files it names."""
    if use.options.has_exactly(_NOT_APPLIED):
        return []
    words, given = use.invocation.words[1:], use.script.input_of(use.invocation)
    found = [word.text for word in words if "\n" in word.text]
    found += [one.body for one in use.invocation.redirections if one.body] + [given.text or ""]
    if files is not None:
        named = [one.target for one in use.invocation.redirections if one.reads]
        paths = [seen_from(use, word) for word in (*named, *words)]
        found += [files(path) or "" for path in (*paths, *given.paths)]
    return [text for text in dict.fromkeys(found) if text]


def patch_changes(patch: str) -> Iterator[FileChange]:
    """Read the changes of a patch, file by file."""
    headers = list(re.finditer(_HEADER, patch))
    read = _changed if headers else _unified
    headers = headers or list(re.finditer(_UNIFIED, patch))
    for header, following in zip(headers, [*headers[1:], None], strict=False):
        body = patch[header.end() + 1 : following.start() if following else len(patch)]
        name = "path" if header["path"] else "to"
        yield read(header, body)._replace(span=header.span(name))


def _changed(header: re.Match[str], body: str) -> FileChange:
    verb, path = header[1], header["path"]
    if verb != "Update":
        return _whole(path, body, "create" if verb == "Add" else "delete")
    moved = re.match(_MOVE, body)
    if moved is None:
        return FileChange(path, steps=_hunks(body), source=path)
    steps = _hunks(body[moved.end() :])
    return FileChange(moved[1], steps=steps, source=path, access="rename")


def _unified(header: re.Match[str], body: str) -> FileChange:
    # What Git says of the next file is no line of this one.
    body = re.split(r"(?m)^diff --git ", body)[0]
    if header["how"]:
        access: Access = "rename" if header["how"] == "rename" else "create"
        source, target = unquoted(header["from"]), unquoted(header["to"])
        return FileChange(target, steps=_hunks(body), source=source, access=access)
    names = unquoted(header["old"]), unquoted(header["path"])
    old, new = (re.sub(r"^[ab]/", "", name) for name in names)
    if old == "/dev/null":
        return _whole(new, body, "create")
    if new == "/dev/null":
        return _whole(old, body, "delete")
    return FileChange(new, steps=_hunks(body), source=old)


def unquoted(name: str) -> str:
    """Return a name as Git means it: `"caf\\303\\251"` is café."""
    name = name.rstrip("\r")
    if len(name) < len('""') or name[0] != '"' or name[-1] != '"':
        return name
    escapes = re.compile(rb"\\(?:([0-3][0-7]{2})|(.))", re.DOTALL)
    return escapes.sub(_unescape, name[1:-1].encode("utf-8", "replace")).decode("utf-8", "replace")


def _unescape(found: re.Match[bytes]) -> bytes:
    code = int(found[1], 8) if found[1] else _ESCAPED.get(found[2][0], found[2][0])
    return bytes((code,))


def _whole(path: str, body: str, access: Access) -> FileChange:
    lines = [line[1:] for line in body.split("\n") if line.startswith("+")]
    return FileChange(path, "\n".join([*lines, ""]) if access == "create" else "", access=access)


def _hunks(body: str) -> tuple[Change, ...]:
    """Read hunks: lines before and after, and which of those after are new."""
    steps: list[Change] = []
    for hunk in re.split(r"(?m)^@@.*$\n?", body):
        lines = [one for one in hunk.removesuffix("\n").split("\n") if not one.startswith(_MARKS)]
        before = [line[1:] for line in lines if line[:1] != "+"]
        after = [line for line in lines if line[:1] != "-"]
        added = tuple((at, at + 1) for at, line in enumerate(after) if line[:1] == "+")
        new = "\n".join(line[1:] for line in after)
        if added or len(before) != len(after):
            steps.append(Change("\n".join(before), new, lines=True, added=added))
    return tuple(steps)


def uses_of(
    changes: Iterable[FileChange], call: ToolCall
) -> tuple[list[PathUse], list[DependencyUse]]:
    """List the files that some changes are about, and the packages that they add."""
    paths: list[PathUse] = []
    packages: list[DependencyUse] = []
    for one in changes:
        use = PathUse(located(call, one.path), one.access, one.span)
        paths.append(use)
        if one.access == "rename":
            # What is moved counts by both names.
            moved = use._replace(path=located(call, one.source))
            paths[-1:] = [moved._replace(access="write"), use, moved]
        added = declared(one.path, one.after, one.before)
        packages += [use._replace(span=one.span) for use in added]
    return paths, packages
