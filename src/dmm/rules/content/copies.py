"""Copies: the files that a command makes out of the text of others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dmm.rules.commands.flow import located
from dmm.rules.content.changes import FileChange

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dmm.rules.commands.facts import CommandUse

_MOVED = "the text was in a file before"


def copies(use: CommandUse) -> Iterator[FileChange]:
    """List the files that `cp`, `mv`, `install` or `dd` fill with the text of others."""
    for source, target in _pairs(use):
        directory = use.invocation.context.directory
        old, new = located(source, directory), located(target, directory)
        moved = use.invocation.program == "mv"
        if moved and _folder(old) == _folder(new):
            # It is the same text under another name; rules on its folder held for it before.
            continue
        yield FileChange(new, copied=(old,), doubt=_MOVED if moved else "")


def _folder(path: str) -> str:
    return path.rpartition("/")[0].partition("/")[0]


def _pairs(use: CommandUse) -> list[tuple[str, str]]:
    program, words = use.invocation.program, use.options.operands
    if program == "dd":
        named = dict(word.text.partition("=")[::2] for word in use.invocation.words[1:])
        return [(named["if"], named["of"])] if "if" in named and "of" in named else []
    if program not in ("cp", "mv", "install", "ditto") or len(words) < 2:
        return []
    if use.options.has_exactly("-t|--target-directory|-d|--directory"):
        return []
    *sources, target = [word.text for word in words]
    if any(word.expands for word in words):
        return []
    if len(sources) == 1 and not target.endswith("/"):
        return [(sources[0], target)]
    folder = target.rstrip("/")
    return [(one, f"{folder}/{one.rstrip('/').rpartition('/')[2]}") for one in sources]
